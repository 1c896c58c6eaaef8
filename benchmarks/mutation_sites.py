"""Finds every synchronisation and protocol call in a kernel's source, and the ways to get each one wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

INCLUDE = re.compile(r'^\s*#include\s+"([^"]+)"', re.MULTILINE)
CALL = re.compile(
    r"(?:(?P<object>\b[A-Za-z_]\w*)\s*\.\s*)?\b(?P<name>[A-Za-z_]\w*)\s*(?P<open><[^<>;{}]*>\s*\(|\()"
)
SEMAPHORE_OBJECT = re.compile(r"\bSemaphore<[^>]*>\s+(\w+)\s*\(")
HAND_OVER = re.compile(r"push_back|pop_front|semaphore_(set|inc)|^(set|up|set_multicast)$")
DEFINITION = re.compile(r"(?:\bvoid|\binline|\bauto|\buint\d+_t|\bbool)\s*$")


class Family(Enum):
    """What a call is for; it decides how the call can be altered."""

    BUFFER = "circular buffer"
    BARRIER = "NoC barrier"
    SEMAPHORE = "semaphore"
    REGISTERS = "DST hand-over"
    SETUP = "engine set-up"
    MULTICAST = "multicast"


@dataclass(frozen=True)
class Site:
    """One call in one file. `arguments` are the spans of its arguments in the text."""

    path: Path
    family: Family
    name: str
    on_object: bool
    start: int
    end: int
    arguments: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Mutant:
    """One site, changed in one way."""

    site: Site
    kind: str
    text: str  # the whole file, changed
    line: int
    content: str  # the line as it was


def local_includes(path: Path) -> Iterator[Path]:
    """A kernel's file and the files beside the kernels that it includes."""
    yield path
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        included = (path.parent / name).resolve()
        if included.is_file():
            yield from local_includes(included)


def find_sites(path: Path) -> list[Site]:
    """Every call in a file that takes part in synchronisation or set-up, in the order of the text."""
    text = _without_comments(path.read_text(encoding="utf-8"))
    semaphores = set(SEMAPHORE_OBJECT.findall(text))
    sites = []
    for match in CALL.finditer(text):
        name, owner = match["name"], match["object"]
        if DEFINITION.search(text[: match.start()]):
            continue
        family = _family(name, owner, semaphores)
        if family is None:
            continue
        close, arguments = _arguments(text, match.end())
        sites.append(Site(path, family, name, owner is not None, match.start(), close, arguments))
    return sites


def mutants_of(site: Site) -> Iterator[Mutant]:
    """Every way to get a site wrong."""
    text = site.path.read_text(encoding="utf-8")
    if site.family is not Family.MULTICAST:
        yield _mutant(site, text, "drop", site.start, site.end, "((void)0)")
    number = _number_argument(site)
    if number is not None:
        yield from _off_by_one(site, text, site.arguments[number])
    if site.family is Family.BARRIER:
        yield from _weaker(site, text)
        yield from _later(site, text)


def _off_by_one(site: Site, text: str, span: tuple[int, int]) -> Iterator[Mutant]:
    value = text[span[0] : span[1]].strip()
    yield _mutant(site, text, "plus one", *span, f"({value}) + 1")
    # One less than one page is the dropped call again; one less than zero is no mistake anyone makes.
    if value not in ("0", "1"):
        yield _mutant(site, text, "minus one", *span, f"({value}) - 1")


def _weaker(site: Site, text: str) -> Iterator[Mutant]:
    """A flush where a barrier is needed: the data has left, but not arrived."""
    if site.name.endswith("async_write_barrier"):
        changed = text[site.start : site.end].replace("async_write_barrier", "async_writes_flushed")
        yield _mutant(site, text, "flush only", site.start, site.end, changed)


def _later(site: Site, text: str) -> Iterator[Mutant]:
    """The barrier after the hand-over that it must precede."""
    following = re.compile(r";\s*(?://[^\n]*\s*)*").match(text, site.end)
    if following is None:
        return
    after = next((other for other in find_sites(site.path) if other.start == following.end()), None)
    if after is None or not HAND_OVER.search(after.name):
        return
    swapped = text[after.start : after.end] + text[site.end : after.start] + text[site.start : site.end]
    yield _mutant(site, text, "too late", site.start, after.end, swapped)


def _mutant(site: Site, text: str, kind: str, start: int, end: int, replacement: str) -> Mutant:
    line = text.count("\n", 0, site.start)
    changed = text[:start] + replacement + text[end:]
    return Mutant(site, kind, changed, line + 1, text.split("\n")[line].strip())


def _family(name: str, owner: str | None, semaphores: set[str]) -> Family | None:
    if re.fullmatch(r"(cb_)?(reserve_back|push_back|wait_front|pop_front)", name):
        return Family.BUFFER
    if re.fullmatch(r"(noc_)?async_\w*(barrier|flushed)", name):
        return Family.BARRIER
    if name in ("noc_async_write_multicast", "async_write_multicast"):
        return Family.MULTICAST
    if re.fullmatch(r"noc_semaphore_(set|inc|wait|wait_min|set_multicast)", name) or owner in semaphores:
        return Family.SEMAPHORE
    if name.startswith("tile_regs_"):
        return Family.REGISTERS
    if name == "compute_kernel_hw_startup" or re.fullmatch(
        r"\w+_(init|uninit|INIT)|(pack_)?reconfig_data_format\w*", name
    ):
        return Family.SETUP
    return None


def _number_argument(site: Site) -> int | None:
    """Which argument is a number of pages, a semaphore's value, or a number of destinations."""
    last = len(site.arguments) - 1
    if site.family is Family.BUFFER:
        return last
    if site.family is Family.MULTICAST:
        return 3
    if site.family is not Family.SEMAPHORE:
        return None
    if site.name.endswith("set_multicast"):
        return 5 if site.on_object else 2
    return last


def _arguments(text: str, start: int) -> tuple[int, tuple[tuple[int, int], ...]]:
    """The end of a call whose arguments begin at `start`, and the span of each argument."""
    spans, depth, begin = [], 0, start
    for i in range(start, len(text)):
        char = text[i]
        if char in "([{":
            depth += 1
        elif char in ")]}" and depth:
            depth -= 1
        elif char == "," and not depth:
            spans.append((begin, i))
            begin = i + 1
        elif char == ")":
            if text[begin:i].strip():
                spans.append((begin, i))
            return i + 1, tuple(spans)
    raise ValueError(f"unbalanced parenthesis at offset {start}")


def _without_comments(text: str) -> str:
    """The same text, of the same length, with blanks for comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)
