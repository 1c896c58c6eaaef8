"""Models quantised by torch.ao, by torchao's operators and by precision="int8" run as products of int8."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.ao import quantization
from torch.ao.nn.quantized import dynamic

import tilesmith
import tilesmith.models.custom_ops
from tilesmith.errors import CaptureError
from tilesmith.models.backends.cuda import CudaExecutable

pytestmark = pytest.mark.filterwarnings("ignore")
FAST = {"checks": "off", "numbers": "fast"}
ours = torch.ops.tilesmith


class Product(nn.Module):
    """A product of integers with what rounds before it and scales after it."""

    weight: Tensor

    def __init__(self, weight: Tensor, *window: Any) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.window = window

    def forward(self, x: Tensor) -> Tensor:
        product = ours.integer_conv2d if self.window else ours.integer_linear
        made: Tensor = product(x.round(), self.weight, *self.window) * 0.5
        return made


def pcc(made: Tensor, wanted: Tensor) -> float:
    return float(torch.corrcoef(torch.stack([made.flatten(), wanted.flatten()]))[0, 1])


def whole(least: int, *shape: int) -> Tensor:
    return torch.randint(least, 128, shape, generator=torch.Generator().manual_seed(1)).to(torch.int8)


def rows(*shape: int) -> Tensor:
    return torch.randint(-255, 256, shape, generator=torch.Generator().manual_seed(2)).float()


def made_and_wanted(model: nn.Module, x: Tensor, **options: Any) -> tuple[Tensor, Tensor, Any]:
    compiled: Any = tilesmith.compile(model.eval(), **{**FAST, **options})
    with torch.no_grad():
        wanted = model(x)
    return compiled(x), wanted, compiled.report


@pytest.mark.parametrize(
    ("model", "x"),
    [
        (Product(whole(-128, 40, 72)), rows(33, 72)),
        (Product(whole(-127, 33, 200)), rows(2, 5, 200)),
        (Product(whole(-127, 40, 35, 3, 3), [1, 1], [1, 1], [1, 1], 1), rows(1, 35, 5, 7)),
        (Product(whole(-128, 8, 35, 1, 1), [1, 1], [0, 0], [1, 1], 1), rows(1, 35, 3, 5)),
        (Product(whole(-127, 8, 1, 3, 3), [2, 2], [1, 1], [1, 1], 8), rows(1, 8, 5, 7)),
    ],
    ids=["linear", "batched", "conv", "pointwise", "depthwise"],
)
def test_sums_are_exact_with_the_numbers_of_the_chip(model: nn.Module, x: Tensor) -> None:
    made, wanted, report = made_and_wanted(model, x, numbers="chip", precision="float32")
    assert torch.equal(made, wanted)
    assert report.host == ()


def test_weights_of_seven_bits_take_a_byte_each() -> None:
    narrow, wide = (
        tilesmith.compile(Product(whole(least, 64, 64)), **FAST).prepare(rows(32, 64))
        for least in (-127, -128)
    )
    assert narrow.weights < 0.6 * wide.weights


def layers() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 40)).eval()


@pytest.mark.parametrize("per_channel", [False, True])
def test_dynamic_linears_of_torch_ao(per_channel: bool) -> None:
    config: Any = (
        quantization.per_channel_dynamic_qconfig if per_channel else quantization.default_dynamic_qconfig
    )
    model = quantization.quantize_dynamic(layers(), {nn.Linear: config})
    made, wanted, report = made_and_wanted(model, torch.randn(33, 64), precision="float32")
    assert pcc(made, wanted) > 0.9999
    assert report.host == ()
    assert isinstance(model[0], dynamic.Linear)  # the model itself is as it was


def test_dynamic_linears_in_float16_keep_their_weights() -> None:
    model = quantization.quantize_dynamic(layers(), {nn.Linear}, dtype=torch.float16)
    made, wanted, _ = made_and_wanted(model, torch.randn(8, 64))
    assert pcc(made, wanted) > 0.999


def test_a_dynamic_convolution_of_torch_ao() -> None:
    torch.manual_seed(0)
    source: Any = nn.Conv2d(8, 12, 3, padding=1)
    source.qconfig = quantization.default_dynamic_qconfig
    model = nn.Sequential(dynamic.Conv2d.from_float(source), nn.ReLU())
    made, wanted, report = made_and_wanted(model, torch.randn(1, 8, 6, 6), precision="float32")
    assert pcc(made, wanted) > 0.9999
    assert report.host == ()


class Images(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.second = nn.Conv2d(8, 8, 3, padding=1)
        self.add = torch.ao.nn.quantized.FloatFunctional()
        self.last = nn.Linear(8, 12)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.norm(self.first(x)))
        x = self.add.add_relu(x, self.second(x))
        made: Tensor = self.last(nn.functional.adaptive_avg_pool2d(x, 1).flatten(1))
        return made


def fx_model(reference: bool = False) -> nn.Module:
    from torch.ao.quantization import quantize_fx

    torch.manual_seed(0)
    mapping = quantization.get_default_qconfig_mapping("x86")
    prepared = quantize_fx.prepare_fx(Images().eval(), mapping, (torch.randn(2, 3, 8, 8),))
    prepared(torch.randn(4, 3, 8, 8))
    convert = quantize_fx.convert_to_reference_fx if reference else quantize_fx.convert_fx
    made: nn.Module = convert(prepared)
    return made


@pytest.mark.parametrize("reference", [False, True])
def test_static_graphs_of_torch_ao(reference: bool) -> None:
    made, wanted, report = made_and_wanted(fx_model(reference), torch.randn(2, 3, 8, 8))
    assert pcc(made, wanted) > 0.999
    assert report.host == ()
    assert ("integer_conv2d" in str(report)) != reference


def test_static_modules_of_torch_ao() -> None:
    torch.manual_seed(0)
    model: Any = nn.Sequential(quantization.QuantStub(), Images(), quantization.DeQuantStub()).eval()
    model.qconfig = quantization.get_default_qconfig("x86")
    quantization.fuse_modules(model, [["1.first", "1.norm"]], inplace=True)
    quantization.prepare(model, inplace=True)
    model(torch.randn(4, 3, 8, 8))
    quantization.convert(model, inplace=True)
    made, wanted, report = made_and_wanted(model, torch.randn(2, 3, 8, 8))
    assert pcc(made, wanted) > 0.999
    assert report.host == ()


def test_one_module_with_inputs_of_two_scales_is_refused() -> None:
    class Twice(nn.Module):
        def __init__(self, first: Any, second: Any, layer: Any) -> None:
            super().__init__()
            self.first, self.second, self.layer = first, second, layer

        def forward(self, x: Tensor) -> Any:
            return self.layer(self.first(x)).dequantize() + self.layer(self.second(x)).dequantize()

    static = torch.ao.nn.quantized
    quantisers = [
        static.Quantize(torch.tensor([scale]), torch.tensor([0]), torch.quint8) for scale in (0.1, 0.2)
    ]
    with pytest.raises(CaptureError, match="inputs of 2 scales"):
        tilesmith.compile(Twice(quantisers[0], quantisers[1], static.Linear(8, 8)), **FAST)(torch.ones(2, 8))


class AsTorchao(nn.Module):
    """What torchao's dynamic int8 linear becomes on a CPU: rows are moved to uint8 for the product."""

    weight: Tensor
    scale: Tensor

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.register_buffer("weight", whole(-127, 40, 64))
        self.register_buffer("scale", torch.rand(40) * 0.01)

    def forward(self, x: Tensor) -> Tensor:
        scale = x.abs().amax(-1, keepdim=True).clamp_min(1e-6) / 127
        integers = torch.clamp((x * (1 / scale)).round(), -128, 127).to(torch.int8)
        moved = (integers.reshape(-1, 64).to(torch.int32) + 128).to(torch.uint8)
        weight = self.weight.t()
        sums = torch._int_mm(moved, weight) - 128 * weight.sum(0, keepdim=True, dtype=torch.int32)
        made: Tensor = sums.to(torch.float32) * scale.reshape(-1, 1) * self.scale
        return made.reshape(*x.shape[:-1], 40)


