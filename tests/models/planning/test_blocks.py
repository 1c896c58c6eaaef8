"""Blocks chosen for given sizes: they cover the work, and use the cores there are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import tilesmith
from tilesmith.arch import load_arch
from tilesmith.kernels.attention import Attention
from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Input
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.reduction import Reduction
from tilesmith.kernels.rowwise import RowWise
from tilesmith.models.planning.blocks import candidates
from tilesmith.models.planning.matmul_blocks import product_of
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import new_storage
from tilesmith.runtime import Layout
from tilesmith.schedules import Mesh, Rectangle, Stationary

ARCH = load_arch("wormhole")
PLAIN = Epilogue((Result(Input("acc0"), Operand("y")),))


def product(m: int, n: int, k: int, batches: int = 1, stored: int = 0) -> Launch:
    """A launch of a product; its result lies in a storage with `stored` columns."""
    storages = {
        "x": new_storage(m * batches, k, Layout.TILE, "bfloat16"),
        "w0": new_storage(n, k, Layout.TILE, "bfloat16"),
        "y": new_storage(m * batches, stored or n, Layout.TILE, "bfloat16"),
    }
    numbers = {"m": m, "n": n, "k": k, "nb1": batches, "nb2": 1}
    return Launch(Linear(PLAIN), storages, numbers, ("linear",), (storages["y"],))


@pytest.mark.parametrize(
    ("m", "n", "k"), [(128, 768, 768), (128, 3072, 768), (128, 2304, 768), (32, 1000, 96)]
)
def test_blocks_of_a_product_cover_it_and_meshes_fit_the_chip(m: int, n: int, k: int) -> None:
    whole = -(-n // 32) * 32
    for template in candidates(product(m, n, k), ARCH):
        assert isinstance(template, Linear)
        bm, bn, bk = template.block
        if not isinstance(template.mesh, Rectangle):
            assert m % bm == 0
        if template.mesh is not None:
            columns, rows = template.mesh.cores
            assert columns <= ARCH.grid.x
            assert rows <= ARCH.grid.y
            if isinstance(template.mesh, Rectangle):
                assert columns * template.mesh.across * bn >= whole
                assert rows * template.mesh.down * bm >= m
                assert template.mesh.steps * bk == k
            elif isinstance(template.mesh, Stationary):
                assert (bn, bk) == (whole, k)
                assert columns * rows * template.mesh.turns * bm >= m
            else:
                assert template.mesh.columns * template.mesh.rows * bn >= whole
                assert template.mesh.down * bm == m


def test_where_tensors_lie_decides_on_the_blocks() -> None:
    """Only what is in L1 is ranked as such: x, the result or both, but never weights."""
    step = product(1024, 1024, 1024)
    x, w, y = (step.storages[name] for name in ("x", "w0", "y"))
    found = [product_of(step, "HiFi2", in_l1) for in_l1 in ((), (x,), (y,), (w,), (x, y))]
    places = [(one.rows_in_l1, one.results_in_l1) for one in found]
    assert places == [(False, False), (True, False), (False, True), (False, False), (True, True)]
    first, here = (candidates(step, ARCH, "HiFi2", in_l1)[0] for in_l1 in ((), (x, y)))
    assert isinstance(first, Linear)
    assert isinstance(here, Linear)
    assert here.block != first.block


def test_blocks_of_a_product_divide_what_lies_beside_something_else() -> None:
    """71 pairs of tiles: as few blocks as there are cores reach beyond the end, where nothing is stored."""
    whole, sliced = product(32, 4544, 4544), product(32, 4544, 4544, stored=9088)
    wider = {**sliced.storages, "x": new_storage(32, 9088, Layout.TILE, "bfloat16")}
    best = candidates(whole, ARCH)[0]
    assert isinstance(best, Linear)
    assert isinstance(best.mesh, Mesh)
    assert 4544 % best.block[1]
    assert 4544 % best.block[2]
    for template in candidates(replace(sliced, storages=wider), ARCH):
        assert isinstance(template, Linear)
        assert (4544 % template.block[1], 4544 % template.block[2]) == (0, 0)


def test_few_rows_and_many_columns_are_shared_by_most_cores() -> None:
    best = candidates(product(128, 3072, 768), ARCH)[0]
    assert isinstance(best, Linear)
    assert best.mesh is not None
    columns, rows = best.mesh.cores
    assert 2 * columns * rows > ARCH.num_cores


def test_batches_have_no_mesh_and_blocks_stay_inside_a_batch() -> None:
    for template in candidates(product(96, 64, 64, batches=3), ARCH):
        assert isinstance(template, Linear)
        assert template.mesh is None
        assert 96 % template.block[0] == 0


def test_a_mesh_reaches_beyond_the_last_column_only_where_nothing_else_is_stored() -> None:
    def spills(step: Launch) -> bool:
        for one in candidates(step, ARCH):
            assert isinstance(one, Linear)
            across = one.mesh.across if isinstance(one.mesh, Rectangle) else getattr(one.mesh, "rows", 0)
            if one.mesh and one.mesh.columns * across * one.block[1] > 2304:
                return True
        return False

    assert spills(product(128, 2304, 768))
    assert not spills(product(128, 2304, 768, stored=4608))


def norm(m: int, columns: int, dtype: str = "bfloat16") -> Launch:
    template = RowWise("layer_norm", columns, PLAIN, (Operand("x", dtype=dtype),), Input("x"), 1e-5)
    storages = {name: new_storage(m, columns, Layout.TILE, dtype) for name in "xy"}
    return Launch(template, storages, {"m": m, "nb1": 1, "nb2": 1}, ("layer_norm",), (storages["y"],))


def test_few_rows_of_a_norm_are_shared_and_many_are_whole() -> None:
    shared, many = (candidates(norm(rows, 768), ARCH)[0] for rows in (128, 4096))
    assert isinstance(shared, RowWise)
    assert isinstance(many, RowWise)
    assert (shared.chunk, shared.share) == (96, 4)
    assert (many.chunk, many.share) == (768, 0)


@pytest.mark.parametrize("step", [norm(128, 100), norm(128, 768, "float32"), norm(128, 32 * 1024)])
def test_norms_that_end_inside_a_tile_or_are_too_wide_or_too_precise_stay_as_they_are(step: Launch) -> None:
    assert candidates(step, ARCH) == [step.template]


def test_keys_that_fit_are_taken_at_once() -> None:
    def best(keys: int, width: int = 64) -> Attention:
        template = Attention(width, width, 0.125, PLAIN, block=(64, 32))
        storages = {name: new_storage(128, 768, Layout.TILE, "bfloat16") for name in "qkvy"}
        numbers = {"m": 128, "n": keys, "nb1": 1, "nb2": 12, "y_row": 0, "y_row2": 0}
        made = candidates(Launch(template, storages, numbers, ("attention",), (storages["y"],)), ARCH)[0]
        assert isinstance(made, Attention)
        return made

    assert (best(128).block, best(128).at_once, best(128).whole) == ((32, 128), True, True)
    assert (best(100).block, best(100).at_once, best(100).whole) == ((32, 128), True, False)
    assert best(512, 512).block == (32, 128)  # what L1 holds
    assert (best(1024).block, best(1024).at_once, best(1024).whole) == ((32, 512), False, True)


def test_reductions_load_as_many_tiles_at_once_as_divide_them() -> None:
    def best(along: Any, m: int, n: int) -> tuple[int, ...]:
        template = Reduction("sum", along, (Operand("x"),), Input("x"), Input("acc0"), Operand("y", "row"))
        storages = {name: new_storage(m, n, Layout.TILE, "bfloat16") for name in "xy"}
        step = Launch(template, storages, {"m": m, "n": n, "nb1": 1, "nb2": 1}, ("sum",), (storages["y"],))
        made = candidates(step, ARCH)[0]
        assert isinstance(made, Reduction)
        return made.block

    assert best("rows", 3136, 256) == (224, 32)
    assert best("rows", 784, 4096) == (160, 64)
    assert best("rows", 49, 1024) == (64, 32)
    assert best("columns", 5120, 16) == (32, 32)
    assert best("columns", 64, 1024) == (32, 256)


def attention(queries: int, keys: int, causal: bool = False, heads: int = 12, batch: int = 1) -> Launch:
    template = Attention(64, 64, 0.125, PLAIN, causal=causal, block=(32, 32))
    rows = batch * -(-queries // 32) * 32
    storages = {name: new_storage(rows, 64 * heads, Layout.TILE, "bfloat16") for name in "qkvy"}
    numbers = {"m": queries, "n": keys, "nb1": batch, "nb2": heads, "y_row": 0, "y_row2": 0}
    return Launch(template, storages, numbers, ("attention",), (storages["y"],))


def test_keys_that_no_large_block_divides_end_with_a_smaller_one() -> None:
    def best(*given: Any, **more: Any) -> tuple[Any, ...]:
        made = candidates(attention(*given, **more), ARCH)[0]
        assert isinstance(made, Attention)
        return made.block, made.tail, made.at_once, made.whole

    assert best(577, 577) == ((32, 608), 0, True, False)
    assert best(1500, 1500) == ((64, 256), 224, False, False)
    assert best(1504, 1504) == ((64, 256), 224, False, True)
    assert best(1500, 1500, causal=True) == ((64, 256), 224, False, False)
    assert best(1500, 1536) == ((64, 512), 0, False, True)


def test_blocks_of_queries_reach_no_further_than_their_own_result() -> None:
    found = candidates(attention(1500, 1500, batch=2), ARCH)
    assert {one.block[0] for one in found if isinstance(one, Attention)} == {32}


def test_elementwise_work_is_spread_over_the_cores() -> None:
    storages = {"y": new_storage(128, 768, Layout.TILE, "bfloat16")}
    numbers = {"m": 128, "n": 768, "nb1": 1, "nb2": 1}
    step = Launch(Elementwise(PLAIN), storages, numbers, ("add",), (storages["y"],))
    best = candidates(step, ARCH)[0]
    assert isinstance(best, Elementwise)
    assert best.block == (32, 64)


def test_rows_that_cores_share_travel_on_the_writers_noc() -> None:
    sources = tilesmith.compile(replace(Linear(PLAIN), mesh=Mesh(8, 1, 2)).prim_func()).sources()
    assert "send_block(" in sources["linear_writer"]
    assert "send_block(" not in sources["linear_reader"]
    # The second NoC runs the other way, so the far corner of the rectangle comes first.
    assert "{row_last_x, row_last_y, row_first_x, row_first_y}" in sources["linear_writer"]
