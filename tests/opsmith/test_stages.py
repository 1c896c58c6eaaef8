"""From a spec to a green stage, as a user would do it: commands, and the author's kernels for the last."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.opsmith.specs_at_hand import EXAMPLES, MASKED_SOFTMAX, MAX_INDEX, ROOT, SPECS, STACK_ROWS, changed
from typer.testing import CliRunner

from tilesmith.cli.app import app
from tilesmith.errors import SpecError, StageError
from tilesmith.opsmith.journal import Journal, find_op
from tilesmith.opsmith.python_op import python_files
from tilesmith.opsmith.reading import read_spec
from tilesmith.opsmith.stage_tests import test_files as stage_test_files
from tilesmith.opsmith.stages import new_op, run_stage, status

RUFF_RULES = "A,ARG,B,C4,E,F,I,ISC,N,PIE,PT,RET,RUF,SIM,TID,UP,W"


def tilesmith(*arguments: str | Path) -> Any:
    result = CliRunner().invoke(app, ["op", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def red_then_green(journal: Journal, stage: int) -> bool:
    """The stage's test failed before its code and passed after."""
    runs = [(one["phase"], one["green"]) for one in journal.events("test", stage=stage)]
    return runs[0] == ("red", False) and ("green", True) in runs


@pytest.fixture(scope="module")
def softmax(lasting_folder_of_module: Path) -> Path:
    """Masked softmax, made up to stage 6."""
    out = lasting_folder_of_module
    assert tilesmith("new", MASKED_SOFTMAX, "--cpp", "--out", out).exit_code == 0
    folder = out / "masked_softmax"
    assert tilesmith("stage", "1-6", "--op", folder).exit_code == 0
    return folder


@pytest.mark.slow
def test_masked_softmax_from_spec_to_stage_7(softmax: Path) -> None:
    journal = find_op(softmax)
    refused = tilesmith("stage", "7", "--op", softmax)
    assert refused.exit_code == 1
    assert "stage 7 RED" in refused.output
    assert "kernels/compute/masked_softmax_compute.cpp" in refused.output

    shutil.copytree(EXAMPLES / "kernels" / "masked_softmax", softmax / "kernels", dirs_exist_ok=True)
    done = tilesmith("stage", "7", "--op", softmax)
    assert (done.exit_code, "stage 7 green: 4 tests passed" in done.output) == (0, True)
    assert all(red_then_green(journal, stage) for stage in range(1, 8))
    assert "7  green" in tilesmith("status", "--op", softmax).output

    # The kernels that passed are in the C++ tree as well.
    tree = softmax / "cpp/ttnn/cpp/ttnn/operations/normalization/masked_softmax/device/kernels"
    for kernel in ("dataflow/reader_masked_softmax.cpp", "compute/masked_softmax_compute.cpp"):
        assert (tree / kernel).read_text() == (EXAMPLES / "kernels/masked_softmax" / kernel).read_text()
    check_log(softmax)


def check_log(folder: Path) -> None:
    """The sections of the format, with the figures of this run."""
    text = tilesmith("log", "--op", folder).output
    assert text.strip() == (folder / "masked_softmax_execution_log.md").read_text().strip()
    for section in (
        "## Session Info",
        "## Execution Timeline",
        "## Spec Extraction",
        "## Stage 4: Device Operation",
        "### CB Configuration Applied",
        "### Work Distribution Applied",
        "### Kernels Created",
        "### Kernel Code Summary",
        "## Build Attempts Summary",
        "## Test Results Summary",
        "## Errors Encountered",
        "## Key Decisions",
        "## Deviations from Spec",
        "## Final Status",
    ):
        assert section in text
    assert "| c_0 | cb_in | 2 x 2048 bytes | Float16_b |" in text
    assert "- **Cores used**: 64" in text
    assert "- **Work per core (group 1)**: 1 x 2 (cores x units)" in text
    assert "- **Ready for kernel implementation**: Yes" in text
    assert "- **Stage 7 (Kernel Correctness)**: PASS" in text
    assert "| later run is green |" in text
    assert "| minimal output 0 | PCC 0.9999" in text


