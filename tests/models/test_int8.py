"""Products of int8 run on the device, and are exact; models quantised to int8 compile."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

import tilesmith
from tilesmith.errors import CaptureError

FAST = {"checks": "off", "numbers": "fast"}


class Product(nn.Module):
    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return torch._int_mm(a, b)


def whole(*shape: int, seed: int) -> Tensor:
    source = torch.Generator().manual_seed(seed)
    return torch.randint(-128, 128, shape, generator=source).to(torch.int8)


@pytest.mark.parametrize(
    ("sizes", "numbers"), [((40, 200, 24), "chip"), ((70, 1, 33), "fast"), ((1, 130, 96), "fast")], ids=str
)
def test_int_mm_runs_on_the_device_and_is_exact(sizes: tuple[int, int, int], numbers: str) -> None:
    m, k, n = sizes
    a, b = whole(m, k, seed=0), whole(k, n, seed=1)
    model: Any = tilesmith.compile(Product(), checks="off", numbers=numbers)
    assert torch.equal(model(a, b), torch._int_mm(a, b))
    assert model.report.host == ()
    assert [line.kernel for line in model.report.kernels] == ["int8_product"]


def test_sums_beyond_what_float32_holds_are_exact() -> None:
    a, b = torch.full((32, 2048), -128, dtype=torch.int8), torch.full((2048, 32), -128, dtype=torch.int8)
    a[:, -1], b[-1, :] = 1, 1
    made = tilesmith.compile(Product(), **FAST)(a, b)
    assert made.unique().tolist() == [2047 * 128 * 128 + 1]


def test_an_empty_product_stays_on_the_host() -> None:
    made = tilesmith.compile(Product(), **FAST)(whole(4, 0, seed=0), whole(0, 5, seed=1))
    assert torch.equal(made, torch.zeros(4, 5, dtype=torch.int32))


class WeightOnly(nn.Module):
    """As torchao writes int8 weight-only: an int8 weight with a scale for each output channel."""

    weight: Tensor
    scale: Tensor

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        scale = linear.weight.detach().abs().amax(1, keepdim=True) / 127
        self.register_buffer(
            "weight", (linear.weight.detach() / scale).round().clamp(-127, 127).to(torch.int8)
        )
        self.register_buffer("scale", scale)
        self.bias = linear.bias

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x, self.weight.to(x.dtype) * self.scale, self.bias)


class Dynamic(WeightOnly):
    """As torchao writes int8 dynamic: rows are quantised when they come, and multiplied as int8."""

    def forward(self, x: Tensor) -> Tensor:
        scale = x.abs().amax(-1, keepdim=True).clamp_min(1e-6) / 127
        rows = (x / scale).round().clamp(-127, 127).to(torch.int8)
        made: Tensor = (
            torch._int_mm(rows, self.weight.t()).to(x.dtype) * scale * self.scale.flatten() + self.bias
        )
        return made


@pytest.mark.parametrize("quantised", [WeightOnly, Dynamic])
def test_quantised_linears_are_as_torch_has_them(quantised: type[WeightOnly]) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(
        quantised(nn.Linear(64, 96)), nn.GELU(), quantised(nn.Linear(96, 40)), nn.ReLU()
    ).eval()
    x = torch.randn(33, 64)
    with torch.no_grad():
        wanted = model(x)
    compiled: Any = tilesmith.compile(model, precision="float32", **FAST)
    made = compiled(x)
    assert torch.corrcoef(torch.stack([made.flatten(), wanted.flatten()]))[0, 1] > 0.999
    assert (made - wanted).norm() < 0.01 * wanted.norm()
    assert ("integer_linear" in str(compiled.report)) == (quantised is Dynamic)


@pytest.mark.filterwarnings("ignore")
def test_packed_modules_without_a_plain_form_are_refused_in_a_sentence() -> None:
    packed = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.LSTM(8, 8)), {nn.LSTM}, torch.qint8)
    with pytest.raises(CaptureError, match="packed int8 weights") as refused:
        tilesmith.compile(packed, **FAST)(torch.ones(2, 1, 8))
    assert "Linear and Conv2d" in str(refused.value)


@pytest.mark.parametrize("precision", ["bfloat16", "float32"])
def test_the_report_says_what_float16_is_kept_as(precision: str) -> None:
    x = torch.ones(2, 8)
    model: Any = tilesmith.compile(nn.Linear(8, 8).half().eval(), precision=precision, **FAST)
    report = model.prepare(x.half())
    assert f"float16 is kept as {precision} on the device" in str(report)
    plain: Any = tilesmith.compile(nn.Linear(8, 8).eval(), **FAST)
    assert "float16 is kept" not in str(plain.prepare(x))


def test_float16_is_rounded_as_torch_rounds_it() -> None:
    class Scaled(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return ((x * 3).relu() - x) / 7

    x = torch.randn(33, 64).half() * 100
    model: Any = tilesmith.compile(Scaled(), precision="float16", checks="off")
    made = model(x)
    with torch.no_grad():
        wanted = (torch.relu(x.float() * 3) - x.float()) / 7  # one kernel rounds once, at its end
    assert torch.equal(made, wanted.half())
    assert "float16 is kept as float16" in str(model.report)


def test_float16_keeps_more_bits_than_bfloat16_in_models() -> None:
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(64, 96), nn.GELU(), nn.LayerNorm(96), nn.Linear(96, 40)).eval().half()
    x = torch.randn(8, 64).half()
    with torch.no_grad():
        wanted = network.double()(x.double())
    network.half()
    errors = [
        float((tilesmith.compile(network, precision=one, **FAST)(x).double() - wanted).norm() / wanted.norm())
        for one in ("float16", "bfloat16")
    ]
    assert 2 * errors[0] < errors[1]
