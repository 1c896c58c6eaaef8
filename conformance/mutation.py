"""How many mistakes do the checks find? Alters every synchronisation and set-up call of the examples, singly.

Each mutant runs under checks on a small shape. It is `found` when a check reports it, `harmless` when
mutation_harmless.toml proves that it changes nothing, and `missed` otherwise, above all when the result is
wrong and no check says so. `--silent-seeds N` runs the unchanged examples under N scheduler seeds instead:
every finding is a false alarm.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from conformance.mutation_cases import CASES  # noqa: E402 - the repository's root must be on the path
from conformance.mutation_pool import run_all  # noqa: E402
from conformance.mutation_run import Task, Verdict, judge, kernel_files  # noqa: E402
from conformance.mutation_switch import Mutant, rewrite_tree  # noqa: E402
from tilesmith import settings  # noqa: E402

EXAMPLES = ROOT / "examples" / "metal"
HARMLESS = Path(__file__).with_name("mutation_harmless.toml")


@dataclass
class Score:
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


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    names = [name for name in CASES if not options.example or name == options.example]
    with tempfile.TemporaryDirectory(prefix="tilesmith-mutation-") as folder:
        os.environ[settings.variable("arch")] = options.arch  # processes started from here inherit it
        root = Path(folder).resolve() / "metal"
        shutil.copytree(EXAMPLES, root)
        summary = _silent(names, root, options) if options.silent_seeds else _mutate(names, root, options)
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
    parser.add_argument("--arch", default="wormhole", help="the chip to run on")
    parser.add_argument("--limit", type=int, default=0, help="at most this many mutants, evenly chosen")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    return parser.parse_args(arguments)


def _mutate(names: Sequence[str], root: Path, options: argparse.Namespace) -> dict[str, object]:
    tasks = list(tasks_of(names, root, rewrite_tree(root), range(options.seeds)))
    if options.limit:
        tasks = tasks[:: max(1, len(tasks) // options.limit)][: options.limit]
    score = Score()
    for task, verdict in run_all(judge, tasks, options.jobs):
        score.add(task, verdict)
    summary = score.summary()
    print(", ".join(f"{key} {summary[key]}" for key in ("mutants", "found", "harmless", "missed")))
    print("found by:", ", ".join(f"{check} {count}" for check, count in score.found_by.most_common()))
    return summary


def tasks_of(names: Sequence[str], root: Path, mutants: Sequence[Mutant], seeds: range) -> Iterator[Task]:
    """Every mutant of every file that an example uses, in that example."""
    for name in names:
        files = kernel_files(name, root)
        for mutant in mutants:
            if mutant.path in files:
                file = mutant.path.relative_to(root).as_posix()
                yield Task(name, root, file, mutant.line, mutant.content, mutant.kind, mutant.number, seeds)


def _silent(names: Sequence[str], root: Path, options: argparse.Namespace) -> dict[str, object]:
    tasks = [
        Task(name, root, "", 0, "", f"seed {seed}", 0, range(seed, seed + 1))
        for name in names
        for seed in range(options.silent_seeds)
    ]
    alarms = []
    for task, verdict in run_all(judge, tasks, options.jobs):
        if verdict.outcome != "silent":
            alarms.append(f"{task.example} {task.kind}: {verdict.outcome}: {verdict.detail}")
            print("alarm:", alarms[-1], flush=True)
    print(f"{len(tasks)} runs of {len(names)} examples, {len(alarms)} false alarms")
    return {"runs": len(tasks), "seeds": options.silent_seeds, "missed": len(alarms), "alarms": alarms}


@cache
def _harmless_entries() -> list[dict[str, str]]:
    entries: list[dict[str, str]] = tomllib.loads(HARMLESS.read_text(encoding="utf-8"))["harmless"]
    return entries


def harmless_reason(task: Task) -> str | None:
    """The proof that a mutant changes nothing, if there is one."""
    fields = asdict(task)
    for entry in _harmless_entries():
        if all(fnmatchcase(str(fields[key]), entry[key]) for key in entry.keys() - {"reason"}):
            return entry["reason"]
    return None


if __name__ == "__main__":
    sys.exit(main())
