"""Rewrites a kernel so that one environment variable chooses which of its calls goes wrong, and how.

All mutants of a file are then one compilation, and each is one run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from conformance.mutation_sites import Family, Site, find_sites

VARIABLE = "MUTANT"
REACHED = "MUTANT_REACHED"  # set by the call that goes wrong
PRELUDE = f"""#ifndef TS_MUTANT_SWITCH
#define TS_MUTANT_SWITCH
#include <cstdlib>
inline __attribute__((no_sanitize("thread"))) bool mutant(int number) {{
    const char* chosen = getenv("{VARIABLE}");
    const bool wrong = chosen && atoi(chosen) == number;
    if (wrong) setenv("{REACHED}", chosen, 1);
    return wrong;
}}
#endif
"""
NOTHING = "((void)0)"
# Calls that hand something over: a barrier after one of them comes too late.
HAND_OVER = re.compile(r"push_back|pop_front|semaphore_(set|inc)|^(set|up|set_multicast)$")

# Calls that give something up: before the last use of it, one of them comes too early.
RELEASE = re.compile(r"push_back|pop_front|tile_regs_(commit|release)")


@dataclass(frozen=True)
class Mutant:
    """One call that goes wrong in one way when VARIABLE is `number`."""

    number: int
    kind: str
    path: Path
    line: int
    content: str  # the line as written


@dataclass
class Rewriter:
    """Rewrites one file. Numbers are taken from `numbers`, which other files share."""

    path: Path
    numbers: Iterator[int]

    def __post_init__(self) -> None:
        self.text = self.path.read_text(encoding="utf-8")
        self.sites = find_sites(self.path)
        self.mutants: list[Mutant] = []
        self._after: dict[int, str] = {}  # what else to do after the call of a site
        self._before: dict[int, str] = {}  # what else to do at an offset in the text

    def rewrite(self) -> str:
        """The file with a switch at every site."""
        calls = [self._switched(index, site) for index, site in enumerate(self.sites)]
        changes = [(start, start, text) for start, text in self._before.items()]
        for index, (site, call) in enumerate(zip(self.sites, calls, strict=True)):
            follow = self._after.get(index)
            changes.append((site.start, site.end, f"({call}, {follow})" if follow else call))
        pieces, done = [PRELUDE, f'#line 1 "{self.path}"\n'], 0
        for start, end, text in sorted(changes):
            pieces += [self.text[done:start], text]
            done = end
        return "".join([*pieces, self.text[done:]])

    def _switched(self, index: int, site: Site) -> str:
        call = self._with_number(site)
        if (other := self._with_other_operand(site)) is not None:
            call = f"({self._when(site, 'wrong one')} ? {other} : {call})"
        if site.family is Family.MULTICAST:
            return call
        if site.family is Family.BARRIER:
            call = f"({self._when(site, 'other NoC')} ? {self._on_other_noc(site)} : {call})"
        if site.name.endswith("async_write_barrier"):
            whole = self.text[site.start : site.end]
            weaker = whole.replace("async_write_barrier", "async_writes_flushed")
            call = f"({self._when(site, 'flush only')} ? {weaker} : {call})"
        if site.family is Family.BARRIER and self._hands_over_next(index):
            late = self._when(site, "too late")
            self._after[index + 1] = f"({late} ? {self.text[site.start : site.end]} : {NOTHING})"
            call = f"({late} ? {NOTHING} : {call})"
        if RELEASE.search(site.name) and (start := self._use_just_before(site)) is not None:
            early = self._when(site, "too early")
            self._before[start] = f"({early} ? {self.text[site.start : site.end]} : {NOTHING}); "
            call = f"({early} ? {NOTHING} : {call})"
        return f"({self._when(site, 'drop')} ? {NOTHING} : {call})"

    def _with_number(self, site: Site) -> str:
        if site.number is None:
            return self.text[site.start : site.end]
        begin, end = site.arguments[site.number]
        value = self.text[begin:end].strip()
        off = f"({self._when(site, 'plus one')} ? 1 : 0)"
        # One less than one page is the dropped call again; one less than zero is no mistake anyone makes.
        if value not in ("0", "1"):
            off += f" - ({self._when(site, 'minus one')} ? 1 : 0)"
        return f"{self.text[site.start : begin]}({value}) + {off}{self.text[end : site.end]}"

    def _on_other_noc(self, site: Site) -> str:
        if site.on_object:
            return f"Noc(1 - noc_index).{site.name}()"
        return f"{site.name}(1 - noc_index)"

    def _with_other_operand(self, site: Site) -> str | None:
        """The call on the next other circular buffer or semaphore that the same function calls."""
        if site.operand is None:
            return None
        mine = self._operand(site)
        names = list(
            dict.fromkeys(self._operand(other) for other in self.sites if self._is_alike(site, other))
        )
        if len(names) < 2:
            return None
        begin, end = site.operand
        name = names[(names.index(mine) + 1) % len(names)]
        return self.text[site.start : begin] + name + self.text[end : site.end]

    def _operand(self, site: Site) -> str:
        begin, end = site.operand or (0, 0)
        return self.text[begin:end]

    def _is_alike(self, one: Site, other: Site) -> bool:
        same_kind = (one.family, one.on_object) == (other.family, other.on_object)
        return same_kind and other.operand is not None and self._function(one) == self._function(other)

    def _function(self, site: Site) -> int:
        """Where the function before a site's ends."""
        return self.text.rfind("\n}\n", 0, site.start)

    def _hands_over_next(self, index: int) -> bool:
        if index + 1 == len(self.sites):
            return False
        following = self.sites[index + 1]
        between = self.text[self.sites[index].end : following.start]
        return bool(re.fullmatch(r";\s*(//[^\n]*\s*)*", between) and HAND_OVER.search(following.name))

    def _use_just_before(self, site: Site) -> int | None:
        """Where the statement before a site starts, if it is a call that is no site itself."""
        statement = re.search(
            r"[;{}]\s*([A-Za-z_][\w.]*(<[^;{}]*>)?\([^;{}]*\));\s*$", self.text[: site.start]
        )
        if statement is None or any(s.start == statement.start(1) for s in self.sites):
            return None
        return statement.start(1)

    def _when(self, site: Site, kind: str) -> str:
        number = next(self.numbers)
        line = self.text.count("\n", 0, site.start)
        content = self.text.split("\n")[line].strip()
        self.mutants.append(Mutant(number, kind, self.path, line + 1, content))
        return f"mutant({number})"


def rewrite_tree(root: Path) -> list[Mutant]:
    """Put switches into every kernel and kernel header under `root`."""
    numbers = count(1)
    mutants = []
    for path in sorted([*root.rglob("*.cpp"), *root.rglob("*.h")]):
        rewriter = Rewriter(path, numbers)
        changed = rewriter.rewrite()
        path.write_text(changed, encoding="utf-8")
        mutants += rewriter.mutants
    return mutants
