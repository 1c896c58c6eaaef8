"""Graphs that DST has no room for are cut: a part is packed, and comes back when the rest needs it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tilesmith.errors import InternalFault
from tilesmith.passes.tiles.expression import LEAVES, Apply, Node, Reload, Spread
from tilesmith.passes.tiles.schedule import nodes_of, schedule


@dataclass(frozen=True)
class Spilled:
    """A graph that fits, and what its tile is packed for; None is the output itself."""

    root: Node
    into: Reload | None


def spill(root: Node, capacity: int) -> list[Spilled]:
    """The graph in rounds that fit, in the order they run."""
    rounds: list[Spilled] = []
    while schedule(root, capacity).slots > capacity:
        part = _largest_part(root, capacity)
        place = Reload()
        rounds.append(Spilled(part, place))
        root = _with(root, part, place, {})
    return [*rounds, Spilled(root, None)]


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
        args = tuple(_with(arg, part, place, done) for arg in node.args)
        if args == node.args:
            done[node] = node
        elif isinstance(node, Apply):
            done[node] = replace(node, inputs=args)
        else:
            assert isinstance(node, Spread)
            done[node] = replace(node, source=args[0])
    return done[node]
