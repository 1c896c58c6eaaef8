"""Convolutions and pooling -> launches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.fx import Node

from tilesmith.graph.finishing import Finish
from tilesmith.graph.groups import Group, describe, shape_of
from tilesmith.graph.images import Grid, grid, grid_of
from tilesmith.graph.iteration import Placed, fits
from tilesmith.graph.lowering import Lowering, NoKernel, inline
from tilesmith.graph.tables import CONVOLUTIONS
from tilesmith.graph.views import TILE, Axis, Storage, View, fresh, new_storage, padded
from tilesmith.kernels.convolution import Convolution, Windowed
from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Expr, Input, apply
from tilesmith.kernels.operands import Operand

aten = torch.ops.aten
CHANNELS_LAST = (0, 2, 3, 1)


def _pair(value: Any) -> tuple[int, int]:
    return (int(value[0]), int(value[-1])) if isinstance(value, Sequence) else (int(value), int(value))


# ---- images as operands ----


def image_of(lowering: Lowering, node: Node, gap: int) -> tuple[View, Grid]:
    """A tensor as images with at least this gap, brought up or copied if it lies otherwise."""
    if node in lowering.device:
        view = lowering.device[node]
        found = grid_of(view)
        if found is not None and found.gap >= gap:
            return view, found
        return copied(lowering, node, grid(shape_of(node), gap))
    wanted = grid(shape_of(node), gap)
    name = f"image {wanted.pitch} {wanted.area}"
    return lowering.uploaded(node, name, lambda: wanted.view(lowering.dtype)), wanted


def copied(lowering: Lowering, node: Node, wanted: Grid) -> tuple[View, Grid]:
    """A device tensor as images that lie as wanted."""
    target = wanted.view(lowering.dtype, zeroed=wanted.has_gaps)
    lowering.gather_into(lowering.device[node].permute(CHANNELS_LAST), target.permute(CHANNELS_LAST), "rows")
    return target, wanted


def _matching(lowering: Lowering, node: Node, wanted: Grid) -> Placed:
    """An operand of an image: another image that lies alike, or one value per channel."""
    shape = (1,) * (4 - len(shape_of(node))) + shape_of(node)
    if shape == (wanted.batch, wanted.channels, wanted.height, wanted.width):
        if node not in lowering.device:
            name = f"image {wanted.pitch} {wanted.area}"
            return Placed(
                "rows", wanted.matrix(lowering.uploaded(node, name, lambda: wanted.view(lowering.dtype)))
            )
        view = lowering.device[node]
        return Placed(
            "rows", wanted.matrix(view if grid_of(view) == wanted else copied(lowering, node, wanted)[0])
        )
    if shape[1:] == (wanted.channels, 1, 1) and shape[0] == 1:
        return _per_channel(lowering, node, wanted)
    raise NoKernel(f"an image is combined with a tensor of shape {list(shape)}")


def _per_channel(lowering: Lowering, node: Node, wanted: Grid) -> Placed:
    target = (wanted.rows, wanted.channels)
    if node not in lowering.device:
        flat = lowering.uploaded(
            node,
            "channels",
            lambda: _shaped(fresh((1, wanted.channels), lowering.dtype, "rows"), shape_of(node)),
        )
        return Placed("row", fresh_like(flat.storage, wanted.channels).expand(target))
    view = lowering.device[node].reshape((wanted.channels,))
    if view is not None and fits(Placed("row", view.expand(target))):
        return Placed("row", view.expand(target))
    flat = lowering.gathered(node, (wanted.channels,), "row")
    return Placed("row", flat.expand(target))


def fresh_like(storage: Storage, size: int) -> View:
    return View(storage, (Axis(size, 0, 1),))


def _shaped(view: View, shape: Sequence[int]) -> View:
    made = view.reshape(shape)
    assert made is not None
    return made


def finish_image(
    lowering: Lowering, group: Group, known: dict[Node, Expr], extra: dict[str, Node], out: Grid
) -> Finish:
    """The epilogue of a group that makes images: pixels in gaps stay zero."""
    inlined = inline(group.after, known, lowering.constants, "e")
    value = inlined.values[group.output]
    reads = {name: _per_channel(lowering, node, out) for name, node in extra.items()}
    reads |= {name: _matching(lowering, node, out) for name, node in inlined.reads.items()}
    if out.has_gaps:
        name = f"inside {out.batch} {out.height} {out.width} {out.pitch} {out.area}"
        held = lowering.constant(name, out.inside(), lambda: fresh((1, out.rows), lowering.dtype, "rows"))
        reads["inside"] = Placed(
            "column", View(held.storage, (Axis(out.rows, 0, 1), Axis(out.channels, 0, 0)))
        )
        value = apply("where", Input("inside"), value, 0.0)
    made = out.view(lowering.dtype)
    operands = tuple(Operand(name, one.kind, one.view.storage.dtype) for name, one in reads.items())
    epilogue = Epilogue((Result(value, Operand("y", "rows", made.storage.dtype)),), operands)
    return Finish(epilogue, {**reads, "y": Placed("rows", out.matrix(made))}, made)


# ---- convolution ----


def widest_border(nodes: Iterable[Node]) -> int:
    """The widest border that a convolution with a stride of 1 puts around what another one made."""
    widest = 0
    for node in nodes:
        if node.target in CONVOLUTIONS and not _is_given(node.args[0]):
            _, weight, _, stride, padding, _, _ = _conv_args(node)
            widest = max(widest, *padding) if stride == (1, 1) and len(shape_of(weight)) == 4 else widest
    return widest


def _is_given(node: Any) -> bool:
    return isinstance(node, Node) and node.op == "placeholder"


def _conv_args(node: Node) -> tuple[Node, Node, Any, tuple[int, int], Any, tuple[int, int], int]:
    args: list[Any] = list(node.args)
    if node.target is aten.convolution.default:
        x, weight, bias, stride, padding, dilation, transposed, _, groups = args
        if transposed:
            stride = 0  # refused where it is lowered
    else:
        x, weight, *rest = args
        usual: list[Any] = [None, 1, 0, 1, 1]
        bias, stride, padding, dilation, groups = [*rest, *usual[len(rest) :]]
    if isinstance(padding, str):
        if padding == "valid":
            padding = 0
        else:
            taps = shape_of(weight)[2:]
            padding = [(size - 1) * step // 2 for size, step in zip(taps, _pair(dilation), strict=True)]
    return x, weight, bias, _pair(stride), _pair(padding), _pair(dilation), int(groups)


def _window(
    source: Grid, out: Grid, taps: tuple[int, int], stride: Any, padding: Any, dilation: Any
) -> dict[str, int]:
    return {
        "height": source.height,
        "width": source.width,
        "pitch": source.pitch,
        "area": source.area,
        "out_pitch": out.pitch,
        "out_area": out.area,
        "taps": taps[0] * taps[1],
        "taps_w": taps[1],
        "stride_h": stride[0],
        "stride_w": stride[1],
        "pad_h": padding[0],
        "pad_w": padding[1],
        "dil_h": dilation[0],
        "dil_w": dilation[1],
        "m": out.rows,
        "n": out.channels,
    }


def _out_grid(
    lowering: Lowering, shape: Sequence[int], source: Grid, stride: Any, padding: Any
) -> tuple[Grid, bool]:
    """Where the result lies, and whether it is made from runs of rows."""
    batch, channels, height, width = shape
    same_lines = Grid(batch, channels, height, width, source.pitch, source.area)
    if (
        tuple(stride) == (1, 1)
        and source.gap >= max(padding)
        and same_lines.gap >= min(lowering.gap, source.gap)
    ):
        return same_lines, True
    return grid(shape, lowering.gap), False


def lower_convolution(lowering: Lowering, group: Group) -> View:
    node = group.anchors[0]
    x, weight, bias, stride, padding, dilation, groups = _conv_args(node)
    if len(shape_of(weight)) != 4:
        raise NoKernel("a convolution that is not over two dimensions")
    if not min(stride):
        raise NoKernel("a transposed convolution")
    filters, depth, *taps = shape_of(weight)
    depthwise = groups > 1
    if depthwise and (depth != 1 or filters != groups):
        raise NoKernel("a convolution in groups of several channels")
    gap = max(padding) if tuple(stride) == (1, 1) else 0
    image, source = image_of(lowering, x, max(gap, 0))
    out, runs = _out_grid(lowering, shape_of(node), source, stride, padding)
    known: dict[Node, Expr] = {node: Input("acc0")}
    extra: dict[str, Node] = {}
    if bias is not None:
        known[node], extra["bias"] = apply("add", Input("acc0"), Input("bias")), bias
    done = finish_image(lowering, group, known, extra, out)
    numbers = _window(source, out, (taps[0], taps[1]), stride, padding, dilation)
    if depthwise:
        held = _depthwise_weight(lowering, weight)
        template: Any = Windowed(
            "depthwise", done.epilogue, runs, (TILE, 64 if filters > TILE else TILE), lowering.dtype
        )
    else:
        held = _weight(lowering, weight)
        numbers["depth"] = padded(depth)
        block = (64, 64 if filters > TILE else TILE, 64 if padded(depth) % 64 == 0 else TILE)
        template = Convolution(done.epilogue, runs, block, lowering.dtype)
    _launch(lowering, group, template, {"x": image.storage, "w": held.storage}, numbers, done)
    return done.out


def _launch(
    lowering: Lowering,
    group: Group,
    template: Any,
    first: dict[str, Storage],
    numbers: dict[str, int],
    done: Finish,
) -> None:
    room = lowering.space((done.out.storage.rows, done.out.storage.cols), done.operands)
    still = {f"{name}_{key}": 0 for name in first for key in ("row", "row1", "row2", "col", "col1", "col2")}
    storages = {**first, **{name: one.view.storage for name, one in done.operands.items()}}
    lowering.launch(template, storages, {**numbers, **room.numbers, **still}, describe(group), done.out)


def _weight(lowering: Lowering, node: Node) -> View:
    """A row per tap and channel, the channels of each tap padded; a column per filter."""
    filters, depth, height, width = shape_of(node)
    deep = padded(depth)

    def make() -> View:
        storage = new_storage(height * width * deep, padded(filters), "tile", lowering.dtype)
        axes = (Axis(filters, 0, 1), Axis(depth, 1, 0), Axis(height, width * deep, 0), Axis(width, deep, 0))
        return View(storage, axes)

    lowering.to_host(node)
    return lowering.uploaded(node, "taps", make)


def _depthwise_weight(lowering: Lowering, node: Node) -> View:
    filters, _, height, width = shape_of(node)

    def make() -> View:
        storage = new_storage(height * width, filters, "rows", lowering.dtype)
        return View(storage, (Axis(filters, 0, 1), Axis(1, 0, 0), Axis(height, width, 0), Axis(width, 1, 0)))

    lowering.to_host(node)
    return lowering.uploaded(node, "taps", make)


# ---- pooling ----


def lower_pool(lowering: Lowering, group: Group) -> View:
    node = group.anchors[0]
    x, *rest = node.args
    assert isinstance(x, Node)
    if node.target is aten.adaptive_avg_pool2d.default:
        taps, stride, padding, dilation = _adaptive(shape_of(x), shape_of(node))
    else:
        taps = _pair(rest[0])
        stride = _pair(rest[1]) if len(rest) > 1 and rest[1] else taps
        padding = _pair(rest[2]) if len(rest) > 2 else (0, 0)
        dilation = _pair(rest[3]) if node.target is aten.max_pool2d.default and len(rest) > 3 else (1, 1)
    largest = node.target is aten.max_pool2d.default
    if not largest and max(padding) and (node.args[5:6] or (True,))[0] is False:
        raise NoKernel("an average that leaves out what lies beyond the border")
    image, source = image_of(lowering, x, 0)
    out = grid(shape_of(node), lowering.gap)
    known = Input("acc0") if largest else apply("mul", Input("acc0"), 1.0 / (taps[0] * taps[1]))
    done = finish_image(lowering, group, {node: known}, {}, out)
    first = {"x": image.storage}
    if largest:
        name = f"pixels {source.batch} {source.height} {source.width} {source.pitch} {source.area}"
        first["there"] = lowering.constant(
            name, source.inside().T, lambda: fresh((source.rows, 1), lowering.dtype, "rows")
        ).storage
    template = Windowed("max" if largest else "sum", done.epilogue, False, (TILE, 64), lowering.dtype)
    _launch(lowering, group, template, first, _window(source, out, taps, stride, padding, dilation), done)
    return done.out


def _adaptive(shape: Sequence[int], out: Sequence[int]) -> tuple[Any, Any, Any, Any]:
    if shape[2] % out[2] or shape[3] % out[3]:
        raise NoKernel("a pool whose windows differ in size")
    taps = (shape[2] // out[2], shape[3] // out[3])
    return taps, taps, (0, 0), (1, 1)


# ---- elementwise ----


def lower_image_elementwise(lowering: Lowering, group: Group, out: Grid) -> View:
    """Elementwise work on images that lie alike, or are made to."""
    done = finish_image(lowering, group, {}, {}, out)
    room = lowering.space((out.rows, out.channels), done.operands)
    numbers = {"m": out.rows, "n": out.channels, "nb1": 1, "nb2": 1, **room.numbers}
    template = Elementwise(done.epilogue, (TILE, 64))
    storages = {name: one.view.storage for name, one in done.operands.items()}
    lowering.launch(template, storages, numbers, describe(group), done.out)
    return done.out


def image_grid(lowering: Lowering, group: Group) -> Grid | None:
    """How the images lie that an elementwise group works on, if it does work on images."""
    shape = shape_of(group.output)
    if len(shape) != 4:
        return None
    for node in group.after:
        for source in node.all_input_nodes:
            view = lowering.device.get(source)
            if view is not None and view.shape == shape:
                found = grid_of(view)
                if found is not None and found.height * found.width > 1:
                    return found
    return None
