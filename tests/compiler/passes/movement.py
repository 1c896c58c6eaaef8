"""Kernels that only move data, built from a description of what they move, against the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, bf16
from xdsl.ir import Attribute, Block, Operation, SSAValue

import tilesmith
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.context import parse
from tilesmith.compiler.dialects.elements import numpy_type
from tilesmith.compiler.dialects.interpreter import interpret
from tilesmith.compiler.dialects.types import BufferType, Dim, TensorType

Array = NDArray[Any]
Arrays = dict[str, Array]
Prepare = Callable[[Arrays], None]


@dataclass(frozen=True)
class Side:
    """A region of a tensor. An offset is a number, or how far one step of a block index goes."""

    shape: Sequence[Dim]
    sizes: Sequence[int]
    dims: Sequence[int]
    offsets: Sequence[int | tuple[str, int]] = ()
    limits: Sequence[int] = ()
    view: Sequence[Dim] = ()


@dataclass(frozen=True)
class Move:
    """A kernel that loads blocks of A into a buffer and stores them to C."""

    source: Side
    target: Side
    buffer: Sequence[int]
    grid: Sequence[int] = (1,)
    element: Attribute = bf16
    accumulate: str = ""
    symbols: Mapping[str, int] = field(default_factory=dict)

    def module(self) -> ModuleOp:
        kinds = {name: TensorType.of(side.shape, self.element) for name, side in self._sides}
        func = tile.FuncOp("move", list(kinds.items()), list(self.symbols))
        top = func.body.block
        grid = tile.GridOp([_number(top, extent) for extent in self.grid])
        top.add_op(grid)
        block = grid.body.block
        alloc = _add(block, tile.AllocOp("X", BufferType.of(self.buffer, self.element, "shared")))
        region = _Regions(self.element, func, block)
        tensor, offsets, limits = region.of("A", self.source)
        block.add_op(tile.LoadOp(tensor, offsets, alloc, self.source.sizes, self.source.dims, limits))
        tensor, offsets, limits = region.of("C", self.target)
        block.add_op(
            tile.StoreOp(alloc, tensor, offsets, self.target.sizes, self.target.dims, limits, self.accumulate)
        )
        return ModuleOp([func])

    @property
    def _sides(self) -> tuple[tuple[str, Side], tuple[str, Side]]:
        return ("A", self.source), ("C", self.target)


@dataclass(frozen=True)
class _Regions:
    element: Attribute
    func: tile.FuncOp
    block: Block

    def of(self, name: str, side: Side) -> tuple[SSAValue, list[SSAValue], list[SSAValue]]:
        tensor = self.func.tensors[name]
        if side.view:
            tensor = _add(self.block, tile.ViewOp(tensor, TensorType.of(side.view, self.element)))
        offsets = [self._offset(offset) for offset in side.offsets or [0] * len(side.sizes)]
        return tensor, offsets, [_number(self.block, limit) for limit in side.limits]

    def _offset(self, offset: int | tuple[str, int]) -> SSAValue:
        if isinstance(offset, int):
            return _number(self.block, offset)
        name, step = offset
        index = self.block.args["xyz".index(name)]
        return _add(self.block, arith.MuliOp(index, _number(self.block, step)))


def _number(block: Block, value: int) -> SSAValue:
    return _add(block, arith.ConstantOp(IntegerAttr(value, IndexType())))


def _add(block: Block, op: Operation) -> SSAValue:
    block.add_op(op)
    return op.results[0]


def scalar_sample(name: str) -> ModuleOp:
    """A kernel with scalar code, from its text."""
    path = Path(__file__).with_name("scalar_ir") / f"{name}.mlir"
    return parse(path.read_text(encoding="utf-8"), str(path))


def random_arrays(module: ModuleOp, symbols: Mapping[str, int], seed: int = 0) -> Arrays:
    """An array for every tensor; whole numbers, so that sums are exact."""
    func = next(op for op in module.walk() if isinstance(op, tile.FuncOp))
    random = np.random.default_rng(seed)
    arrays: Arrays = {}
    for name, value in func.tensors.items():
        assert isinstance(value.type, TensorType)
        shape = tuple(size if isinstance(size, int) else symbols[size] for size in value.type.dims)
        kind = numpy_type(value.type.element_type)
        low, high = (0, 2) if kind == np.bool_ else (0 if kind.kind == "u" else -100, 100)
        arrays[name] = random.integers(low, high, shape).astype(kind)
    return arrays


def run_against_interpreter(
    module: ModuleOp,
    target: str = "wormhole",
    symbols: Mapping[str, int] | None = None,
    prepare: Prepare | None = None,
) -> None:
    """Compile and run with all checks on; every tensor must be what the interpreter makes of it."""
    symbols = symbols or {}
    given = random_arrays(module, symbols)
    if prepare is not None:
        prepare(given)
    expected = {name: array.copy() for name, array in given.items()}
    interpret(module, expected, dict(symbols))
    tilesmith.compile(module, target)(**given)
    for name, array in expected.items():
        np.testing.assert_array_equal(given[name].astype(np.float64), array.astype(np.float64), err_msg=name)
