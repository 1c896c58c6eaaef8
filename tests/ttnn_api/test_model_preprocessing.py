"""The parameters of torch models as ttnn tensors, in the structure of the model."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from tilesmith import ttnn
from tilesmith.ops.device import MeshDevice
from tilesmith.ttnn.model_preprocessing import (
    fold_batch_norm2d_into_conv2d,
    preprocess_model,
    preprocess_model_parameters,
)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(16, 32)
        self.norm = nn.LayerNorm(32)
        self.layers = nn.ModuleList([nn.Linear(32, 64), nn.Linear(64, 32, bias=False)])
        self.scale = nn.Parameter(torch.randn(32, 32))
        self.register_buffer("steps", torch.arange(4))


def same(found: Any, wanted: torch.Tensor) -> None:
    assert isinstance(found, ttnn.Tensor)
    assert torch.equal(ttnn.to_torch(found).float(), wanted.detach().bfloat16().float())


def test_every_parameter_lies_where_its_operation_wants_it(device: MeshDevice) -> None:
    model = Model()
    found = preprocess_model_parameters("model", initialize_model=lambda: model, device=device)
    same(found.embedding.weight, model.embedding.weight)
    assert found.embedding.weight.layout == ttnn.ROW_MAJOR_LAYOUT
    same(found.norm.weight, model.norm.weight[None])
    same(found.norm.bias, model.norm.bias[None])
    first, second = model.layers
    same(found.layers[0].weight, first.weight.T)  # type: ignore[arg-type]
    same(found.layers[0].bias, first.bias[None])  # type: ignore[index]
    same(found.layers[1].weight, second.weight.T)  # type: ignore[arg-type]
    assert "bias" not in found.layers[1]
    same(found.scale, model.scale)
    assert ttnn.to_torch(found.steps).tolist() == [0, 1, 2, 3]
    assert found.scale.storage_type() == ttnn.StorageType.DEVICE
    with pytest.raises(AttributeError, match="missing"):
        assert found.missing


def test_a_linear_layer_computes_with_them(device: MeshDevice) -> None:
    model, x = nn.Linear(32, 64), torch.randn(32, 32)
    found = preprocess_model(initialize_model=lambda: model, device=device)
    given = ttnn.from_torch(x, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    result = ttnn.to_torch(ttnn.linear(given, found.weight, bias=found.bias))
    torch.testing.assert_close(result.float(), model(x), rtol=0.05, atol=0.05)


def test_what_is_refused_stays_torch_and_others_have_their_own_way() -> None:
    model = Model()
    names = []

    def own(part: nn.Module, name: str, ttnn_module_args: Any) -> dict[str, Any]:
        names.append(name)
        return {"halves": {"weight": 1}} if isinstance(part, nn.LayerNorm) else {}

    found = preprocess_model_parameters(
        initialize_model=lambda: model,
        convert_to_ttnn=lambda part, _: not isinstance(part, Model),
        custom_preprocessor=own,
        prefix="whole",
    )
    assert found.norm.halves.weight == 1
    assert found.scale is model.scale
    same(found.layers[0].weight, model.layers[0].weight.T)  # type: ignore[arg-type]
    assert {"whole", "whole.norm", "whole.layers.1"} <= set(names)


@pytest.mark.parametrize("bias", [True, False])
def test_a_batch_norm_goes_into_the_convolution_before_it(bias: bool) -> None:
    conv, norm = nn.Conv2d(3, 4, 3, bias=bias), nn.BatchNorm2d(4).eval()
    with torch.no_grad():
        for values in (norm.weight, norm.bias, norm.running_mean, norm.running_var):
            assert values is not None
            values.copy_(torch.rand(4) + 0.5)
        weight, row = fold_batch_norm2d_into_conv2d(conv, norm)
        x = torch.randn(1, 3, 6, 6)
        torch.testing.assert_close(functional.conv2d(x, weight, row.flatten()), norm(conv(x)))
    with pytest.raises(RuntimeError, match="track_running_stats"):
        fold_batch_norm2d_into_conv2d(conv, nn.BatchNorm2d(4, track_running_stats=False))
