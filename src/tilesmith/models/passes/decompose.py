"""Decompositions: operators that no kernel does by itself, as others that kernels do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Node

from tilesmith.models.decompositions.average_pool import AVERAGES, can_average
from tilesmith.models.decompositions.backward import GRADIENTS, can_derive
from tilesmith.models.decompositions.concat import JOINS, can_join
from tilesmith.models.decompositions.convolution import CONVOLUTIONS, can_convolve
from tilesmith.models.decompositions.gather_scatter import GATHERS, can_gather
from tilesmith.models.decompositions.grid_sample import SAMPLINGS, can_sample
from tilesmith.models.decompositions.interpolate import RESAMPLINGS, can_resample
from tilesmith.models.decompositions.mixture_of_experts import EXPERTS, can_route
from tilesmith.models.decompositions.outer_products import OUTER_PRODUCTS, is_outer
from tilesmith.models.decompositions.reductions import SUMS, can_sum
from tilesmith.models.decompositions.scaled_products import SCALED, needs_other_form
from tilesmith.models.passes.edit import insert, replace, tidy
from tilesmith.models.passes.inline import expand
from tilesmith.models.planning.limits import note_limit

aten = torch.ops.aten


def decompose(module: GraphModule) -> None:
    """Padding, repetition, unusual forms of norms, sums and softmaxes, gather and scatter, other sizes."""
    while _decompose_once(module):
        pass
    tidy(module)


def _decompose_once(module: GraphModule) -> bool:
    """Whether anything was: a decomposition may need another. What depends on no input is folded instead."""
    changed = False
    live: set[Node] = set()
    for node in list(module.graph.nodes):
        if node.op == "placeholder" or any(source in live for source in node.all_input_nodes):
            live.add(node)
        if node.target is aten.max_pool2d_with_indices.default:
            _forget_indices(module, node)
            continue
        make = _decomposition(node) if node in live else None
        if make is not None and _is_real(node) and _can(node):
            note_limit(module, node)
            expand(module, node, make)
            changed = True
    return changed


def _forget_indices(module: GraphModule, node: Node) -> None:
    """A max pool where nobody asks which pixel it was; make_fx would put the indices back."""
    if any(user.args[1] != 0 for user in node.users):
        return
    pooled = insert(module, node, aten.max_pool2d.default, node.args)
    for user in list(node.users):
        replace(module, user, pooled)
    module.graph.erase_node(node)


def _decomposition(node: Node) -> Callable[..., Any] | None:
    if node.op != "call_function":
        return None
    return DECOMPOSITIONS.get(node.target) or EXPERTS.get(_name(node))


def _name(node: Node) -> str:
    schema = getattr(node.target, "_schema", None)
    return "" if schema is None else str(schema.name)


def _is_real(node: Node) -> bool:
    """Whether a node computes with real numbers: whole numbers of the host stay there."""
    source = node.args[0] if node.args else None
    value = source.meta.get("val") if isinstance(source, Node) else None
    if not isinstance(value, Tensor) or value.dtype == torch.float64:
        return False
    return value.dtype.is_floating_point and value.numel() > 0


def _can(node: Node) -> bool:
    """Whether the arguments of a call are among those its decomposition can do."""
    args: Any = node.args
    if node.target in SCALED:
        return needs_other_form(node)
    if node.target in GRADIENTS:
        return can_derive(node.target, args)
    if node.target in JOINS:
        return can_join(node.target, args)
    if node.target in GATHERS:
        return can_gather(node.target, args)
    if _name(node) in EXPERTS:
        return can_route(_name(node), args)
    if node.target in SUMS:
        return can_sum(node.target, args)
    if node.target in RESAMPLINGS:
        return can_resample(node.target, args)
    if node.target in CONVOLUTIONS:
        return can_convolve(node.target, args)
    if node.target in SAMPLINGS:
        return can_sample(node.target, args)
    if node.target in OUTER_PRODUCTS:
        return is_outer(args)
    if node.target in AVERAGES:
        return can_average(node.target, args)
    return True


def _padded(x: Tensor, sizes: Sequence[int], value: float = 0.0) -> Tensor:
    """Constants before and after, dimension by dimension from the last on; less than none cuts off."""
    for number in range(len(sizes) // 2):
        dim = x.dim() - 1 - number
        cut = [max(0, -size) for size in sizes[2 * number : 2 * number + 2]]
        x = x.narrow(dim, cut[0], x.shape[dim] - sum(cut)) if any(cut) else x
        pieces = [x]
        for count, place in ((sizes[2 * number], 0), (sizes[2 * number + 1], 2)):
            if count > 0:
                shape = list(x.shape)
                shape[dim] = count
                pieces.insert(place, torch.full(shape, value, dtype=x.dtype, device=x.device))
        x = torch.cat(pieces, dim) if len(pieces) > 1 else x
    return x.clone()


def _repeated(x: Tensor, times: Sequence[int]) -> Tensor:
    shape = [1] * (len(times) - x.dim()) + list(x.shape)
    unit = [size for pair in zip([1] * len(shape), shape, strict=True) for size in pair]
    wide = [size for pair in zip(times, shape, strict=True) for size in pair]
    whole = [count * size for count, size in zip(times, shape, strict=True)]
    return x.reshape(unit).expand(wide).reshape(whole)


DECOMPOSITIONS: dict[Any, Callable[..., Any]] = {
    **GRADIENTS,
    **JOINS,
    **GATHERS,
    **SUMS,
    **RESAMPLINGS,
    aten.constant_pad_nd.default: _padded,
    aten.repeat.default: _repeated,
    **AVERAGES,
    **CONVOLUTIONS,
    **SAMPLINGS,
    **SCALED,
    **OUTER_PRODUCTS,
}
