"""What can be wrong with a spec that reads well: told at `new`, with the line."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from tilesmith.arch import Arch, load_arch
from tilesmith.errors import SpecError
from tilesmith.formats import tile_bytes
from tilesmith.opsmith.calls import first_broken
from tilesmith.opsmith.context import Context
from tilesmith.opsmith.data_types import data_format
from tilesmith.opsmith.evaluate import Call, TensorModel, evaluate, evaluate_shape
from tilesmith.opsmith.model import CircularBufferPlan, KernelRole, OpSpec, PageKind, Place

_CHIP = "wormhole"
_REFERENCE = re.compile(r"\b[cC](?:[bB])?_(\d+)\b")


def check_buffer_references(context: Context, spec: OpSpec) -> None:
    """Every circular buffer that the text names must be in the table, and those in the table on the chip."""
    arch = load_arch(_CHIP)
    for cb in spec.cbs:
        if cb.index >= arch.num_circular_buffers:
            last = arch.num_circular_buffers - 1
            raise context.error(
                f"there is no circular buffer {cb.index}", cb.place, remedy=f"a core has c_0 to c_{last}"
            )
    known = {cb.index for cb in spec.cbs}
    names = {cb.name for cb in spec.cbs}
    for section in context.sections("Data Flow", "Kernel Data Movement", "Memory Access Patterns"):
        in_table = {row.line for table in section.tables if table.has("cb id") for row in table.rows}
        for line, text in section.lines():
            if line in in_table:
                continue
            place = Place(section.title, 0, line)
            for index in map(int, _REFERENCE.findall(text)):
                if index not in known:
                    raise _unknown_buffer(context, f"c_{index}", spec, place)
    for section in context.sections("Kernel Data Movement"):
        for table in section.tables:
            for row in table.rows if table.has("kernel") else ():
                for name in re.findall(r"\bcb_[a-z]\w*", " ".join(row.cells.values()).lower()):
                    if name not in names:
                        raise _unknown_buffer(context, name, spec, context.place(section, row))


def _unknown_buffer(context: Context, name: str, spec: OpSpec, place: Place) -> SpecError:
    known = ", ".join(f"c_{cb.index} {cb.name}" for cb in spec.cbs)
    return context.error(
        f"there is no circular buffer {name}", place, remedy=f"add it to the table, or use one of: {known}"
    )


def check_cases(context: Context, spec: OpSpec, calls: Mapping[str, Call]) -> None:
    """Every case must keep the rules, give shapes to the outputs, and fit into L1."""
    arch = load_arch(_CHIP)
    for name, call in calls.items():
        broken = first_broken(spec.requirements, call)
        if broken is not None:
            raise context.error(
                f"the test case {name!r} breaks this rule: {broken.said}",
                broken.place,
                remedy="change the shapes or values under Test Criteria, or the rule",
            )
        _check_buffers(context, spec, name, with_outputs(context, spec, call), arch)


def with_outputs(context: Context, spec: OpSpec, call: Call) -> Call:
    """The call with its output tensors."""
    tensors = dict(call.tensors)
    for output in spec.outputs:
        try:
            shape = evaluate_shape(output.shape, call)
        except IndexError:
            raise context.error(
                f"the shape of {output.name} uses a dimension that the input does not have", output.place
            ) from None
        dtype = tensors[output.dtype].dtype if output.dtype in tensors else output.dtype
        layout = tensors[output.layout].layout if output.layout in tensors else output.layout
        tensors[output.name] = TensorModel(shape, dtype, layout)
    return Call(tensors, call.attributes, call.counts, {"first": 0, "units": 1})


def _check_buffers(context: Context, spec: OpSpec, case: str, call: Call, arch: Arch) -> None:
    taken: list[tuple[int, CircularBufferPlan]] = []
    for cb in spec.cbs:
        page = page_bytes(cb, call, arch)
        _check_page(context, cb, page, call, case)
        pages, block = evaluate(cb.pages, call), evaluate(cb.block, call)
        if pages < 1 or block < 1 or pages % block:
            raise context.error(
                f"{cb.name} has {pages} pages and takes {block} at a time for the test case {case!r}",
                cb.place,
                remedy="the pages must be a multiple of the block, or a block wraps around the end",
            )
        taken.append((pages * page, cb))
    free, wanted = arch.l1_size - arch.l1_unreserved_base, sum(size for size, _ in taken)
    if wanted > free:
        size, largest = max(taken, key=lambda one: one[0])
        raise context.error(
            f"the circular buffers take {wanted} bytes for the test case {case!r}, but a core of "
            f"{arch.product} has {free} free; {largest.name} alone takes {size}",
            largest.place,
            remedy="give it fewer pages, or split a unit of work into blocks",
        )


def page_bytes(cb: CircularBufferPlan, call: Call, arch: Arch) -> int:
    """The size of a page of a circular buffer for a call."""
    model = call.tensors[_model_name(cb.tensor, call)]
    form = data_format(cb.dtype or model.dtype)
    if cb.page_bytes is not None:
        return int(evaluate(cb.page_bytes, call))
    if cb.page is PageKind.TILE or (cb.page is PageKind.TENSOR and model.layout == "TILE"):
        return tile_bytes(form)
    row = model.shape[-1] * form.datum_bytes
    return math.ceil(row / arch.dram_alignment) * arch.dram_alignment


def _model_name(tensor: str, call: Call) -> str:
    return tensor if tensor in call.tensors else f"{tensor}[0]"


def _check_page(context: Context, cb: CircularBufferPlan, page: int, call: Call, case: str) -> None:
    """A page given in bytes must hold what goes into it."""
    if cb.page_bytes is None:
        return
    model = call.tensors[_model_name(cb.tensor, call)]
    form = data_format(cb.dtype or model.dtype)
    through_compute = KernelRole.COMPUTE in (cb.producer, cb.consumer)
    tile = tile_bytes(form)
    if (through_compute or model.layout == "TILE") and page != tile:
        raise context.error(
            f"a page of {cb.name} has {page} bytes, but a tile of {cb.dtype or model.dtype} has {tile}",
            cb.place,
            remedy="leave the page size out, or write `tile`",
        )
    row = model.shape[-1] * form.datum_bytes
    if not through_compute and model.layout == "ROW_MAJOR" and page < row:
        raise context.error(
            f"a page of {cb.name} has {page} bytes, but a row of {cb.tensor} has {row} in case {case!r}",
            cb.place,
            remedy="leave the page size out, or write `stick`",
        )
