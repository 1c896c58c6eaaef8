"""Products of plain kernels in the blocks, and on the cores, that rank first."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

import re
from typing import Any

import pytest
import tilelang.language as T
import torch

from tilesmith.compiler.compile import CompiledKernel, compile_kernel
from tilesmith.schedules.product import Product
from tilesmith.schedules.rectangles import ranked_rectangles

F32 = "float32"


def gemm(
    size: tuple[int, int, int] = (128, 192, 128),
    block: tuple[int, int, int] = (64, 64, 32),
    step: str = "",
    order: str = "columns",
    covered: int = 0,
) -> Any:
    """x @ w in blocks. `step` is done besides, `order` is the grid's, `covered` rows of blocks are made."""
    (m, n, k), (bm, bn, bk) = size, block
    down, across = covered or -(-m // bm), -(-n // bn)
    grid = {"columns": (across, down), "rows": (down, across)}.get(order, (across * down,))
    w_shape, w_block = ((n, k), (bn, bk)) if step == "turned" else ((k, n), (bk, bn))
    length, part = (m, bm) if step == "rows" else (n, bn)

    @T.prim_func
    def main(
        x: T.Tensor((m, k), "bfloat16"),
        w: T.Tensor(w_shape, "bfloat16"),
        bias: T.Tensor((length,), F32),
        y: T.Tensor((m, n), F32),
    ):
        with T.Kernel(*grid, threads=128) as places:
            if order == "columns":
                bx, by = places
            elif order == "rows":
                by, bx = places
            else:
                bx, by = places % across, places // across
            x_here, w_here = T.alloc_shared((bm, bk), "bfloat16"), T.alloc_shared(w_block, "bfloat16")
            bias_here, total = T.alloc_shared((part,), F32), T.alloc_fragment((bm, bn), F32)
            if step == "swizzled":
                T.use_swizzle(panel_size=10)
            T.clear(total)
            for ko in T.Pipelined(T.ceildiv(k, bk), num_stages=3):
                T.copy(x[by * bm, ko * bk], x_here)
                if step == "turned":
                    T.copy(w[bx * bn, ko * bk], w_here)
                else:
                    T.copy(w[ko * bk, bx * bn], w_here)
                T.gemm(x_here, w_here, total, transpose_B=step == "turned")
            if step == "columns":
                T.copy(bias[bx * bn], bias_here)
                for i, j in T.Parallel(bm, bn):
                    total[i, j] = T.max(total[i, j] + bias_here[j], 0)
            if step == "rows":
                T.copy(bias[by * bm], bias_here)
                for i, j in T.Parallel(bm, bn):
                    total[i, j] = T.max(total[i, j] + bias_here[i], 0)
            if step == "place":
                for i, j in T.Parallel(bm, bn):
                    total[i, j] = total[i, j] + T.cast(by, F32)
            if step == "index":
                for i, j in T.Parallel(bm, bn):
                    total[i, j] = total[i, j] + T.cast(j, F32)
            if step == "added":
                T.atomic_add(y[by * bm, bx * bn], total)
            else:
                T.copy(total, y[by * bm, bx * bn])

    return main


def blocks_of(kernel: CompiledKernel) -> tuple[list[int], list[int]]:
    """The sizes of a block of x and of the sum, after the pass."""
    text = kernel.ir(after="schedule-products")
    found = (re.search(rf'alloc "{name}".*buffer<\[(.*?)\]', text) for name in ("x_here", "total"))
    x, total = ([int(size) for size in one[1].split(", ")] for one in found if one)
    return x, total


def is_scheduled(kernel: Any, arch: str = "n150") -> bool:
    return "tile.grid (%bx, %by)" in _new_grid(compile_kernel(kernel, arch))


def _new_grid(kernel: CompiledKernel) -> str:
    before, after = (kernel.ir(after=name) for name in ("merge-product-steps", "schedule-products"))
    return "" if before == after else after


def checked(kernel: Any, arch: str, step: str = "", rows: int | None = None) -> None:
    """Run it with checks on, and compare what it computes with torch."""
    compiled = compile_kernel(kernel, arch)
    shapes = [tuple(map(int, one.shape)) for one in compiled.signature.tensors.values()]
    torch.manual_seed(0)
    x, w = (torch.randn(shape).bfloat16() for shape in shapes[:2])
    bias, y = torch.randn(shapes[2]), torch.full(shapes[3], -7.0)
    compiled(x, w, bias, y)
    wanted = x.float() @ (w.T if step == "turned" else w).float()
    if step in ("columns", "rows"):
        wanted = (wanted + (bias[None] if step == "columns" else bias[:, None])).relu()
    assert (y[:rows] - wanted[:rows]).abs().max() / wanted.abs().max() < 2**-7
    assert rows is None or bool((y[rows:] == -7).all())


@pytest.mark.parametrize("size", [1024, 2048, 4096])
def test_blocks_and_cores_are_those_that_rank_first(size: int) -> None:
    product = Product(size, size, size, 1, 1, 2.0, 2.0, 1, "HiFi2", True, True)
    best = ranked_rectangles(product, "wormhole")[0]
    kernel = compile_kernel(gemm((size, size, size), (128, 128, 32)), "n150", fidelity="HiFi2")
    bm, bn, bk = best.block
    assert blocks_of(kernel) == ([bm, bk], [bm, bn])
    assert best.mesh is not None
    partition = kernel.plan["partition"]
    assert (partition["columns"], partition["rows"]) == best.mesh.cores


@pytest.mark.parametrize("arch", ["n150", "p150"])
@pytest.mark.parametrize("step", ["", "columns", "rows", "turned", "swizzled"])
@pytest.mark.parametrize("size", [(128, 192, 128), (127, 161, 100)])
def test_it_computes_the_same(size: tuple[int, int, int], step: str, arch: str) -> None:
    kernel = gemm(size, step=step)
    assert is_scheduled(kernel, arch)
    checked(kernel, arch, step)


@pytest.mark.parametrize("order", ["rows", "line"])
def test_the_order_of_the_grid_does_not_matter(order: str) -> None:
    kernel = gemm(order=order)
    assert is_scheduled(kernel)
    checked(kernel, "n150")


def test_what_the_grid_leaves_out_stays_as_it_is() -> None:
    kernel = gemm((192, 128, 64), covered=2)
    assert is_scheduled(kernel)
    checked(kernel, "n150", rows=128)


@pytest.mark.parametrize("step", ["place", "index", "added"])
def test_a_kernel_whose_blocks_differ_by_their_place_stays(step: str) -> None:
    assert not is_scheduled(gemm(step=step))


def test_a_kernel_that_is_cut_for_the_chip_stays() -> None:
    kept = compile_kernel(gemm(), "n150", keeps_blocks=True)
    assert not _new_grid(kept)


def test_a_kernel_whose_own_blocks_give_more_cores_work_stays() -> None:
    assert not is_scheduled(gemm((4096, 64, 256), (64, 64, 32)))
    assert is_scheduled(gemm((4096, 64, 256), (32, 32, 32)))
