"""A buffer made from another and copied back: they share memory only where no element is read too late."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tilelang.language as T
from xdsl.utils.exceptions import VerifyException

import tilesmith
from tilesmith.compiler.compile import imported_modules
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.walk import operations_of

ROUNDS = 3


def noise(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def butterflies() -> Any:
    @T.prim_func
    def main(A: T.Tensor((16, 32), "float32"), B: T.Tensor((16, 32), "float32")):
        with T.Kernel(1, threads=128):
            now = T.alloc_shared((16, 32), "float32")
            after = T.alloc_shared((16, 32), "float32")
            T.copy(A, now)
            for s in T.serial(5):
                for i, j in T.Parallel(16, 32):
                    after[i, j] = T.if_then_else(
                        (j >> s) & 1 == 0, now[i, j] + now[i, j ^ (1 << s)], now[i, j ^ (1 << s)] - now[i, j]
                    )
                T.copy(after, now)
            T.copy(now, B)

    return main


def hadamard(rows: Any) -> Any:
    matrix = np.ones((1, 1))
    while len(matrix) < 32:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return rows @ matrix


def turns() -> Any:
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128):
            now = T.alloc_shared((64, 64), "float32")
            after = T.alloc_shared((64, 64), "float32")
            T.copy(A, now)
            for _ in T.serial(ROUNDS):
                for i, j in T.Parallel(64, 64):
                    after[i, j] = now[j, i] * 0.5 + 1.0
                T.copy(after, now)
            T.copy(now, B)

    return main


def squares() -> Any:
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128):
            now = T.alloc_shared((64, 64), "float32")
            product = T.alloc_fragment((64, 64), "float32")
            T.copy(A, now)
            for _ in T.serial(ROUNDS):
                T.clear(product)
                T.gemm(now, now, product)
                for i, j in T.Parallel(64, 64):
                    product[i, j] = product[i, j] * 0.125
                T.copy(product, now)
            T.copy(now, B)

    return main


def rounds(value: Any, step: Any) -> Any:
    for _ in range(ROUNDS):
        value = step(value)
    return value


@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
@pytest.mark.parametrize(
    ("kernel", "shape", "wanted", "tolerance"),
    [
        (butterflies, (16, 32), hadamard, 1e-5),
        (turns, (64, 64), lambda a: rounds(a, lambda now: now.T * 0.5 + 1.0), 1e-6),
        (squares, (64, 64), lambda a: rounds(a, lambda now: now @ now * 0.125), 2e-2),
    ],
    ids=["gathered", "transposed", "product"],
)
def test_a_buffer_is_read_whole_before_it_changes(
    kernel: Any, shape: tuple[int, ...], wanted: Any, tolerance: float, arch: str
) -> None:
    given, found = noise(*shape), np.zeros(shape, np.float32)
    expected = wanted(given.astype(np.float64))
    tilesmith.compile(kernel(), target=arch)(given, found)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())


def test_what_is_stored_keeps_all_bits_though_a_product_reads_it() -> None:
    @T.prim_func
    def main(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 32), "float32")
            product = T.alloc_fragment((32, 32), "float32")
            T.copy(A, a)
            for _ in T.serial(2):
                T.clear(product)
                T.gemm(a, a, product)
                T.copy(product, a)
            T.copy(a, B)

    given, found = noise(32, 32), np.zeros((32, 32), np.float32)
    tilesmith.compile(main)(given, found)
    assert (found.view(np.uint32) & 0x1FFF).any()  # bits that TF32 does not have


def test_a_dimension_of_size_one_is_read_in_place() -> None:
    @T.prim_func
    def main(A: T.Tensor((1, 64), "float32"), B: T.Tensor((1, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((1, 64), "float32")
            T.copy(A, a)
            for i in T.Parallel(64):
                a[0, i] = T.clamp(a[0, i], -0.5, 0.5)
            T.copy(a, B)

    given, found = noise(1, 64), np.zeros((1, 64), np.float32)
    tilesmith.compile(main)(given, found)
    assert np.array_equal(found, given.clip(-0.5, 0.5))


def test_a_map_that_reads_its_output_elsewhere_is_no_valid_ir() -> None:
    (module,) = imported_modules(turns())
    (op,) = operations_of(module, tile.MapOp)
    op.operands[len(op.ins)] = op.ins[0]
    with pytest.raises(VerifyException, match="not in place"):
        op.verify()