def at_stage_6(spec: Path, folder: Path) -> Journal:
    """An op with all code but the author's, each stage shown red before it was green."""
    assert tilesmith("new", spec, "--out", folder).exit_code == 0
    done = tilesmith("stage", "1-6", "--op", folder)
    assert done.exit_code == 0, done.output
    journal = find_op(folder)
    assert all(red_then_green(journal, stage) for stage in range(1, 7))
    assert [state for _, _, state in status(journal)] == ["green"] * 6 + ["red"]
    return journal


@pytest.mark.slow
def test_a_reduction_with_an_index_to_stage_6(lasting_folder: Path) -> None:
    at_stage_6(MAX_INDEX, lasting_folder)


def quiet_run(
    results: dict[str, bool],
) -> Callable[[Path, Sequence[str]], Any]:
    """A stand-in for pytest that gives the results it is told to, for tests of the order of things."""
    from tilesmith.opsmith.runner import FileResult, Problem, TestRun

    def lacking(stage: str) -> Problem:
        said = {"stage1": "KeyError: 'ttnn.stack_rows'", "stage7": "AssertionError: PCC 0"}
        return Problem("no", said.get(stage, f"not yet (stage {stage[-1]})"))

    def run(_folder: Path, files: Sequence[str]) -> TestRun:
        made = {}
        for stem in (Path(one).stem for one in files):
            stage = stem.split("_")[1]
            ok = results.get(stage, False)
            problems = () if ok else (lacking(stage),)
            made[stem] = FileResult(run=1, passed=int(ok), failed=int(not ok), problems=problems)
        return TestRun("pytest", 0.0, "", made)

    return run


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Journal, dict[str, bool]]:
    """An op whose tests give what the dictionary says."""
    results: dict[str, bool] = {}
    monkeypatch.setattr("tilesmith.opsmith.stages.run_tests", quiet_run(results))
    return new_op(STACK_ROWS, tmp_path), results


def test_stage_waits_for_the_one_before(started: tuple[Journal, dict[str, bool]]) -> None:
    journal, _ = started
    with pytest.raises(StageError, match=r"stage 1 \(API Existence\) is not green"):
        run_stage(journal, 2)
    with pytest.raises(StageError, match="there is no stage 8"):
        run_stage(journal, 8)


def test_red_stage_stops(started: tuple[Journal, dict[str, bool]]) -> None:
    journal, results = started
    assert not run_stage(journal, 1).green
    results["stage1"] = True
    assert run_stage(journal, 1).green
    # A stage that turns red again holds up the next one.
    results |= {"stage1": False, "stage2": True}
    assert "the test of stage 1 is red again" in run_stage(journal, 2).message
    with pytest.raises(StageError, match="stage 1"):
        run_stage(journal, 3)


def test_test_that_was_never_red_shows_nothing(started: tuple[Journal, dict[str, bool]]) -> None:
    journal, results = started
    results |= {"stage1": True, "stage2": True}
    assert run_stage(journal, 1).green
    with pytest.raises(StageError, match="stage 2 is not red: it passed before the stage had any code"):
        run_stage(journal, 2)


def test_edited_files_are_kept(started: tuple[Journal, dict[str, bool]]) -> None:
    journal, results = started
    results["stage1"] = True
    run_stage(journal, 1)
    edited = journal.folder / "api.py"
    edited.write_text(edited.read_text() + "\n# by hand\n")
    results["stage2"] = True
    run_stage(journal, 2)
    assert "# by hand" in edited.read_text()
    assert [one["change"] for one in journal.events("file") if one["file"] == "api.py"][
        -1
    ] == "kept as edited"


def test_broken_python_is_a_failed_build(started: tuple[Journal, dict[str, bool]]) -> None:
    journal, results = started
    results["stage1"] = True
    run_stage(journal, 1)
    (journal.folder / "api.py").write_text("def (")
    assert "does not compile" in run_stage(journal, 2).message
    assert "api.py:1" in journal.events("build")[-1]["error"]


