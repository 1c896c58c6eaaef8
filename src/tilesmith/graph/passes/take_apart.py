"""Operators that no kernel does by itself, as others that kernels do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Node

from tilesmith.graph.passes.edit import tidy
from tilesmith.graph.passes.expand import expand

aten = torch.ops.aten


def take_apart(module: GraphModule) -> None:
    """Padding, repetition, norms of vectors, convolutions along a line, rows picked by number."""
    for node in list(module.graph.nodes):
        make = _PARTS.get(node.target) if node.op == "call_function" else None
        if make is not None and _is_real(node) and _can(node):
            expand(module, node, make)
    tidy(module)


def _is_real(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, Tensor) and value.dtype.is_floating_point and value.numel() > 0


def _can(node: Node) -> bool:
    """Whether the arguments of a call are among those its parts can do."""
    args: Any = node.args
    if node.target is aten.index.Tensor:
        return _picks_rows(args[0], args[1])
    if node.target is aten.linalg_vector_norm.default:
        return len(args) < 2 or args[1] == 2
    if node.target is aten.constant_pad_nd.default:
        return bool(min(args[1]) >= 0 and max(args[1]) > 0)
    return True


def _picks_rows(table: Node, picks: Any) -> bool:
    """Whether whole rows of a matrix are picked by number."""
    if len(picks) != 1 or table.meta["val"].dim() != 2:
        return False
    kind = picks[0].meta["val"].dtype
    return not kind.is_floating_point and kind != torch.bool


def _padded(x: Tensor, sizes: Sequence[int], value: float = 0.0) -> Tensor:
    """Constants before and after, dimension by dimension from the last on."""
    for number in range(len(sizes) // 2):
        dim = x.dim() - 1 - number
        parts = [x]
        for count, place in ((sizes[2 * number], 0), (sizes[2 * number + 1], 2)):
            if count:
                shape = list(x.shape)
                shape[dim] = count
                parts.insert(place, torch.full(shape, value, dtype=x.dtype, device=x.device))
        x = torch.cat(parts, dim) if len(parts) > 1 else x
    return x


def _repeated(x: Tensor, times: Sequence[int]) -> Tensor:
    shape = [1] * (len(times) - x.dim()) + list(x.shape)
    apart = [size for pair in zip([1] * len(shape), shape, strict=True) for size in pair]
    wide = [size for pair in zip(times, shape, strict=True) for size in pair]
    whole = [count * size for count, size in zip(times, shape, strict=True)]
    return x.reshape(apart).expand(wide).reshape(whole)


def _vector_norm(x: Tensor, _order: float = 2, dim: Any = None, keepdim: bool = False, **_: Any) -> Tensor:
    dims = list(range(x.dim())) if dim is None else dim
    return (x * x).sum(dims, keepdim=keepdim).sqrt()


def _along_a_line(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """A convolution over one dimension is one over images of one line."""
    stride, padding, dilation = (_one(value) for value in (stride, padding, dilation))
    geometry = ([1, stride], [0, padding], [1, dilation], False, [0, 0], groups)
    made: Tensor = aten.convolution(x.unsqueeze(2), weight.unsqueeze(2), bias, *geometry)
    return made.squeeze(2)


def _one(value: Any) -> int:
    return int(value[0]) if isinstance(value, list | tuple) else int(value)


def _picked(table: Tensor, picks: Sequence[Tensor]) -> Tensor:
    """Rows of a table; numbers below zero count from its end."""
    rows = torch.where(picks[0] < 0, picks[0] + table.shape[0], picks[0])
    return aten.embedding(table, rows)  # type: ignore[no-any-return]


_PARTS: dict[Any, Callable[..., Any]] = {
    aten.constant_pad_nd.default: _padded,
    aten.repeat.default: _repeated,
    aten.linalg_vector_norm.default: _vector_norm,
    aten.conv1d.default: _along_a_line,
    aten.index.Tensor: _picked,
}
