"""How many mistakes do the checks find? Alters every synchronisation and set-up call of the examples, singly.

Each mutant runs under checks on a small shape. It is `found` when a check reports it, `harmless` when
mutation_harmless.toml proves that it changes nothing, and `missed` otherwise, above all when the result is
wrong and no check says so. `--silent-seeds N` runs the unchanged examples under N scheduler seeds instead:
every finding is a false alarm.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.mutation_cases import CASES, GRID  # noqa: E402
from benchmarks.mutation_pool import run_all  # noqa: E402
from benchmarks.mutation_sites import Mutant, find_sites, local_includes, mutants_of  # noqa: E402
from examples.metal.common import host  # noqa: E402

import tilesmith  # noqa: E402 - the repository's root must be on the path for the examples
from tilesmith import settings  # noqa: E402
from tilesmith.errors import EmulatorGap, InternalFault, KernelFindings, UserError  # noqa: E402
from tilesmith.program import Program  # noqa: E402
from tilesmith.runtime import Device, RunReport  # noqa: E402
from tilesmith.testing import compare  # noqa: E402

EXAMPLES = ROOT / "examples" / "metal"
STEP_LIMIT = 1_000_000
HARMLESS = Path(__file__).with_name("mutation_harmless.toml")


@dataclass(frozen=True)
class Task:
    """One mutant of one example. `file` is relative to the examples' folder."""

    example: str
    file: str
    line: int
    content: str
    kind: str
    text: str
    seeds: int

    @property
    def name(self) -> str:
        return f"{self.example}: {self.file}:{self.line}: {self.kind}: {self.content}"


@dataclass(frozen=True)
class Verdict:
    """`outcome`: found, wrong result, silent, gap, fault, crash, timeout; `detail`: which check, or why."""

    outcome: str
    detail: str


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    names = [name for name in CASES if not options.example or name == options.example]
    summary = _silent(names, options) if options.silent_seeds else _mutate(names, options)
    if options.json:
        print(json.dumps(summary))
    return 1 if summary["missed"] else 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    parser.add_argument("--example", choices=[*CASES], help="only this example")
    parser.add_argument("--seeds", type=int, default=8, help="scheduler seeds to try until a check reports")
    parser.add_argument(
        "--silent-seeds", type=int, default=0, help="run the unchanged examples under N seeds"
    )
    parser.add_argument("--limit", type=int, default=0, help="at most this many mutants")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    return parser.parse_args(arguments)


# ---- mutants ----


@dataclass
class Tally:
    """What became of the mutants so far."""

    mutants: int = 0
    found_by: Counter[str] = field(default_factory=Counter)
    harmless: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, task: Task, verdict: Verdict) -> None:
        self.mutants += 1
        if verdict.outcome == "found":
            self.found_by[verdict.detail] += 1
        elif verdict.outcome == "silent" and harmless_reason(task) is not None:
            self.harmless += 1
        else:
            self.missed.append(f"{task.name} ({verdict.outcome}) {verdict.detail}".rstrip())
            print("missed:", self.missed[-1], flush=True)

    def summary(self) -> dict[str, object]:
        return {
            "mutants": self.mutants,
            "found": self.found_by.total(),
            "harmless": self.harmless,
            "missed": len(self.missed),
            "missed_names": self.missed,
            "found_by": dict(self.found_by.most_common()),
        }


