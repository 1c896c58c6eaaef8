"""Schedules as data: printed, kept, merged, given by a user; refused where they do not fit."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

import tilesmith
from tilesmith.cli.app import app
from tilesmith.errors import SettingsError
from tilesmith.kernels.linear import Linear
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.planning.problem import computation_of
from tilesmith.models.planning.steps import Launch
from tilesmith.models.tuning import tuned_schedules
from tilesmith.schedules.schedule import Schedule, schedule_of
from tilesmith.schedules.tuning_database import Tuned, TuningDatabase

X = torch.randn(64, 256, generator=torch.Generator().manual_seed(1))


def network() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.LayerNorm(256)).eval()


@pytest.fixture(scope="module")
def found() -> tuple[Tuned, ...]:
    return tuned_schedules(network(), (X,), candidates=3)


def compiled(path: Path | str = "") -> TenstorrentExecutable:
    model = tilesmith.compile(network(), schedules=str(path))
    model.prepare(X)
    executable = model.executable
    assert isinstance(executable, TenstorrentExecutable)
    return executable


def schedules(executable: TenstorrentExecutable) -> list[Schedule]:
    return [schedule_of(step.template) for step in executable.plan.steps if isinstance(step, Launch)]


def test_the_clock_chooses_the_best_of_those_tried(found: tuple[Tuned, ...]) -> None:
    assert [entry.ops for entry in found] == ["linear", "layer_norm"]
    assert all(entry.tried >= 3 for entry in found)
    assert all(entry.gain >= 1 for entry in found)


def test_a_file_of_schedules_is_what_a_plan_takes(found: tuple[Tuned, ...], tmp_path: Path) -> None:
    TuningDatabase.of(found).save(tmp_path / "schedules.json")
    assert TuningDatabase.load(tmp_path / "schedules.json").entries == TuningDatabase.of(found).entries
    assert schedules(compiled(tmp_path / "schedules.json")) == [entry.schedule for entry in found]


def test_a_user_gives_another_that_fits(found: tuple[Tuned, ...], tmp_path: Path) -> None:
    product = found[0]
    own = replace(product, schedule=Schedule("Linear", block=(32, 64, 64)))
    TuningDatabase.of([own]).save(tmp_path / "own.json")
    executable = compiled(tmp_path / "own.json")
    assert schedules(executable)[0] == own.schedule
    (result,) = executable.run([X])
    torch.testing.assert_close(result, network()(X), atol=0.05, rtol=0.05)


def test_one_that_does_not_fit_is_refused_by_name(found: tuple[Tuned, ...], tmp_path: Path) -> None:
    wrong = replace(found[0], schedule=Schedule("Linear", block=(48, 64, 64)))
    TuningDatabase.of([wrong]).save(tmp_path / "wrong.json")
    with pytest.raises(SettingsError, match="schedule of linear does not fit it: Linear block=48x64x64"):
        compiled(tmp_path / "wrong.json")


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "no file of schedules"), ('{"format": 7}', "its format is 7"), ('{"format": 1}', "'entries'")],
)
def test_a_file_of_something_else_is_refused(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(SettingsError, match=why):
        compiled(tmp_path / "other.json")
    with pytest.raises(SettingsError, match="No such file"):
        compiled(tmp_path / "missing.json")


def test_of_two_files_the_faster_schedule_stays(found: tuple[Tuned, ...]) -> None:
    slower = replace(found[0], cycles=found[0].cycles + 1)
    both = TuningDatabase.of([slower]).merged(TuningDatabase.of(found))
    assert both.entries == TuningDatabase.of(found).entries
    assert TuningDatabase.of(found).merged(TuningDatabase.of([slower])).entries == both.entries


def test_what_is_computed_does_not_depend_on_how() -> None:
    templates = [step.template for step in compiled().plan.steps if isinstance(step, Launch)]
    product = templates[0]
    assert isinstance(product, Linear)
    assert computation_of(product) == computation_of(replace(product, block=(32, 32, 32), mesh=None))
    assert computation_of(product) != computation_of(replace(product, transposed=not product.transposed))


def test_the_command_keeps_what_it_found(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "import torch\n\ndef made():\n    return torch.nn.Linear(256, 256), torch.randn(64, 256)\n"
    )
    kept = tmp_path / "schedules.json"
    words = ["tune", f"{tmp_path / 'own.py'}:made()", "--candidates", "2", "--out", str(kept)]
    told = CliRunner().invoke(app, words, catch_exceptions=False).output
    assert "times faster  kernel" in told
    assert "1 schedules are in" in told
    again = CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
    (entry,) = json.loads(again.stdout)
    assert entry["schedule"]["template"] == "Linear"
    assert len(TuningDatabase.load(kept).entries) == 1
