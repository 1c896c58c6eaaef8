"""Finds every synchronisation and set-up call in a kernel's source."""

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
SEMAPHORE_OBJECT = re.compile(r"\bSemaphore(?:<[^>]*>)?\s+(\w+)\s*\(")
FABRIC = (
    *("open", "close", "wait_for_empty_write_slot", "raise"),
    *("send_payload_without_header_non_blocking_from_address", "send_payload_flush_blocking_from_address"),
)
DEFINITION = re.compile(r"(?:\bvoid|\binline|\bauto|\buint\d+_t|\bbool)\s*$")


class Family(Enum):
    """What a call is for; it decides how the call can be altered."""

    BUFFER = "circular buffer"
    BARRIER = "NoC barrier"
    SEMAPHORE = "semaphore"
    REGISTERS = "DST hand-over"
    SETUP = "engine set-up"
    MULTICAST = "multicast"
    FABRIC = "packets to other chips"


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
    operand: tuple[int, int] | None  # of the name of the circular buffer or semaphore it is about

    @property
    def number(self) -> int | None:
        """Which argument is a number of pages, a semaphore's value, or a number of destinations."""
        last = len(self.arguments) - 1
        if self.family is Family.MULTICAST:
            return 3
        if self.family is Family.SEMAPHORE and self.name.endswith("set_multicast"):
            return 5 if self.on_object else 2
        return last if self.family in (Family.BUFFER, Family.SEMAPHORE) else None


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
        operand = _operand(text, match, family, arguments)
        sites.append(Site(path, family, name, owner is not None, match.start(), close, arguments, operand))
    return sites


def _family(name: str, owner: str | None, semaphores: set[str]) -> Family | None:
    if re.fullmatch(r"(cb_)?(reserve_back|push_back|wait_front|pop_front)", name):
        return Family.BUFFER
    if re.fullmatch(r"(noc_)?async_\w*(barrier|flushed)", name):
        return Family.BARRIER
    if owner == "fabric" or name in FABRIC:
        return Family.FABRIC if name in FABRIC else None
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


def _operand(
    text: str, match: re.Match[str], family: Family, arguments: tuple[tuple[int, int], ...]
) -> tuple[int, int] | None:
    """The object of a method; else the last name in the first argument."""
    if family not in (Family.BUFFER, Family.SEMAPHORE):
        return None
    if match["object"]:
        return match.span("object")
    begin, end = arguments[0]
    names = [found.span() for found in re.finditer(r"[A-Za-z_]\w*", text[begin:end])]
    return (begin + names[-1][0], begin + names[-1][1]) if names else None


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
