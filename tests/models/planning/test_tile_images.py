"""Images in tiles: every window over them as torch computes it, and in rows where a kernel reads rows."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import tilesmith
from tilesmith.kernels.halo import HaloConvolution, HaloWindowed
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.movement import Gather
from tilesmith.models.planning.halos import halo_of
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import Storage
from tilesmith.runtime import Layout


def compiled(model: nn.Module, x: torch.Tensor, **options: Any) -> Any:
    """The model, run with checks on and compared with torch."""
    with torch.no_grad():
        wanted = model.eval()(x)
    made = tilesmith.compile(model, checks="on", numbers="fast", **options)
    found = made(x)
    assert float((found - wanted).norm() / wanted.norm()) < 0.006
    assert not made.report.host
    return made


def launches(made: Any) -> list[Launch]:
    return [step for step in made.executable.plan.steps if isinstance(step, Launch)]


WINDOWS = {
    "same": ((2, 64, 14, 14), (64, 3, 1, 1, 1, 1)),
    "odd sizes": ((1, 32, 9, 11), (96, 3, 1, 1, 1, 1)),
    "several images in a tile": ((5, 32, 3, 3), (32, 3, 1, 1, 1, 1)),
    "stride": ((2, 64, 9, 10), (40, 3, 2, 1, 1, 1)),
    "dilation": ((1, 32, 12, 12), (64, 3, 1, 2, 2, 1)),
    "no padding": ((1, 32, 12, 12), (33, 3, 1, 0, 1, 1)),
    "groups": ((1, 32, 8, 8), (64, 3, 1, 1, 1, 4)),
    "oblong": ((1, 32, 8, 12), (32, (5, 1), 1, (2, 0), 1, 1)),
    "channels that end inside a tile": ((1, 24, 8, 8), (40, 3, 1, 1, 1, 1)),
}


@pytest.mark.parametrize("case", WINDOWS)
def test_convolutions_between_products_hold_their_pixels(case: str) -> None:
    shape, (filters, taps, stride, padding, dilation, groups) = WINDOWS[case]
    torch.manual_seed(0)
    channels = shape[1]
    model = nn.Sequential(
        nn.Conv2d(channels, channels, 1),
        nn.ReLU(),
        nn.Conv2d(channels, filters, taps, stride, padding, dilation, groups),  # type: ignore[arg-type]
        nn.ReLU(),
        nn.Conv2d(filters, 32, 1),
    )
    made = compiled(model, torch.randn(shape))
    assert [type(step.template) for step in launches(made)] == [Linear, HaloConvolution, Linear]
    assert all(step.storages["x"].layout is Layout.TILE for step in launches(made))


@pytest.mark.parametrize(("size", "stride"), [(10, 2), (11, 2), (10, 3)])
def test_single_pixels_of_a_stride_are_copied_once_for_a_product(size: int, stride: int) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(64, 96, 1), nn.ReLU(), nn.Conv2d(96, 64, 1, stride), nn.Conv2d(64, 32, 1))
    made = compiled(model, torch.randn(2, 64, size, size))
    assert [type(step.template) for step in launches(made)] == [Linear, HaloWindowed, Linear, Linear]
    assert launches(made)[1].numbers["taps"] == 1


def test_filters_may_lie_on_columns_of_cores_that_do_not_divide_the_grid() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(128, 128, 1), nn.ReLU(), nn.Conv2d(128, 256, 3, 1, 1))
    made = compiled(model, torch.randn(1, 128, 8, 8), target="p150")
    template = launches(made)[1].template
    assert isinstance(template, HaloConvolution)
    assert (template.mesh.wide, template.mesh.columns) == (8, 8)  # of 13


def test_pools_of_few_rows_are_spread_over_columns() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(32, 128, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Conv2d(128, 32, 1))
    made = compiled(model, torch.randn(3, 32, 7, 7))
    windows = [step.template for step in launches(made) if isinstance(step.template, HaloWindowed)]
    assert [window.block[1] for window in windows] == [32]


def _passing(channels: int, taps: int = 1, at: tuple[int, int] = (0, 0)) -> nn.Conv2d:
    """A convolution that moves an image by a pixel, or leaves it where it is."""
    conv = nn.Conv2d(channels, channels, taps, padding=taps // 2, bias=False)
    with torch.no_grad():
        conv.weight.zero_()
        conv.weight[:, :, at[0], at[1]] = torch.eye(channels)
    return conv


def test_pixels_in_block_floats_are_gathered_as_they_lie() -> None:
    torch.manual_seed(0)
    x = torch.randn(1, 64, 9, 9) * torch.logspace(-3, 3, 81).view(9, 9)
    still = nn.Sequential(_passing(64), _passing(64))
    moving = nn.Sequential(_passing(64), _passing(64, 3, (0, 2)), _passing(64))
    made, moved = (tilesmith.compile(one, checks="on", activations="bfloat8_b")(x) for one in (still, moving))
    wanted = torch.zeros_like(x)
    wanted[:, :, 1:, :-1] = made[:, :, :-1, 1:]
    assert torch.equal(moved, wanted)
    assert not torch.equal(made, x.bfloat16().float())  # it was stored in block floats


@pytest.mark.parametrize("stride", [1, 2])
def test_depthwise_windows_and_pools_hold_their_pixels(stride: int) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(40, 40, 3, stride, 1, groups=40),
        nn.MaxPool2d(3, 2, 1),
        nn.ReLU6(),
        nn.AvgPool2d(2, 1),
        nn.Conv2d(40, 32, 1),
    )
    made = compiled(model, torch.randn(2, 40, 9, 9))
    windows = [step.template for step in launches(made) if isinstance(step.template, HaloWindowed)]
    assert [window.operation for window in windows] == ["diagonal", "max", "sum"]


def test_weights_of_depthwise_windows_in_float32_stay_off_the_matrix_unit() -> None:
    torch.manual_seed(0)
    made = compiled(nn.Conv2d(32, 32, 3, 1, 1, groups=32), torch.randn(1, 32, 6, 6), precision="float32")
    (step,) = launches(made)
    assert isinstance(step.template, HaloWindowed)
    assert step.template.operation == "depthwise"


def test_residuals_are_added_in_tiles() -> None:
    class Residual(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Conv2d(48, 48, 3, 1, 1), nn.Conv2d(48, 48, 1)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = torch.relu(self.second(x))
            return torch.relu(x + self.second(self.first(x)))

    torch.manual_seed(0)
    made = compiled(Residual(), torch.randn(2, 48, 7, 7))
    assert len(launches(made)) == 3
    assert {operand.access for step in launches(made) for operand in step.template.tensors} == {
        "block",
        "rows",  # the image of the window, which lies in tiles too
        "row",
    }


FOLDED = {
    "7x7": ((1, 3, 32, 32), (16, 7, 2, 3), 12),
    "3x3, oblong image": ((2, 3, 16, 24), (40, 3, 2, 1), 12),
    "stride of three": ((2, 2, 12, 9), (8, 3, 3, 1), 18),
    "oblong window": ((1, 3, 16, 16), (16, (7, 5), 2, (3, 2)), 12),
    "odd image": ((1, 3, 15, 16), (16, 3, 2, 1), 3),
}


@pytest.mark.parametrize("case", FOLDED)
def test_strides_of_images_from_the_host_become_channels(case: str) -> None:
    shape, (filters, taps, stride, padding), channels = FOLDED[case]
    torch.manual_seed(0)
    made = compiled(nn.Conv2d(3 if shape[1] == 3 else 2, filters, taps, stride, padding), torch.randn(shape))  # type: ignore[arg-type]
    (step,) = launches(made)
    image: Storage = step.storages["x"]
    assert image.rows * (stride**2 if channels > 3 else 1) >= shape[0] * shape[2] * shape[3]
    assert step.numbers["stride_h"] == (1 if channels > 3 else stride)


def test_what_is_read_in_rows_stays_in_rows() -> None:
    """Nearest neighbours are found in rows."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(32, 32, 3, 1, 1), nn.Upsample(scale_factor=2), nn.Conv2d(32, 32, 1))
    made = compiled(model, torch.randn(1, 32, 6, 6))
    first, repeated, last = launches(made)
    assert repeated.storages["x"].layout is Layout.ROW_MAJOR
    assert first.storages["y"] == repeated.storages["x"]
    assert last.storages["x"].layout is Layout.TILE


