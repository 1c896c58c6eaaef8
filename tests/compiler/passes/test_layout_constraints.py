"""What operations ask of layouts, and what comes out of conflicting constraints."""

from __future__ import annotations

import numpy as np
import pytest
from tests.compiler.passes.layouts import after, buffers, of_type, results
from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, ModuleOp, f32
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tilesmith.compiler.dialects.tile import (
    AllocOp,
    CleanOp,
    CopyOp,
    FillOp,
    FuncOp,
    GemmOp,
    GridOp,
    LoadOp,
    MapOp,
    ReduceOp,
    ScalarOp,
    StoreOp,
    YieldOp,
)
from tilesmith.compiler.dialects.types import BufferType, TensorType
from tilesmith.compiler.transforms.infer_tt_layout import InferTTLayout

Shape = tuple[int, ...]


class Kernel:
    """A kernel with one block; every buffer is loaded from a tensor of its shape (its name in capitals)."""

    def __init__(self, **shapes: Shape) -> None:
        self.shapes = shapes
        self.func = FuncOp("kernel", [(name.upper(), TensorType.of(s, f32)) for name, s in shapes.items()])
        top = Builder(InsertPoint.at_end(self.func.body.block))
        self.zero, one = (
            top.insert(arith.ConstantOp.from_int_and_width(n, IndexType())).result for n in (0, 1)
        )
        grid = top.insert(GridOp([one]))
        self.at = Builder(InsertPoint.at_end(grid.body.block))
        self.buffers: dict[str, SSAValue] = {}
        for name, shape in shapes.items():
            self.buffers[name] = self.at.insert(AllocOp(name, BufferType.of(shape, f32, "fragment"))).buffer
        for name in shapes:
            self._transfer(name, LoadOp)
        self.module = ModuleOp([self.func])

    def _transfer(self, name: str, kind: type[LoadOp] | type[StoreOp]) -> None:
        shape, tensor = self.shapes[name], self.func.tensors[name.upper()]
        corner, rest = [self.zero for _ in shape], (shape, range(len(shape)))
        if kind is LoadOp:
            self.at.insert(LoadOp(tensor, corner, self.buffers[name], *rest))
        else:
            self.at.insert(StoreOp(self.buffers[name], tensor, corner, *rest))

    def store(self, name: str) -> Kernel:
        self._transfer(name, StoreOp)
        return self

    def sum_of(self, out: str, /, **ins: tuple[int, ...]) -> Kernel:
        """out = the sum of the inputs, each with the dimensions it follows."""
        rank = len(self.shapes[out])
        body = Block(arg_types=[*(f32 for _ in ins), *(IndexType() for _ in range(rank))])
        inside = Builder(InsertPoint.at_end(body))
        total: SSAValue = body.args[0]
        for arg in body.args[1 : len(ins)]:
            total = inside.insert(arith.AddfOp(total, arg)).result
        inside.insert(YieldOp(total))
        places = [self.buffers[name] for name in ins]
        self.at.insert(MapOp(places, self.buffers[out], list(ins.values()), Region(body)))
        return self

    def reduce(self, source: str, dest: str, dim: int, kind: str = "sum") -> Kernel:
        self.at.insert(ReduceOp(self.buffers[source], self.buffers[dest], kind, dim))
        return self

    def gemm(self, a: str, b: str, c: str) -> Kernel:
        self.at.insert(GemmOp(self.buffers[a], self.buffers[b], self.buffers[c]))
        return self

    def copy(self, source: str, dest: str, dims: Shape | None = None) -> Kernel:
        self.at.insert(CopyOp(self.buffers[source], self.buffers[dest], dims=dims))
        return self

    def fill(self, name: str) -> Kernel:
        value = self.at.insert(arith.ConstantOp(FloatAttr(0.0, f32))).result
        self.at.insert(FillOp(self.buffers[name], value))
        return self

    def inferred(self) -> ModuleOp:
        """After the pass; the kernel still computes what it did."""
        inputs = {
            name.upper(): np.random.default_rng(at).integers(-9, 9, shape).astype(np.float32)
            for at, (name, shape) in enumerate(self.shapes.items())
        }
        before = results(self.module.clone(), inputs)
        module = after(self.module, InferTTLayout())
        found = results(module, inputs)
        assert all(np.array_equal(found[name], before[name]) for name in inputs)
        return module


def layouts(kernel: Kernel) -> dict[str, str]:
    return buffers(kernel.inferred())


