"""The stages of an op: made in order, each shown red before its code and green after."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tilesmith.errors import SpecError, StageError
from tilesmith.opsmith.journal import RECORD, Journal
from tilesmith.opsmith.kernel_errors import note_kernel_errors
from tilesmith.opsmith.model import OpSpec
from tilesmith.opsmith.noting import note_program, note_spec
from tilesmith.opsmith.python_op import python_files
from tilesmith.opsmith.reading import read_spec
from tilesmith.opsmith.redness import why_not_red
from tilesmith.opsmith.runner import TestRun, run_tests
from tilesmith.opsmith.stage_tests import STAGES, stage_file, stage_name, test_files
from tilesmith.opsmith.stubs import kernel_path

LAST = len(STAGES)


@dataclass(frozen=True)
class StageResult:
    """How a stage ended."""

    stage: int
    green: bool
    message: str


def new_op(
    spec_path: Path, out: Path, cpp: bool = False, wheel: Path | None = None, style: str = "descriptor"
) -> Journal:
    """Read a spec, write the tests of all stages, and show that the first is red."""
    spec = read_spec(spec_path)
    folder = out / spec.name
    if folder.exists() and any(folder.iterdir()):
        raise StageError(f"{folder} exists already", remedy="remove it, or give another --out")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(spec_path, folder / _spec_name(spec))
    journal = Journal(folder)
    journal.add("session", operation=spec.name, spec=str(spec_path), path=str(folder), cpp=cpp)
    note_spec(journal, spec)
    write_files(journal, 0, test_files(spec), "the spec")
    if cpp:
        from tilesmith.opsmith.cpp_op import CppStyle, write_tree

        write_tree(journal, spec, wheel, CppStyle(style))
    _test(journal, spec, ready=0)
    _require_red(journal, 1)
    return journal


def _spec_name(spec: OpSpec) -> str:
    return f"{spec.name}_spec.md"


def spec_of(journal: Journal) -> OpSpec:
    """The spec as it lies in the op's folder now."""
    operation = str(journal.events("session")[0]["operation"])
    return read_spec(journal.folder / f"{operation}_spec.md")


def run_stage(journal: Journal, stage: int) -> StageResult:
    """Write the code of a stage and run its test; refuse where an earlier stage is not green."""
    if not 1 <= stage <= LAST:
        raise StageError(f"there is no stage {stage}", remedy=f"the stages are 1 to {LAST}")
    for earlier in range(1, stage):
        if not journal.is_green(earlier):
            raise StageError(
                f"stage {earlier} ({stage_name(earlier)}) is not green",
                where=str(journal.folder),
                remedy=f"run `tilesmith op stage {earlier} --op {journal.folder}` first",
            )
    spec = spec_of(journal)
    if stage == LAST and not spec.reference:
        raise SpecError(
            "the spec has no torch reference to compare results with",
            where=str(journal.folder / _spec_name(spec)),
            remedy="add a ```python block that returns the result under Mathematical Definition",
        )
    _require_red(journal, stage)
    return _make(journal, spec, stage)


def _require_red(journal: Journal, stage: int) -> None:
    if not journal.was_red(stage):
        before = f"stage {stage - 1} --op {journal.folder}" if stage > 1 else "new"
        raise StageError(
            f"the test of stage {stage} is not red: {journal.why_not_red(stage)}",
            where=str(journal.folder / stage_file(stage)),
            remedy=f"make it fail of what the stage adds, then run `tilesmith op {before}` again",
        )


def _make(journal: Journal, spec: OpSpec, stage: int) -> StageResult:
    if stage < LAST and not journal.is_green(stage):
        write_files(journal, stage, python_files(spec, stage), f"stage {stage}")
    if not _builds(journal, spec, stage):
        return StageResult(stage, False, "it does not compile; `tilesmith op log` has the error")
    run = _test(journal, spec, ready=stage)
    red = [one for one in range(1, stage + 1) if not run.of(stage_file(one)).green]
    if stage in (5, 6):
        note_program(journal, spec, stage, run)
    if stage >= 6:
        note_kernel_errors(journal, run)
    if not red:
        _follow_in_cpp(journal, spec, stage)
        return StageResult(stage, True, f"{run.of(stage_file(stage)).passed} tests passed")
    first = run.of(stage_file(red[0]))
    journal.add("error", red[0], error=first.first_problem, context=stage_file(red[0]), resolution="open")
    return StageResult(stage, False, _advice(spec, stage, red[0], first.first_problem))


