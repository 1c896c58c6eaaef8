"""Collectives over the chips of a mesh whose operand and result stay on the device.

A plan brings the operand of a collective to the host and its result back. Where nothing else wants either
there, and both are whole tiles that chips can move from the one to the other, they stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.fx import Graph, Node

from tilesmith.models.backends.memory import touched
from tilesmith.models.backends.mesh_layouts import Ways, is_view, ways_of
from tilesmith.models.planning.steps import Download, HostCall, Launch, Plan, Step, Upload

Nodes = Mapping[str, Node]

OPERATIONS = ("all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all_single")


@dataclass(frozen=True)
class MeshCollective:
    """A collective of a group of ranks, from the view of a download to that of an upload.

    Its result goes through `views` before it is uploaded. `ways` are the dimensions of the two matrices along
    which parts lie. `steps` of the plan are what it stands for.
    """

    operation: str
    group: str
    ranks: int
    download: Download
    wait: HostCall
    views: tuple[HostCall, ...]
    upload: Upload
    shape: tuple[int, ...]
    dtype: torch.dtype
    ways: Ways

    @property
    def steps(self) -> int:
        return 4 + len(self.views)


def uploads_behind_waits(plan: Plan, graph: Graph) -> Plan:
    """The same plan with what a collective gives uploaded at once, before other steps come between."""
    nodes = {node.name: node for node in graph.nodes}
    steps = list(plan.steps)
    for step in plan.steps:
        if not isinstance(step, HostCall) or _name(nodes[step.node]) != "wait_tensor":
            continue
        chain = _behind(step, steps, nodes)
        if not chain:
            continue
        at = steps.index(step) + 1
        last = steps.index(chain[-1])
        between = {storage for one in steps[at:last] for storage in touched(one)}
        if between.isdisjoint(touched(chain[-1])):
            rest = [one for one in steps[at:] if not any(one is link for link in chain)]
            steps = [*steps[:at], *chain, *rest]
    return replace(plan, steps=tuple(steps))


def _behind(wait: HostCall, steps: list[Step], nodes: Nodes) -> list[Step]:
    """What only looks at a result in other ways, and the one upload of it; empty if there is more to it."""
    chain: list[Step] = []
    name = wait.node
    while True:
        readers = [step for step in steps if name in _reads(step, nodes)]
        if len(readers) != 1:
            return []
        (reader,) = readers
        chain.append(reader)
        if isinstance(reader, Upload):
            return chain
        if not isinstance(reader, HostCall) or not is_view(nodes[reader.node]):
            return []
        name = reader.node


def mesh_collectives(plan: Plan, graph: Graph) -> dict[int, MeshCollective]:
    """The collectives of a plan that chips can do by themselves, by the number of their first step."""
    nodes = {node.name: node for node in graph.nodes}
    found = {}
    for at, step in enumerate(plan.steps):
        if not isinstance(step, Download):
            continue
        collective = _collective_at(plan.steps[at:], nodes)
        if collective is None:
            continue
        inside = plan.steps[at : at + collective.steps]
        others = (*plan.steps[:at], *plan.steps[at + collective.steps :], *plan.commits)
        names = {one.node for one in inside if not isinstance(one, Launch)}
        outputs = {out for out in plan.outputs if isinstance(out, str)}
        if not names & (outputs.union(*(_reads(one, nodes) for one in others))):
            found[at] = collective
    return found


def _collective_at(steps: tuple[Step, ...], nodes: Nodes) -> MeshCollective | None:
    """The collective whose operand the first step downloads."""
    if len(steps) < 4:
        return None
    download, called, waiting = steps[:3]
    if not isinstance(download, Download) or download.finite:
        return None
    if not (isinstance(called, HostCall) and isinstance(waiting, HostCall)):
        return None
    call, wait = nodes[called.node], nodes[waiting.node]
    if call.all_input_nodes != [nodes[download.node]] or wait.all_input_nodes != [call]:
        return None
    if _name(call) not in OPERATIONS or _name(wait) != "wait_tensor":
        return None
    chain = _chain(steps[3:], wait, nodes)
    ranks = _ranks(call)
    if chain is None or ranks is None:
        return None
    *views, upload = chain
    looked = [nodes[view.node] for view in views]
    ways = ways_of(_name(call), ranks, download.view, looked, upload.view)
    if ways is None:
        return None
    value = call.meta["val"]
    shape = tuple(value.shape)
    group = str(call.args[-1])
    return MeshCollective(
        _name(call), group, ranks, download, waiting, tuple(views), upload, shape, value.dtype, ways
    )


def _chain(steps: Iterable[Step], wait: Node, nodes: Nodes) -> Any:
    """The views of a result and its upload, which follow at once; None if something else does."""
    chain: list[Step] = []
    name = wait.name
    for step in steps:
        if name not in _reads(step, nodes):
            return None
        chain.append(step)
        if isinstance(step, Upload):
            plain = not step.additive and not step.one_hot and step.below is None
            return chain if plain else None
        if not isinstance(step, HostCall) or not is_view(nodes[step.node]):
            return None
        name = step.node
    return None


def _ranks(call: Node) -> int | None:
    """How many ranks take part, 0 where it does not matter; None if chips cannot do what is asked."""
    args: Any = call.args
    if _name(call) == "all_reduce":
        return 0 if args[1] == "sum" else None
    if _name(call) == "all_gather_into_tensor":
        return int(args[1])
    if _name(call) == "reduce_scatter_tensor":
        return int(args[2]) if args[1] == "sum" else None
    sizes = [*args[1], *args[2]]
    even = bool(sizes) and len(args[1]) == len(args[2]) and len(set(sizes)) == 1
    return len(args[1]) if even and isinstance(sizes[0], int) else None


def _name(node: Node) -> str:
    return str(getattr(node.target, "_opname", ""))


def _reads(step: Step, nodes: Nodes) -> set[str]:
    """What a step reads on the host."""
    if isinstance(step, HostCall):
        return {source.name for source in nodes[step.node].all_input_nodes}
    if isinstance(step, Upload):
        return {step.node}
    return {step.cursor} if isinstance(step, Launch) and step.cursor else set()
