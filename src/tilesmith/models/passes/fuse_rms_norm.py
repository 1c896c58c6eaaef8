"""x * rsqrt(mean(x^2) + eps) * weight becomes rms_norm."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, tidy, value_of
from tilesmith.models.passes.match import factors, is_call, terms, uncast, with_number

aten = torch.ops.aten


def fuse_rms_norm(module: GraphModule) -> None:
    """Find norms by their reciprocal root, with or without a weight after them."""
    for node in list(module.graph.nodes):
        found = _normalised(node)
        if found is None:
            continue
        source, epsilon = found
        scaled = next((user for user in _past_casts(node) if _weight(user, node) is not None), None)
        weight = _weight(scaled, node) if scaled is not None else None
        end = scaled if scaled is not None else node
        width = [int(value_of(source).shape[-1])]
        whole = insert(module, end, aten.rms_norm.default, (source, width, weight, epsilon))
        if value_of(whole).dtype != value_of(end).dtype:
            whole = insert(module, end, aten._to_copy.default, (whole,), {"dtype": value_of(end).dtype})
        end.replace_all_uses_with(whole)
    tidy(module)


def _normalised(node: Any) -> tuple[Node, float] | None:
    for source, root in _both_ways(factors(node)):
        if not is_call(root, aten.rsqrt.default):
            continue
        inside = with_number(terms(root.args[0]))
        if inside is None or not is_call(inside[0], aten.mean.dim):
            continue
        mean = inside[0]
        dims = mean.args[1]
        if list(dims) != [-1] or mean.args[2:3] != (True,):
            continue
        if uncast(_squared(mean.args[0])) is uncast(source):
            return uncast(source), inside[1]
    return None


def _squared(node: Any) -> Any:
    if is_call(node, aten.pow.Tensor_Scalar) and node.args[1] == 2:
        return node.args[0]
    pair = factors(node)
    return pair[0] if pair is not None and pair[0] is pair[1] else None


def _both_ways(pair: tuple[Any, Any] | None) -> tuple[tuple[Any, Any], ...]:
    return () if pair is None else (pair, pair[::-1])


def _past_casts(node: Node) -> list[Node]:
    users = list(node.users)
    if len(users) == 1 and is_call(users[0], aten._to_copy.default):
        return list(users[0].users)
    return users if len(users) == 1 else []


def _weight(user: Any, norm: Node) -> Node | None:
    for weight, value in _both_ways(factors(user)):
        if uncast(value) is norm and isinstance(weight, Node) and weight.op in ("get_attr", "placeholder"):
            return weight if value_of(weight).shape == value_of(norm).shape[-1:] else None
    return None
