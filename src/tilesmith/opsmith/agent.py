"""The definition of an agent that makes operations with `tilesmith op`, in the formats that tools read."""

from __future__ import annotations

from pathlib import Path

from tilesmith.errors import StageError
from tilesmith.opsmith.rendering import render
from tilesmith.opsmith.stage_tests import STAGES

NAME = "tilesmith-op"
DESCRIPTION = (
    "Builds a ttnn operation from a spec with `tilesmith op`, in seven test-first stages: API, validation,"
    " registration, device operation, program factory, kernel compilation, kernel correctness. Use it when"
    " there is an operation spec (<op>_spec.md or op_design.md) to implement, or an op begun with"
    " `tilesmith op` to finish."
)
FORMATS = ("agents", "skill")
_STAGES = {
    1: ("`ttnn.<op>` exists with the parameters and defaults of the spec", "nothing"),
    2: ("every rule of the spec is told, in the words of its hint", "nothing"),
    3: (
        "outputs are those of the spec; torch is the golden function",
        "read `reference.py` against the spec",
    ),
    4: ("a program factory is chosen; only the program is missing", "nothing"),
    5: (
        "buffers and shares of work have the sizes of the spec",
        "compare the figures in the log with the spec",
    ),
    6: (
        "kernels compile, run to the end without a finding, pass data through",
        "nothing: the stubs are written",
    ),
    7: ("results equal torch's within the bounds of the spec", "the kernels"),
}
_LOG = (
    ("Session Info", "when, which operation, spec and folder"),
    ("Execution Timeline", "every action with its command, its whole output and what followed from it"),
    ("Spec Extraction", "which section of the spec was used for what"),
    ("Stage 1 to Stage 7", "files, build attempts, test runs; buffers and work as applied; kernels; results"),
    ("Build Attempts Summary, Test Results Summary", "one row for each attempt, one for each test file"),
    ("Errors Encountered", "error, stage, context, resolution"),
    ("Key Decisions, Deviations from Spec", "choice and rationale; what was said, what was made, why"),
    ("Final Status", "pass or fail for each stage, output files, open issues, ready or not"),
)


def agent_files(formats: tuple[str, ...] = FORMATS) -> dict[str, str]:
    """Every file by its path: AGENTS.md, and a skill as a folder with SKILL.md."""
    stages = [(number, name, *_STAGES[number]) for number, name, _ in STAGES]
    body = render("agent/body.md.j2", stages=stages, log=_LOG)
    head = f"# {NAME}\n\n{DESCRIPTION}\n\n"
    front = f"---\nname: {NAME}\ndescription: {_quoted(DESCRIPTION)}\n---\n\n"
    result = {"agents": ("AGENTS.md", head + body), "skill": (f"skills/{NAME}/SKILL.md", front + head + body)}
    return dict(result[one] for one in formats)


def write_agent(out: Path, formats: tuple[str, ...] = FORMATS) -> list[Path]:
    """Write the definition; what is there already is kept."""
    paths = []
    files = agent_files(formats)
    for name in files:
        if (out / name).exists():
            raise StageError(f"{out / name} exists already", remedy="remove it, or give another --out")
    for name, text in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def _quoted(text: str) -> str:
    """A string of YAML: colons and angle brackets need quotation marks."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
