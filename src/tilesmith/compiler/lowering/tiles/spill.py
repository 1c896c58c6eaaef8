"""Graphs that DST has no room for are cut: a part is packed, and comes back when the rest needs it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tilesmith.compiler.lowering.tiles.expression import LEAVES, Node, Reload, with_args
from tilesmith.compiler.lowering.tiles.schedule import Schedule, nodes_of, schedule
from tilesmith.errors import InternalFault


@dataclass(frozen=True)
class Section:
    """What one acquire/release section of DST computes, and what it packs its tile for; None is the output.

    `last_used` are the packed parts that no later section needs.
    """

    root: Node
    plan: Schedule
    into: Reload | None
    last_used: tuple[Reload, ...] = ()


def sections_of(root: Node, capacity: int) -> list[Section]:
    """The graph in acquire/release sections that fit, in the order they run.

    >>> from tilesmith.compiler.lowering.tiles.expression import Apply, Load
    >>> products = (Apply("mul", (Load(0), Load(1))), Apply("mul", (Load(2), Load(3))))
    >>> deep = Apply("add", products)
    >>> [one.plan.slots for one in sections_of(deep, 4)], [one.plan.slots for one in sections_of(deep, 2)]
    ([3], [2, 2])
    """
    sections: list[Section] = []
    while (plan := schedule(root, capacity)).slots > capacity:
        part = _largest_part(root, capacity)
        place = Reload()
        sections.append(Section(part, schedule(part, capacity), place))
        root = _with(root, part, place, {})
    return _with_last_uses([*sections, Section(root, plan, None)])


def _with_last_uses(sections: list[Section]) -> list[Section]:
    last: dict[Reload, int] = {}
    for at, section in enumerate(sections):
        last |= {node: at for node in nodes_of(section.root) if isinstance(node, Reload)}
    return [
        replace(section, last_used=tuple(part for part, user in last.items() if user == at))
        for at, section in enumerate(sections)
    ]


def _largest_part(root: Node, capacity: int) -> Node:
    fitting = [
        node
        for node in nodes_of(root)
        if node is not root and not isinstance(node, LEAVES) and schedule(node, capacity).slots <= capacity
    ]
    if not fitting:
        raise InternalFault(f"no part of an expression fits {capacity} slots")
    return max(fitting, key=lambda node: (schedule(node, capacity).slots, len(nodes_of(node))))


def _with(node: Node, part: Node, place: Node, done: dict[Node, Node]) -> Node:
    """The graph with a part replaced wherever it is used."""
    if node is part:
        return place
    if node not in done:
        done[node] = with_args(node, tuple(_with(arg, part, place, done) for arg in node.args))
    return done[node]
