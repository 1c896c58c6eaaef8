"""Images as rows of pixels: every kernel that reads or makes them, with all checks on, beside torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tilesmith.arch import load_arch
from tilesmith.compiler.compile import compile_kernel
from tilesmith.kernels.convolution import Convolution, Windowed
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Input
from tilesmith.kernels.operands import Operand
from tilesmith.models.compiled_model import compile_model
from tilesmith.zoo.planning import planned
from tilesmith.zoo.running import relative_l2
from tilesmith.zoo.sample import noise, seeded

functional = nn.functional
_PLAIN = Epilogue((Result(Input("acc0"), Operand("y", "rows")),))


class Parts(nn.Module):
    """A function of an image that uses layers."""

    def __init__(self, run: Callable[..., Tensor], **layers: nn.Module) -> None:
        super().__init__()
        self.run = run
        self.layers = nn.ModuleDict(layers)

    def forward(self, *inputs: Tensor) -> Tensor:
        return self.run(self.layers, *inputs)


def _model(run: Callable[..., Tensor], **layers: Callable[[], nn.Module]) -> nn.Module:
    return seeded(lambda: Parts(run, **{name: make() for name, make in layers.items()}))


@pytest.mark.parametrize("template", [Convolution(_PLAIN), Windowed("max", _PLAIN), Windowed("sum", _PLAIN)])
def test_pixels_are_fetched_by_rows(template: Any) -> None:
    sources = compile_kernel(template.prim_func(), load_arch("wormhole")).sources()
    reader = next(text for name, text in sources.items() if name.endswith("reader"))
    assert "// gather rows of x to" in reader
    assert "element by element" not in reader
    writer = next(text for name, text in sources.items() if name.endswith("writer"))
    assert "noc_async_write(" in writer
    assert "l1_store" not in writer


def test_images_of_odd_sizes_are_convolved_normalised_joined_and_pooled() -> None:
    def run(layer: Any, x: Tensor) -> Tensor:
        made = functional.silu(layer["norm"](layer["first"](x)))
        joined = torch.cat([made, layer["second"](made)], 1)
        return functional.adaptive_avg_pool2d(joined, 3)

    model = _model(
        run,
        first=lambda: nn.Conv2d(4, 32, 3, padding=1),
        norm=lambda: nn.GroupNorm(4, 32),
        second=lambda: nn.Conv2d(32, 8, 3, padding=1),
    )
    x = noise(2, 4, 9, 9)
    compiled = compile_model(model)
    made = compiled(x)
    with torch.no_grad():
        assert relative_l2(made, model(x)) < 0.01
    assert [line.ops for line in compiled.report.kernels] == [
        ("conv2d",),
        ("group_norm", "silu"),
        ("conv2d",),
        ("adaptive_avg_pool2d",),
    ]


def test_transposed_and_grouped_convolutions_agree_with_torch() -> None:
    model = seeded(
        lambda: nn.Sequential(
            nn.ConvTranspose2d(4, 32, 3, stride=2, padding=1, output_padding=1),
            nn.Conv2d(32, 64, 3, padding=2, dilation=2, groups=4),
        )
    )
    x = noise(1, 4, 5, 4)
    compiled = compile_model(model, checks="off", numbers="fast")
    made = compiled(x)
    with torch.no_grad():
        assert relative_l2(made, model(x)) < 0.01
    assert compiled.report.host == ()


PLANS: dict[str, tuple[nn.Module, tuple[Tensor, ...], int]] = {
    "tokens of an image and back": (
        _model(
            lambda layer, x: layer["out"](
                layer["inner"](layer["first"](x).flatten(2).transpose(1, 2))
                .transpose(1, 2)
                .reshape(1, 64, 6, 6)
            ),
            first=lambda: nn.Conv2d(4, 64, 1),
            inner=lambda: nn.Linear(64, 64),
            out=lambda: nn.Conv2d(64, 64, 1),
        ),
        (noise(1, 4, 6, 6),),
        3,
    ),
    "a vector for each channel": (
        _model(
            lambda layer, x, time: layer["first"](x) + layer["time"](time)[:, :, None, None],
            first=lambda: nn.Conv2d(4, 64, 3, padding=1),
            time=lambda: nn.Linear(32, 64),
        ),
        (noise(1, 4, 6, 6), noise(1, 32)),
        3,
    ),
    "pixels repeated": (
        _model(
            lambda layer, x: layer["last"](functional.interpolate(layer["first"](x), scale_factor=2.0)),
            first=lambda: nn.Conv2d(4, 32, 1),
            last=lambda: nn.Conv2d(32, 32, 3, padding=1),
        ),
        (noise(1, 4, 5, 5),),
        3,
    ),
    "a gated unit": (
        _model(
            lambda layer, x: (lambda a, gate: a * functional.gelu(gate))(*layer["both"](x).chunk(2, -1)),
            both=lambda: nn.Linear(64, 128),
        ),
        (noise(32, 64),),
        1,
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_no_copy_is_needed_for(name: str) -> None:
    model, inputs, kernels = PLANS[name]
    made = planned(model, inputs)
    assert made.host_compute == ()
    assert len(made.report.kernels) == kernels
