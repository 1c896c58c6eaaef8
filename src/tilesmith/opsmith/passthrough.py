"""How data goes through the stubs of stage 6 unchanged: which pages are read, copied and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tilesmith.arch import load_arch
from tilesmith.formats import tile_bytes
from tilesmith.opsmith.consistency import page_bytes, with_outputs
from tilesmith.opsmith.context import Context
from tilesmith.opsmith.data_types import data_format
from tilesmith.opsmith.evaluate import Call, TensorModel, evaluate
from tilesmith.opsmith.expressions import Local
from tilesmith.opsmith.markdown import Document
from tilesmith.opsmith.model import CircularBufferPlan, KernelRole, OpSpec, Source
from tilesmith.opsmith.reading import case_calls


@dataclass(frozen=True)
class Transfer:
    """Pages of a tensor that a stub moves: one for each page of the buffer, or the first one every time."""

    tensor: str
    each: bool


@dataclass(frozen=True)
class Copy:
    """A circular buffer that compute fills from another."""

    source: CircularBufferPlan
    target: CircularBufferPlan


@dataclass(frozen=True)
class DataPath:
    """What the stubs of an op move. `unchanged` are outputs that equal an input afterwards."""

    read: dict[int, Transfer]
    copied: tuple[Copy, ...]
    written: dict[int, Transfer]
    unchanged: dict[str, str]


def data_path(spec: OpSpec) -> DataPath:
    """The way from inputs to outputs, as far as pages of the one fit pages of the other."""
    plan = _Plan(spec, [with_outputs(Context(Document(spec.path, ())), spec, one) for one in _calls(spec)])
    read = {cb.index: made for cb in spec.cbs for made in [plan.read(cb)] if made is not None}
    copied = tuple(made for cb in spec.cbs for made in [plan.copied(cb, read)] if made is not None)
    filled = {one.target.index: one.source for one in copied}
    filled |= {cb.index: cb for cb in spec.cbs if cb.index in read and cb.consumer is KernelRole.WRITER}
    written = {
        cb.index: output
        for cb in spec.cbs
        for output in [plan.written(cb) if cb.index in filled else None]
        if output is not None
    }
    unchanged: dict[str, str] = {}
    for cb in spec.cbs:
        source = filled.get(cb.index)
        if source is None or cb.index not in written or source.block != cb.block:
            continue
        if plan.same(read[source.index], written[cb.index]):
            unchanged[written[cb.index].tensor] = read[source.index].tensor
    return DataPath(read, copied, written, unchanged)


def _calls(spec: OpSpec) -> list[Call]:
    return list(case_calls(spec).values())


@dataclass(frozen=True)
class _Plan:
    """Every test case of the spec, with its outputs: what is said holds for all of them."""

    spec: OpSpec
    calls: list[Call]

    def read(self, cb: CircularBufferPlan) -> Transfer | None:
        if cb.producer is not KernelRole.READER or cb.once:
            return None
        tensor = self._named(cb.tensor)
        return self._transfer(cb, tensor) if self._reachable(KernelRole.READER, tensor) else None

    def copied(self, cb: CircularBufferPlan, read: dict[int, Transfer]) -> Copy | None:
        """From the first buffer with data that compute can unpack and pack again into this one."""
        if cb.producer is not KernelRole.COMPUTE or cb.consumer is not KernelRole.WRITER or cb.once:
            return None
        sources = (one for one in self.spec.cbs if one.index in read and one.consumer is KernelRole.COMPUTE)
        return next((Copy(one, cb) for one in sources if self._always(self._copyable(one, cb))), None)

    def written(self, cb: CircularBufferPlan) -> Transfer | None:
        """To the output it is for, page for page: several cores must not write one page."""
        knows_first = any(one.value == Local("first") for one in self.spec.kernel(KernelRole.WRITER).runtime)
        for output in self.spec.outputs:
            meant = cb.tensor == output.name or cb.producer is KernelRole.READER
            if knows_first and meant and self._reachable(KernelRole.WRITER, output.name):
                result = self._transfer(cb, output.name)
                if result is not None and result.each:
                    return result
        return None

    def same(self, read: Transfer, written: Transfer) -> bool:
        """Whether the output is the input, element for element."""

        def alike(call: Call) -> bool:
            entry, other = call.tensors[read.tensor], call.tensors[written.tensor]
            return (entry.shape, entry.dtype, entry.layout) == (other.shape, other.dtype, other.layout)

        return read.each and written.each and self._always(alike)

    def _named(self, tensor: str) -> str:
        """A list stands for the first of its tensors."""
        return tensor if tensor in self.calls[0].tensors else f"{tensor}[0]"

    def _reachable(self, role: KernelRole, tensor: str) -> bool:
        """Whether a kernel has the address of a tensor and how it lies in memory."""
        kernel = self.spec.kernel(role)
        has = [one.source for one in (*kernel.compile_time, *kernel.runtime) if one.tensor == tensor]
        return Source.ACCESSOR in has and Source.ADDRESS in has

    def _transfer(self, cb: CircularBufferPlan, tensor: str) -> Transfer | None:
        arch = load_arch("wormhole")

        def fits(call: Call) -> bool:
            return page_bytes(cb, call, arch) == _page_bytes(call.tensors[tensor])

        def each(call: Call) -> bool:
            moved = evaluate(self.spec.work.total, call) * evaluate(cb.block, call)
            return bool(moved == _pages(call.tensors[tensor]))

        return Transfer(tensor, self._always(each)) if self._always(fits) else None

    def _copyable(self, source: CircularBufferPlan, target: CircularBufferPlan) -> Callable[[Call], bool]:
        """Compute unpacks and packs tiles; floats become other floats, integers stay as they are."""
        arch, wide = load_arch("wormhole"), ("fp32_dest_acc_en", "True") in self.spec.compute

        def holds(call: Call) -> bool:
            both = (source, target)
            forms = [data_format(cb.dtype or call.tensors[self._named(cb.tensor)].dtype) for cb in both]
            tiles = all(
                page_bytes(cb, call, arch) == tile_bytes(form) for cb, form in zip(both, forms, strict=True)
            )
            integers = [form.is_integer for form in forms]
            return tiles and (not any(integers) or (forms[0] is forms[1] and wide))

        return holds

    def _always(self, holds: Callable[[Call], bool]) -> bool:
        return all(map(holds, self.calls))


def _pages(model: TensorModel) -> int:
    return model.size("tiles" if model.layout == "TILE" else "rows")


def _page_bytes(model: TensorModel) -> int:
    form = data_format(model.dtype)
    if model.layout == "TILE":
        return tile_bytes(form)
    alignment = load_arch("wormhole").dram_alignment
    return -(-model.shape[-1] * form.datum_bytes // alignment) * alignment
