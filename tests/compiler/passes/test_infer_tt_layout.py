"""Layouts and formats: chosen by use, converted by copies, refused with a reason."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tests.compiler.passes import layout_kernels, samples
from tests.compiler.passes.conftest import Golden
from tests.compiler.passes.layouts import after, buffers, formats, inferred, of_type, results, tensors

from tilesmith.compiler.dialects.tile import AllocOp, CleanOp, CopyOp, ScalarOp
from tilesmith.compiler.importer.tilelang import import_prim_func
from tilesmith.compiler.transforms.infer_tt_layout import InferTTLayout
from tilesmith.errors import KernelError, LayoutError


@pytest.mark.parametrize("name", ["add", "gemm", "softmax"])
def test_sample(name: str, golden: Golden) -> None:
    golden(str(after(samples.module(name), InferTTLayout())))


def test_a_product_is_made_of_tiles() -> None:
    module = inferred(layout_kernels.gemm(256, 256, 256, (64, 64, 32)))
    assert tensors(module) == dict.fromkeys("ABC", "tile Float16_b")
    assert set(buffers(module).values()) == {"tiled"}
    assert formats(module)["C_local"] == "Float32"


@pytest.mark.parametrize("block", [(48, 64, 32), (64, 64, 20)])
def test_blocks_that_cut_tiles_are_kept_row_by_row(block: tuple[int, int, int]) -> None:
    module = inferred(layout_kernels.gemm(96, 64, 80, block))
    assert tensors(module)["A"] == "row_major Float16_b"


def test_a_vector_used_both_ways_gets_a_transposed_copy() -> None:
    module = inferred(layout_kernels.pairwise(40))
    assert buffers(module)["v"] in ("row", "column")
    assert len(of_type(module, CopyOp)) == 1
    x = np.arange(40, dtype=np.float32)
    y = results(module, {"x": x, "y": np.zeros((40, 40), np.float32)})["y"]
    assert np.array_equal(y, x[:, None] - x[None, :])


def test_a_vector_written_down_and_read_across_is_transposed() -> None:
    module = inferred(layout_kernels.row_of_blocks(32, 32))
    assert {buffers(module)["s"], buffers(module)["s_row"]} == {"column", "row"}
    x = np.random.default_rng(0).normal(size=(32, 32)).astype(np.float32)
    y = results(module, {"x": x, "y": np.zeros_like(x)})["y"]
    assert np.allclose(y, x * x.sum(axis=1), atol=1e-4)


def test_vectors_alone_lie_flat() -> None:
    module = inferred(layout_kernels.vector_add(5000, 1000))
    assert set(buffers(module).values()) == {"flat"}
    assert tensors(module)["x"] == "row_major Float32"


def test_a_whole_sum_is_a_scalar_of_a_clean_vector() -> None:
    module = inferred(layout_kernels.whole_sum(1000))
    assert buffers(module) == {"a": "flat", "s": "scalar"}
    # Loads leave zeros beyond the vector: nothing to clean before a sum.
    assert not of_type(module, CleanOp)


def test_an_operand_that_went_through_a_map_is_cleaned_before_a_padded_product() -> None:
    module = inferred(layout_kernels.padded_gemm(32, 32, 40))
    (clean,) = of_type(module, CleanOp)
    assert clean.buffer.name_hint == "a"


def test_a_product_of_whole_tiles_needs_no_cleaning() -> None:
    assert not of_type(inferred(layout_kernels.padded_gemm(30, 30, 64)), CleanOp)


def test_rows_found_through_an_index_are_read_row_by_row() -> None:
    module = inferred(layout_kernels.gather(8))
    assert tensors(module) == {
        "index": "row_major Int32",
        "x": "row_major Float32",
        "y": "row_major Float32",
    }


def test_a_requested_format_reaches_the_buffers_it_is_loaded_into() -> None:
    module = inferred(layout_kernels.gemm(64, 64, 64, (32, 32, 32)), "B=Bfp8_b")
    assert tensors(module)["B"] == "tile Bfp8_b"
    assert formats(module) == {"A_shared": "Float16_b", "B_shared": "Bfp8_b", "C_local": "Float32"}


@pytest.mark.parametrize(
    ("requested", "message"),
    [
        ("D=Bfp8_b", "'D', which is no parameter of gemm_kernel"),
        ("B=Bfp9", "cannot have the format 'Bfp9'"),
        ("B", "cannot have the format ''"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(requested: str, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        inferred(layout_kernels.gemm(64, 64, 64, (32, 32, 32)), requested)


def test_integers_have_no_float_format() -> None:
    with pytest.raises(LayoutError, match=r"index holds integers \(i32\)"):
        inferred(layout_kernels.gather(8), "index=Float32")


def test_shared_exponents_need_tiles_and_the_error_says_where_they_are_cut() -> None:
    with pytest.raises(
        LayoutError, match=r"does not start and end at multiples of 32 \(.*layout_kernels.py:"
    ):
        inferred(layout_kernels.gemm(96, 64, 80, (48, 64, 32)), "A=Bfp8_b")


def test_a_sum_that_starts_with_nothing_is_refused() -> None:
    with pytest.raises(
        KernelError, match=r"c is added to before anything is written to it\n.*layout_kernels"
    ):
        inferred(layout_kernels.never_cleared(32))


KERNELS: list[tuple[Any, dict[str, tuple[int, ...]]]] = [
    (layout_kernels.pairwise(33), {"x": (33,), "y": (33, 33)}),
    (layout_kernels.vector_add(70, 32), {"x": (70,), "y": (70,), "z": (70,)}),
    (layout_kernels.whole_sum(50), {"x": (50,), "y": (1,)}),
]


@pytest.mark.parametrize(("kernel", "shapes"), KERNELS, ids=lambda one: getattr(one, "__name__", ""))
def test_the_kernel_means_the_same_as_before(kernel: Any, shapes: dict[str, tuple[int, ...]]) -> None:
    random = np.random.default_rng(1)
    inputs = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    expected = results(import_prim_func(kernel), inputs)
    found = results(inferred(kernel), inputs)
    assert all(np.array_equal(found[name], expected[name]) for name in shapes)


def test_bfloat16_stays_bfloat16() -> None:
    module = inferred(layout_kernels.dynamic_rows(64, 32))
    x = np.ones((50, 64), ml_dtypes.bfloat16)
    y = results(module, {"x": x, "y": np.zeros_like(x)}, {"m": 50})["y"]
    assert np.array_equal(y, x + x)
    assert not of_type(module, ScalarOp)


def test_dimensions_of_size_one_take_no_tiles() -> None:
    kernel = layout_kernels.flat_batch(64, 40)
    module = inferred(kernel)
    shapes = {op.buffer_name.data: op.buffer.type.dims for op in of_type(module, AllocOp)}
    assert shapes == {"a": (64, 40), "b": (64, 40), "s": (64,)}
    assert buffers(module) == {"a": "tiled", "b": "tiled", "s": "column"}
    x = np.random.default_rng(0).normal(size=(2, 64, 1, 40)).astype(np.float32)
    inputs = {"x": x, "y": np.zeros_like(x)}
    assert np.array_equal(results(module, inputs)["y"], results(import_prim_func(kernel), inputs)["y"])


def test_copies_and_scalar_code_lose_dimensions_of_size_one_too() -> None:
    kernel = layout_kernels.one_row_at_a_time(6, 40)
    module = inferred(kernel)
    assert {op.buffer.type.dims for op in of_type(module, AllocOp)} == {(6, 40)}
    x = np.random.default_rng(0).normal(size=(1, 6, 40)).astype(np.float32)
    found = results(module, {"x": x, "y": np.zeros_like(x)})["y"]
    assert np.allclose(found, np.cumsum(x, axis=1), atol=1e-5)
