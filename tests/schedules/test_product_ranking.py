"""Ways to carry out a product: they fit the chip, and the order is the one that the clock finds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilesmith.arch import load_arch
from tilesmith.schedules.cores import Mesh, Rectangle, Stationary
from tilesmith.schedules.product import Product
from tilesmith.schedules.product_ranking import product_choices
from tilesmith.schedules.rectangles import rectangle_choices
from tilesmith.schedules.stationary import stationary_choices

SQUARE = Product(1024, 1024, 1024, 1, 1, 2.0, 2.0, 1, "HiFi2", True, True)


@pytest.mark.parametrize("chip", ["n150", "p150"])
def test_the_first_takes_the_fewest_cycles_and_all_fit_on_the_chip(chip: str) -> None:
    choices, grid = product_choices(SQUARE, chip), load_arch(chip).grid
    assert [choice.cycles for choice in choices] == sorted(choice.cycles for choice in choices)
    for choice in choices:
        columns, rows = choice.mesh.cores if choice.mesh else (1, 1)
        assert columns <= grid.x
        assert rows <= grid.y
    assert {type(choice.mesh) for choice in choices} == {type(None), Mesh, Rectangle}


def test_batches_with_their_own_weights_share_nothing() -> None:
    """Cores of a rectangle share weights, and those of a mesh the rows of one product."""
    several = replace(SQUARE, rows=64, batches=4, shares_weights=False)
    assert {choice.mesh for choice in product_choices(several, "n150")} == {None}
    alike = replace(several, shares_weights=True)
    assert any(isinstance(choice.mesh, Rectangle) for choice in product_choices(alike, "n150"))


def test_turns_along_k_are_few_where_blocks_are_small() -> None:
    """Every turn waits for a handshake: 26 of them would take twice as long as 2."""
    sizes = Product(640, 832, 832, 1, 1, 2.0, 2.0, 1, "HiFi2", True, True)
    best = min(rectangle_choices(sizes, load_arch("p150")), key=lambda choice: choice.cycles)
    assert isinstance(best.mesh, Rectangle)
    assert best.mesh.steps == 2


@pytest.mark.parametrize(
    ("chip", "rows", "cols", "depth", "block"),
    [
        ("n150", 1024, 1024, 1024, (128, 128, 256)),
        ("n150", 1024, 2048, 1024, (128, 256, 128)),
        ("p150", 1280, 2816, 1408, (128, 128, 352)),
    ],
)
def test_rows_in_l1_have_the_blocks_that_take_least_by_the_clock(
    chip: str, rows: int, cols: int, depth: int, block: tuple[int, int, int]
) -> None:
    """On an n150 rows of 32 tiles begin at two of its 64 L1s: deeper or wider blocks wait less for them."""
    here = Product(rows, cols, depth, 1, 1, 2.0, 2.0, 1, "HiFi2", True, True)
    there = replace(here, rows_in_l1=True, results_in_l1=True)
    found = rectangle_choices(there, load_arch(chip))
    narrow = [one for one in found if one.mesh is not None and one.mesh.cores[0] <= 11]
    assert min(narrow, key=lambda choice: choice.cycles).block == block


def test_results_in_l1_leave_dram_to_reads() -> None:
    arch = load_arch("n150")
    several = replace(SQUARE, rows=4096, cols=4096)
    to_dram = {(one.block, one.mesh): one.cycles for one in rectangle_choices(several, arch)}
    to_l1 = rectangle_choices(replace(several, results_in_l1=True), arch)
    shares = [one.cycles / to_dram[one.block, one.mesh] for one in to_l1]
    assert max(shares) <= 1
    assert min(shares) < 1


def test_weights_that_stay_must_fit_and_rows_must_be_many() -> None:
    arch = load_arch("n150")

    def choices(rows: int, cols: int, depth: int) -> int:
        product = Product(rows, cols, depth, 1, 1, 2.0, 2.0, 2, "HiFi4", True, True)
        found = list(stationary_choices(product, arch))
        assert all(isinstance(choice.mesh, Stationary) for choice in found)
        return len(found)

    assert choices(50176, 256, 64) > 0
    assert choices(1024, 256, 64) == 0
    assert choices(50176, 2048, 1024) == 0


@pytest.mark.parametrize(
    ("rows", "cols", "depth", "mesh", "clock"),
    [
        # By the clock 80,655 cycles where weights stay, and 61,664 on this rectangle.
        (3136, 256, 1024, Rectangle(8, 7, 1, 1, 8, 0), 61_664),
        (12544, 256, 512, Stationary(8, 7, 7), 79_812),
        (12544, 128, 512, Stationary(8, 7, 7), 54_527),
    ],
)
def test_many_weights_take_long_to_reach_all_rows_of_cores(
    rows: int, cols: int, depth: int, mesh: Rectangle | Stationary, clock: int
) -> None:
    """Pixels of ResNet-50 in bfloat8_b: the estimate is near the clock, and so finds the order."""
    product = Product(rows, cols, depth, 1, 1, 1.0625, 1.0625, 1, "LoFi", True, True)
    first = product_choices(product, "n150")[0]
    assert first.mesh == mesh
    assert first.cycles == pytest.approx(clock, rel=0.3)