def test_record_is_written_as_the_run_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever happens in the middle, what came before it is on disk, in the record and in the log."""

    def interrupted(folder: Path, files: Sequence[str]) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("tilesmith.opsmith.stages.run_tests", interrupted)
    with pytest.raises(KeyboardInterrupt):
        new_op(STACK_ROWS, tmp_path)
    folder = tmp_path / "stack_rows"
    kinds = [json.loads(line)["kind"] for line in (folder / "opsmith.jsonl").read_text().splitlines()]
    assert kinds[0] == "session"
    assert kinds[-1] == "file"
    assert (
        "test_dev/test_stage7_kernel_correct.py: created"
        in (folder / "stack_rows_execution_log.md").read_text()
    )


def test_damaged_record_is_told(started: tuple[Journal, dict[str, bool]]) -> None:
    journal, _ = started
    journal.path.write_text("{\n")
    with pytest.raises(StageError, match="is damaged"):
        journal.events()


def test_folder_in_use_is_refused(started: tuple[Journal, dict[str, bool]]) -> None:
    journal, _ = started
    with pytest.raises(StageError, match="exists already"):
        new_op(STACK_ROWS, journal.folder.parent)


def test_op_is_found_from_where_the_user_stands(tmp_path: Path) -> None:
    with pytest.raises(StageError, match="there is no op"):
        find_op(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "opsmith.jsonl").touch()
    assert find_op(tmp_path / "a").folder == tmp_path / "a"
    with pytest.raises(StageError, match="several ops: a, b"):
        find_op(tmp_path)


def test_no_reference_no_stage_7(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesmith.opsmith.stages.run_tests", quiet_run({}))
    spec = changed(STACK_ROWS, "- **Reference**: `torch.stack(list(tensors), dim=dim)`", "", tmp_path)
    journal = new_op(spec, tmp_path / "out")
    assert not (journal.folder / "test_dev/test_stage7_kernel_correct.py").exists()
    for stage in range(1, 7):
        both = {"file": "", "run": 1, "errors": 0, "problem": "", "not_red": ""}
        journal.add("test", stage, phase="red", green=False, passed=0, failed=1, **both)
        journal.add("test", stage, phase="green", green=True, passed=1, failed=0, **both)
    with pytest.raises(SpecError, match="no torch reference"):
        run_stage(journal, 7)


def test_cli_says_what_is_no_stage() -> None:
    with pytest.raises(StageError, match="'first' is no stage"):
        tilesmith("stage", "first", "--op", EXAMPLES)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every example op at every stage, each stage in a folder of its own."""
    out = tmp_path_factory.mktemp("generated")
    for path in SPECS:
        spec = read_spec(path)
        for stage in range(1, 7):
            files = python_files(spec, stage) | (stage_test_files(spec) if stage == 6 else {})
            for name, text in files.items():
                target = out / f"stage{stage}" / spec.name / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)
    return out


def test_generated_python_passes_ruff(generated: Path) -> None:
    ruff = [sys.executable, "-m", "ruff"]
    options = ["--isolated", "--line-length", "110", "--no-cache"]
    for command in (["check", "--select", RUFF_RULES], ["format", "--check"]):
        done = subprocess.run(
            [*ruff, *command, *options, "."], cwd=generated, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_generated_python_passes_mypy(generated: Path) -> None:
    environment = os.environ | {"MYPYPATH": f"{ROOT / 'src'}:{generated / 'stage6'}"}
    packages = [argument for path in SPECS for argument in ("-p", read_spec(path).name)]
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--ignore-missing-imports",
        "--follow-imports=silent",
    ]
    cache = ["--cache-dir", str(ROOT / ".mypy_cache" / "opsmith"), "--config-file", os.devnull]
    done = subprocess.run(
        [*command, *cache, *packages],
        cwd=generated,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