def _mutate(names: Sequence[str], options: argparse.Namespace) -> dict[str, object]:
    tasks = list(tasks_of(names, options.seeds))
    if options.limit:
        tasks = tasks[:: max(1, len(tasks) // options.limit)][: options.limit]
    tally = Tally()
    for task, verdict in run_all(judge, tasks, options.jobs):
        tally.add(task, verdict)
    summary = tally.summary()
    print(", ".join(f"{key} {summary[key]}" for key in ("mutants", "found", "harmless", "missed")))
    print("found by:", ", ".join(f"{check} {count}" for check, count in tally.found_by.most_common()))
    return summary


def tasks_of(names: Sequence[str], seeds: int) -> Iterator[Task]:
    """The mutants of the examples. A file that several of them share is mutated in the first."""
    seen: set[Path] = set()
    for name in names:
        for path in kernel_files(name):
            if path in seen:
                continue
            seen.add(path)
            for site in find_sites(path):
                yield from (_task(name, mutant, seeds) for mutant in mutants_of(site))


def _task(example: str, mutant: Mutant, seeds: int) -> Task:
    file = mutant.site.path.relative_to(EXAMPLES).as_posix()
    return Task(example, file, mutant.line, mutant.content, mutant.kind, mutant.text, seeds)


def kernel_files(example: str) -> list[Path]:
    """The files an example's program is made of, found by running it once."""
    files: dict[Path, None] = {}

    def note(program: Program, _report: RunReport) -> None:
        for kernel in program.kernels:
            files.update(dict.fromkeys(local_includes(Path(kernel.kernel_source))))

    with _small_device() as device, host.watching(note):
        CASES[example].run(device)
    return list(files)


def judge(task: Task) -> Verdict:
    """Run one mutant, in this process, until a check reports it."""
    root = _working_copy()
    target = root / task.file
    original = target.read_text(encoding="utf-8")
    target.write_text(task.text, encoding="utf-8")
    try:
        with host.kernels_under(root):
            return _worst(run_once(task.example, seed) for seed in range(task.seeds))
    finally:
        target.write_text(original, encoding="utf-8")


def _worst(verdicts: Iterator[Verdict]) -> Verdict:
    """The first report of a check; without one, the first thing that went wrong."""
    worst = Verdict("silent", "")
    for verdict in verdicts:
        if verdict.outcome == "found":
            return verdict
        worst = verdict if worst.outcome == "silent" else worst
    return worst


def run_once(example: str, seed: int) -> Verdict:
    case = CASES[example]
    try:
        with _small_device() as device, settings.using(seed=seed):
            comparison = compare(*case.run(device), case.tolerance)
    except KernelFindings as caught:
        return Verdict("found", caught.findings[0].check)
    except UserError as caught:
        return Verdict("found", type(caught).__name__)
    except EmulatorGap as caught:
        return Verdict("gap", caught.what)
    except InternalFault as caught:
        return Verdict("fault", caught.what)
    return Verdict("silent", "") if comparison.ok else Verdict("wrong result", str(comparison))


@contextmanager
def _small_device() -> Iterator[Device]:
    """A device of which few cores are used, and on which a kernel that does not end is noticed soon."""
    with settings.using(step_limit=STEP_LIMIT), tilesmith.open_device() as device, host.on_grid(*GRID):
        yield device


@cache
def _working_copy() -> Path:
    """This process's copy of the examples, always at one path: unchanged kernels then come from the cache."""
    copy = Path(tempfile.mkdtemp(prefix="tilesmith-mutation-")) / "metal"
    shutil.copytree(EXAMPLES, copy)
    return copy


# ---- what is harmless ----


@cache
def _harmless_entries() -> list[dict[str, str]]:
    entries: list[dict[str, str]] = tomllib.loads(HARMLESS.read_text(encoding="utf-8"))["harmless"]
    return entries


def harmless_reason(task: Task) -> str | None:
    """The proof that a mutant changes nothing, if there is one."""
    fields = asdict(task)
    for entry in _harmless_entries():
        if all(fnmatchcase(fields[key], entry[key]) for key in ("file", "content", "kind")):
            return entry["reason"]
    return None


# ---- false alarms ----


def _silent(names: Sequence[str], options: argparse.Namespace) -> dict[str, object]:
    tasks = [(name, seed) for name in names for seed in range(options.silent_seeds)]
    alarms = []
    for (name, seed), verdict in run_all(run_named_seed, tasks, options.jobs):
        if verdict.outcome != "silent":
            alarms.append(f"{name} seed {seed}: {verdict.outcome}: {verdict.detail}")
            print("alarm:", alarms[-1], flush=True)
    print(f"{len(tasks)} runs of {len(names)} examples, {len(alarms)} false alarms")
    return {"runs": len(tasks), "seeds": options.silent_seeds, "missed": len(alarms), "alarms": alarms}


def run_named_seed(task: tuple[str, int]) -> Verdict:
    return run_once(*task)


if __name__ == "__main__":
    sys.exit(main())
