"""The chips' figures: sourced, consistent, and what the vendor's tables say."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

import tilesmith.arch
from tilesmith.arch import Arch, arch_names, load_arch
from tilesmith.arch.model import chip_data
from tilesmith.errors import DeviceError
from tilesmith.program import CoreCoord

FILES = sorted(Path(tilesmith.arch.__file__).parent.glob("*.toml"))
CHIPS = [file for file in FILES if file.stem != "boards"]
PRODUCTS = ["n150", "n300", "p100a", "p150"]


@pytest.mark.parametrize("file", CHIPS, ids=lambda file: file.stem)
def test_every_figure_names_its_source(file: Path) -> None:
    tags = set(chip_data(file.stem)["sources"])
    figures, _, _ = file.read_text().partition("\n[sources]\n")
    lines = [line for line in figures.splitlines() if re.match(r"\w+ = ", line)]
    assert len(lines) > 80
    for line in lines:
        comment = line.rpartition("# ")[2]
        named = {tag for tag in tags if re.search(rf"(?<![\w-]){re.escape(tag)}(?![\w-])", comment)}
        assert named or "our choice" in comment, line


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_source_is_used(file: Path) -> None:
    figures, _, _ = file.read_text().partition("\n[sources]\n")
    for tag in tomllib.loads(file.read_text())["sources"]:
        assert tag in figures, tag


@pytest.mark.parametrize("name", arch_names())
def test_tables_fit_the_grid(name: str) -> None:
    arch = load_arch(name)
    assert len(arch.worker_virtual_columns) == len(arch.worker_physical_columns) >= arch.grid.x
    assert len(arch.worker_virtual_rows) == len(arch.worker_physical_rows) >= arch.grid.y
    for noc in (0, 1):
        assert len(arch.dram_virtual[noc]) == len(arch.dram_physical[noc]) == arch.num_dram_banks
    assert len(arch.dram_address_offset) == arch.num_dram_banks
    workers = {arch.worker_noc_xy(core) for core in arch.l1_banks}
    banks = {arch.dram_noc_xy(bank, noc) for bank in range(arch.num_dram_banks) for noc in (0, 1)}
    assert len(workers) == arch.num_cores
    assert not workers & banks
    width, height = arch.noc_grid
    for core in arch.l1_banks:
        x, y = arch.worker_physical_xy(core)
        assert 0 < x < width
        assert 0 < y < height


def test_harvested_products_have_fewer_cores() -> None:
    for family in ("wormhole", "blackhole"):
        data = chip_data(family)
        for product, options in data["products"].items():
            lines = "physical_rows" if data["chip"]["harvest"] == "rows" else "physical_columns"
            left = len(data["workers"][lines]) - options["harvested"]
            arch = load_arch(product)
            # One more line than the compute grid: dispatch runs on it.
            assert left == (arch.grid.y if data["chip"]["harvest"] == "rows" else arch.grid.x) + 1


def test_what_ttnn_shows_on_its_mock_cluster() -> None:
    """Grid, virtual coordinates and the first addresses, read from ttnn 0.81.1."""
    n150, p150 = load_arch("n150"), load_arch("p150")
    assert (n150.grid, p150.grid) == ((8, 8), (13, 10))
    assert (n150.worker_noc_xy(CoreCoord(0, 0)), p150.worker_noc_xy(CoreCoord(0, 0))) == ((18, 18), (1, 2))
    assert (n150.dram_reserved, p150.dram_reserved) == (1048640, 1048704)
    assert p150.worker_noc_xy(CoreCoord(7, 0)) == (10, 2)
    assert (n150.num_dram_banks, p150.num_dram_banks, load_arch("p100a").num_dram_banks) == (12, 8, 7)


def test_l1_starts_where_the_vendors_formula_says() -> None:
    assert load_arch("wormhole").l1_unreserved_base == 35168 + 69 * 1024
    assert load_arch("blackhole").l1_unreserved_base == 41088 + 69 * 1024
    for name in PRODUCTS:
        assert load_arch(name).l1_unreserved_base % load_arch(name).dram_alignment == 0


def test_dst_capacity() -> None:
    arch = load_arch("wormhole")
    assert [arch.dst_tiles(fp32, full) for fp32 in (False, True) for full in (False, True)] == [8, 16, 4, 8]


def test_families_mean_their_default_product() -> None:
    for family, product in (("wormhole", "n150"), ("blackhole", "p150")):
        by_family, by_product = load_arch(family), load_arch(product)
        assert by_family.family == family
        same = [f.name for f in fields(Arch) if f.name != "name"]
        assert [getattr(by_family, name) for name in same] == [getattr(by_product, name) for name in same]


def test_unknown_chip() -> None:
    with pytest.raises(DeviceError, match="'grayskull'") as raised:
        load_arch("grayskull")
    assert "wormhole" in raised.value.remedy


def test_timing_is_typed() -> None:
    timing = load_arch("wormhole").timing
    assert timing.dram.read_bytes_by_packet[-1] == (8192, 22.3)
    assert timing.fpu.phases["HiFi4"] == 4
    assert timing.sfpu.cycles["tanh"] == 767
