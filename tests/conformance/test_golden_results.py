"""The emulator beside the vendor's simulator, on a sample of the batches with golden results."""

from __future__ import annotations

import pytest
from conformance.simulator.batches import batches
from conformance.simulator.golden import check, golden

# The vector unit's functions and its sums, and the matrix unit's.
SAMPLE = (
    ("wormhole", "batch binary Float16_b narrow 0"),
    ("wormhole", "batch reductions Float32 wide 0"),
    ("wormhole", "batch unmasked Float16_b narrow LoFi"),
    ("wormhole", "batch first names after compute_kernel_hw_startup"),
    ("blackhole", "batch reductions Float32 wide 0"),
)


@pytest.mark.parametrize(("chip", "name"), SAMPLE)
def test_every_byte_is_the_simulators(chip: str, name: str) -> None:
    batch = next(one for one in batches() if one.name == name)
    assert list(check(batch, golden(chip)[name], chip)) == []


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
def test_kept_results_belong_to_sheets(chip: str) -> None:
    results, known = golden(chip), {one.name: one for one in batches()}
    assert len(results) > 5
    assert [name for name in results if name not in known] == []
    assert all(len(pages) == 2 * len(known[name].calls) for name, pages in results.items())
