"""The field's words: what was once named otherwise stays gone from source, docs and benchmarks."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "docs", "benchmarks")
ENDINGS = {".py", ".md", ".h", ".hpp", ".cpp", ".toml", ".j2"}
REDIRECT = ROOT / "docs" / "ttnn-face.md"

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


@cache
def texts() -> list[tuple[Path, list[str]]]:
    """Every file and its lines, but for what says where a page has moved."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    return [
        (path, [line for line in path.read_text(encoding="utf-8").splitlines() if line[:6] != "Moved:"])
        for path in paths
        if path.suffix in ENDINGS and path != REDIRECT
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


def test_every_term_is_explained_once() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text()
    terms = [row.split("|")[1].strip() for row in text.splitlines() if row.startswith("| ")]
    explained = [term for term in terms if term != "term"]
    assert len(explained) == len(set(explained))
    needed = (
        "CB DST face tile fidelity NoC PCC SFPU FPU TRISC BRISC L1 DRAM tilize unpack multicast semaphore"
    )
    assert not [word for word in needed.split() if not any(word in term for term in explained)]
