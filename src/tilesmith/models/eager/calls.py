"""An ATen call on values of the device: as a program where it computes with real numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
from torch.utils import _pytree as pytree

from tilesmith.models.single_op import run_single

aten = torch.ops.aten

calls: Counter[tuple[str, str]] = Counter()
"""How often each operator ran, and where: ("aten::mm", "device") or ("aten::sort", "host")."""

# What moves values, draws them anew or looks at one of them computes nothing.
_FOR_HOST = {
    *(aten.copy_.default, aten._local_scalar_dense.default, aten.clone.default, aten._to_copy.default),
    *(aten.empty_like.default, aten.zeros_like.default, aten.ones_like.default, aten.full_like.default),
    *(aten.rand_like.default, aten.randn_like.default, aten.bernoulli.p, aten.is_same_size.default),
    *(aten.new_empty.default, aten.new_zeros.default, aten.new_ones.default, aten.new_full.default),
    *(aten.new_empty_strided.default, aten.equal.default),
}


def call(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run an operator on what tensors of the device hold; what it changes is changed."""
    where = "host"
    if not _computes(func, args, kwargs):
        result = func(*args, **kwargs)
    elif func._schema.is_mutable:
        result, where = _in_place(func, args, kwargs)
    else:
        result, where = _program(func, args, kwargs)
    calls[func._schema.name, where] += 1
    return result


def _program(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, str]:
    result, report = run_single(func, args, kwargs)
    return result, "device" if report.kernels and not report.host else "host"


def _in_place(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, str]:
    """add_ and its like: the result of add, put where the first argument was."""
    plain = _without_change(func)
    if plain is None:
        return func(*args, **kwargs), "host"
    result, where = _program(plain, args, kwargs)
    return args[0].copy_(result), where


def _without_change(func: Any) -> Any:
    """The operator that does the same and changes nothing, if there is one."""
    name = func._schema.name.removeprefix("aten::")
    packet = getattr(aten, name[:-1], None) if name.endswith("_") and not name.endswith("__") else None
    return getattr(packet, func._overloadname, None) if packet is not None else None


def is_view(func: Any) -> bool:
    """Whether an operator only looks at a tensor differently.

    >>> is_view(aten.t.default), is_view(aten.mm.default)
    (True, False)
    """
    return any(one.alias_info is not None and not one.alias_info.is_write for one in func._schema.returns)


def _computes(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    if func in _FOR_HOST or is_view(func) or func.namespace not in ("aten", "tilesmith"):
        return False
    tensors = [one for one in pytree.tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
    filled = all(one.numel() for one in tensors)
    return filled and any(one.is_floating_point() for one in tensors)
