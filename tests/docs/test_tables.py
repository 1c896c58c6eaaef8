"""Tables in docs/ that are made from the code are current; `python -m tests.docs.test_tables` writes them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
from tests.docs.pass_sections import CHECKS, OTHERS, USUAL, changes, pass_sections
from xdsl.passes import ModulePass

from tilesmith import errors, settings
from tilesmith.arch import load_arch
from tilesmith.compiler.pass_group import leaves, tree
from tilesmith.compiler.pipeline import Choices, pipeline
from tilesmith.emulator import checks
from tilesmith.isa.cycles import cycles_of, source_of
from tilesmith.isa.tile_functions import TILE_FUNCTIONS

DOCS = Path(__file__).parents[2] / "docs"


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["--"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def checks_table() -> str:
    rows = [(f"`{check.id}`", check.title, check.remedy) for check in checks.CHECKS.values()]
    return markdown(("check", "what is wrong", "what to do"), rows)


def settings_table() -> str:
    # Where the cache is depends on who builds the docs.
    cache = str(settings.Settings().cache_dir)
    rows = [
        (f"`{name}`", f"`{default}`".replace(cache, "~/.cache/tilesmith") if default else "", text)
        for name, default, text in settings.described()
    ]
    return markdown(("variable", "default", "meaning"), rows)


def errors_table() -> str:
    every = [c for c in vars(errors).values() if inspect.isclass(c)]
    classes = [c for c in every if issubclass(c, errors.TilesmithError)]
    classes.sort(key=lambda c: inspect.getsourcelines(c)[1])
    rows = [
        (f"`{c.__name__}`", f"`{c.__mro__[1].__name__}`", (inspect.getdoc(c) or "").split("\n")[0])
        for c in classes
    ]
    return markdown(("error", "kind of", "meaning"), rows)


def headers_table() -> str:
    include = Path(checks.__file__).with_name("include")
    headers = sorted((include / "api").rglob("*.h*"))
    first_lines = {path: path.read_text().split("\n", 1)[0] for path in headers}
    rows = [
        (f"`{path.relative_to(include)}`", line.removeprefix("// "))
        for path, line in first_lines.items()
        if line.startswith("// ")
    ]
    return markdown(("header", "what it has"), rows)


def tile_functions_table() -> str:
    chips = load_arch("wormhole"), load_arch("blackhole")
    rows = [
        (
            f"`{function.name}`{f' `<{function.template}>`' if function.template else ''}",
            f"`{function.header.removeprefix('api/compute/')}`",
            f"`{function.init}`",
            str(function.tiles),
            ", ".join(one.name for one in function.formats),
            " / ".join(str(cycles_of(function, chip)) for chip in chips),
            source_of(function, chips[0]),
        )
        for function in sorted(TILE_FUNCTIONS.values(), key=lambda one: one.name)
    ]
    titles = ("function", "header", "init", "tiles", "formats", "cycles", "from")
    return markdown(titles, rows)


def passes_table() -> str:
    rows = []
    for step, depth in tree(pipeline(Choices())):
        text = inspect.getdoc(type(step)) or ""
        rows.append((f"{'&emsp;' * depth}`{step.name}`", text.split("\n")[0]))
    return markdown(("pass", "what it does"), rows)


TABLES: dict[str, Callable[[], str]] = {
    "passes": passes_table,
    "pass_sections": pass_sections,
    "checks": checks_table,
    "settings": settings_table,
    "errors": errors_table,
    "headers": headers_table,
    "tile_functions": tile_functions_table,
}


def filled(page: str) -> str:
    """The page with every table between its markers replaced by what the code says now."""

    def table(match: re.Match[str]) -> str:
        return f"{match[1]}\n{TABLES[match[2]]()}\n{match[3]}"

    return re.sub(r"(<!-- table: (\w+) -->)\n.*?(<!-- end -->)", table, page, flags=re.DOTALL)


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda p: str(p.relative_to(DOCS)))
def test_tables_are_current(page: Path) -> None:
    text = page.read_text()
    assert filled(text) == text, "run `python -m tests.docs.test_tables`"


@pytest.mark.parametrize("step", list(leaves(pipeline(Choices()))), ids=lambda step: step.name)
def test_every_pass_is_shown_at_work(step: ModulePass) -> None:
    shown = changes(step.name, OTHERS.get(step.name, USUAL))
    assert bool(shown) != (step.name in CHECKS)


def main() -> None:
    for path in DOCS.rglob("*.md"):
        path.write_text(filled(path.read_text()))


if __name__ == "__main__":
    main()
