"""Functions that ttnn has for images, rows and tokens, against torch or against what they mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

from tilesmith import ttnn
from tilesmith.errors import OperationError
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.elementwise.activation import Activation


def tiles(device: MeshDevice, values: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(values, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)


def rows(device: MeshDevice, values: torch.Tensor, dtype: ttnn.DataType = ttnn.float32) -> ttnn.Tensor:
    return ttnn.from_torch(values, dtype=dtype, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def bilinear(x: torch.Tensor) -> torch.Tensor:
    return functional.interpolate(x.permute(0, 3, 1, 2), scale_factor=(2, 2), mode="bilinear").permute(
        0, 2, 3, 1
    )


def running_average(x: torch.Tensor) -> torch.Tensor:
    """0.75 of what was before and a quarter of each element, from zero on."""
    weights = 0.25 * 0.75 ** (torch.arange(x.shape[-1])[:, None] - torch.arange(x.shape[-1])[None])
    return x @ weights.tril().mT


ONE_TENSOR: dict[str, tuple[Callable[..., Any], tuple[int, ...], Callable[..., Any]]] = {
    "global_avg_pool2d": (ttnn.global_avg_pool2d, (2, 6, 5, 8), lambda x: x.mean((1, 2), keepdim=True)),
    "upsample": (
        lambda x: ttnn.upsample(x, (2, 3)),
        (1, 4, 5, 8),
        lambda x: x.repeat_interleave(2, 1).repeat_interleave(3, 2),
    ),
    "upsample bilinear": (lambda x: ttnn.upsample(x, 2, mode="bilinear"), (1, 4, 5, 8), bilinear),
    "rotate": (lambda x: ttnn.rotate(x, 90.0), (1, 5, 5, 8), lambda x: x.rot90(1, (1, 2))),
    "rotate bilinear": (
        lambda x: ttnn.rotate(x, 180.0, interpolation_mode="bilinear"),
        (1, 4, 6, 8),
        lambda x: x.flip((1, 2)),
    ),
    "rotate about a corner": (
        lambda x: ttnn.rotate(x, 180.0, center=(0.0, 0.0), fill=7.0),
        (1, 4, 6, 8),
        lambda x: torch.full_like(x, 7.0).index_put(
            (torch.tensor(0), torch.tensor(0), torch.tensor(0)), x[0, 0, 0]
        ),
    ),
    "intimg": (ttnn.experimental.intimg, (1, 4, 5, 8), lambda x: x.cumsum(1).cumsum(2)),
    "convert_to_chw": (ttnn.experimental.convert_to_chw, (1, 1, 40, 8), lambda x: x.mT),
    "convert_to_hwc": (
        ttnn.experimental.convert_to_hwc,
        (1, 2, 3, 40),
        lambda x: functional.pad(x.mT, (0, 5)).reshape(1, 1, 80, 8),
    ),
    "ema": (lambda x: ttnn.ema(x, 0.75), (1, 1, 4, 32), running_average),
    "view": (
        lambda x: ttnn.experimental.view(x, (1, 1, 64, 32)),
        (1, 2, 32, 32),
        lambda x: x.view(1, 1, 64, 32),
    ),
    "fast_reduce_nc": (
        lambda x: ttnn.experimental.fast_reduce_nc(x, dims=[0, 1]),
        (2, 3, 32, 32),
        lambda x: x.sum((0, 1), keepdim=True),
    ),
    "unary_chain": (
        lambda x: ttnn.unary_chain(x, [Activation("relu"), Activation("neg")]),
        (1, 1, 32, 32),
        lambda x: -x.relu(),
    ),
    "polyval": (lambda x: ttnn.polyval(x, [2.0, -1.0, 0.5]), (1, 1, 32, 32), lambda x: 2 * x * x - x + 0.5),
    "softmax_in_place": (ttnn.softmax_in_place, (1, 1, 32, 64), lambda x: x.softmax(-1)),
    "causal softmax": (
        lambda x: ttnn.scale_causal_mask_hw_dims_softmax_in_place(x, 0.5),
        (1, 1, 32, 64),
        lambda x: (x / 2).softmax(-1),
    ),
    "composite_example": (ttnn.composite_example, (1, 1, 32, 32), lambda x: x),
}


@pytest.mark.parametrize("name", ONE_TENSOR)
def test_a_function_of_a_tensor(device: MeshDevice, name: str) -> None:
    function, shape, meant = ONE_TENSOR[name]
    values = drawn(*shape)
    given = tiles(device, values) if shape[-1] % 32 == 0 else rows(device, values)
    found = ttnn.to_torch(function(given)).float()
    torch.testing.assert_close(found, meant(values), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("dim", "shape"), [("H", (1, 32)), ("W", (32, 1)), ("HW", (1, 1)), ("H", (32, 32))])
@pytest.mark.parametrize("math", ["ADD", "SUB", "MUL"])
def test_bcast(device: MeshDevice, math: str, dim: str, shape: tuple[int, int]) -> None:
    a, b = drawn(1, 1, 32, 32), drawn(1, 1, *shape)
    found = ttnn.bcast(tiles(device, a), tiles(device, b), ttnn.BcastOpMath[math], ttnn.BcastOpDim[dim])
    part = b[:, :, :1] if dim == "H" else b[..., :1] if dim == "W" else b[:, :, :1, :1]
    wanted = {"ADD": a + part, "SUB": a - part, "MUL": a * part}[math]
    torch.testing.assert_close(ttnn.to_torch(found), wanted, rtol=1e-3, atol=1e-3)


def test_bias_gelu(device: MeshDevice) -> None:
    a, b = drawn(1, 1, 32, 32), drawn(1, 1, 32, 32) / 2
    found = ttnn.to_torch(ttnn.bias_gelu(tiles(device, a), tiles(device, b)))
    torch.testing.assert_close(found, functional.gelu(a + b), rtol=2e-3, atol=2e-3)


def test_copies_that_are_wanted(device: MeshDevice) -> None:
    x = drawn(1, 1, 32, 32)
    first, second = ttnn.composite_example_multiple_return(tiles(device, x), return_output2=False)
    assert first is not None
    assert torch.equal(ttnn.to_torch(first), x)
    assert second is None


def test_rows_are_gathered_and_scattered(device: MeshDevice) -> None:
    x, index, new = drawn(2, 8, 16), torch.tensor([[3, 0, 7], [1, 6, 2]]), drawn(2, 3, 16)
    places = rows(device, index, ttnn.uint32)
    found = ttnn.tosa_gather(rows(device, x), places)
    assert torch.equal(ttnn.to_torch(found), torch.stack([x[0, index[0]], x[1, index[1]]]))
    found = ttnn.tosa_scatter(rows(device, x), places, rows(device, new))
    wanted = x.clone()
    for batch in range(2):
        wanted[batch, index[batch]] = new[batch]
    assert torch.equal(ttnn.to_torch(found), wanted)


def test_slices_are_filled(device: MeshDevice) -> None:
    x, new, which = drawn(4, 1, 8, 16), drawn(2, 1, 8, 16), torch.tensor([3, 1])
    batch_id = rows(device, which.reshape(1, 1, 1, 2), ttnn.uint32)
    found = ttnn.to_torch(ttnn.indexed_fill(batch_id, rows(device, x), rows(device, new)))
    assert torch.equal(found, torch.stack([x[0], new[1], x[2], new[0]]))

    room = rows(device, x)
    ttnn.experimental.slice_write(
        rows(device, new[:, :, ::2]), room, [1, 0, 0, 0], [3, 1, 8, 16], [1, 1, 2, 1]
    )
    wanted = x.clone()
    wanted[1:3, :, ::2] = new[:, :, ::2]
    assert torch.equal(ttnn.to_torch(room), wanted)


def test_the_gradient_of_an_embedding(device: MeshDevice) -> None:
    index, weight, slope = torch.tensor([[3, 1, 3, 0]]), drawn(8, 32).requires_grad_(), drawn(1, 4, 32)
    functional.embedding(index, weight).backward(slope)
    found = ttnn.embedding_bw(
        rows(device, index, ttnn.uint32), tiles(device, weight.detach()), tiles(device, slope[None])
    )
    assert weight.grad is not None
    torch.testing.assert_close(ttnn.to_torch(found)[0, 0], weight.grad)


def test_the_gradient_of_gelu(device: MeshDevice) -> None:
    x, slope = drawn(1, 1, 32, 32).requires_grad_(), drawn(1, 1, 32, 32) + 1
    functional.gelu(x).backward(slope)
    found = ttnn.experimental.gelu_bw(tiles(device, slope), tiles(device, x.detach()))
    assert x.grad is not None
    torch.testing.assert_close(ttnn.to_torch(found), x.grad, rtol=1e-3, atol=1e-3)


def test_a_conversion_into_room_that_is_there(device: MeshDevice) -> None:
    x = drawn(1, 1, 32, 32)
    room = ttnn.zeros([1, 1, 32, 32], ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    found = ttnn.experimental.typecast(tiles(device, x), ttnn.bfloat16, optional_output_tensor=room)
    assert torch.equal(ttnn.to_torch(found), ttnn.to_torch(room))
    torch.testing.assert_close(ttnn.to_torch(room).float(), x, rtol=1e-2, atol=1e-2)


def test_tokens_are_drawn_among_the_likeliest(device: MeshDevice) -> None:
    users = 32
    values = torch.zeros(1, 1, users, 32)
    values[..., 5], values[..., 9], values[..., 11] = 8.0, 8.0, 7.0
    places = (torch.arange(32) + 100).expand(1, 1, users, 32)

    def sampled(k: int, p: float, seed: int) -> set[int]:
        """`temp` is one over the temperature."""
        per_user = torch.ones(users)
        tokens = ttnn.sampling(
            ttnn.from_torch(values, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device),
            rows(device, places, ttnn.int32),
            rows(device, per_user * k, ttnn.uint32),
            rows(device, per_user * p, ttnn.bfloat16),
            rows(device, per_user, ttnn.bfloat16),
            seed=seed,
        )
        return set(ttnn.to_torch(tokens).flatten().tolist())

    assert sampled(1, 1.0, 1) == {105}
    assert sampled(2, 1.0, 1) == {105, 109}
    assert sampled(32, 0.5, 1) <= {105, 109}
    assert 111 in sampled(32, 1.0, 1)
    ttnn.manual_seed(3)


def test_the_weight_of_an_expert(device: MeshDevice) -> None:
    x = drawn(1, 1, 32, 64)
    x[..., 0] = torch.linspace(-4, 4, 32)
    experts, tops = torch.zeros(1, 1, 1, 64), torch.zeros(1, 1, 1, 32)
    tops[..., 2:] = float("-inf")
    found = ttnn.to_torch(ttnn.moe(tiles(device, x), tiles(device, experts), tiles(device, tops)))
    best = x.topk(2, -1)
    wanted = (best.values.softmax(-1) * (best.indices == 0)).sum(-1, keepdim=True)
    torch.testing.assert_close(found.float(), wanted)
    with pytest.raises(OperationError, match="K must be equal to 32"):
        ttnn.moe(tiles(device, x), tiles(device, experts), tiles(device, tops), 8)


def test_weights_prepared_beforehand_give_the_same(device: MeshDevice) -> None:
    image, weight, bias = drawn(1, 4, 6, 6), drawn(8, 4, 3, 3), drawn(8)
    config = ttnn.Conv2dConfig(weights_dtype=ttnn.float32)
    flat = rows(device, image.permute(0, 2, 3, 1).reshape(1, 1, -1, 4))
    sizes = {"batch_size": 1, "input_height": 6, "input_width": 6, "kernel_size": (3, 3), "stride": (1, 1)}
    shared: dict[str, Any] = {**sizes, "padding": (1, 1), "in_channels": 4, "out_channels": 8}
    prepared = ttnn.prepare_conv_weights(
        weight_tensor=ttnn.from_torch(weight), device=device, conv_config=config, weights_format="OIHW"
    )
    row = ttnn.prepare_conv_bias(
        bias_tensor=ttnn.from_torch(bias.reshape(1, 1, 1, -1)), device=device, conv_config=config
    )
    found = ttnn.conv2d(
        input_tensor=flat,
        weight_tensor=prepared,
        bias_tensor=row,
        device=device,
        conv_config=config,
        **shared,
    )
    wanted = functional.conv2d(image, weight, bias, padding=1).permute(0, 2, 3, 1).reshape(1, 1, 36, 8)
    torch.testing.assert_close(
        ttnn.to_torch(found).float().reshape(1, 1, 36, 8), wanted, rtol=1e-2, atol=1e-2
    )
    with pytest.raises(OperationError, match="OIHW is expected"):
        ttnn.prepare_conv_weights(weight_tensor=ttnn.from_torch(weight), device=device, weights_format="HWIO")


def test_a_folded_image_of_blocks_lies_in_rows_of_bfloat16(device: MeshDevice) -> None:
    values = drawn(1, 32, 32, 32)
    image = ttnn.from_torch(values, dtype=ttnn.bfloat8_b, layout=ttnn.TILE_LAYOUT, device=device)
    folded = ttnn.fold(image, 2, 2)
    assert (folded.dtype, folded.layout) == (ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT)
    wanted = values.reshape(1, 16, 2, 16, 2, 32).permute(0, 1, 3, 2, 4, 5).reshape(1, 16, 16, 128)
    torch.testing.assert_close(ttnn.to_torch(folded).float(), wanted, rtol=0.05, atol=0.05)


def test_the_golden_rotation_keeps_the_type_of_its_image() -> None:
    turned = ttnn.get_golden_function(ttnn.rotate)(
        drawn(1, 4, 6, 8).bfloat16(), angle=30.0, interpolation_mode="bilinear"
    )
    assert turned.dtype == torch.bfloat16
