"""The tables of docs/ttnn-differences.md."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from conformance.ttnn_api.calls import all_calls
from conformance.ttnn_api.compare import Difference

PAGE = Path(__file__).parents[2] / "docs" / "ttnn-differences.md"


def tables(found: Sequence[Difference]) -> dict[str, str]:
    """By their names in the page."""
    return {
        "summary": _summary(found),
        "operations": _operations(found),
        "answers": _answers(found),
        "programs": _programs(found),
    }


def update_page(found: Sequence[Difference]) -> None:
    """Put the tables between their marks."""
    text = PAGE.read_text(encoding="utf-8")
    for name, table in tables(found).items():
        marks = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        text = re.sub(marks, lambda m, table=table: f"{m[1]}{table}\n{m[2]}", text, flags=re.DOTALL)  # type: ignore[misc]
    PAGE.write_text(text, encoding="utf-8")


def _table(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    names = list(header)
    lines = [names, ["--"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _summary(found: Sequence[Difference]) -> str:
    calls = all_calls()
    names = {call.name for call in calls}
    same = len(calls) - len({one.key for one in found})
    return f"{same} of {len(calls)} calls of {len(names)} operations agree in all of that."


def _operations(found: Sequence[Difference]) -> str:
    made = Counter(call.name for call in all_calls())
    differing = {name: [one for one in found if one.operation == name] for name in made}
    rows = [
        (name, made[name], made[name] - len({one.key for one in mine}), _counted(mine))
        for name, mine in differing.items()
        if mine
    ]
    same = ", ".join(f"{name} ({made[name]})" for name, mine in differing.items() if not mine)
    table = _table(("operation", "calls", "the same", "differs in"), rows)
    return f"{table}\n\nAll calls of these are the same: {same}."


def _counted(found: Iterable[Difference]) -> str:
    return ", ".join(f"{field} ({times})" for field, times in Counter(one.field for one in found).items())


def _answers(found: Sequence[Difference]) -> str:
    rows = [
        (one.key, one.field, one.theirs, one.ours, one.reason) for one in found if one.field != "programs"
    ]
    return _table(("call", "", "ttnn 0.81.1", "here", "why"), rows)


def _programs(found: Sequence[Difference]) -> str:
    counts = [one for one in found if one.field == "programs"]
    by_operation = {
        one.operation: [two for two in counts if two.operation == one.operation] for one in counts
    }
    rows = [
        (name, "; ".join(f"{one.label}: {one.theirs}, here {one.ours}" for one in mine), mine[0].reason)
        for name, mine in by_operation.items()
    ]
    return _table(("operation", "programs of ttnn, and here", "why"), rows)
