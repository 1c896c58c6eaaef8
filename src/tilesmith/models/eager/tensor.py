"""Tensors of the device "tilesmith". What they hold lies on the host between calls."""

# mypy: disable-error-code="no-untyped-call, override, assignment"

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree as pytree

from tilesmith.errors import BadCallError
from tilesmith.models.backends.inputs import check_dtype
from tilesmith.models.eager.calls import call

NAME = "tilesmith"
aten = torch.ops.aten


class DeviceTensor(torch.Tensor):
    """A tensor that says it is on the device, and sends what is called on it to programs."""

    held: torch.Tensor

    @staticmethod
    def __new__(cls: Any, held: torch.Tensor) -> Any:
        check_dtype("a tensor of the device tilesmith", held)
        result = torch.Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=torch.device(NAME, 0),
        )
        result.held = held
        return result

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Called by PyTorch below autograd, with every operator that has a tensor of ours."""
        given = dict(kwargs or {})
        _check_places(func, args, given)
        to_host = _place(given.get("device")) == "cpu" or _fills_host(func, args)
        if given.get("device") is not None:
            given["device"] = torch.device("cpu")
        here, named = pytree.tree_map_only(DeviceTensor, lambda one: one.held, (args, given))
        result = call(func, here, named)
        if func._schema.is_mutable:
            return kwargs["out"] if kwargs and "out" in kwargs else args[0]
        return result if to_host else pytree.tree_map_only(torch.Tensor, DeviceTensor, result)

    def __repr__(self, **_: Any) -> str:
        text = repr(self.held.detach())
        return f"{text[:-1]}, device='{self.device}')"

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        result = DeviceTensor(self.held.detach().clone()).requires_grad_(self.requires_grad)
        wrapper = torch.nn.Parameter if isinstance(self, torch.nn.Parameter) else lambda one, **_: one
        memo[id(self)] = wrapper(result, requires_grad=self.requires_grad)
        return memo[id(self)]


def _place(device: Any) -> str:
    return "" if device is None else torch.device(device).type


def _fills_host(func: Any, args: Any) -> bool:
    """Whether a tensor of the host is filled from one of the device."""
    return func is aten.copy_.default and not isinstance(args[0], DeviceTensor)


def _check_places(func: Any, args: Any, kwargs: Any) -> None:
    """Only a single number of the host may meet tensors of the device."""
    if func in (aten.copy_.default, aten._to_copy.default, aten._copy_from.default):
        return
    for leaf in pytree.tree_leaves((args, kwargs)):
        if isinstance(leaf, torch.Tensor) and not isinstance(leaf, DeviceTensor) and leaf.dim():
            raise BadCallError(
                f"{func._schema.name} has a tensor on {NAME}:0 and one on the host, {list(leaf.shape)}",
                where=func._schema.name,
                remedy=f'move it with .to("{NAME}"), or the other one with .cpu()',
            )
