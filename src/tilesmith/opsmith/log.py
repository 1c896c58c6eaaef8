"""The execution log of an op, drawn from its record after every event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilesmith.opsmith.journal import Event, Journal
from tilesmith.opsmith.kernel_errors import kernel_error_rows
from tilesmith.opsmith.stage_tests import STAGES


def log_path(journal: Journal) -> str:
    """The log's name in the op's folder."""
    return f"{journal.events('session')[0]['operation']}_execution_log.md"


def write_log(journal: Journal) -> None:
    """Write the log as it stands."""
    (journal.folder / log_path(journal)).write_text(render_log(journal), encoding="utf-8")


def render_log(journal: Journal) -> str:
    """The whole log as text."""
    session = journal.events("session")[0]
    parts = [
        [f"# Execution Log: {session['operation']}", ""],
        _session(session),
        _timeline(journal),
        _extraction(journal),
        *(list(_stage(journal, number, name)) for number, name, _ in STAGES),
        _build_attempts(journal),
        _test_results(journal),
        _errors(journal),
        _decisions(journal),
        _deviations(journal),
        _final(journal),
    ]
    return "\n".join(line for part in parts for line in part).rstrip() + "\n"


def _session(session: Event) -> list[str]:
    return [
        "## Session Info",
        f"- **Started**: {session.time}",
        f"- **Operation**: {session['operation']}",
        f"- **Spec Path**: {session['spec']}",
        f"- **Operation Path**: {session['path']}",
        "",
    ]


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """A Markdown table; "none" where there is nothing to tell.

    >>> table(["a", "b"], [(1, "x|y")])
    ['| a | b |', '|---|---|', '| 1 | x\\\\|y |', '']
    """
    if not rows:
        return ["None.", ""]
    cells = [[str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    return [
        f"| {' | '.join(columns)} |",
        f"|{'---|' * len(columns)}",
        *(f"| {' | '.join(row)} |" for row in cells),
        "",
    ]


def _fenced(text: str, language: str = "") -> list[str]:
    return [f"```{language}", *text.rstrip().splitlines(), "```"]


def _timeline(journal: Journal) -> list[str]:
    built = ["## Execution Timeline", ""]
    for number, event in enumerate(journal.events("session", "file", "build", "run", "error"), 1):
        action, command, result, decision = _step(event)
        built += [f"### Step {number}: {action}", f"**Time**: {event.time}", f"**Action**: {action}"]
        built += [
            f"**Command/Tool**: {command}",
            "**Result**:",
            *_fenced(result),
            f"**Decision**: {decision}",
            "",
        ]
    return built


def _step(event: Event) -> tuple[str, str, str, str]:
    match event.name:
        case "session":
            return (
                "Read the spec",
                f"tilesmith op new {event['spec']}",
                "the spec is consistent",
                "make the op",
            )
        case "file":
            return f"{event['file']}: {event['change']}", "template", event["change"], event["reason"]
        case "build":
            result = "SUCCESS" if event["green"] else event["error"]
            return "Build", event["command"], result, "run the tests" if event["green"] else "stop"
        case "run":
            text = f"{event['output'].rstrip()}\n({event['seconds']} s)"
            return (
                f"Run the tests up to stage {event.stage + 1}",
                event["command"],
                text,
                "see the stage below",
            )
        case _:
            return "Meet an error", event["context"], event["error"], "stop until it is resolved"


def _extraction(journal: Journal) -> list[str]:
    rows = [(one["section"], one["value"], one["used"]) for one in journal.events("extraction")]
    return ["## Spec Extraction", *table(["Section", "Extracted Value", "Used For"], rows)]


def _stage(journal: Journal, number: int, name: str) -> Iterator[str]:
    tests = journal.events("test", stage=number)
    if not tests:
        return
    yield f"## Stage {number}: {name}"
    if number == 5:
        yield from _buffers(journal)
    if number == 6:
        yield from _kernels(journal)
    if number == 7:
        yield "### Comparison with torch"
        yield from table(["Case", "Result"], [tuple(one) for one in tests[-1]["noted"]])
    yield "### Files Modified"
    files = [(one["file"], one["change"], one["reason"]) for one in journal.events("file", stage=number)]
    yield from table(["File", "Change", "Reason"], files)
    for attempt, build in enumerate(journal.events("build", stage=number), 1):
        yield f"### Build Attempt {attempt}"
        yield f"**Command**: `{build['command']}`"
        yield f"**Result**: {'SUCCESS' if build['green'] else 'FAILED'}"
        if not build["green"]:
            yield from ("**Output**:", *_fenced(build["error"]))
        yield ""
    yield "### Test Runs"
    columns = ["Time", "Phase", "Command", "Result", "Issues"]
    yield from table(columns, [_test_row(one) for one in tests])


def _test_row(test: Event) -> tuple[str, ...]:
    wanted = "before its code (RED expected)" if test["phase"] == "red" else "with its code"
    result = f"{'PASS' if test['green'] else 'FAIL'}: {test['passed']} of {test['run']}"
    return test.time, wanted, f"`pytest {test['file']}`", result, test["problem"] or "-"


def _buffers(journal: Journal) -> Iterator[str]:
    yield "### CB Configuration Applied"
    rows = []
    for entry in _latest(journal, "cb", "index"):
        size, _, form = entry["size"].rpartition(", ")
        rows.append((f"c_{entry['index']}", entry["name"], size, form, entry["why"]))
    yield from table(["CB ID", "Name", "Size", "Data Format", "Reasoning"], rows)
    yield "### Work Distribution Applied"
    for entry in _latest(journal, "work", "case"):
        units, grid, cores, larger, smaller = entry["shared"].split(", ")
        yield f"Case {entry['case']}:"
        yield f"- **Total work units**: {units.removesuffix(' units')}"
        yield f"- **Grid size**: {grid.removeprefix('grid ')}"
        yield f"- **Cores used**: {cores.removesuffix(' cores')}"
        yield f"- **Work per core (group 1)**: {larger} (cores x units)"
        yield f"- **Work per core (group 2)**: {smaller}"
        yield ""


def _latest(journal: Journal, name: str, key: str) -> list[Event]:
    """The last event for each value of a key."""
    return list({one[key]: one for one in journal.events(name)}.values())


def _kernels(journal: Journal) -> Iterator[str]:
    kernels = _latest(journal, "kernel", "role")
    yield "### Kernels Created"
    rows = [
        (
            kernel_event["role"],
            "Compute" if kernel_event["role"] == "compute" else "DataMovement",
            kernel_event["path"],
            kernel_event["compile_time"],
            kernel_event["runtime"],
        )
        for kernel_event in kernels
    ]
    yield from table(["Kernel", "Type", "Path", "Compile-Time Args", "Runtime Args"], rows)
    yield "### Kernel Code Summary"
    for kernel in kernels:
        yield f"#### {kernel['role'].capitalize()} Kernel"
        yield from _fenced(kernel["code"], "cpp")
    yield ""
    yield "### Kernel Compilation Errors"
    yield from table(["Kernel", "Error", "Line", "Fix Applied"], kernel_error_rows(journal))


def _build_attempts(journal: Journal) -> list[str]:
    rows: list[list[object]] = []
    attempts: dict[int, int] = {}
    for entry in journal.events("build", "run"):
        if entry.name == "run":  # the tests that ran on what was built last
            for row in rows[-1:]:
                row[3] = f"{entry['seconds']} s"
            continue
        attempts[entry.stage] = attempts.get(entry.stage, 0) + 1
        result = "PASS" if entry["green"] else "FAIL"
        rows.append([entry.stage, attempts[entry.stage], result, "-", entry["error"] or "-"])
    columns = ["Stage", "Attempt", "Result", "Duration with tests", "Key Error (if failed)"]
    return ["## Build Attempts Summary", *table(columns, rows)]


def _test_results(journal: Journal) -> list[str]:
    rows = []
    for number, _, _ in STAGES:
        runs = journal.events("test", stage=number)
        if runs:
            last = runs[-1]
            rows.append((last["file"], last["run"], last["passed"], last["failed"], last["errors"]))
    columns = ["Test File", "Tests Run", "Passed", "Failed", "Errors"]
    return ["## Test Results Summary", *table(columns, rows)]


def _errors(journal: Journal) -> list[str]:
    rows = []
    for entry in journal.events("error"):
        resolved = "later run is green" if journal.is_green(entry.stage) else entry["resolution"]
        rows.append((entry["error"], entry.stage, entry["context"], resolved))
    return ["## Errors Encountered", *table(["Error", "Stage", "Context", "Resolution"], rows)]


def _decisions(journal: Journal) -> list[str]:
    rows = [
        (event["decision"], event["options"], event["choice"], event["why"])
        for event in journal.events("decision")
    ]
    return ["## Key Decisions", *table(["Decision", "Options", "Choice", "Rationale"], rows)]


def _deviations(journal: Journal) -> list[str]:
    rows = [(one["aspect"], one["said"], one["made"], one["reason"]) for one in journal.events("deviation")]
    return [
        "## Deviations from Spec",
        *table(["Aspect", "Spec Said", "Actually Implemented", "Reason"], rows),
    ]


def _final(journal: Journal) -> list[str]:
    built = ["## Final Status"]
    for number, name, _ in STAGES:
        tested = journal.events("test", stage=number)
        state = "PASS" if journal.is_green(number) else "FAIL" if tested else "not reached"
        built.append(f"- **Stage {number} ({name})**: {state}")
    builds = journal.events("build")
    ready = "Yes" if journal.is_green(6) else "No"
    files = sorted({one["file"] for one in journal.events("file")})
    issues = [one["error"] for one in journal.events("error") if not journal.is_green(one.stage)]
    built += [
        f"- **All Builds**: {'PASS' if builds and all(one['green'] for one in builds) else 'FAIL'}",
        f"- **All Tests**: {'PASS' if journal.is_green(7) else 'FAIL'}",
        f"- **Output Files**: {', '.join(files)}",
        f"- **Issues**: {'; '.join(dict.fromkeys(issues)) or 'none'}",
        f"- **Ready for kernel implementation**: {ready}",
    ]
    return built