def test_open_sizes_keep_rows() -> None:
    model = nn.Conv2d(32, 32, 3, 1, 1).eval()
    made: Any = tilesmith.compile(model, dynamic_shapes={"input": {0: torch.export.Dim("batch", max=8)}})
    found = made(torch.ones(2, 32, 6, 6))
    assert found.shape == (2, 32, 6, 6)


def test_a_halo_has_the_rows_of_every_block() -> None:
    sizes = {"height": 9, "width": 10, "area": 90, "pitch": 10, "step": 1, "taps": 9, "taps_w": 3}
    pairs = {"stride_h": 2, "stride_w": 2, "pad_h": 1, "pad_w": 1, "dil_h": 1, "dil_w": 1}
    strided = {**sizes, **pairs, "out_area": 25, "out_width": 5}
    halo = halo_of(strided, 32, 2)
    assert halo is not None
    assert not halo.shifts
    same = {**sizes, **pairs, "stride_h": 1, "stride_w": 1, "out_area": 90, "out_width": 10}
    shifted = halo_of(same, 64, 2)
    assert shifted is not None
    assert (shifted.tiles, shifted.before, shifted.shifts) == (4, 1, True)


@pytest.mark.parametrize("channels", [128, 96])
def test_channels_that_find_no_room_are_held_part_by_part(
    channels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A core has room for the channels of one tile, and there are three or four of them."""
    monkeypatch.setattr("tilesmith.models.planning.halos._L1_SHARE", 0.06)
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(32, channels, 1), nn.Conv2d(channels, 32, 3, padding=1), nn.Conv2d(32, 32, 1)
    )
    made = compiled(model, torch.randn(2, 32, 8, 9))
    (window,) = [step.template for step in launches(made) if isinstance(step.template, HaloConvolution)]
    assert 0 < window.channels < channels
    assert window.held == window.channels


class Tokens(nn.Module):
    """A depthwise window over tokens between two products, as in SegFormer."""

    def __init__(self, size: tuple[int, int]) -> None:
        super().__init__()
        self.size = size
        self.up, self.down, self.window = (
            nn.Linear(32, 64),
            nn.Linear(64, 32),
            nn.Conv2d(64, 64, 3, 1, 1, 1, 64),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        image = self.up(x).transpose(1, 2).reshape(len(x), 64, *self.size)
        made: torch.Tensor = self.down(self.window(image).flatten(2).transpose(1, 2))
        return made


@pytest.mark.parametrize("batch", [1, 2])
def test_windows_over_tokens_read_them_where_products_left_them(batch: int) -> None:
    torch.manual_seed(0)
    made = compiled(Tokens((8, 8)), torch.randn(batch, 64, 32))
    assert [type(step.template) for step in launches(made)] == [Linear, HaloWindowed, Linear]


def test_a_window_over_one_line_reads_tiles() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv1d(32, 64, 1), nn.Conv1d(64, 64, 3, padding=1), nn.Conv1d(64, 32, 1))
    made = compiled(model, torch.randn(1, 32, 48))
    assert HaloConvolution in [type(step.template) for step in launches(made)]


@pytest.mark.parametrize("channels", [8, 64])
def test_images_are_enlarged_smoothly_with_their_channels_side_by_side(channels: int) -> None:
    torch.manual_seed(0)
    larger = nn.Upsample(scale_factor=2, mode="bilinear")
    model = nn.Sequential(nn.Conv2d(32, channels, 1), larger, nn.Conv2d(channels, 32, 1))
    made = compiled(model, torch.randn(2, 32, 5, 8))
    gathers = [step.template for step in launches(made) if isinstance(step.template, Gather)]
    assert all(one.runs for one in gathers) or channels < 32


class Joined(nn.Module):
    """What is enlarged is joined with an image that was there before, as in a U-Net."""

    def __init__(self, larger: int, older: int) -> None:
        super().__init__()
        self.older, self.small = nn.Conv2d(32, older, 3, 1, 1), nn.Conv2d(older, larger, 1)
        self.pool, self.last = nn.MaxPool2d(2), nn.Conv2d(larger + older, 32, 3, 1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        older = self.older(x)
        larger = nn.functional.interpolate(self.small(self.pool(older)), scale_factor=2)
        made: torch.Tensor = self.last(torch.cat((larger, older), 1))
        return made


@pytest.mark.parametrize(("larger", "older"), [(32, 32), (32, 16), (64, 48)])
def test_joined_images_lie_in_tiles_where_each_begins_at_one(larger: int, older: int) -> None:
    torch.manual_seed(0)
    made = compiled(Joined(larger, older), torch.randn(1, 32, 8, 12))
    last = launches(made)[-1]
    assert isinstance(last.template, HaloConvolution)
    assert last.storages["x"].cols == -(-(larger + older) // 32) * 32


@pytest.mark.parametrize(("larger", "older"), [(16, 16), (48, 40)])
def test_images_joined_inside_a_tile_are_not_joined(larger: int, older: int) -> None:
    torch.manual_seed(0)
    made = compiled(Joined(larger, older), torch.randn(1, 32, 8, 12))
    assert not [step for step in launches(made) if isinstance(step.template, Gather)]
    *_, first, last = launches(made)
    assert [type(first.template), type(last.template)] == [HaloConvolution, HaloConvolution]
    assert first.outputs[0] in last.storages.values()
