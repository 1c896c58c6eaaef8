"""ttnn.model_preprocessing: the parameters of a torch model as ttnn tensors, in the model's own structure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from tilesmith.ops.creation.host import from_torch
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.dtypes import DataType, bfloat16
from tilesmith.ops.rearrange.memory import to_device
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout

Preprocessor = Callable[..., "ParameterDict | dict[str, Any]"]


class ParameterList(list[Any]):
    """Parameters by number."""


class ParameterDict(dict[str, Any]):
    """Parameters by name; `parameters.layer.weight` is `parameters["layer"]["weight"]`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class ModuleArgs(dict[str, Any]):
    """What a module was called with; values are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Conv2dArgs(ModuleArgs):
    """Of a convolution."""


class ConvTranspose2dArgs(ModuleArgs):
    """Of a transposed convolution."""


class MaxPool2dArgs(ModuleArgs):
    """Of a pool."""


class GroupNormArgs(ModuleArgs):
    """Of a group norm."""


def make_parameter_dict(dictionary: Mapping[str, Any]) -> ParameterDict:
    """A dictionary of dictionaries as a ParameterDict of ParameterDicts.

    >>> make_parameter_dict({"layer": {"weight": 1}}).layer.weight
    1
    """
    parameters = ParameterDict()
    for name, value in dictionary.items():
        parameters[name] = make_parameter_dict(value) if isinstance(value, dict) else value
    return parameters


def preprocess_linear_weight(
    weight: torch.Tensor, *, dtype: DataType, layout: Layout = Layout.TILE, weights_mesh_mapper: Any = None
) -> Tensor:
    """Transposed: ttnn.linear multiplies with the columns."""
    return from_torch(weight.T.contiguous(), dtype, layout=layout, mesh_mapper=weights_mesh_mapper)


def preprocess_linear_bias(
    bias: torch.Tensor, *, dtype: DataType, layout: Layout = Layout.TILE, weights_mesh_mapper: Any = None
) -> Tensor:
    """As a row."""
    return from_torch(bias.reshape(1, -1), dtype, layout=layout, mesh_mapper=weights_mesh_mapper)


def preprocess_layernorm_parameter(
    parameter: torch.Tensor, *, dtype: DataType, layout: Layout = Layout.TILE
) -> Tensor:
    """As a row."""
    return from_torch(parameter.reshape(1, -1), dtype, layout=layout)


def preprocess_embedding_weight(weight: torch.Tensor, *, dtype: DataType) -> Tensor:
    """In rows."""
    return from_torch(weight, dtype, layout=Layout.ROW_MAJOR)


def fold_batch_norm2d_into_conv2d(conv: Any, bn: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Weights and bias of a convolution that does what the two modules do one after the other."""
    if not bn.track_running_stats:
        raise RuntimeError("BatchNorm2d must have track_running_stats=True to be folded into Conv2d")
    factor = bn.weight / torch.sqrt(bn.running_var + bn.eps)
    bias = torch.zeros_like(bn.running_mean) if conv.bias is None else conv.bias
    folded = (bias - bn.running_mean) * factor + bn.bias
    return conv.weight * factor[:, None, None, None], folded.reshape(1, 1, 1, -1)


def default_preprocessor(model: torch.nn.Module, *_: Any) -> ParameterDict:
    """Linear layers, layer norms and embeddings; nothing for others."""
    parameters: dict[str, Any] = {}
    if isinstance(model, torch.nn.Linear):
        parameters["weight"] = preprocess_linear_weight(model.weight, dtype=bfloat16)
        if model.bias is not None:
            parameters["bias"] = preprocess_linear_bias(model.bias, dtype=bfloat16)
    elif isinstance(model, torch.nn.LayerNorm):
        parameters["weight"] = preprocess_layernorm_parameter(model.weight, dtype=bfloat16)
        parameters["bias"] = preprocess_layernorm_parameter(model.bias, dtype=bfloat16)
    elif isinstance(model, torch.nn.Embedding):
        parameters["weight"] = preprocess_embedding_weight(model.weight, dtype=bfloat16)
    return make_parameter_dict(parameters)