def test_batches_of_vectors() -> None:
    kernel = Kernel(out=(3, 40, 50), rows=(3, 40), cols=(3, 50), each=(3,), one=(1,))
    kernel.sum_of("out", out=(0, 1, 2), rows=(0, 1), cols=(0, 2), each=(0,), one=(-1,)).store("out")
    assert layouts(kernel) == {
        "out": "tiled",
        "rows": "column",
        "cols": "row",
        "each": "scalar",
        "one": "scalar",
    }


def test_vectors_added_to_vectors_share_a_layout() -> None:
    kernel = Kernel(block=(40, 50), total=(40,), scale=(40,))
    kernel.reduce("block", "total", 1).sum_of("scale", scale=(0,), total=(0,)).store("scale")
    assert layouts(kernel) == {"block": "tiled", "total": "column", "scale": "column"}


def test_a_batch_of_rows_with_a_number_for_each() -> None:
    kernel = Kernel(out=(3, 50), each=(3, 1))
    kernel.sum_of("out", out=(0, 1), each=(0, -1)).store("out")
    assert layouts(kernel) == {"out": "tiled", "each": "column"}


def test_a_transposed_input_stays_in_tiles() -> None:
    kernel = Kernel(out=(40, 50), turned=(50, 40)).sum_of("out", turned=(1, 0), out=(0, 1)).store("out")
    assert set(layouts(kernel).values()) == {"tiled"}


def test_a_row_that_is_also_a_factor_is_copied_between_row_and_tiles() -> None:
    kernel = Kernel(a=(1, 64), b=(64, 40), c=(1, 40), out=(20, 40))
    kernel.fill("c").gemm("a", "b", "c").sum_of("out", out=(0, 1), c=(-1, 1)).store("out")
    module = kernel.inferred()
    assert buffers(module)["c"] == "tiled"
    assert buffers(module)["c_row"] == "row"
    assert len(of_type(module, CopyOp)) == 1


def test_a_batch_of_vectors_in_two_layouts_is_copied_by_elements() -> None:
    kernel = Kernel(block=(3, 40, 50), sums=(3, 40), other=(40, 3), out=(3, 40))
    kernel.reduce("block", "sums", 2).sum_of("out", sums=(0, 1), other=(1, 0)).store("out")
    module = kernel.inferred()
    assert len(of_type(module, ScalarOp)) == 1


@pytest.mark.parametrize(
    ("dim", "shape", "layout"), [(2, (4, 40), "column"), (1, (4, 50), "row"), (0, (40, 50), "tiled")]
)
def test_reductions_of_a_batch(dim: int, shape: Shape, layout: str) -> None:
    kernel = Kernel(block=(4, 40, 50), sums=shape).reduce("block", "sums", dim).store("sums")
    assert layouts(kernel)["sums"] == layout


def test_a_batch_of_single_rows_reduces_to_numbers() -> None:
    kernel = Kernel(block=(4, 1, 50), sums=(4, 1)).reduce("block", "sums", 2).store("sums")
    assert layouts(kernel)["sums"] == "column"


def test_a_maximum_over_padding_is_cleaned_even_after_a_load() -> None:
    module = Kernel(block=(40, 50), peak=(40,)).reduce("block", "peak", 1, "max").store("peak").inferred()
    (clean,) = of_type(module, CleanOp)
    (constant,) = (op for op in of_type(module, arith.ConstantOp) if op.result is clean.value)
    assert constant.value == FloatAttr(float("-inf"), f32)


def test_zeros_survive_a_copy_and_a_fill() -> None:
    kernel = Kernel(block=(40, 50), other=(40, 50), sums=(40,))
    kernel.fill("other").copy("block", "other").reduce("other", "sums", 1).store("sums")
    assert not of_type(kernel.inferred(), CleanOp)


def test_a_maximum_spoils_the_zeros_for_the_sum_after_it() -> None:
    kernel = Kernel(block=(40, 50), peak=(40,), sums=(40,))
    kernel.reduce("block", "peak", 1, "max").reduce("block", "sums", 1).store("sums")
    assert len(of_type(kernel.inferred(), CleanOp)) == 2


def test_a_transposing_copy_works_in_tiles() -> None:
    kernel = Kernel(block=(40, 50), turned=(50, 40)).copy("block", "turned", (1, 0)).store("turned")
    module = kernel.inferred()
    assert set(buffers(module).values()) == {"tiled"}
    assert len(of_type(module, CopyOp)) == 1


def test_a_vector_as_a_column_and_as_a_row_of_one_shape() -> None:
    kernel = Kernel(flat=(40,), tall=(40, 1), wide=(1, 40))
    kernel.copy("flat", "tall").copy("tall", "wide", (1, 0)).store("wide")
    module = kernel.inferred()
    assert set(buffers(module).values()) == {"flat"}
