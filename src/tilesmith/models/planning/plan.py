"""A graph with known shapes -> a plan."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.fuse_cache_updates import RESIDENT
from tilesmith.models.planning.dtypes import HALF
from tilesmith.models.planning.exactness import exact_values, precision_of
from tilesmith.models.planning.fusion import Group, fuse
from tilesmith.models.planning.hidden_nan import hidden_nan
from tilesmith.models.planning.lower_integers import is_integer_product, lower_integer_product
from tilesmith.models.planning.lower_moves import places_of
from tilesmith.models.planning.lower_quantized import quantised_values
from tilesmith.models.planning.lowering import Lowering
from tilesmith.models.planning.op_tables import VIEWS
from tilesmith.models.planning.partition import on_device, why_on_host
from tilesmith.models.planning.residents import commits_of, resident_views
from tilesmith.models.planning.selection import Selection, select, select_view
from tilesmith.models.planning.steps import Choice, Download, Given, Kept, Plan, Step


def plan(
    module: GraphModule,
    dtype: str = "bfloat16",
    fusing: bool = True,
    formats: bool = True,
    convolution: str = "direct",
    folds: bool = False,
    guards_nan: bool = False,
    cores: int = 0,
) -> Plan:
    """The steps that run a graph: kernels where there are any, the host for the rest.

    `formats` says whether tensors may lie in another format than their kernel computes in, `convolution`
    which form those of 3x3 windows take, `folds` whether images may come to the device folded. With
    `guards_nan` values are looked at whose NaN a later kernel would hide. `cores` are there to share tiles,
    if the target has any.
    """
    if dtype == "float16":
        dtype = _marked_half(module)
    constants = constants_of(module)
    residents = resident_views(module.graph, dtype)
    chosen = on_device(module.graph, constants, residents)
    stored = precision_of(module.graph, dtype)
    lowering = Lowering(
        stored,
        constants,
        places_of(module.graph.nodes),
        exact_values(module.graph),
        quantised_values(module.graph) if formats else frozenset(),
        formats,
        convolution,
        folds,
        cores,
    )
    lowering.device.update(residents)
    commits: list[Step] = []
    outputs: tuple[str | Given | Kept, ...] = ()
    choices: list[Choice] = []
    watched = hidden_nan(module.graph, constants) if guards_nan else set()
    for item in fuse(module.graph, chosen, fusing, watched):
        if isinstance(item, Group):
            choices += _emit(lowering, select(lowering, item))
            if watched.intersection(item.nodes):
                _watch(lowering, item)
        elif item.op == "output":
            results = item.args[0]
            assert isinstance(results, list | tuple)
            kept = {node.meta[RESIDENT]: Kept(node.name) for node in residents}
            for number, node in enumerate(results):
                if isinstance(node, Node) and number not in kept:
                    lowering.to_host(node)
            commits = commits_of(lowering, residents, results)
            outputs = tuple(kept.get(number, _output(one)) for number, one in enumerate(results))
        else:
            choices += _lower_node(lowering, item, chosen)
    return Plan(
        tuple(lowering.constant_steps),
        tuple(lowering.steps),
        outputs,
        lowering.added_constants,
        tuple(choices),
        {node.name: view for node, view in residents.items()},
        tuple(commits),
    )


def _watch(lowering: Lowering, group: Group) -> None:
    """Look at what a group stored before anything reads it."""
    for node in group.nodes:
        if node in lowering.device:
            lowering.steps.append(Download(node.name, lowering.device[node], finite=True))


def _output(result: Any) -> str | Given:
    return result.name if isinstance(result, Node) else Given(result)


def _marked_half(module: GraphModule) -> str:
    """Mark values of float16, and say what they are stored as."""
    for node in module.graph.nodes:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor) and value.dtype == torch.float16:
            node.meta[HALF] = True
    return "float32"


def constants_of(module: GraphModule) -> dict[Node, torch.Tensor]:
    """The tensors a graph carries with it, by node."""
    found = attributes_of(module).items()
    return {node: value for node, value in found if isinstance(value, torch.Tensor)}


def attributes_of(module: GraphModule) -> dict[Node, Any]:
    """All that a graph carries with it, by node: tensors, and graphs that control flow chooses between."""
    nodes = (node for node in module.graph.nodes if node.op == "get_attr")
    return {node: _attribute(module, str(node.target)) for node in nodes}


def _attribute(module: GraphModule, path: str) -> Any:
    value: Any = module
    for part in path.split("."):
        value = getattr(value, part)
    return value


def _emit(lowering: Lowering, selection: Selection) -> tuple[Choice, ...]:
    lowering.accept(selection.draft)
    return selection.choices


def _lower_node(lowering: Lowering, node: Node, chosen: set[Node]) -> tuple[Choice, ...]:
    """Views, and what no template does."""
    if node.op == "placeholder":
        if node not in lowering.device:
            lowering.host.add(node)
    elif node.op != "call_function":
        return ()
    elif node in chosen and not _is_lost(lowering, node):
        if VIEWS.get(node.target) != "split":
            return _emit(lowering, select_view(lowering, node))
    elif is_integer_product(node):
        lower_integer_product(lowering, node)
    else:
        reason = why_on_host(node, lowering.constants)
        lowering.call_host(node, reason)
        return (Choice((node.name,), "", (reason,)),)
    return ()


def _is_lost(lowering: Lowering, node: Node) -> bool:
    """Whether what a view looks at was left to the host after all."""
    source = node.args[0]
    assert isinstance(source, Node)
    if node.target is operator.getitem or VIEWS[node.target] == "split":
        source = source.args[0] if node.target is operator.getitem else source
    return source not in lowering.device
