"""Convolutions of 3x3 windows -> the launches of Winograd's form. Weights are transformed with the plan."""

from __future__ import annotations

from dataclasses import dataclass

from torch.fx import Node

from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Input
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.winograd import Assembly, Sums
from tilesmith.kernels.winograd_matrices import TRANSFORMS, Transform
from tilesmith.models.planning.epilogue import Finish
from tilesmith.models.planning.fusion import Group, describe
from tilesmith.models.planning.lower_images import image_space, still, window_numbers
from tilesmith.models.planning.lowering import Lowering
from tilesmith.models.planning.views import TILE, Axis, Storage, View, new_storage, padded
from tilesmith.runtime import Layout


@dataclass(frozen=True)
class Tiles:
    """The tiles of results: how many there are, and how the transformed images lie."""

    transform: Transform
    batch: int
    height: int
    width: int
    channels: int
    filters: int

    @property
    def down(self) -> int:
        return -(-self.height // self.transform.size)

    @property
    def across(self) -> int:
        return -(-self.width // self.transform.size)

    @property
    def count(self) -> int:
        return self.batch * self.down * self.across

    @property
    def apart(self) -> int:
        """Rows from one place to the next, in whole tiles of the chip."""
        return padded(self.count)


def lower_winograd(
    lowering: Lowering,
    group: Group,
    size: int,
    image: View,
    weight: Node,
    padding: tuple[int, int],
    done: Finish,
) -> View:
    """F(size x size, 3x3) of an image in rows, and what follows it."""
    batch, filters, height, width = done.out.shape
    tiles = Tiles(TRANSFORMS[size], batch, height, width, image.shape[1], filters)
    ops = describe(group)
    places = _transform_image(lowering, tiles, image, padding)
    products = _multiply(lowering, tiles, places, weight)
    results = _transform_results(lowering, tiles, products)
    room = image_space(lowering, done)
    template = Assembly(size, done.epilogue, results.dtype)
    numbers = {"m": room.rows, "n": room.cols, "apart": tiles.count, **still("x"), **room.numbers}
    numbers |= {"tiles_h": tiles.down, "tiles_w": tiles.across}
    numbers |= {"out_area": height * width, "out_width": width}
    storages = {"x": results, **{name: one.view.storage for name, one in done.operands.items()}}
    lowering.launch(template, storages, numbers, ops, done.out)
    return done.out


def _transform_image(lowering: Lowering, tiles: Tiles, image: View, padding: tuple[int, int]) -> Storage:
    """B^T along columns, then along rows: a matrix of tiles by channels for each place."""
    size, count = tiles.transform.size, tiles.transform.places
    batch, channels, _, width = image.shape
    rows = batch * tiles.down * width
    between = new_storage(count * rows, channels, Layout.ROW_MAJOR, lowering.dtype)
    down = window_numbers(image, (batch, 0, tiles.down, width), (count, 1), (size, 1), (padding[0], 0))
    place = {**still("x", "y"), "x_row": image.row, "x_col": image.col // TILE, "y_row1": rows}
    sums = Sums(tiles.transform.image, "window", "rows", lowering.dtype, lowering.dtype)
    numbers = {"m": rows, "n": channels, "nb1": 1, **_geometry(down), **place}
    lowering.launch(sums, {"x": image.storage, "y": between}, numbers, ("winograd_image",), between)
    places = new_storage(count**2 * tiles.apart, padded(channels), Layout.TILE, lowering.dtype)
    lines = View(
        between,
        (
            Axis(batch, tiles.down * width, 0),
            Axis(channels, 0, 1),
            Axis(tiles.down, width, 0),
            Axis(width, 1, 0),
        ),
    )
    across = window_numbers(
        lines, (batch, 0, tiles.down, tiles.across), (1, count), (1, size), (0, padding[1])
    )
    apart = tiles.apart // TILE
    place = {**still("x", "y"), "x_row1": rows, "y_row1": count * apart, "y_row2": apart}
    sums = Sums(tiles.transform.image, "window", "block", lowering.dtype, lowering.dtype)
    numbers = {"m": tiles.count, "n": padded(channels), "nb1": count, **_geometry(across), **place}
    lowering.launch(sums, {"x": between, "y": places}, numbers, ("winograd_image",), places)
    return places


def _geometry(numbers: dict[str, int]) -> dict[str, int]:
    return {name: value for name, value in numbers.items() if name != "taps"}


def _multiply(lowering: Lowering, tiles: Tiles, places: Storage, weight: Node) -> Storage:
    """A product for each place; the sums are float32, since what follows takes differences of them."""
    count, deep = tiles.transform.places**2, padded(tiles.channels)
    value = lowering.constants[weight]
    held = lowering.constant(
        f"{weight.name} for F({tiles.transform.size})",
        tiles.transform.weights(value.float()).reshape(count, tiles.channels, tiles.filters),
        lambda: _weights(count, tiles, lowering.dtype),
    )
    sums = new_storage(count * tiles.apart, padded(tiles.filters), Layout.TILE, "float32")
    wide = 64 if tiles.filters > TILE else TILE
    block = (64 if tiles.apart % 64 == 0 else TILE, wide, 64 if deep % 64 == 0 else TILE)
    epilogue = Epilogue((Result(Input("acc0"), Operand("y", "block", "float32")),))
    template = Linear(
        epilogue, transposed=False, block=block, dtype=lowering.dtype, weight_dtype=lowering.dtype
    )
    numbers = {"m": tiles.apart, "n": padded(tiles.filters), "k": deep, "nb1": count, "nb2": 1}
    place = {**still("x", "w0", "y"), "x_row1": tiles.apart // TILE, "w0_row1": deep // TILE}
    place["y_row1"] = tiles.apart // TILE
    storages = {"x": places, "w0": held.storage, "y": sums}
    lowering.launch(template, storages, {**numbers, **place}, ("winograd_products",), sums)
    return sums


def _weights(count: int, tiles: Tiles, dtype: str) -> View:
    deep = padded(tiles.channels)
    storage = new_storage(count * deep, padded(tiles.filters), Layout.TILE, dtype)
    return View(storage, (Axis(count, deep, 0), Axis(tiles.channels, 1, 0), Axis(tiles.filters, 0, 1)))


def _transform_results(lowering: Lowering, tiles: Tiles, sums: Storage) -> Storage:
    """A^T along columns, then along rows: a matrix in rows for each place of a tile of results."""
    size, count, apart = tiles.transform.size, tiles.transform.places, tiles.apart // TILE
    wide = padded(tiles.filters)
    between = new_storage(size * count * tiles.apart, wide, Layout.TILE, "float32")
    template = Sums(tiles.transform.result, "blocks", "block", "float32", "float32")
    place = {**still("x", "y"), "x_row1": apart, "x_row2": count * apart}
    place |= {"y_row1": count * apart, "y_row2": apart}
    numbers = {"m": tiles.apart, "n": wide, "nb1": count, **place}
    lowering.launch(template, {"x": sums, "y": between}, numbers, ("winograd_results",), between)
    results = new_storage(size**2 * tiles.count, tiles.filters, Layout.ROW_MAJOR, "float32")
    template = Sums(tiles.transform.result, "blocks", "rows", "float32", "float32")
    place = {**still("x", "y"), "x_row1": apart, "x_row2": count * apart}
    place |= {"y_row1": tiles.count, "y_row2": size * tiles.count}
    numbers = {"m": tiles.count, "n": tiles.filters, "nb1": size, **place}
    lowering.launch(template, {"x": between, "y": results}, numbers, ("winograd_results",), results)
    return results


def fits_winograd(taps: tuple[int, int], stride: tuple[int, int], dilation: tuple[int, int]) -> bool:
    """Whether a window is one that these forms are for.

    >>> fits_winograd((3, 3), (1, 1), (1, 1)), fits_winograd((3, 3), (2, 2), (1, 1))
    (True, False)
    """
    return (taps, stride, dilation) == ((3, 3), (1, 1), (1, 1))
