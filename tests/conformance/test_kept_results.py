"""The emulator beside the vendor's simulator, on a sample of the sheets whose results are kept."""

from __future__ import annotations

import pytest
from benchmarks.simulator.kept import check, kept
from benchmarks.simulator.sheets import sheets

# The vector unit's functions and its sums, and the matrix unit's.
SAMPLE = (
    ("wormhole", "sheet binary Float16_b narrow 0"),
    ("wormhole", "sheet reductions Float32 wide 0"),
    ("wormhole", "sheet unmasked Float16_b narrow LoFi"),
    ("wormhole", "sheet first names after compute_kernel_hw_startup"),
    ("blackhole", "sheet reductions Float32 wide 0"),
)


@pytest.mark.parametrize(("chip", "name"), SAMPLE)
def test_every_byte_is_the_simulators(chip: str, name: str) -> None:
    sheet = next(one for one in sheets() if one.name == name)
    assert list(check(sheet, kept(chip)[name], chip)) == []


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
def test_kept_results_belong_to_sheets(chip: str) -> None:
    results, known = kept(chip), {one.name: one for one in sheets()}
    assert len(results) > 5
    assert [name for name in results if name not in known] == []
    assert all(len(pages) == 2 * len(known[name].calls) for name, pages in results.items())
