"""`num_stages` of a pipelined loop: how deep its circular buffers are, what that gains, what does not fit."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

import warnings
from typing import Any

import pytest
import tilelang.language as T
import torch

import tilesmith
from tilesmith.errors import L1BudgetError, TilesmithWarning


def bursts(stages: int, width: int = 256) -> Any:
    """Four products, then work without loads: a deeper pipeline loads the next four meanwhile."""

    @T.prim_func
    def main(
        A: T.Tensor((32, 16 * width), "bfloat16"),
        B: T.Tensor((16 * width, 32), "bfloat16"),
        C: T.Tensor((128, 32), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, width), "bfloat16")
            b = T.alloc_shared((width, 32), "bfloat16")
            c = T.alloc_fragment((32, 32), "float32")
            for row in T.serial(4):
                T.clear(c)
                for k in T.Pipelined(4, num_stages=stages):
                    T.copy(A[0, (row * 4 + k) * width], a)
                    T.copy(B[(row * 4 + k) * width, 0], b)
                    T.gemm(a, b, c)
                for _ in T.serial(8):
                    for i, j in T.Parallel(32, 32):
                        c[i, j] = T.exp(-c[i, j] * c[i, j])
                T.copy(c, C[row * 32, 0])

    return main


def gathers(stages: int) -> Any:
    """Elements looked for one by one are loaded ahead too."""

    @T.prim_func
    def main(
        index: T.Tensor((256,), "int32"), x: T.Tensor((64, 32), "float32"), y: T.Tensor((256, 32), "float32")
    ):
        with T.Kernel(1, threads=128):
            rows = T.alloc_shared((32, 32), "float32")
            for k in T.Pipelined(8, num_stages=stages):
                for i, j in T.Parallel(32, 32):
                    rows[i, j] = x[index[k * 32 + i], j]
                for i, j in T.Parallel(32, 32):
                    rows[i, j] = rows[i, j] * 2.0
                T.copy(rows, y[k * 32, 0])

    return main


def depths(kernel: Any) -> dict[str, int]:
    return {one["name"]: one["depth"] for one in kernel.plan["circular_buffers"]}


def test_stages_decide_the_depth_and_the_cycles() -> None:
    torch.manual_seed(0)
    a, b = torch.randn(32, 4096).bfloat16(), torch.randn(4096, 32).bfloat16()
    cycles, results = {}, []
    for stages in (0, 1, 2, 4):
        kernel = tilesmith.compile(bursts(stages))
        assert depths(kernel)["a"] == depths(kernel)["b"] == (stages or 2)
        results.append(kernel(a, b))
        cycles[stages] = kernel.summary().cycles
    assert cycles[1] > cycles[2] > cycles[4]
    assert cycles[0] == cycles[2]
    assert all(torch.equal(results[0], other) for other in results[1:])


def test_gathered_buffers_have_as_many_versions() -> None:
    x, index = torch.randn(64, 32), torch.randint(0, 64, (256,), dtype=torch.int32)
    for stages in (1, 3):
        kernel = tilesmith.compile(gathers(stages))
        assert max(depths(kernel).values()) == stages
        assert torch.equal(kernel(index, x), x[index.long()] * 2)


def test_the_deepest_that_fits_with_a_warning() -> None:
    with pytest.warns(TilesmithWarning) as told:
        kernel = tilesmith.compile(bursts(8, width=2048))
    assert "num_stages=8 asks for 8 versions of a, and L1 has room for " in str(told[0].message)
    assert len(kernel.notes) == 2
    assert "test_num_stages.py" in kernel.notes[0]
    assert all(1 < depths(kernel)[name] < 8 for name in "ab")


def test_what_fits_says_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tilesmith.compile(bursts(3)).notes == ()


def test_one_version_that_does_not_fit_is_refused() -> None:
    with pytest.raises(L1BudgetError, match="bytes of L1"):
        tilesmith.compile(bursts(4, width=16384))
