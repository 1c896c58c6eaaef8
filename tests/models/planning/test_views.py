"""Views of device tensors: strides say what they can, and say so when they cannot."""

from __future__ import annotations

import doctest

import pytest
import torch

from tilesmith.formats import DataFormat
from tilesmith.models.backends.transfers import from_tensor, to_tensor
from tilesmith.models.planning import images, views
from tilesmith.models.planning import iteration_space as iteration
from tilesmith.models.planning.views import Axis, View, fresh, fresh_heads, fresh_vector
from tilesmith.runtime import Layout


@pytest.mark.parametrize("module", [views, images, iteration])
def test_examples(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0
    assert result.failed == 0


def stored(values: torch.Tensor, view: View) -> torch.Tensor:
    return to_tensor(values, view)


def seen(matrix: torch.Tensor, view: View) -> torch.Tensor:
    return from_tensor(matrix, view, torch.float32)


VALUES = torch.arange(2 * 3 * 40 * 64, dtype=torch.float32).reshape(2, 3, 40, 64)


def test_what_is_stored_is_seen_again_with_zeros_around_it() -> None:
    view = fresh(VALUES.shape, "float32")
    matrix = stored(VALUES, view)
    assert matrix.shape == (2 * 3 * 64, 64)
    assert torch.equal(seen(matrix, view), VALUES)
    assert float(matrix.sum()) == float(VALUES.sum())


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("permute", lambda x: x.permute(0, 2, 1, 3)),
        ("expand", lambda x: x[:, :1].expand(2, 5, 40, 64)),
        ("slice", lambda x: x[:, :, 8:32:2]),
    ],
)
def test_views_see_what_torch_sees(name: str, change: object) -> None:
    view = fresh(VALUES.shape, "float32")
    made = {
        "permute": view.permute((0, 2, 1, 3)),
        "expand": view.slice(1, 0, 1).expand((2, 5, 40, 64)),
        "slice": view.slice(2, 8, 32, 2),
    }[name]
    assert torch.equal(seen(stored(VALUES, view), made), change(VALUES))  # type: ignore[operator]


def test_heads_side_by_side_merge_without_a_copy() -> None:
    view = fresh_heads((2, 4, 64, 32), "float32")
    merged = view.permute((0, 2, 1, 3)).reshape((2, 64, 128))
    values = torch.randn(2, 4, 64, 32)
    assert merged is not None
    assert torch.equal(seen(stored(values, view), merged), values.transpose(1, 2).reshape(2, 64, 128))


def test_strides_cannot_merge_heads_stored_one_after_the_other() -> None:
    assert fresh((2, 4, 64, 32)).permute((0, 2, 1, 3)).reshape((2, 64, 128)) is None


def test_rows_of_a_batch_merge_only_if_no_padding_lies_between() -> None:
    assert fresh((2, 64, 32)).reshape((128, 32)) is not None
    assert fresh((2, 40, 32)).reshape((80, 32)) is None


def test_a_vector_has_a_value_per_row() -> None:
    view = fresh_vector((3, 5, 1), "float32")
    assert (view.storage.rows, view.storage.cols) == (3, 5)
    assert view.axes[-2:] == (Axis(5, 0, 1), Axis(1, 0, 0))


def test_images_and_tokens_lie_in_the_same_way() -> None:
    view = images.fresh_image((2, 3, 4, 5), "float32")
    values = torch.randn(2, 3, 4, 5)
    tokens = images.pixels(view)
    assert tokens is not None
    assert torch.equal(seen(stored(values, view), tokens), values.flatten(2).transpose(1, 2))
    assert images.is_image(view)
    assert not images.is_image(fresh((2, 3, 4, 5)))


def test_channels_of_an_image_from_the_middle_of_a_tile_on_are_no_image() -> None:
    view = images.fresh_image((1, 64, 4, 4), "float32")
    assert images.is_image(view.slice(1, 32, 64))
    assert not images.is_image(view.slice(1, 16, 48))


def test_a_storage_has_the_types_of_the_device() -> None:
    view = fresh((40, 64), "bfloat8_b")
    assert (view.storage.format, view.storage.layout) == (DataFormat.Bfp8_b, Layout.TILE)
    assert view.storage.dtype == "bfloat8_b"
    assert view.storage.bytes == 64 * 64 * 17 // 16
    with pytest.raises(KeyError):
        fresh((32, 32), "float7")
