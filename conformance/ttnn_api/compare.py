"""Makes the calls with both libraries and sets their answers side by side."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from conformance.ttnn_api.call import Fact
from conformance.ttnn_api.calls import all_calls

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).with_name("ttnn-0.81.1.jsonl")
REASONS = Path(__file__).with_name("reasons.toml")
_CRASH: Fact = {"error": "crash", "text": ""}


@dataclass(frozen=True)
class Difference:
    """A field in which the answers to a call differ, both values, and why."""

    key: str
    field: str
    theirs: object
    ours: object
    reason: str

    @property
    def operation(self) -> str:
        return self.key.partition(":")[0]

    @property
    def label(self) -> str:
        return self.key.partition(": ")[2]


def record(library: str, python: str, most_crashes: int = 40) -> dict[str, Fact]:
    """All answers of one library, by call. A call that ends the process is noted, and the rest goes on."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "answers.jsonl"
        for _ in range(most_crashes):
            done = read(target) if target.exists() else {}
            arguments = [library, str(target), json.dumps(list(done))]
            environment = {**os.environ, "PYTHONPATH": _paths()}
            ended = subprocess.run(
                [python, "-m", "conformance.ttnn_api.record", *arguments],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                check=False,
            )
            if ended.returncode == 0:
                return read(target)
            if target.exists() and len(read(target)) == len(done):
                break
        raise RuntimeError(ended.stderr.decode(errors="replace")[-2000:])


def _paths() -> str:
    import tilesmith

    return os.pathsep.join([str(Path(tilesmith.__file__).parents[1]), str(ROOT)])


def read(path: Path) -> dict[str, Fact]:
    """Answers from a file; a call without one ended the process."""
    facts: dict[str, Fact] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        facts[entry["key"]] = entry.get("fact", _CRASH)
    return facts


def write(path: Path, facts: dict[str, Fact]) -> None:
    lines = [json.dumps({"key": key, "fact": fact}) for key, fact in facts.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def differences(theirs: dict[str, Fact], ours: dict[str, Fact]) -> list[Difference]:
    """Where the answers differ, with the reason if there is one."""
    reasons = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    return [
        Difference(key, field, there, here, reason_for(reasons, key, field))
        for key in (call.key for call in all_calls())
        for field, there, here in fields(theirs[key], ours[key])
    ]


def fields(theirs: Fact, ours: Fact) -> list[tuple[str, object, object]]:
    """What differs in two answers. Where one fails and the other does not, that is all there is to say."""
    if ("error" in theirs) != ("error" in ours):
        return [
            (
                "outcome",
                theirs.get("text") or theirs.get("error", "ok"),
                ours.get("text") or ours.get("error", "ok"),
            )
        ]
    return [(name, theirs[name], ours[name]) for name in theirs if theirs[name] != ours[name]]


def reason_for(reasons: dict[str, dict[str, str]], key: str, field: str) -> str:
    """The reason given for this call, or for its operation."""
    for entry in (key, key.partition(":")[0]):
        if field in reasons.get(entry, {}):
            return reasons[entry][field]
    return ""


def default_python() -> str:
    """An interpreter with ttnn: the environment `make test-ttnn` makes, or this one."""
    made = ROOT / ".venv-ttnn-0.81.1" / "bin" / "python"
    return str(made) if made.exists() else sys.executable
