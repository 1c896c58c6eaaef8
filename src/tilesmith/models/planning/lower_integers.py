"""Products of int8 -> a kernel whose sums are int32.

The other kernels have integers as float32, which does not hold these sums. So the operands come from the host
as int8, and the result goes back there as int32; what turns it into reals brings it up again.
"""

from __future__ import annotations

import torch
from torch.fx import Node

from tilesmith.kernels.integer_product import IntegerProduct
from tilesmith.models.planning.fusion import shape_of
from tilesmith.models.planning.lowering import Lowering
from tilesmith.models.planning.steps import Download
from tilesmith.models.planning.views import Axis, View, new_storage, padded
from tilesmith.runtime import Layout

_MOST_DEPTH = 1 << 17
"""So many products of int8 cannot leave int32."""


def is_integer_product(node: Node) -> bool:
    """Whether a node is a product of int8 matrices that has elements and cannot wrap around."""
    if node.target is not torch.ops.aten._int_mm.default:
        return False
    values = [one.meta["val"] for one in node.all_input_nodes]
    if any(one.dtype != torch.int8 or one.numel() == 0 for one in values):
        return False
    depth = values[0].shape[1]
    return isinstance(depth, int) and depth < _MOST_DEPTH


def lower_integer_product(lowering: Lowering, node: Node) -> None:
    """Both operands up, the kernel, and its result back to the host."""
    x, w = (one for one in node.args if isinstance(one, Node))
    for source in (x, w):
        lowering.to_host(source)
    operands = {name: _matrix(lowering, source) for name, source in (("x", x), ("w", w))}
    result = _padded(shape_of(node), "int32")
    storages = {**{name: view.storage for name, view in operands.items()}, "y": result.storage}
    template = IntegerProduct(result.storage.rows, result.storage.cols, operands["x"].storage.cols)
    lowering.launch(template, storages, {}, ("_int_mm",), result)
    lowering.steps.append(Download(node.name, result))
    lowering.host.add(node)


def _matrix(lowering: Lowering, node: Node) -> View:
    return lowering.uploaded(node, "int8 rows", lambda: _padded(shape_of(node), "int8"))


def _padded(shape: tuple[int, ...], dtype: str) -> View:
    """A matrix in rows, with zeros up to whole tiles."""
    rows, cols = shape
    storage = new_storage(padded(rows), padded(cols), Layout.ROW_MAJOR, dtype)
    return View(storage, (Axis(rows, 1, 0), Axis(cols, 0, 1)))
