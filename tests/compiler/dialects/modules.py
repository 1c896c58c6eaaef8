"""Small modules of the tile dialect, built with little text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, ModuleOp, f32, i32
from xdsl.ir import Attribute, Block, Region, SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.elements import numpy_type
from tilesmith.compiler.dialects.interpreter import interpret
from tilesmith.compiler.dialects.types import BufferType, Dim, TensorType

Tensors = Mapping[str, tuple[Sequence[Dim], Attribute]]


class Kernel:
    """What the body of a module under construction refers to."""

    def __init__(self, func: tile.FuncOp, blocks: Sequence[SSAValue]) -> None:
        self.tensors = func.tensors
        self.symbols = func.symbol_values
        self.blocks = blocks

    def buffer(self, name: str, shape: Sequence[int], element: Attribute = f32) -> SSAValue:
        return tile.AllocOp(name, BufferType.of(shape, element, "shared")).buffer

    def load(self, tensor: str, buffer: SSAValue, *offsets: SSAValue | int, **options: Any) -> None:
        kind = tile.place_of(buffer)
        assert kind is not None
        sizes = options.pop("sizes", kind.dims)
        dims = options.pop("dims", range(len(sizes)))
        tile.LoadOp(
            self.tensors[tensor], indices(offsets or [0] * len(sizes)), buffer, sizes, dims, **options
        )

    def store(self, buffer: SSAValue, tensor: str, *offsets: SSAValue | int, **options: Any) -> None:
        kind = tile.place_of(buffer)
        assert kind is not None
        sizes = options.pop("sizes", kind.dims)
        dims = options.pop("dims", range(len(sizes)))
        tile.StoreOp(
            buffer, self.tensors[tensor], indices(offsets or [0] * len(sizes)), sizes, dims, **options
        )


def index(value: SSAValue | int) -> SSAValue:
    if not isinstance(value, int):
        return value
    return arith.ConstantOp(IntegerAttr(value, IndexType())).result


def indices(values: Sequence[SSAValue | int]) -> list[SSAValue]:
    return [index(value) for value in values]


def number(value: float) -> SSAValue:
    return arith.ConstantOp(FloatAttr(value, f32)).result


def whole(value: int) -> SSAValue:
    return arith.ConstantOp(IntegerAttr(value, i32)).result


def region(args: Sequence[Attribute], body: Callable[..., SSAValue | None]) -> Region:
    """A region whose code `body` makes; what it returns is yielded."""
    result = Region(Block(arg_types=args))
    with ImplicitBuilder(result) as values:
        value = body(*values)
        if value is not None:
            tile.YieldOp(value)
    return result


def loop(count: SSAValue | int, body: Callable[[SSAValue], None]) -> None:
    code = Region(Block(arg_types=[IndexType()]))
    with ImplicitBuilder(code) as (k,):
        body(k)
        scf.YieldOp()
    scf.ForOp(index(0), index(count), index(1), [], code)


def module_of(
    tensors: Tensors,
    body: Callable[[Kernel], None],
    grid: Sequence[int | str] = (1,),
    symbols: Sequence[str] = (),
) -> ModuleOp:
    """A verified module with one kernel; `body` fills the grid."""
    args = [(name, TensorType.of(shape, element)) for name, (shape, element) in tensors.items()]
    func = tile.FuncOp("kernel", args, symbols)
    with ImplicitBuilder(func.body):
        extents = [func.symbol_values[size] if isinstance(size, str) else index(size) for size in grid]
        blocks = tile.GridOp(extents)
        with ImplicitBuilder(blocks.body) as block_indices:
            body(Kernel(func, block_indices))
    module = ModuleOp([func])
    module.verify()
    return module


def run(
    tensors: Tensors, body: Callable[[Kernel], None], arrays: Mapping[str, Any], **options: Any
) -> dict[str, NDArray[Any]]:
    """Interpret such a module; arrays that are left out start at zero."""
    sizes = options.pop("sizes", {})
    module = module_of(tensors, body, symbols=tuple(sizes), **options)
    held = {}
    for name, (shape, element) in tensors.items():
        full = [sizes[size] if isinstance(size, str) else size for size in shape]
        held[name] = np.broadcast_to(np.asarray(arrays.get(name, 0)), full).astype(numpy_type(element))
    interpret(module, held, sizes)
    return held
