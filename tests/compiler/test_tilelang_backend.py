"""TileLang's own entry points with a Tenstorrent chip as target."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, name-defined"
# mypy: disable-error-code="untyped-decorator, no-redef, attr-defined"

from typing import Any

import pytest
import tilelang
import tilelang.language as T
import torch
from tests.compiler import kernels

import tilesmith
from tilesmith import settings
from tilesmith.errors import UnsupportedKernelError

tilesmith.register_tilelang_backend()

VALUES = (torch.arange(2800).reshape(40, 70) % 128).float()


def test_compile_with_out_idx() -> None:
    kernel = tilelang.compile(kernels.scaled(40, 70), out_idx=-1, target="wormhole")
    assert torch.equal(kernel(VALUES), 2 * VALUES)
    assert tilelang.compile(kernels.scaled(40, 70), out_idx=-1, target="wormhole") is kernel


def test_compile_without_out_idx_writes_in_place() -> None:
    kernel = tilelang.compile(kernels.scaled(40, 70), target="blackhole")
    out = torch.zeros(40, 70)
    assert kernel(VALUES, out) is None
    assert torch.equal(out, 2 * VALUES)
    assert kernel.compiled.arch.product == "p150"


@pytest.mark.parametrize("chip", ["wormhole", "p150"])
@pytest.mark.parametrize("target", ["tenstorrent", "tt"])
def test_the_vendors_name_means_the_chip_of_the_settings(target: str, chip: str) -> None:
    with settings.using(arch=chip):
        kernel = tilelang.compile(kernels.scaled(40, 70), out_idx=-1, target=target)
        assert kernel.compiled.arch.name == chip
        assert torch.equal(kernel(VALUES), 2 * VALUES)
        assert tilesmith.compile(kernels.scaled(40, 70), target=target).arch.name == chip


def test_jit() -> None:
    @tilelang.jit(out_idx=[-1], target="wormhole")
    def make(m, n):
        return kernels.scaled(m, n)

    assert torch.equal(make(40, 70)(VALUES), 2 * VALUES)


def test_a_kernel_without_inputs_gives_tensors() -> None:
    @T.prim_func
    def ones(A: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            T.fill(A, 1.0)

    kernel = tilelang.compile(ones, out_idx=-1, target="wormhole")
    assert torch.equal(kernel(), torch.ones(32))


def test_eager_jit() -> None:
    @tilelang.jit(target="wormhole")
    def doubled(A, block: int = 32):
        M, N = T.const("M N")
        A: T.Tensor[[M, N], T.float32]
        B = T.empty((M, N), T.float32)
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            tile = T.alloc_shared((block, block), T.float32)
            T.copy(A[by * block, bx * block], tile)
            for i, j in T.Parallel(block, block):
                tile[i, j] = tile[i, j] + tile[i, j]
            T.copy(tile, B[by * block, bx * block])
        return B

    assert torch.equal(doubled(VALUES), 2 * VALUES)


def test_the_profiler_compares_and_tells_the_models_time() -> None:
    profiler = tilelang.compile(kernels.scaled(40, 70), out_idx=-1, target="wormhole").get_profiler()
    profiler.assert_allclose(lambda a: 2 * a)
    with pytest.raises(AssertionError):
        profiler.assert_allclose(lambda a: 3 * a)
    compared: list[Any] = []
    profiler.manual_assert_close(lambda a: 2 * a, manual_check_prog=lambda *both: compared.append(both))
    assert torch.equal(compared[0][0][0], compared[0][1][0])
    assert 0 < profiler.do_bench() < 1
    assert profiler.do_bench(torch.abs, warmup=1, rep=1) > 0


def test_sources() -> None:
    kernel = tilelang.compile(kernels.scaled(40, 70), out_idx=-1, target="wormhole")
    assert kernel.get_kernel_source().count("void kernel_main()") == 3
    assert kernel.adapter.get_kernel_source().count("void kernel_main()") == 3
    assert "kernels" in kernel.get_host_source()


def test_redirection_takes_kernels_for_any_target() -> None:
    scaled = kernels.scaled(40, 70)
    with tilesmith.redirect_tilelang("wormhole"):
        kernel = tilelang.compile(scaled, out_idx=-1, target="cuda", execution_backend="cython")
    assert torch.equal(kernel(VALUES), 2 * VALUES)


def test_lowering_by_tilelang_is_refused() -> None:
    with pytest.raises(UnsupportedKernelError, match="before TileLang lowers them"):
        tilelang.lower(kernels.scaled(40, 70), target="wormhole")


def test_registering_twice_does_nothing() -> None:
    assert tilesmith.register_tilelang_backend() is tilesmith.register_tilelang_backend()
