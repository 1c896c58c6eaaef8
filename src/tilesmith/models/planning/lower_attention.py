"""Attention -> a launch: heads by themselves, or single queries of several heads as rows of one tile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch.fx import Node

from tilesmith.kernels.attention import Attention
from tilesmith.kernels.expression import Input
from tilesmith.kernels.operands import Access, Operand
from tilesmith.kernels.packed_attention import PackedAttention
from tilesmith.models.decompositions.scaled_products import drops, has_kernel_form
from tilesmith.models.planning.dtypes import IN_ROWS
from tilesmith.models.planning.epilogue import finish
from tilesmith.models.planning.fusion import Group, args_of, describe, shape_of
from tilesmith.models.planning.iteration_space import Placed, block_rows, unjoined
from tilesmith.models.planning.lower_split_attention import lower_split, parts_of_keys
from tilesmith.models.planning.lowering import Lowering, NoKernel, new_view, size_numbers
from tilesmith.models.planning.views import TILE, View, fresh, fresh_heads, padded
from tilesmith.runtime import Layout

# Scores of so many keys are kept for the rows of a tile.
_KEYS_AT_ONCE = 512
# What a softmax over the rows of a tile takes, in reads of the keys and values of a head.
_SOFTMAX = 1.5


def lower_attention(lowering: Lowering, group: Group) -> View:
    node = group.anchors[0]
    if drops(node):
        raise NoKernel("attention that drops weights by chance")
    if not has_kernel_form(node):
        raise NoKernel("attention over other shapes than (batch, head, row, column) of one batch")
    usual: list[Any] = [None, 0.0, False]
    q, k, v, mask, _, causal = [*args_of(node), *usual[len(node.args) - 3 :]]
    given: Any = node.kwargs.get("scale")
    scale = shape_of(q)[-1] ** -0.5 if given is None else given
    packs = packed_heads(lowering, group)
    if packs > 1:
        return _lower_packed(lowering, group, packs, float(scale))
    batch, heads, rows, width = shape_of(q)
    keys, value_width = shape_of(k)[-2], shape_of(v)[-1]
    shared = shape_of(k)[1]
    optional: dict[str, Any] = {}
    operands = {
        name: lowering.placed(operand, shape_of(operand), "block", rows_too=False, dtype=lowering.dtype)
        for name, operand in zip("qkv", (q, k, v), strict=True)
    }
    if mask is not None:
        operands["mask"] = _mask(lowering, mask, (batch, heads, rows, keys))
        optional["mask"] = Operand("mask", operands["mask"].access, operands["mask"].view.storage.dtype)
    done = finish(lowering, group, {node: Input("acc0")}, out=_heads(lowering, node))
    template = Attention(
        padded(width),
        padded(value_width),
        float(scale),
        done.epilogue,
        causal=bool(causal),
        group=heads // shared,
        dtype=operands["q"].view.storage.dtype,
        **optional,
    )
    parts = parts_of_keys(template, rows, batch * heads, keys, lowering.cores)
    if parts > 1:
        return lower_split(lowering, group, template, operands, done, parts)
    operands |= done.operands
    room = unjoined((batch, heads, rows, value_width), operands)
    template = replace(template, block=(block_rows(room, 64, rows), TILE))
    numbers = {**size_numbers(room), "n": keys, **room.numbers}
    lowering.launch(
        template,
        {name: one.view.storage for name, one in operands.items()},
        numbers,
        describe(group),
        done.out,
    )
    return done.out


def _heads(lowering: Lowering, node: Node) -> View | None:
    """Room for what attention makes: heads side by side where they are whole tiles."""
    if shape_of(node)[-1] % TILE:
        return None
    if node.meta.get(IN_ROWS):
        return fresh(shape_of(node), lowering.dtype, Layout.ROW_MAJOR)
    return fresh_heads(shape_of(node), lowering.dtype)


def _mask(lowering: Lowering, node: Node, shape: tuple[int, ...]) -> Placed:
    """What is added to the scores; truth values say what is seen."""
    if node.meta["val"].dtype == torch.bool:
        lowering.to_host(node)
        access: Access = "row" if (1, *shape_of(node))[-2] == 1 else "block"
        view = lowering.uploaded(
            node,
            f"additive {access}",
            lambda: new_view(shape_of(node), access, lowering.dtype),
            additive=True,
        )
        return Placed(access, view.expand(shape))
    return lowering.placed(node, shape, rows_too=False)


# ---- single queries ----


def packed_heads(lowering: Lowering, group: Group) -> int:
    """How many heads of keys a core should take at once, each with few queries, as rows of one tile."""
    node = group.anchors[0]
    q, k, v, *rest = args_of(node)
    mask = rest[0] if rest else None
    causal = len(rest) > 2 and bool(rest[2])
    batch, heads, rows, _ = shape_of(q)
    keys, value_width = shape_of(k)[-2], shape_of(v)[-1]
    few = bool(node.meta.get(IN_ROWS)) and shape_of(k)[1] == heads and not causal and not group.after
    one_mask = mask is None or (1, 1, 1, *shape_of(mask))[-3:-1] == (1, 1)
    held = padded(keys) <= _KEYS_AT_ONCE and value_width % TILE == 0 and q in lowering.device
    if not (lowering.cores and few and one_mask and held):
        return 1
    shares = [share for share in range(2, heads + 1) if heads % share == 0 and share * rows <= TILE]
    return min(
        (1, *shares),
        key=lambda share: (_turns(batch * heads // share, lowering.cores) * (share + _SOFTMAX), share),
    )


def _turns(units: int, cores: int) -> int:
    return -(-units // cores)


def _lower_packed(lowering: Lowering, group: Group, packs: int, scale: float) -> View:
    """Attention whose queries are few for each head: a tile has those of `packs` heads."""
    node = group.anchors[0]
    q, k, v, *rest = args_of(node)
    batch, heads, rows, width = shape_of(q)
    keys, value_width = shape_of(k)[-2], shape_of(v)[-1]
    packed = (batch, heads // packs, packs * rows)
    queries = lowering.gathered(q, (*packed, width), "block", lowering.dtype)
    operands = {"q": Placed("block", queries)}
    for name, operand in (("k", k), ("v", v)):
        shape = shape_of(operand)
        operands[name] = lowering.placed(operand, shape, "block", rows_too=False, dtype=lowering.dtype)
    optional: dict[str, Any] = {}
    if rest and rest[0] is not None:
        operands["mask"] = _mask(lowering, rest[0], (*packed, keys))
        optional["mask"] = Operand("mask", operands["mask"].access, operands["mask"].view.storage.dtype)
    done = finish(lowering, group, {node: Input("acc0")}, out=_heads(lowering, node))
    stored = done.out.reshape((*packed, value_width))
    assert stored is not None  # in rows, one after another
    operands["y"] = Placed("rows", stored)
    template = PackedAttention(
        padded(width),
        value_width,
        scale,
        replace(done.epilogue, mask_rows=False),
        packs,
        rows,
        keys=padded(keys),
        whole=keys % TILE == 0,
        dtype=queries.storage.dtype,
        **optional,
    )
    room = unjoined((*packed, value_width), operands)
    numbers = {**size_numbers(room), "n": keys, **room.numbers}
    storages = {name: one.view.storage for name, one in operands.items()}
    lowering.launch(template, storages, numbers, describe(group), done.out)
    return done.out
