"""Roles of all cores together: what a table has one row for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilesmith.profiling.model import ROLES, ProgramProfile, RoleProfile


@dataclass(frozen=True)
class RoleGroup:
    """One role of one kernel on all its cores. Shares are of the sum of their cycles."""

    kernel: str
    role: str
    members: Sequence[RoleProfile]

    @property
    def cores(self) -> int:
        return len(self.members)

    @property
    def cycles(self) -> int:
        return max(one.cycles for one in self.members)

    @property
    def total(self) -> int:
        return max(1, sum(one.cycles for one in self.members))

    @property
    def waiting(self) -> float:
        return sum(one.waited for one in self.members) / self.total

    @property
    def working(self) -> float:
        return sum(one.busy for one in self.members) / self.total


@dataclass(frozen=True)
class GroupWait:
    """The part of a group's time that went to waiting for one thing."""

    cause: str
    what: str
    share: float
    place: str


def role_groups(program: ProgramProfile) -> list[RoleGroup]:
    """In the order data passes: reader, unpack, math, pack, writer."""
    groups: dict[tuple[str, str], list[RoleProfile]] = {}
    for role in program.roles:
        groups.setdefault((role.kernel, role.role), []).append(role)
    result = [RoleGroup(kernel, role, members) for (kernel, role), members in groups.items()]
    return sorted(result, key=lambda one: ROLES.index(one.role))


def waits_of(group: RoleGroup) -> list[GroupWait]:
    """What its members waited for, the longest first; banks of DRAM count as one thing."""
    cycles: dict[tuple[str, str], int] = {}
    places: dict[tuple[str, str], tuple[int, str]] = {}
    for member in group.members:
        for wait in member.waits:
            key = (wait.cause, _merged(wait.what))
            cycles[key] = cycles.get(key, 0) + wait.cycles
            places[key] = max(places.get(key, (0, "")), (wait.cycles, wait.place))
    ordered = sorted(cycles.items(), key=lambda item: -item[1])
    return [GroupWait(*key, taken / group.total, places[key][1]) for key, taken in ordered]


def _merged(what: str) -> str:
    if what.startswith("DRAM bank"):
        return "DRAM"
    return "L1 of other cores" if what.startswith("the L1 of core") else what
