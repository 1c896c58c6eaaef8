"""What the verifiers refuse, and that they say what was expected."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.compiler.dialects.modules import Kernel, index, indices, module_of, number, region
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IndexType, ModuleOp, f32
from xdsl.ir import Region
from xdsl.utils.exceptions import VerifyException

from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.types import BufferType, TensorType

INDEX = IndexType()


def _identity() -> Region:
    return region([f32, INDEX, INDEX], lambda x, *_: x)


def _offsets(k: Kernel) -> None:
    tile.LoadOp(k.tensors["A"], [index(0)], k.buffer("b", [4, 6]), [4, 6], [0, 1])


def _limits(k: Kernel) -> None:
    tile.LoadOp(k.tensors["A"], indices([0, 0]), k.buffer("b", [4, 6]), [4, 6], [0, 1], [index(1)])


def _sizes(k: Kernel) -> None:
    tile.StoreOp(k.buffer("b", [4, 6]), k.tensors["A"], indices([0, 0]), [4, 5], [0, 1])


def _accumulation(k: Kernel) -> None:
    tile.StoreOp(k.buffer("b", [4, 6]), k.tensors["A"], indices([0, 0]), [4, 6], [0, 1], accumulate="xor")


def _between_buffers(k: Kernel) -> None:
    tile.LoadOp(k.buffer("a", [4, 6]), indices([0, 0]), k.buffer("b", [4, 6]), [4, 6], [0, 1])


def _gemm_shapes(k: Kernel) -> None:
    tile.GemmOp(k.buffer("a", [4, 6]), k.buffer("b", [4, 6]), k.buffer("c", [4, 6]))


def _gemm_of_vectors(k: Kernel) -> None:
    tile.GemmOp(k.buffer("a", [4]), k.buffer("b", [4, 6]), k.buffer("c", [4, 6]))


def _gemm_of_tensors(k: Kernel) -> None:
    tile.GemmOp(k.tensors["A"], k.buffer("b", [6, 4]), k.buffer("c", [4, 4]))


def _map_dims(k: Kernel) -> None:
    tile.MapOp([k.buffer("a", [4, 6])], k.buffer("o", [4, 6]), [], _identity())


def _map_rank(k: Kernel) -> None:
    tile.MapOp([k.buffer("a", [4, 6])], k.buffer("o", [4, 6]), [[0]], _identity())


def _map_too_small(k: Kernel) -> None:
    tile.MapOp([k.buffer("a", [4, 6])], k.buffer("o", [4, 8]), [[0, 1]], _identity())


def _map_arguments(k: Kernel) -> None:
    body = region([f32, INDEX], lambda x, _: x)
    tile.MapOp([k.buffer("a", [4, 6])], k.buffer("o", [4, 6]), [[0, 1]], body)


def _reduction(k: Kernel) -> None:
    tile.ReduceOp(k.buffer("a", [4, 6]), k.buffer("o", [4]), "median", 1)


def _reduced_shape(k: Kernel) -> None:
    tile.ReduceOp(k.buffer("a", [4, 6]), k.buffer("o", [4]), "sum", 0)


def _function(k: Kernel) -> None:
    tile.FnOp("exp", [number(1.0), number(2.0)], f32)


def _unlisted_read(k: Kernel) -> None:
    body = region([], lambda: None)
    with ImplicitBuilder(body):
        tile.ReadOp(k.tensors["A"], indices([0, 0]), f32)
    tile.ScalarOp([], [], body)


def _unlisted_write(k: Kernel) -> None:
    body = region([], lambda: None)
    with ImplicitBuilder(body):
        tile.WriteOp(k.tensors["A"], indices([0, 0]), number(1.0))
    tile.ScalarOp([], [], body)


def _read_indices(k: Kernel) -> None:
    tile.ReadOp(k.tensors["A"], [index(0)], f32)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (_offsets, "tile.load needs 2 offsets, and 2 limits or none"),
        (_limits, "tile.load needs 2 offsets, and 2 limits or none"),
        (_sizes, r"tile.store of \(4, 5\) does not fit the buffer of shape \(4, 6\)"),
        (_accumulation, "expected accumulate to be one of .* got 'xor'"),
        (_between_buffers, "moves between a tensor and a buffer"),
        (_gemm_shapes, "tile.gemm of 4x6 and 4x6 does not give 4x6"),
        (_gemm_of_vectors, "at least two dimensions"),
        (_gemm_of_tensors, "tile.gemm works on buffers"),
        (_map_dims, "1 inputs but dims for 0"),
        (_map_rank, r"input of shape \(4, 6\) has dims \(0,\)"),
        (_map_too_small, r"too small for \(4, 8\)"),
        (_map_arguments, "one body argument per input and per dimension"),
        (_reduction, "expected a reduction of .* got 'median'"),
        (_reduced_shape, r"along 0 gives \(6,\), not \(4,\)"),
        (_function, "does not know 'exp' with 2 arguments"),
        (_unlisted_read, "not in its list of reads"),
        (_unlisted_write, "not in its list of writes"),
        (_read_indices, "one index per dimension"),
    ],
)
def test_operations_on_tiles(wrong: Callable[[Kernel], None], message: str) -> None:
    with pytest.raises(VerifyException, match=message):
        module_of({"A": ([4, 6], f32)}, wrong)


def test_functions_take_tensors_of_known_symbols() -> None:
    with pytest.raises(VerifyException, match="parameter A has the size 'n', which is no symbol"):
        ModuleOp([tile.FuncOp("kernel", [("A", TensorType.of(["n"], f32))])]).verify()


def test_grids_have_one_to_three_dimensions() -> None:
    with pytest.raises(VerifyException, match="1 to 3 dimensions, got 4"):
        module_of({}, lambda _: None, grid=(1, 1, 1, 1))


def test_circular_buffers_belong_to_roles() -> None:
    kind = BufferType.of([32, 32], f32, "shared")
    with pytest.raises(VerifyException, match="'host' is none of"):
        tt.CBOp("cb", kind, 1, 2, 4096, "host", "compute").verify()
    with pytest.raises(VerifyException, match="pages, depth and page_size >= 1"):
        tt.CBOp("cb", kind, 1, 0, 4096, "reader", "compute").verify()


def test_stages_kernels_and_arguments_have_known_roles_and_scopes() -> None:
    with pytest.raises(VerifyException, match="expected a role of"):
        tt.StageOp("loader", "", [], []).verify()
    with pytest.raises(VerifyException, match="expected a role of"):
        tt.KernelOp("k", "loader", [], [], []).verify()
    with pytest.raises(VerifyException, match="expected an argument of scope"):
        tt.ArgOp("n", "global").verify()
