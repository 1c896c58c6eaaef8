"""The docs keep their word: every Python block runs, every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
named = pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))


def python_blocks(text: str) -> list[tuple[int, str]]:
    """(line, code) of every ```python block."""
    blocks = re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text[: block.start(1)].count("\n"), block[1]) for block in blocks]


@named
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In order, in one namespace, as a reader would paste them."""
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "docs"}
    for line, code in python_blocks(page.read_text()):
        # Leading newlines make tracebacks point at the page's own lines.
        exec(compile("\n" * line + code, str(page), "exec"), namespace)


@named
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text())
    paths = [(page.parent / t).resolve() for t in targets if "://" not in t]
    assert not [path for path in paths if not path.exists()]
    if page.is_relative_to(ROOT / "docs"):  # the site has nothing else
        assert not [path for path in paths if not path.is_relative_to(ROOT / "docs")]


def test_every_page_is_on_the_map() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    pages = {p.name for p in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert not [name for name in sorted(pages) if f"({name})" not in index]


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = (folder / "README.md").read_text()
    assert not [p.name for p in sorted(folder.glob("0*.md")) if f"({p.name})" not in listed]