def convert_torch_model_to_ttnn_model(
    model: torch.nn.Module,
    *,
    convert_to_ttnn: Callable[[torch.nn.Module, str], bool] = lambda *_: True,
    custom_preprocessor: Preprocessor | None = None,
    name: str = "",
    ttnn_module_args: Any = None,
    **_: Any,
) -> Any:
    """The parameters of a model and of its parts; those `convert_to_ttnn` refuses stay torch tensors."""
    options: dict[str, Any] = {"convert_to_ttnn": convert_to_ttnn, "custom_preprocessor": custom_preprocessor}
    if isinstance(model, torch.nn.ModuleList):
        parts = [
            convert_torch_model_to_ttnn_model(child, name=_joined(name, str(number)), **options)
            for number, child in enumerate(model)
        ]
        return ParameterList(parts)
    if custom_preprocessor is not None:
        parameters = _call(custom_preprocessor, model, name, ttnn_module_args)
        if parameters:
            return make_parameter_dict(parameters)
    converted = convert_to_ttnn(model, name)
    if converted:
        parameters = default_preprocessor(model, name, ttnn_module_args)
        if parameters:
            return parameters
    found = ParameterDict()
    for key, child in model.named_children():
        found[key] = convert_torch_model_to_ttnn_model(child, name=_joined(name, key), **options)
    for key, parameter in [*model.named_parameters(recurse=False), *model.named_buffers(recurse=False)]:
        found[key] = _parameter(parameter, converted)
    return found


def _parameter(values: torch.Tensor, converted: bool) -> Any:
    if not converted:
        return values
    target = bfloat16 if values.is_floating_point() else None
    return from_torch(values.detach(), target, layout=Layout.TILE if values.dim() > 1 else Layout.ROW_MAJOR)


def _joined(name: str, key: str) -> str:
    return f"{name}.{key}" if name else key


def _call(preprocessor: Preprocessor, model: torch.nn.Module, name: str, module_args: Any) -> Any:
    """Preprocessors take (model, name) or the arguments of the module, too."""
    import inspect

    takes = inspect.signature(preprocessor).parameters
    options = {"ttnn_module_args": module_args} if "ttnn_module_args" in takes else {}
    if "convert_to_ttnn" in takes:
        options["convert_to_ttnn"] = lambda *_: True
    return preprocessor(model, name, **options)


def move_to_device(parameters: Any, device: MeshDevice) -> Any:
    """Every tensor on a device; torch tensors stay."""
    if isinstance(parameters, ParameterDict):
        return ParameterDict({name: move_to_device(one, device) for name, one in parameters.items()})
    if isinstance(parameters, ParameterList):
        return ParameterList([move_to_device(one, device) for one in parameters])
    return to_device(parameters, device) if isinstance(parameters, Tensor) else parameters


def preprocess_model_parameters(
    model_name: str | None = None,  # noqa: ARG001 - ttnn names its files so
    *,
    initialize_model: Callable[[], torch.nn.Module],
    convert_to_ttnn: Callable[[torch.nn.Module, str], bool] | None = None,
    custom_preprocessor: Preprocessor | None = None,
    device: MeshDevice | None = None,
    prefix: str = "",
    **_: Any,
) -> Any:
    """The parameters of a model, on the device where one is given. Nothing is kept in files."""
    with torch.no_grad():
        parameters = convert_torch_model_to_ttnn_model(
            initialize_model(),
            convert_to_ttnn=convert_to_ttnn or (lambda *_: True),
            custom_preprocessor=custom_preprocessor,
            name=prefix,
        )
    return parameters if device is None else move_to_device(parameters, device)


def preprocess_model(
    model_name: str | None = None,
    *,
    initialize_model: Callable[[], torch.nn.Module],
    convert_to_ttnn: Callable[[torch.nn.Module, str], bool] | None = None,
    custom_preprocessor: Preprocessor | None = None,
    device: MeshDevice | None = None,
    prefix: str = "",
    **_: Any,
) -> Any:
    """`preprocess_model_parameters`; the arguments of a model's modules are not looked for."""
    return preprocess_model_parameters(
        model_name,
        initialize_model=initialize_model,
        convert_to_ttnn=convert_to_ttnn,
        custom_preprocessor=custom_preprocessor,
        device=device,
        prefix=prefix,
    )
