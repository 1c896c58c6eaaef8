"""The parts of the mock cluster that need no ttnn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tilesmith.cli import doctor
from tilesmith.errors import DeviceError
from tilesmith.testing import mock_cluster, stand_in_compiler
from tilesmith.testing.clusters import CLUSTERS, cluster_description


def test_a_family_nobody_knows_is_refused() -> None:
    assert "board_type: p150" in cluster_description("blackhole")
    with pytest.raises(DeviceError, match="no mock of 1 x 'quasar'"):
        cluster_description("quasar")
    with pytest.raises(DeviceError, match="no mock of 3 x 'wormhole'"):
        cluster_description("wormhole", 3)


@pytest.mark.parametrize(("family", "chips"), CLUSTERS)
def test_every_chip_is_described(family: str, chips: int) -> None:
    text = cluster_description(family, chips)
    assert text.count("harvest_mask:") == chips
    cluster = CLUSTERS[family, chips]
    assert sorted(chip for board in cluster.boards for chip in board) == list(range(chips))
    linked = {chip for pair in cluster.links or () for chip in pair}
    assert linked == (set(range(chips)) if chips > 1 else set())


def test_the_environment_points_at_links_and_the_stand_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "ttnn"
    (package / "runtime" / "hw").mkdir(parents=True)
    (package / "tt_metal").mkdir()
    monkeypatch.setattr(mock_cluster, "_package", lambda: package)
    monkeypatch.chdir(tmp_path)
    variables = mock_cluster.mock_environment("wormhole", Path("mock"))
    root = Path(variables["TT_METAL_RUNTIME_ROOT"])
    assert root == tmp_path / "mock" / "root"
    assert (root / "tt_metal").resolve() == package / "tt_metal"
    assert (root / "runtime" / "hw").resolve() == package / "runtime" / "hw"
    compiler = root / "runtime" / "sfpi" / "compiler" / "bin" / "riscv-tt-elf-g++"
    assert compiler.read_text(encoding="utf-8").startswith("#!")
    assert stand_in_compiler.stands_in(compiler)
    monkeypatch.setenv("TT_METAL_RUNTIME_ROOT", str(root))
    assert "stands in for the vendor's RISC-V compiler" in doctor._sfpi().sentence


def test_the_stand_in_notes_commands_and_answers_with_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv(stand_in_compiler.LOG, str(log))
    assert stand_in_compiler.main(["--version"]) == 0
    assert "15.1.0" in capsys.readouterr().out
    stand_in_compiler.main(["-c", "-DX=1", "-o", str(tmp_path / "a.o"), "a.cc"])
    stand_in_compiler.main(["-o", str(tmp_path / "a.elf"), "a.o"])
    assert "-DX=1" in json.loads(log.read_text(encoding="utf-8"))["arguments"]
    assert (tmp_path / "a.d").read_text(encoding="utf-8").startswith(str(tmp_path / "a.o"))
    assert (tmp_path / "a.elf").read_bytes()[:4] == b"\x7fELF"