def test_dynamic_linears_of_torchao_stay_on_the_device() -> None:
    made, wanted, report = made_and_wanted(AsTorchao(), torch.randn(5, 64), precision="float32")
    assert (made - wanted).norm() < 1e-3 * wanted.norm()
    assert report.host == ()
    assert "integer_linear" in str(report)


class Sandwich(AsTorchao):
    """A 1x1 convolution as torchao swaps it for a linear: pixels are the rows of its product."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def test_convolutions_of_torchao_that_became_linears() -> None:
    made, wanted, report = made_and_wanted(Sandwich(), torch.randn(2, 64, 3, 5), precision="float32")
    assert (made - wanted).norm() < 1e-3 * wanted.norm()
    assert report.host == ()
    assert "integer_linear" in str(report)


@pytest.mark.parametrize("level", ["O0", "O2"])
def test_precision_int8_quantises_linears(level: Any) -> None:
    made, wanted, report = made_and_wanted(
        layers(), torch.randn(2, 5, 64), precision="int8", optimization_level=level
    )
    assert pcc(made, wanted) > 0.999
    assert str(report).count("integer_linear") >= 1
    assert report.host == ()


def test_precision_int8_quantises_convolutions() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 1))
    made, wanted, report = made_and_wanted(model, torch.randn(2, 3, 6, 6), precision="int8")
    assert pcc(made, wanted) > 0.999
    assert str(report).count("integer_conv2d") == 2
    assert report.host == ()


def test_the_reference_backend_quantises_too() -> None:
    x = torch.randn(4, 64)
    made, wanted, _ = made_and_wanted(layers().bfloat16(), x.bfloat16(), precision="int8", backend="cpu")
    assert made.dtype == torch.bfloat16
    assert 0 < (made.float() - wanted.float()).norm() < 0.03 * wanted.float().norm()


def test_other_backends_leave_quantised_products_to_the_host() -> None:
    model: Any = tilesmith.compile(layers(), backend="cuda", precision="int8")
    report = model.prepare(torch.randn(4, 64))
    assert isinstance(model.executable, CudaExecutable)
    assert {line.op for line in report.host} == {"tilesmith::integer_linear"}
