"""Which operators become one kernel: greedy fusion of elementwise work into what produces its input."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import Graph, Node

from tilesmith.models.planning.op_tables import ANCHORS, MOVES, PROLOGUE, REDUCTIONS, VIEWS
from tilesmith.models.planning.pointwise import is_pointwise

aten = torch.ops.aten

MOST_TENSORS = 20
"""How many tensors one kernel reads at most. Each takes a circular buffer, of which a core has 32, and up to
nine of its 341 runtime arguments; what a template computes with takes up to ten buffers more."""


@dataclass(eq=False)
class Group:
    """Nodes that one kernel computes. `anchors` do the main work; the others are elementwise, in order.

    `spreads` says that what is repeated along some dimensions is copied out first.
    """

    anchors: list[Node] = field(default_factory=list)
    before: list[Node] = field(default_factory=list)
    after: list[Node] = field(default_factory=list)
    spreads: bool = False

    @property
    def output(self) -> Node:
        return self.after[-1] if self.after else self.anchors[-1]

    @property
    def takes_tensors(self) -> bool:
        """Whether what follows the main work may read further tensors."""
        return not any(anchor.target in REDUCTIONS for anchor in self.anchors)

    @property
    def nodes(self) -> list[Node]:
        return [*self.before, *self.anchors, *self.after]


def inputs_of(node: Node) -> list[Node]:
    """The tensors a node reads."""
    return list(node.all_input_nodes)


def args_of(node: Node) -> list[Any]:
    """The positional arguments of a node: what each is, its operator says."""
    return list(node.args)


def shape_of(node: Node) -> tuple[int, ...]:
    return tuple(int(size) for size in node.meta["val"].shape)


def fuse(
    graph: Graph, on_device: set[Node], fusing: bool = True, watched: Set[Node] = frozenset()
) -> list[Group | Node]:
    """The kernels of a graph in an order they can run, among the nodes that are none (views, host work).

    What is `watched` is stored before anything is summed up from it.
    """
    fusion = _Fusion(on_device, fusing, watched)
    for node in graph.nodes:
        fusion.visit(node)
    return list(fusion.ordered())


class _Fusion:
    def __init__(self, on_device: set[Node], fusing: bool, watched: Set[Node]) -> None:
        self.on_device = on_device
        self.fusing = fusing
        self.watched = watched
        self.group_of: dict[Node, Group] = {}
        self.order: dict[Node, int] = {}

    def visit(self, node: Node) -> None:
        self.order[node] = len(self.order)
        if node not in self.on_device or node.target in VIEWS:
            return
        if is_pointwise(node):
            self._visit_pointwise(node)
        elif node.target in ANCHORS:
            group = self.group_of[node] = Group(anchors=[node])
            if node.target in PROLOGUE:
                self._absorb_prologue(node, group)

    def _visit_pointwise(self, node: Node) -> None:
        mergeable = list(self._producers(node)) if self.fusing else []
        anchored = [one for one in mergeable if self.group_of[one].anchors]
        host = self._pair(anchored) or (anchored[-1:] if anchored else [])
        plain = [one for one in mergeable if not self.group_of[one].anchors]
        group = Group(after=[node])
        for joining in (host, *([one] for one in plain)):
            parts = [self.group_of[one] for one in joining]
            if not _fits(group, parts):
                continue
            for part in parts:
                group.before += part.before
                group.anchors += part.anchors
                group.after += part.after
        group.after = sorted(set(group.after), key=self.order.__getitem__)
        for member in group.nodes:
            self.group_of[member] = group

    def _producers(self, node: Node) -> Iterator[Node]:
        """Inputs whose kernel may do this node's work too: of its shape, and needed by no one else."""
        for source in dict.fromkeys(inputs_of(node)):
            group = self.group_of.get(source)
            if (
                group is not None
                and group.output is source
                and len(source.users) == 1
                and shape_of(source) == shape_of(node)
                and not any(anchor.target in MOVES for anchor in group.anchors)
                and (group.takes_tensors or len(inputs_of(node)) == 1)
            ):
                yield source

    def _pair(self, anchored: list[Node]) -> list[Node]:
        """Two products of the same rows become one kernel with two accumulators, as in gated units."""
        if len(anchored) != 2:
            return []
        first, second = (self.group_of[one].anchors for one in anchored)
        if len(first) != 1 or len(second) != 1 or first[0].target is not second[0].target:
            return []
        same = first[0].target is aten.linear.default and first[0].args[0] is second[0].args[0]
        return anchored if same and shape_of(first[0]) == shape_of(second[0]) else []

    def _absorb_prologue(self, node: Node, group: Group) -> None:
        source = node.args[0]
        if not self.fusing or not isinstance(source, Node):
            return
        producer = self.group_of.get(source)
        if producer is None or producer.anchors or not self.watched.isdisjoint(producer.after):
            return
        if len(source.users) == 1:
            group.before = producer.after
            for member in group.nodes:
                self.group_of[member] = group

    def ordered(self) -> Iterator[Group | Node]:
        """A group runs where its last node stands."""
        for node in self.order:
            group = self.group_of.get(node)
            if group is None:
                yield node
            elif group.output is node:
                yield group


def _fits(group: Group, parts: list[Group]) -> bool:
    """Whether one kernel can read all that these would read."""
    nodes = {node for part in (group, *parts) for node in part.nodes}
    return len({source for node in nodes for source in inputs_of(node)} - nodes) <= MOST_TENSORS


def describe(group: Group) -> tuple[str, ...]:
    """The operators of a group, as the report names them."""
    return tuple(operator_name(node) for node in group.nodes)


def operator_name(node: Node) -> str:
    target: Any = node.target
    name = str(getattr(target, "_schema", target)).split("(")[0]
    return name.replace("aten::", "").split(".")[0]
