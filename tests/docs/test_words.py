"""The field's words: what was once named otherwise stays gone from source, docs and suites."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "docs", "benchmarks", "conformance")
ENDINGS = {".py", ".md", ".h", ".hpp", ".cpp", ".toml", ".j2"}

RENAMED = {
    r"tak(e|es|en|ing) (\w+ )?apart|take_apart": "decompose, split, unpack",
    r"\b_PARTS\b|\b_parts_of\b|rearrange[./]parts\b": "decompositions, slicing",
    r"\bpicking\b|\bPICKS\b|\bcan_pick\b|picked by numbers?": "gather",
    r"\bputting\b|\bput_in_turn\b|\blast_put\b": "scatter, index_put",
    r"\bwaves?\b": "dft_matrix",
    r"\b(to_|from_)?carriers?\b": "storage format",
    r"\bwish(es|ed)?(_\w+)?\b": "requested formats, layout constraints",
    r"\blinks\b(?=.*layout)": "layout constraints",
    r"\b_?repair\(": "layout conversion",
    r"\btall(y|ies)\b": "push/pop balance, page counts",
    r"\bshare_common\b": "cse",
    r"\brounds? of DST\b|\brounds_of\b": "acquire/release section",
    r"ttnn[-_]face\b|\bface of (ttnn|a device)\b|ttnn's face\b": "ttnn API",
    r"\bsheets?\b": "batch",
    r"\bcheck_kept\b|simulator[./](kept|probes)\b": "golden results, micro-kernels",
    r"\bcapture_(products|patches|heads|rotation|gelu|rms_norm)\b": "fuse_linear, fuse_patch_embedding, ...",
}
"""Old words, and what is said instead (docs/glossary.md)."""

VAGUE = {"kind", "made", "one"}
"""Names that say nothing of what they hold: for one-line comprehensions and lambdas only."""

VAGUE_ALLOWED = {
    "profiling/model.py:Bound.kind": "profile.json has the word, and so have files people keep",
    "profiling/performance.py:Bottleneck.kind": "the word of profile.json, for those who read it with us",
}


@cache
def texts() -> list[tuple[Path, list[str]]]:
    """Every file and its lines, but for what says where a page has moved."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    return [
        (path, [line for line in path.read_text(encoding="utf-8").splitlines() if line[:6] != "Moved:"])
        for path in paths
        if path.suffix in ENDINGS
    ]


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_word_is_gone(old: str) -> None:
    pattern = re.compile(old)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path, lines in texts()
        if pattern.search("\n".join(lines))
        for number, line in enumerate(lines, 1)
        if pattern.search(line)
    ]
    assert not found, f"say {RENAMED[old]} instead:\n" + "\n".join(found)


def vague_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Where a vague name is bound, and its full name: variables, parameters, fields, functions, patterns."""
    short = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)

    def visit(node: ast.AST, home: str) -> Iterator[tuple[int, str]]:
        if isinstance(node, short) and node.lineno == node.end_lineno:
            return
        found = _bound(node)
        if found in VAGUE:
            yield getattr(node, "lineno", 0), home + found
        scopes = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        inside = f"{home}{node.name}." if isinstance(node, scopes) else home
        for child in ast.iter_child_nodes(node):
            yield from visit(child, inside)

    return visit(tree, "")


def _bound(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return name
        case ast.arg(arg=name) | ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            return name
        case ast.alias(asname=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
            return name
        case ast.ExceptHandler(name=name):
            return name
    return None


def test_names_say_what_they_hold() -> None:
    found = {
        f"{path.relative_to(ROOT / 'src' / 'tilesmith')}:{name}": f"{path.relative_to(ROOT)}:{line}"
        for path, lines in texts()
        if path.suffix == ".py" and path.is_relative_to(ROOT / "src")
        for line, name in vague_names(ast.parse("\n".join(lines)))
    }
    assert not [place for name, place in found.items() if name not in VAGUE_ALLOWED]
    assert not VAGUE_ALLOWED.keys() - found.keys(), "no longer needed"


def test_vague_names_are_seen() -> None:
    text = """
        def f(kind): made = [one for one in kind]
        class C:
            one: int
            def g(self, x):
                self.made = {
                    one: x for one in x
                }
                match x:
                    case (kind, _): pass
        """
    seen = [name for _, name in vague_names(ast.parse(dedent(text)))]
    assert seen == ["f.kind", "f.made", "C.one", "C.g.made", "C.g.one", "C.g.kind"]


def test_every_term_is_explained_once() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text()
    terms = [row.split("|")[1].strip() for row in text.splitlines() if row.startswith("| ")]
    explained = [term for term in terms if term != "term"]
    assert len(explained) == len(set(explained))
    needed = (
        "CB DST face tile fidelity NoC PCC SFPU FPU TRISC BRISC L1 DRAM tilize unpack multicast semaphore"
    )
    assert not [word for word in needed.split() if not any(word in term for term in explained)]
