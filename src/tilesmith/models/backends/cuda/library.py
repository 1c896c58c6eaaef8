"""Routines of torch's libraries in the place of kernels: cuBLAS for products, cuDNN for convolutions.

A routine does the main work; what of the epilogue it cannot do is left to an elementwise kernel after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from tilesmith.kernels.attention import Attention
from tilesmith.kernels.convolution import Convolution, Windowed
from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Apply, Expr, Input, Number, substitute
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.movement import Untilize
from tilesmith.kernels.operands import STRIDES, Operand
from tilesmith.models.backends.cuda.attention_call import attention_ways
from tilesmith.models.backends.cuda.convolution_call import convolution_ways, product_routine
from tilesmith.models.backends.cuda.kernels import key_of
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import TILE, Storage, new_storage, padded
from tilesmith.runtime import Layout

Memory = MutableMapping[Storage, torch.Tensor]
"""The tensors that storages are in a run. A routine may put its own result in the place of one."""


@dataclass(frozen=True)
class Call:
    """A routine of a library: what the report calls it, and what it does to the memory of a run."""

    name: str
    ops: tuple[str, ...]
    outputs: tuple[Storage, ...]
    run: Callable[[Memory], None]
    reads: tuple[Storage, ...] = ()
    shape: tuple[Any, ...] = ()
    """What tells it from other calls of its name: all sizes."""
    settle: Callable[[Memory], None] | None = None
    """Writes to the matrix what was left as a tensor."""


@dataclass(frozen=True)
class Known:
    """What a plan says of its storages: which are constants, and which only the caller reads."""

    constants: frozenset[Storage] = frozenset()
    results: frozenset[Storage] = frozenset()


Way = tuple[Launch | Call, ...]
"""Steps that do the work of one launch."""


def library_ways(step: Launch, known: Known) -> list[Way]:
    """The ways that libraries have for a launch: none, or several."""
    template = step.template
    if isinstance(template, Untilize):
        return [_same_memory(step)]
    if isinstance(template, Linear):
        return list(_linear_ways(step))
    if isinstance(template, Attention):
        target = step.storages["y"]
        found = attention_ways(step, target in known.results)
        return [(replace(_call(step, name, target, run), settle=settle),) for name, run, settle in found]
    if isinstance(template, Windowed):
        return list(_mean_ways(step))
    if isinstance(template, Convolution):
        convolutions = convolution_ways(step, known.constants)
        return [_with_rest(step, name, done, run) for name, done, run in convolutions]
    return []


def _same_memory(step: Launch) -> Way:
    """Matrices all lie in rows here: a copy from tiles to rows is the matrix itself."""
    source, target = step.storages["x"], step.storages["y"]

    def run(memory: Memory) -> None:
        memory[target] = memory[source]

    return (_call(step, "same memory", target, run),)


def _call(step: Launch, name: str, target: Storage, run: Callable[[Memory], None]) -> Call:
    reads = tuple(one for one in step.storages.values() if one not in step.outputs)
    return Call(name, step.ops, (target,), run, reads, key_of(step)[1:])


def _mean_ways(step: Launch) -> Iterator[Way]:
    """The mean of whole images, where they lie one after the other."""
    template: Any = step.template
    n, x, y = step.numbers, step.storages["x"], step.storages["y"]
    value = template.epilogue.results[0].value
    whole = (
        n["taps"] == n["area"] == n["height"] * n["width"]
        and n["out_area"] == 1
        and n["x_row"] == n["x_col"] == 0
    )
    scaled = Apply("mul", (Input("acc0"), Number(1.0 / n["taps"])))
    if (
        template.operation == "sum"
        and whole
        and value == scaled
        and (y.rows, y.cols) == (n["m"], x.cols)
        and n["pad_h"] == 0
    ):

        def run(memory: Memory) -> None:
            memory[y] = memory[x].view(n["m"], n["area"], x.cols).mean(1)

        yield (_call(step, "torch mean", y, run),)


# ---- products ----


def matrix(step: Launch, name: str, rows: int, cols: int) -> Callable[[Memory], torch.Tensor]:
    """The part of a storage that an operand of a launch without batches is."""
    accesses = {one.name: one.access for one in step.template.tensors}
    down = TILE if accesses[name] == "block" else 1
    along = TILE if accesses[name] in ("block", "rows") else 1
    row, col = step.numbers[f"{name}_row"] * down, step.numbers[f"{name}_col"] * along
    storage = step.storages[name]
    return lambda memory: memory[storage][row : row + rows, col : col + cols]


def _linear_ways(step: Launch) -> Iterator[Way]:
    template: Any = step.template
    numbers = step.numbers
    plain = numbers["nb1"] == numbers["nb2"] == 1 and len(template.epilogue.results) == 1
    out = template.epilogue.results[0]
    same = {template.dtype, template.weight_dtype} == {out.out.dtype}
    if not plain or not same or out.out.dtype not in ("bfloat16", "float32"):
        return
    if template.weights == 1:
        exact = _epilogue_of_library(step, out.value)
        pixels = product_routine(step) if exact == ("", "") and out.out.dtype == "bfloat16" else None
        if pixels is not None:
            target = step.storages["y"]
            yield (_call(step, "cudnn product", target, lambda memory: pixels(memory, target)),)
        if exact is not None:
            yield (_product(step, exact, "y", step.storages["y"], "w0"),)
            return
    yield _products_then_rest(step)


def _epilogue_of_library(step: Launch, value: Expr) -> tuple[str, str] | None:
    """What cuBLAS does after a product and with which bias, if that is all there is to do."""
    acc = Input("acc0")
    if value == acc:
        return "", ""
    for bias in (one.name for one in step.template.tensors if one.access == "row"):
        added = [Apply("add", (acc, Input(bias))), Apply("add", (Input(bias), acc))]
        if value in added:
            return "bias", bias
        for name in ("relu", "gelu_tanh"):
            if value in [Apply(name, (one,)) for one in added]:
                return name, bias
    return None


def _product(step: Launch, end: tuple[str, str], out: str, target: Storage, weight: str) -> Call:
    template: Any = step.template
    m, depth = step.numbers["m"], step.numbers["k"]
    k = min(
        depth, _room(step, "x", 0 if template.x_transposed else 1), _room(step, weight, template.transposed)
    )
    n, (epilogue, bias_name) = step.numbers["n"], end
    if epilogue == "" and out == "y" and n % 8 and _ends(step, weight, "y", n):
        n = padded(n)
    x = matrix(step, "x", *((k, m) if template.x_transposed else (m, k)))
    w = matrix(step, weight, *((n, k) if template.transposed else (k, n)))
    y = matrix(step, "y", m, n) if out == "y" else lambda memory: memory[target][:m, :n]
    bias = matrix(step, bias_name, 1, n) if epilogue else None

    def run(memory: Memory) -> None:
        rows = x(memory).t() if template.x_transposed else x(memory)
        weights = w(memory).t() if template.transposed else w(memory)
        if bias is None:
            torch.mm(rows, weights, out=y(memory))
        elif epilogue == "bias":
            torch.addmm(bias(memory)[0], rows, weights, out=y(memory))
        else:
            gelu = epilogue == "gelu_tanh"
            torch.ops.aten._addmm_activation.out(bias(memory)[0], rows, weights, use_gelu=gelu, out=y(memory))

    name = f"cublas product{' + ' + epilogue if epilogue else ''}"
    return _call(step, name, target, run)


def _room(step: Launch, name: str, dim: int) -> int:
    """How far an operand goes on in its storage."""
    storage = step.storages[name]
    access = {one.name: one.access for one in step.template.tensors}[name]
    down = TILE if access == "block" else 1
    if dim:
        return storage.cols - step.numbers[f"{name}_col"] * TILE
    return storage.rows - step.numbers[f"{name}_row"] * down


def _ends(step: Launch, weight: str, out: str, n: int) -> bool:
    """Whether weight and result both end with zeros after n, up to whole tiles."""
    template: Any = step.template
    return _room(step, weight, 0 if template.transposed else 1) == padded(n) == _room(step, out, 1)


def _products_then_rest(step: Launch) -> Way:
    """A product for each weight, then what is left of the epilogue as a kernel."""
    template: Any = step.template
    epilogue = template.epilogue
    value = epilogue.results[0].value
    accumulators = {}
    calls: list[Launch | Call] = []
    for number in range(template.weights):
        room = new_storage(padded(step.numbers["m"]), padded(step.numbers["n"]), Layout.TILE, template.dtype)
        accumulators[f"acc{number}"] = room
        calls.append(_product(step, ("", ""), f"acc{number}", room, f"w{number}"))
    return (*calls, rest_of(step, value, accumulators))


def rest_of(step: Launch, value: Expr, accumulators: dict[str, Storage]) -> Launch:
    """A kernel that does the epilogue of a launch to accumulators that lie in memory."""
    template: Any = step.template
    epilogue = template.epilogue
    reads = (*(Operand(name, dtype=one.dtype) for name, one in accumulators.items()), *epilogue.reads)
    rest = Elementwise(Epilogue((Result(value, epilogue.results[0].out),), reads))
    names = [one.name for one in rest.tensors]
    numbers = {f"{name}_{key}": step.numbers.get(f"{name}_{key}", 0) for name in names for key in STRIDES}
    numbers |= {"m": step.numbers["m"], "n": step.numbers["n"], "nb1": 1, "nb2": 1}
    storages = {**accumulators, **{name: one for name, one in step.storages.items() if name in names}}
    return replace(step, template=rest, storages=storages, numbers=numbers)


def _with_rest(step: Launch, name: str, done: Expr, run: Callable[[Memory, Storage], None]) -> Way:
    """A routine that computes `done`, and a kernel for the epilogue if that is more."""
    template: Any = step.template
    result = template.epilogue.results[0]
    target = step.storages["y"]
    if result.value == done:
        return (_call(step, name, target, lambda memory: run(memory, target)),)
    room = new_storage(step.numbers["m"], step.numbers["n"], Layout.ROW_MAJOR, result.out.dtype)
    rest = rest_of(step, _replaced(result.value, done), {"acc0": room})
    return _call(step, name, room, lambda memory: run(memory, room)), _rows_operand(rest, "acc0")


def _replaced(value: Expr, done: Expr) -> Expr:
    """An expression with what is done already as the accumulator."""
    if value == done:
        return Input("acc0")
    if isinstance(value, Apply):
        return Apply(value.op, tuple(_replaced(arg, done) for arg in value.args))
    return value if not isinstance(value, Input) else substitute(value, {})


def _rows_operand(step: Launch, name: str) -> Launch:
    """A launch whose operand lies in rows, without padding."""
    template: Any = step.template
    reads = tuple(replace(one, access="rows") if one.name == name else one for one in template.epilogue.reads)
    return replace(step, template=replace(template, epilogue=replace(template.epilogue, reads=reads)))
