"""Views of device tensors: other strides where that will do, a copy where it will not."""

from __future__ import annotations

from typing import Any

from torch.fx import Node

from tilesmith.models.planning.fusion import args_of, shape_of
from tilesmith.models.planning.lowering import Lowering, new_view
from tilesmith.models.planning.op_tables import VIEWS
from tilesmith.models.planning.views import View


def lower_view(lowering: Lowering, node: Node) -> None:
    """Plan a view operator on a device value."""
    source = node.args[0]
    assert isinstance(source, Node)
    view = lowering.device[source]
    if VIEWS[node.target] == "flip":
        lowering.device[node] = _flipped(lowering, view, node)
        return
    result = _viewed(view, node)
    lowering.device[node] = result if result is not None else lowering.gathered(source, shape_of(node))


def _flipped(lowering: Lowering, view: View, node: Node) -> View:
    """A copy: nothing but a copy reads backwards."""
    shape = shape_of(node)
    result = new_view(shape, "block", view.storage.dtype)
    backwards = view.flip([dim % len(shape) for dim in args_of(node)[1]])
    lowering.gather_into(backwards, result.expand((1,) * (2 - len(shape)) + shape), "block")
    return result


def _viewed(view: View, node: Node) -> View | None:
    rank = len(view.axes)
    how, args = VIEWS[node.target], args_of(node)[1:]
    if how == "same":
        return view
    if how == "reshape":
        return view.reshape(shape_of(node))
    if how == "permute":
        return view.permute([dim % rank for dim in args[0]])
    if how == "transpose_matrix":
        return view.permute(range(rank)[::-1])
    if how == "transpose":
        order = list(range(rank))
        first, second = args[0] % rank, args[1] % rank
        order[first], order[second] = second, first
        return view.permute(order)
    if how == "expand":
        return view.expand(shape_of(node))
    if how == "slice":
        return _sliced(view, *args)
    if how == "unfold":
        return view.unfold(args[0] % rank, args[1], args[2])
    assert how == "select"
    dim, index = args[0] % rank, int(args[1])
    return view.select(dim, index % view.axes[dim].size)


def _sliced(view: View, dim: int = 0, start: Any = None, stop: Any = None, step: int = 1) -> View:
    dim %= len(view.axes)
    begin, end, stride = slice(start, stop, step).indices(view.axes[dim].size)
    return view.slice(dim, begin, end, stride)


def lower_split_output(lowering: Lowering, node: Node) -> None:
    """Plan `getitem` of a split."""
    parts, number = node.args
    assert isinstance(parts, Node)
    assert isinstance(number, int)
    source = parts.args[0]
    assert isinstance(source, Node)
    view = lowering.device[source]
    name = str(parts.target)
    dim = (
        (parts.args[2] if len(parts.args) > 2 else parts.kwargs.get("dim", 0))
        if "unbind" not in name
        else None
    )
    if "unbind" in name:
        along = parts.args[1] if len(parts.args) > 1 else 0
        assert isinstance(along, int)
        lowering.device[node] = view.select(along % len(view.axes), number)
        return
    assert isinstance(dim, int)
    sizes = [int(part.shape[dim]) for part in parts.meta["val"]]
    start = sum(sizes[:number])
    lowering.device[node] = view.slice(dim % len(view.axes), start, start + sizes[number])
