"""Models quantised by torch.ao and torchao, compared with torch's own int8 results.

    python -m benchmarks.quantized_models --json [--fast] [--only mlp]

MLP and BERT have dynamic linears, ResNet-18 is static (FX mode, calibrated on noise). Where torchao is
installed the MLP and a network of convolutions are also quantised by it.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import nn
from torch.ao import quantization
from torch.ao.quantization import quantize_fx

import tilesmith

PCC = 0.999


@dataclass(frozen=True)
class Row:
    model: str
    by: str
    pcc: float
    relative_l2: float
    host: int
    seconds: float


def mlp() -> tuple[nn.Module, tuple[Any, ...]]:
    torch.manual_seed(0)
    layers = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 64))
    return quantization.quantize_dynamic(layers.eval(), {nn.Linear}), (torch.randn(64, 256),)


def torchao_mlp() -> tuple[nn.Module, tuple[Any, ...]]:
    torchao: Any = importlib.import_module("torchao.quantization")
    torch.manual_seed(0)
    layers = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.Linear(512, 64)).eval()
    torchao.quantize_(layers, torchao.Int8DynamicActivationInt8WeightConfig())
    return layers, (torch.randn(64, 256),)


class ConvNet(nn.Module):
    """A bottleneck of a ResNet and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.narrow, self.middle = nn.Conv2d(64, 32, 1), nn.Conv2d(32, 32, 3, padding=1)
        self.wide, self.classifier = nn.Conv2d(32, 64, 1), nn.Linear(64, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.wide(self.middle(self.narrow(x).relu()).relu())
        made: torch.Tensor = self.classifier(x.relu().mean((2, 3)))
        return made


def torchao_convolutions(config: str) -> tuple[nn.Module, tuple[Any, ...]]:
    """torchao quantises 1x1 convolutions as linears; it has no int8 product for larger windows."""
    torchao: Any = importlib.import_module("torchao.quantization")
    torch.manual_seed(0)
    model = ConvNet().eval()
    torchao.quant_api.swap_conv2d_1x1_to_linear(model)
    torchao.quantize_(model, getattr(torchao, config)())
    return model, (torch.randn(4, 64, 14, 14),)


def bert() -> tuple[nn.Module, tuple[Any, ...]]:
    """BERT-tiny: two layers of width 128, as published."""
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(
        hidden_size=128, num_hidden_layers=2, num_attention_heads=2, intermediate_size=512, vocab_size=1000
    )
    model = BertModel(config, add_pooling_layer=False).eval()
    return quantization.quantize_dynamic(model, {nn.Linear}), (torch.randint(0, 1000, (1, 64)),)


def resnet(size: int = 64) -> tuple[nn.Module, tuple[Any, ...]]:
    """ResNet-18 at its published widths."""
    from tilesmith.zoo.resnet import ResNet

    torch.manual_seed(0)
    model = ResNet((2, 2, 2, 2)).eval()
    for part in model.modules():  # statistics as after training, so that values keep their size
        if isinstance(part, nn.BatchNorm2d):
            part.running_var = (
                torch.rand_like(part.running_var) + 0.5 if part.running_var is not None else None
            )
    prepared = quantize_fx.prepare_fx(
        model, quantization.get_default_qconfig_mapping("x86"), (torch.randn(1, 3, size, size),)
    )
    prepared(torch.randn(4, 3, size, size))
    return quantize_fx.convert_fx(prepared), (torch.randn(1, 3, size, size),)


MODELS: dict[str, tuple[str, Callable[[], tuple[nn.Module, tuple[Any, ...]]]]] = {
    "mlp": ("torch.ao, dynamic", mlp),
    "bert": ("torch.ao, dynamic", bert),
    "resnet18": ("torch.ao, static", resnet),
    "mlp torchao": ("torchao, dynamic", torchao_mlp),
    "convolutions torchao weight-only": (
        "torchao, weight-only",
        lambda: torchao_convolutions("Int8WeightOnlyConfig"),
    ),
    "convolutions torchao dynamic": (
        "torchao, dynamic",
        lambda: torchao_convolutions("Int8DynamicActivationInt8WeightConfig"),
    ),
}


def measured(name: str, fast: bool) -> Row:
    by, make = MODELS[name]
    model, inputs = make()
    with torch.no_grad():
        wanted = _tensor(model(*inputs))
    begin = time.perf_counter()
    compiled: Any = tilesmith.compile(model, checks="off", numbers="fast" if fast else "chip")
    made = _tensor(compiled(*inputs))
    pcc = float(torch.corrcoef(torch.stack([made.flatten(), wanted.flatten()]))[0, 1])
    error = float((made - wanted).norm() / wanted.norm())
    return Row(name, by, pcc, error, len(compiled.report.host), time.perf_counter() - begin)


def _tensor(value: Any) -> torch.Tensor:
    found: torch.Tensor = getattr(value, "last_hidden_state", value)
    return found.detach().float()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--fast", action="store_true", help="compute in float32 instead of as the chip does")
    parser.add_argument("--only", nargs="*", choices=tuple(MODELS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    names = given.only or [
        name for name in MODELS if "torchao" not in name or importlib.util.find_spec("torchao") is not None
    ]
    rows = [measured(name, given.fast) for name in names]
    if given.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
    for row in () if given.json else rows:
        close = f"PCC {row.pcc:.6f} L2 {row.relative_l2:.4f}"
        print(f"{row.model:12} {row.by:18} {close} host {row.host} {row.seconds:.0f} s")
    if any(row.pcc < PCC for row in rows):
        raise SystemExit("a model is farther from torch's int8 result than it may be")


if __name__ == "__main__":
    main()
