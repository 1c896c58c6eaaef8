"""Modules of torch.ao with packed int8 weights, as modules that torch.export can read.

A quantised tensor between such modules is stood for by its values as reals. A module that multiplies gets
the integers back by the scale of its input, which a run of the model tells, and multiplies as torch does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.ao.nn.intrinsic import quantized as fused
from torch.ao.nn.intrinsic.quantized import dynamic as fused_dynamic
from torch.ao.nn.quantized import dynamic, reference
from torch.ao.nn.quantized import modules as static
from torch.fx import GraphModule

from tilesmith.errors import CaptureError
from tilesmith.models.capture.quantized_graphs import has_quantised_calls, plain_graph
from tilesmith.models.decompositions.quantized import (
    IntegerConv,
    IntegerLinear,
    Requantised,
    as_integers,
    dynamic_scale,
    requantised,
    requantised_as,
)

_STATIC = (static.Linear, static.Conv2d)
_DYNAMIC = (dynamic.Linear, dynamic.Conv2d)
_REFERENCE = (reference.Linear, reference.Conv2d)
_OTHERS = (static.Quantize, static.DeQuantize, static.QFunctional)


@contextmanager
def plain(model: nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[nn.Module]:
    """The model to export: inside the block its quantised modules are plain ones."""
    every = dict(model.named_modules())
    found = {name: part for name, part in every.items() if _is_quantised(part)}
    if not found:
        yield model
        return
    inputs = _input_scales(model, found, args, kwargs)
    plain = {name: _plain(name, part, inputs.get(name)) for name, part in found.items() if name}
    held = {name: every[name] for name in plain}
    try:
        for name, part in plain.items():
            _set(model, name, part)
        yield plain_graph(model) if isinstance(model, GraphModule) else model
    finally:
        for name, part in held.items():
            _set(model, name, part)


def _is_quantised(part: nn.Module) -> bool:
    if isinstance(part, GraphModule) and has_quantised_calls(part):
        return True
    return isinstance(part, (*_STATIC, *_DYNAMIC, *_REFERENCE, *_OTHERS))


def _set(model: nn.Module, name: str, part: nn.Module) -> None:
    parent, _, attribute = name.rpartition(".")
    model.get_submodule(parent)._modules[attribute] = part


def _input_scales(
    model: nn.Module, found: Mapping[str, nn.Module], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> dict[str, float]:
    """The scale of what each module with a fixed one is given."""
    known: dict[str, set[float]] = {name: set() for name, part in found.items() if _is_static(part)}

    def note(name: str) -> Any:
        return lambda _, given: known[name].add(given[0].q_scale())

    if not known:
        return {}
    hooks = [found[name].register_forward_pre_hook(note(name)) for name in known]
    try:
        with torch.no_grad():
            model(*args, **kwargs)
    finally:
        for hook in hooks:
            hook.remove()
    unsure = [name for name, scales in known.items() if len(scales) != 1]
    if unsure:
        raise CaptureError(
            f"the quantised module {unsure[0]} is called with inputs of {len(known[unsure[0]])} scales",
            where=unsure[0],
            remedy="give each call a module of its own",
        )
    return {name: scales.pop() for name, scales in known.items()}


def _is_static(part: nn.Module) -> bool:
    return isinstance(part, _STATIC) and not isinstance(part, _DYNAMIC)


def _plain(name: str, part: Any, scale: float | None) -> nn.Module:
    if isinstance(part, GraphModule):
        return plain_graph(part)
    if isinstance(part, static.Quantize):
        return Requantised(float(part.scale), int(part.zero_point), part.dtype)
    if isinstance(part, static.DeQuantize):
        return nn.Identity()
    if isinstance(part, static.QFunctional):
        return _Functional(float(part.scale), int(part.zero_point))
    if isinstance(part, _REFERENCE):
        return _dequantised(part)
    weight = part.weight()
    if not weight.is_quantized:  # a dynamic linear in float16
        return _Linear(weight.float(), part.bias())
    product = _product(name, part, weight)
    relu = isinstance(part, fused.LinearReLU | fused.ConvReLU2d | fused_dynamic.LinearReLU)
    if isinstance(part, _DYNAMIC):
        return _Dynamic(product, relu)
    assert scale is not None
    return _Static(product, scale, Requantised(float(part.scale), int(part.zero_point), torch.quint8), relu)


def _product(name: str, part: Any, weight: Tensor) -> IntegerLinear | IntegerConv:
    per_channel = weight.qscheme() in (torch.per_channel_affine, torch.per_channel_symmetric)
    zeros = weight.q_per_channel_zero_points() if per_channel else torch.tensor(weight.q_zero_point())
    if weight.dtype != torch.qint8 or bool(zeros.any()):
        raise CaptureError(
            f"the weight of {name} is {weight.dtype} with a zero point",
            where=name,
            remedy="quantise weights symmetrically to torch.qint8, as torch's default configurations do",
        )
    scales = weight.q_per_channel_scales() if per_channel else torch.tensor(weight.q_scale())
    scales = scales.float().expand(weight.shape[0]).contiguous()
    if weight.dim() == 2:
        return IntegerLinear(weight.int_repr(), scales, part.bias())
    if getattr(part, "padding_mode", "zeros") != "zeros":
        raise CaptureError(
            f"the convolution {name} pads with {part.padding_mode}",
            where=name,
            remedy="pad with zeros, or pad before the convolution",
        )
    window = [list(part.stride), list(part.padding), list(part.dilation)]
    return IntegerConv(weight.int_repr(), scales, part.bias(), window, part.groups)


def _dequantised(part: Any) -> nn.Module:
    """A module of torch's own that has the weight a reference module would quantise and dequantise."""
    with torch.no_grad():
        weight = part.get_weight()
    if isinstance(part, reference.Linear):
        return _Linear(weight, part.bias)
    geometry = (part.stride, part.padding, part.dilation, part.groups)
    result = nn.Conv2d(
        part.in_channels, part.out_channels, part.kernel_size, *geometry, part.bias is not None,
        part.padding_mode,
    )  # fmt: skip
    result.weight = nn.Parameter(weight, requires_grad=False)
    result.bias = part.bias
    return result.train(part.training)


