"""Sums over the chips of a mesh whose operand and result stay on the device.

A plan brings the operand of a collective to the host and its result back. Where nothing else wants either
there, and both lie alike, the chips sum from one tensor into the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod

import torch
from torch.fx import Graph, Node

from tilesmith.models.backends.memory import touched
from tilesmith.models.planning.steps import Download, HostCall, Launch, Plan, Step, Upload
from tilesmith.models.planning.views import TILE, View
from tilesmith.runtime import Layout

_SUMMED = ("bfloat16", "float32")
STEPS = 4
"""Of a plan, that a sum stands for: download, all_reduce, wait_tensor, upload."""


@dataclass(frozen=True)
class MeshSum:
    """An all_reduce of a group of ranks, from the view of a download to that of an upload."""

    download: Download
    upload: Upload
    group: str
    shape: tuple[int, ...]
    dtype: torch.dtype


def uploads_behind_waits(plan: Plan, graph: Graph) -> Plan:
    """The same plan with what a collective gives uploaded at once, before other steps come between."""
    nodes = {node.name: node for node in graph.nodes}
    steps = list(plan.steps)
    for step in plan.steps:
        if not isinstance(step, HostCall) or getattr(nodes[step.node].target, "_opname", "") != "wait_tensor":
            continue
        at = steps.index(step) + 1
        uploads = [n for n, one in enumerate(steps) if isinstance(one, Upload) and one.node == step.node]
        if len(uploads) == 1 and uploads[0] > at:
            upload = steps[uploads[0]]
            between = {storage for one in steps[at : uploads[0]] for storage in touched(one)}
            if between.isdisjoint(touched(upload)):
                steps.insert(at, steps.pop(uploads[0]))
    return replace(plan, steps=tuple(steps))


def mesh_sums(plan: Plan, graph: Graph) -> dict[int, MeshSum]:
    """The sums of a plan, by the number of their first step."""
    nodes = {node.name: node for node in graph.nodes}
    found = {}
    for at in range(len(plan.steps) - STEPS + 1):
        summed = _sum_of(plan.steps[at : at + STEPS], nodes)
        if summed is not None:
            others = (*plan.steps[:at], *plan.steps[at + STEPS :], *plan.commits)
            names = {step.node for step in plan.steps[at : at + STEPS] if not isinstance(step, Launch)}
            if not names & (_wanted(others, nodes) | {out for out in plan.outputs if isinstance(out, str)}):
                found[at] = summed
    return found


def _sum_of(steps: tuple[Step, ...], nodes: dict[str, Node]) -> MeshSum | None:
    download, call, wait, upload = steps
    if not (isinstance(download, Download) and isinstance(upload, Upload)) or download.finite:
        return None
    if not (isinstance(call, HostCall) and isinstance(wait, HostCall)):
        return None
    summing, waiting = nodes[call.node], nodes[wait.node]
    names = [getattr(node.target, "_opname", "") for node in (summing, waiting)]
    if names != ["all_reduce", "wait_tensor"] or summing.args[1] != "sum":
        return None
    chain = [nodes[download.node]], [summing]
    if (summing.all_input_nodes, waiting.all_input_nodes) != chain or upload.node != wait.node:
        return None
    if (
        not _alike(download.view, upload.view)
        or upload.additive
        or upload.one_hot
        or upload.below is not None
    ):
        return None
    value = summing.meta["val"]
    return MeshSum(download, upload, str(summing.args[2]), tuple(value.shape), value.dtype)


def _alike(source: View, target: View) -> bool:
    """Whether the same elements lie in the same places of whole tiles, and nothing lies beside them."""
    first, second = source.storage, target.storage
    same = (source.axes, source.row, source.col) == (target.axes, target.row, target.col)
    same &= (first.rows, first.cols, first.format) == (second.rows, second.cols, second.format)
    tiles = first.layout is Layout.TILE is second.layout and first.rows % TILE == first.cols % TILE == 0
    whole = prod(source.shape) == first.rows * first.cols and first.dtype in _SUMMED
    return same and tiles and whole


def _wanted(steps: Iterable[Step], nodes: dict[str, Node]) -> set[str]:
    """What steps read on the host."""
    wanted: set[str] = set()
    for step in steps:
        if isinstance(step, HostCall):
            wanted |= {source.name for source in nodes[step.node].all_input_nodes}
        elif isinstance(step, Upload):
            wanted.add(step.node)
        elif isinstance(step, Launch) and step.cursor:
            wanted.add(step.cursor)
    return wanted
