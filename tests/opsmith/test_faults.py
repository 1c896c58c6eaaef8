"""What goes wrong on the way: paths, tests that are not red, kernels that do not compile."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.opsmith.specs_at_hand import MASKED_SOFTMAX, SPECS, STACK_ROWS
from tests.opsmith.test_stages import at_stage_6, tilesmith

from tilesmith.errors import StageError
from tilesmith.opsmith.journal import find_op
from tilesmith.opsmith.passthrough import data_path
from tilesmith.opsmith.reading import read_spec
from tilesmith.opsmith.redness import why_not_red
from tilesmith.opsmith.runner import FileResult, Problem, TestRun, run_tests
from tilesmith.opsmith.stages import new_op, run_stage
from tilesmith.opsmith.stubs import stub_files


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a user stands: a folder with nothing but the spec, outside the repository."""
    shutil.copy(STACK_ROWS, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_relative_paths_in_an_empty_folder(empty_folder: Path) -> None:
    made = tilesmith("new", "stack_rows_spec.md", "--out", "ops")
    assert "stage 1 is red" in made.output
    done = tilesmith("stage", "1-2", "--op", "ops/stack_rows")
    assert done.exit_code == 0, done.output
    assert "stage 2 green" in done.output
    red = find_op(Path("ops")).events("test", stage=1)[0]
    assert (red["phase"], red["failed"], red["errors"]) == ("red", 3, 0)


# ---- red means: a test failed, of what the stage adds ----


def ran(folder: Path, test: str) -> TestRun:
    path = folder / "test_dev" / "test_stage1_api_exists.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(test)
    return run_tests(folder, ["test_dev/test_stage1_api_exists.py"])


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("import no_such_module\n", "it could not be run: ModuleNotFoundError"),
        ("def test_x(no_such_fixture): ...\n", "it could not be run"),
        ("def test_x(): assert 1 == 2\n", "something else than what the stage adds: assert 1 == 2"),
        ("def test_x(): ...\n", "passed before the stage had any code"),
        ("def test_x(): raise KeyError('ttnn.stack_rows')\n", ""),
    ],
    ids=["collection error", "fixture error", "another reason", "passes", "red"],
)
def test_what_is_red(test: str, said: str, tmp_path: Path) -> None:
    result = ran(tmp_path, test).of("test_stage1_api_exists.py")
    why = why_not_red(read_spec(STACK_ROWS), 1, result)
    assert said in why
    assert bool(said) == bool(why)


def test_one_test_that_fails_of_something_else_is_enough() -> None:
    right, wrong = Problem("", "KeyError: 'ttnn.stack_rows'"), Problem("MemoryError", "MemoryError")
    result = FileResult(run=2, failed=2, problems=(right, wrong))
    assert "MemoryError" in why_not_red(read_spec(STACK_ROWS), 1, result)


def test_pytest_that_runs_nothing_is_an_error_and_told(tmp_path: Path) -> None:
    refused = run_tests(tmp_path, ["--no-such-option"])
    assert "unrecognized arguments" in refused.output
    assert refused.refused
    assert ran(tmp_path, "").refused  # no tests


def test_usage_error_is_not_a_red_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = TestRun("pytest", 0.0, "ERROR: usage", {}, "ERROR: usage")
    monkeypatch.setattr("tilesmith.opsmith.stages.run_tests", lambda *_: refusal)
    with pytest.raises(StageError, match="pytest ran no tests: ERROR: usage"):
        new_op(STACK_ROWS, tmp_path)


def test_broken_test_file_stops_before_the_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of stage 2 cannot be imported: stage 1 is green, stage 2 is refused with the reason."""
    journal = new_op(STACK_ROWS, tmp_path)
    (journal.folder / "test_dev/test_stage2_validation.py").write_text("import no_such_module\n")
    assert run_stage(journal, 1).green
    with pytest.raises(StageError, match="stage 2 is not red: it could not be run: ModuleNotFoundError"):
        run_stage(journal, 2)


# ---- kernels that do not compile ----


@pytest.mark.slow
def test_kernel_errors_belong_to_stage_6(lasting_folder: Path) -> None:
    journal = at_stage_6(STACK_ROWS, lasting_folder)
    kernel = journal.folder / "kernels/dataflow/writer_stack_rows.cpp"
    right = kernel.read_text()
    line = right[: right.index("cb_pop_front(cb_row, 1)")].count("\n") + 1
    kernel.write_text(right.replace("cb_pop_front(cb_row, 1)", "cb_pop_fronk(cb_row, 1)"))

    broken = tilesmith("stage", "6", "--op", lasting_folder)
    assert "stage 6 RED" in broken.output
    assert "cb_pop_fronk" in broken.output
    assert [journal.is_green(stage) for stage in range(1, 7)] == [True] * 5 + [False]
    with pytest.raises(StageError, match=r"stage 6 \(Kernel Compilation\) is not green"):
        tilesmith("stage", "7", "--op", lasting_folder)
    row = "| kernels/dataflow/writer_stack_rows.cpp | 'cb_pop_fronk' is not a function or name"
    log = tilesmith("log", "--op", lasting_folder).output
    assert "| Kernel | Error | Line | Fix Applied |" in log
    assert row in log
    assert f"| {line} | open |" in log

    kernel.write_text(right)
    assert tilesmith("stage", "6", "--op", lasting_folder).exit_code == 0
    fix = f"| {line} | line {line}: `cb_pop_fronk(cb_row, 1);` became `cb_pop_front(cb_row, 1);` |"
    assert fix in tilesmith("log", "--op", lasting_folder).output


# ---- stubs ----


def test_stubs_pass_data_through() -> None:
    """Reader, a compute kernel that copies, writer: `test_stage6` compares input and output bit by bit."""
    spec = read_spec(MASKED_SOFTMAX)
    assert data_path(spec).unchanged == {"output": "input_tensor"}
    stubs = stub_files(spec)
    assert "noc_async_read_page" in stubs["dataflow/reader_masked_softmax.cpp"]
    assert "copy_pages(cb_in, Wt, cb_out, Wt);" in stubs["compute/masked_softmax_compute.cpp"]
    assert "noc_async_write_page" in stubs["dataflow/writer_masked_softmax.cpp"]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_every_reader_reads(spec: Path) -> None:
    """Where units and pages of a tensor do not match, the first page is read again and again."""
    read = read_spec(spec)
    assert data_path(read).read
    assert "noc_async_read_page" in stub_files(read)[f"dataflow/reader_{read.name}.cpp"]
