"""The tile dialect, executed with numpy. This is what its operations mean.

Blocks run one after the other. Maps and transfers work on whole arrays, `tile.scalar` element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.elements import held_type, is_float, rounded, stored
from tilesmith.compiler.dialects.interpreter_scalars import Value, evaluate, scalar_of
from tilesmith.compiler.dialects.types import BufferType, TensorType

Array = NDArray[Any]

_COMBINE: dict[str, Callable[[Value, Value], Value]] = {"add": np.add, "max": np.maximum, "min": np.minimum}
_REDUCE: dict[str, np.ufunc] = {
    "sum": np.add,
    "abssum": np.add,
    "max": np.maximum,
    "absmax": np.maximum,
    "min": np.minimum,
    "bitand": np.bitwise_and,
    "bitor": np.bitwise_or,
    "bitxor": np.bitwise_xor,
}
# What nobody has written yet: a kernel that reads it shows.
_UNWRITTEN = 0x5A


def interpret(
    module: ModuleOp, tensors: Mapping[str, Array], symbols: Mapping[str, int] | None = None
) -> None:
    """Run the one kernel of a module, as the front end made it, on arrays of its element types, in place."""
    (func,) = (op for op in module.ops if isinstance(op, tile.FuncOp))
    run = _Run(symbols or {})
    for name, value in func.tensors.items():
        run.values[value] = tensors[name]
    for name, value in func.symbol_values.items():
        run.values[value] = run.symbols[name]
    # What overflows or divides by zero gives what IEEE says, quietly, as on the chip.
    with np.errstate(all="ignore"):
        run.block(func.body.block)


class _Run:
    """The values of one execution, by SSA value."""

    def __init__(self, symbols: Mapping[str, int]) -> None:
        self.symbols = symbols
        self.values: dict[SSAValue, Any] = {}

    def block(self, block: Block) -> None:
        for op in block.ops:
            action = _ACTIONS.get(type(op))
            if action is not None:
                action(self, op)
            elif type(op) is not arith.ConstantOp or op.results[0] not in self.values:
                self.values[op.results[0]] = evaluate(op, [self.values[value] for value in op.operands])

    def all(self, values: Sequence[SSAValue]) -> list[Any]:
        return [self.values[value] for value in values]

    # ---- control ----

    def grid(self, op: tile.GridOp) -> None:
        extents = [range(extent) for extent in self.all(op.extents)]
        for last_first in product(*reversed(extents)):
            self.values.update(zip(op.body.block.args, reversed(last_first), strict=True))
            self.block(op.body.block)

    def loop(self, op: scf.ForOp) -> None:
        body = op.body.block
        for index in range(*self.all([op.lb, op.ub, op.step])):
            self.values[body.args[0]] = index
            self.block(body)

    def condition(self, op: scf.IfOp) -> None:
        region = op.true_region if self.values[op.cond] else op.false_region
        for block in region.blocks:
            self.block(block)

    def while_loop(self, op: scf.WhileOp) -> None:
        before = op.before_region.block
        test = before.last_op
        assert isinstance(test, scf.ConditionOp)
        self.block(before)
        while self.values[test.condition]:
            self.block(op.after_region.block)
            self.block(before)

    def nothing(self, op: Operation) -> None:
        """The end of a region, or an operation about padding, which arrays do not have."""

    # ---- scalars ----

    def variable(self, op: tile.VarOp) -> None:
        self.values[op.var] = [self.values[op.initial]]

    def get(self, op: tile.GetOp) -> None:
        self.values[op.value] = self.values[op.var][0]

    def set(self, op: tile.SetOp) -> None:
        self.values[op.var][0] = self.values[op.value]

    def read(self, op: tile.ReadOp) -> None:
        array = self.values[op.source]
        self.values[op.value] = scalar_of(array[self._position(op, array, op.indices)], op.value.type)

    def write(self, op: tile.WriteOp) -> None:
        array = self.values[op.dest]
        position = self._position(op, array, op.indices)
        self._put(op.dest, array, position, self.values[op.value], op.accumulate.data)

    def scalar_code(self, op: tile.ScalarOp) -> None:
        self.block(op.body.block)

    def _position(self, op: Operation, array: Array, indices: Sequence[SSAValue]) -> tuple[Value, ...]:
        position = tuple(self.all(indices))
        for index, size in zip(position, array.shape, strict=True):
            if not (0 <= index < size if type(index) is int else np.all((index >= 0) & (index < size))):
                raise IndexError(f"{op.name} at {position} of shape {array.shape}, {tile.location_of(op)}")
        return position

    # ---- memory ----

    def alloc(self, op: tile.AllocOp) -> None:
        buffer_type = op.buffer.type
        assert isinstance(buffer_type, BufferType)
        empty = np.full(buffer_type.dims, np.nan if is_float(buffer_type.element_type) else _UNWRITTEN)
        self.values[op.buffer] = empty.astype(held_type(buffer_type.element_type))

    def view(self, op: tile.ViewOp) -> None:
        tensor_type = op.tensor.type
        assert isinstance(tensor_type, TensorType)
        shape = [self.symbols[size] if isinstance(size, str) else size for size in tensor_type.dims]
        self.values[op.tensor] = self.values[op.source].reshape(shape)

    def load(self, op: tile.LoadOp) -> None:
        tensor, buffer = self.values[op.tensor], self.values[op.buffer]
        there, here = self._overlap(op, tensor.shape)
        region = np.zeros(_numbers(op.sizes), held_type(_element(op.tensor)))
        region[here] = tensor[there].astype(region.dtype)
        buffer[...] = rounded(_reordered(region, _numbers(op.dims), buffer.shape), _element(op.buffer))

    def store(self, op: tile.StoreOp) -> None:
        tensor, buffer = self.values[op.tensor], self.values[op.buffer]
        there, here = self._overlap(op, tensor.shape)
        region = _restored(buffer, _numbers(op.dims), _numbers(op.sizes))
        self._put(op.tensor, tensor, there, region[here], op.accumulate.data)

    def _overlap(
        self, op: tile.LoadOp | tile.StoreOp, shape: Sequence[int]
    ) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """The part of the region that lies in the tensor and within the limits: there, and in the region."""
        sizes = _numbers(op.sizes)
        limits = self.all(op.limits) or sizes
        there, here = [], []
        for offset, size, limit, whole in zip(self.all(op.offsets), sizes, limits, shape, strict=True):
            first = max(0, -offset)
            last = max(first, min(size, limit, whole - offset))
            here.append(slice(first, last))
            there.append(slice(offset + first, offset + last))
        return tuple(there), tuple(here)

    def _put(self, dest: SSAValue, array: Array, position: Any, value: Value, accumulate: str) -> None:
        element = _element(dest)
        if accumulate:
            value = _COMBINE[accumulate](array[position].astype(held_type(element)), value)
        array[position] = stored(value, element)

    # ---- tiles ----

    def copy(self, op: tile.CopyOp) -> None:
        source, dest = self.values[op.source], self.values[op.dest]
        sizes, dims = _numbers(op.sizes), _numbers(op.dims)
        part = source[_window(self.all(op.source_offsets), sizes)]
        shape = [1] * dest.ndim
        for size, dim in zip(sizes, dims, strict=True):
            if dim >= 0:
                shape[dim] = size
        window = _window(self.all(op.dest_offsets), shape)
        dest[window] = rounded(_reordered(part, dims, shape), _element(op.dest))

    def fill(self, op: tile.FillOp) -> None:
        self.values[op.buffer][...] = rounded(self.values[op.value], _element(op.buffer))

    def gemm(self, op: tile.GemmOp) -> None:
        a, b, c = self.all([op.a, op.b, op.c])
        a = np.swapaxes(a, -1, -2) if op.transpose_a else a
        b = np.swapaxes(b, -1, -2) if op.transpose_b else b
        total = np.float32 if is_float(_element(op.c)) else np.int32
        c[...] = rounded(c + a.astype(total) @ b.astype(total), _element(op.c))

    def map(self, op: tile.MapOp) -> None:
        out = self.values[op.out]
        indices = np.ogrid[tuple(slice(size) for size in out.shape)]
        body = op.body.block
        sources = zip(self.all(op.ins), op.dims, strict=True)
        inputs = [_gathered(array, _numbers(follows), indices) for array, follows in sources]
        for arg, value in zip(body.args, [*inputs, *indices], strict=True):
            self.values[arg] = scalar_of(value, arg.type)
        self.block(body)
        result = body.last_op
        assert isinstance(result, tile.YieldOp)
        out[...] = rounded(self.values[result.value], _element(op.out))

    def reduce(self, op: tile.ReduceOp) -> None:
        source, dest = self.values[op.source], self.values[op.dest]
        reduction = op.reduction.data
        combine = _REDUCE[reduction]
        values = np.abs(source) if reduction.startswith("abs") else source
        values = values if values.dtype.kind == "f" else values.astype(np.int64)
        result = combine.reduce(values, axis=op.dim.value.data).reshape(dest.shape)
        dest[...] = rounded(result if op.clear else combine(dest, result), _element(op.dest))


def _element(value: SSAValue) -> Any:
    place = tile.place_of(value)
    assert place is not None
    return place.element_type


def _numbers(values: DenseArrayBase) -> tuple[int, ...]:
    return tuple(map(int, values.get_values()))  # type: ignore[misc]


def _window(offsets: Sequence[int], sizes: Sequence[int]) -> tuple[slice, ...]:
    starts = offsets or [0] * len(sizes)
    return tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))


def _reordered(region: Array, dims: Sequence[int], shape: Sequence[int]) -> Array:
    """A region whose dimension n becomes dimension `dims[n]` (dropped if negative) of an array of `shape`."""
    kept = sorted((n for n, dim in enumerate(dims) if dim >= 0), key=lambda n: dims[n])
    dropped = [n for n, dim in enumerate(dims) if dim < 0]
    return region.transpose(*kept, *dropped).reshape(shape)


def _restored(buffer: Array, dims: Sequence[int], sizes: Sequence[int]) -> Array:
    """The inverse: a buffer seen as the region of `sizes` it came from."""
    kept = [dim for dim in dims if dim >= 0]
    used = buffer.reshape([buffer.shape[dim] for dim in sorted(kept)])
    return used.transpose(*np.argsort(np.argsort(kept))).reshape(sizes)


def _gathered(array: Array, follows: Sequence[int], indices: Sequence[Array]) -> Array:
    """What a map's body reads of one input, for all elements at once."""
    gathered: Array = array[tuple(indices[dim] if dim >= 0 else 0 for dim in follows)]
    return gathered


_ACTIONS: dict[type[Operation], Callable[[_Run, Any], None]] = {
    tile.GridOp: _Run.grid,
    scf.ForOp: _Run.loop,
    scf.IfOp: _Run.condition,
    scf.WhileOp: _Run.while_loop,
    scf.YieldOp: _Run.nothing,
    scf.ConditionOp: _Run.nothing,
    tile.YieldOp: _Run.nothing,
    tile.CleanOp: _Run.nothing,
    tile.VarOp: _Run.variable,
    tile.GetOp: _Run.get,
    tile.SetOp: _Run.set,
    tile.ReadOp: _Run.read,
    tile.WriteOp: _Run.write,
    tile.ScalarOp: _Run.scalar_code,
    tile.AllocOp: _Run.alloc,
    tile.ViewOp: _Run.view,
    tile.LoadOp: _Run.load,
    tile.StoreOp: _Run.store,
    tile.CopyOp: _Run.copy,
    tile.FillOp: _Run.fill,
    tile.GemmOp: _Run.gemm,
    tile.MapOp: _Run.map,
    tile.ReduceOp: _Run.reduce,
}