class _Linear(nn.Module):
    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.register_buffer("weight", weight.detach())
        self.register_buffer("bias", None if bias is None else bias.detach())

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x, self.weight, self.bias)  # type: ignore[arg-type]


class _Dynamic(nn.Module):
    """The input is quantised by its own range when it comes."""

    def __init__(self, product: nn.Module, relu: bool) -> None:
        super().__init__()
        self.product = product
        self.relu = relu

    def forward(self, x: Tensor) -> Tensor:
        scale, least = dynamic_scale(x)
        result: Tensor = self.product(as_integers(x, scale), scale)
        if isinstance(
            self.product, IntegerConv
        ):  # torch gives the result of convolutions their input's scale
            result = requantised_as(result, scale, least)
        return result.relu() if self.relu else result


class _Static(nn.Module):
    """The input has a known scale, and so has the result."""

    def __init__(self, product: nn.Module, scale: float, out: Requantised, relu: bool) -> None:
        super().__init__()
        self.product = product
        self.scale = scale
        self.out = out
        self.relu = relu

    def forward(self, x: Tensor) -> Tensor:
        product = self.product(as_integers(x, self.scale), self.scale)
        result: Tensor = self.out(product.relu() if self.relu else product)
        return result


class _Functional(nn.Module):
    """QFunctional: sums and products of quantised tensors, quantised again."""

    def __init__(self, scale: float, zero_point: int) -> None:
        super().__init__()
        self.scale = scale
        self.zero_point = zero_point

    def _out(self, value: Tensor) -> Tensor:
        return requantised(value, self.scale, self.zero_point, torch.quint8)

    def add(self, a: Tensor, b: Tensor) -> Tensor:
        return self._out(a + b)

    def add_relu(self, a: Tensor, b: Tensor) -> Tensor:
        return self._out((a + b).relu())

    def mul(self, a: Tensor, b: Tensor) -> Tensor:
        return self._out(a * b)

    def add_scalar(self, a: Tensor, b: float) -> Tensor:
        return a + b

    def mul_scalar(self, a: Tensor, b: float) -> Tensor:
        return a * b

    def cat(self, values: list[Tensor], dim: int = 0) -> Tensor:
        return self._out(torch.cat(values, dim))