def _advice(spec: OpSpec, stage: int, red: int, problem: str) -> str:
    if red < stage:
        return f"the test of stage {red} is red again: {problem}"
    if stage < LAST:
        return problem
    files = ", ".join(f"kernels/{kernel_path(spec.name, kernel.role)}" for kernel in spec.kernels)
    return f"{problem}\n  the kernels are yours to write: {files}"


def write_files(journal: Journal, stage: int, files: Mapping[str, str], reason: str) -> None:
    """Write files, except those that someone has edited since."""
    known = journal.written()
    for name, text in files.items():
        path, digest = journal.folder / name, _digest(text)
        now = _digest(path.read_text(encoding="utf-8")) if path.is_file() else ""
        if now == digest:
            continue
        if now and now != known.get(name):
            journal.add("file", stage, file=name, change="kept as edited", reason=reason, digest="")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        change = "changed" if now else "created"
        journal.add("file", stage, file=name, change=change, reason=reason, digest=digest)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _builds(journal: Journal, spec: OpSpec, stage: int) -> bool:
    """Compile the op's Python; kernels are compiled when they run."""
    problem = ""
    for path in sorted(journal.folder.rglob("*.py")):
        try:
            compile(path.read_text(encoding="utf-8"), str(path), "exec")
        except SyntaxError as error:
            problem = f"{path.relative_to(journal.folder)}:{error.lineno}: {error.msg}"
            break
    journal.add("build", stage, command=f"compile {spec.name}/**/*.py", green=not problem, error=problem)
    return not problem


def _test(journal: Journal, spec: OpSpec, ready: int) -> TestRun:
    """Run the tests of the stages that are ready, and the next one, which is to be red."""
    tests = _tests_of(spec, ready + 1)
    run = run_tests(journal.folder, tests)
    journal.add("run", ready, command=run.command, seconds=round(run.seconds, 1), output=run.output)
    if run.refused:
        journal.add("error", ready, error=run.refused, context=run.command, resolution="open")
        raise StageError(
            f"pytest ran no tests: {run.refused}",
            where=str(journal.folder),
            remedy="`tilesmith op log` has all it said",
        )
    for stage, file in enumerate(tests, 1):
        result = run.of(file)
        journal.add(
            "test",
            stage,
            phase="green" if stage <= ready else "red",
            file=file,
            run=result.run,
            passed=result.passed,
            failed=result.failed,
            errors=result.errors,
            green=result.green,
            problem=result.first_problem,
            not_red=why_not_red(spec, stage, result) if stage > ready else "",
            noted=[list(one) for one in result.properties],
        )
    return run


def _tests_of(spec: OpSpec, upto: int) -> Sequence[str]:
    last = LAST if spec.reference else LAST - 1
    return [stage_file(stage) for stage in range(1, min(upto, last) + 1)]


def _follow_in_cpp(journal: Journal, spec: OpSpec, stage: int) -> None:
    """Kernels that pass go to the C++ tree too, where there is one."""
    if stage >= 6 and journal.events("session")[0]["cpp"]:
        from tilesmith.opsmith.cpp_op import kernels_in_tree

        kernels = {
            kernel_path(spec.name, kernel.role): journal.folder
            / "kernels"
            / kernel_path(spec.name, kernel.role)
            for kernel in spec.kernels
        }
        texts = {path: source.read_text(encoding="utf-8") for path, source in kernels.items()}
        write_files(journal, stage, kernels_in_tree(spec, texts), f"the kernels of stage {stage}")


def status(journal: Journal) -> list[tuple[int, str, str]]:
    """Number, name and state of every stage."""
    built = []
    for stage, name, _ in STAGES:
        state = "green" if journal.is_green(stage) else "red" if journal.was_red(stage) else "not started"
        built.append((stage, name, state))
    return built


def is_op(folder: Path) -> bool:
    """Whether a folder holds an op that opsmith made."""
    return (folder / RECORD).is_file()
