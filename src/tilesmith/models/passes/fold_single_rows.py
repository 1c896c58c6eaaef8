"""A batch of single rows becomes the rows of one matrix.

Tiles have 32 rows. A batch of decode steps, (32, 1, width), would be 32 matrices of one row each and 31 of
padding; as (32, width) it is one tile high. Norms, products with one weight, embeddings, elementwise work and
sums over processes do not mind: they are written for (.., batch, width) instead of (batch, .., 1, width), and
others get a view of their results.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from operator import getitem
from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.passes.edit import insert, tidy, value_of
from tilesmith.models.passes.match import is_call
from tilesmith.models.planning.op_tables import NORMS, VIEWS
from tilesmith.models.planning.partition import is_collective
from tilesmith.models.planning.pointwise import is_pointwise

aten = torch.ops.aten
_SUMS_OVER_PROCESSES = ("all_reduce", "wait_tensor")
_SOFTMAXES = tuple(target for target, name in NORMS.items() if name.endswith("softmax"))


def fold_single_rows(module: GraphModule) -> None:
    """Fold the first dimension of batches of single rows into the rows."""
    fold = _Fold(module)
    for node in list(module.graph.nodes):
        if _has_single_rows(node):
            fold.take(node)
    tidy(module)


def _has_single_rows(node: Node) -> bool:
    value = node.meta.get("val")
    if node.op != "call_function" or not isinstance(value, torch.Tensor) or value.dim() < 3:
        return False
    batch, rows, width = value.shape[0], value.shape[-2], value.shape[-1]
    sizes = all(isinstance(size, int) for size in value.shape)
    return sizes and batch > 1 and rows == 1 and width > 1


@dataclass
class _Fold:
    """`folded` has the node that does the work of another for rows that are a batch."""

    module: GraphModule
    folded: dict[Node, Node] = field(default_factory=dict)
    unfolded: set[Node] = field(default_factory=set)
    """Views of folded nodes in the shape of the nodes they stand for."""
    views: dict[tuple[Node, int], Node] = field(default_factory=dict)
    """Operands with a batch as rows, by the number of dimensions they have for their users."""

    def take(self, node: Node) -> None:
        args = self._new_args(node)
        if args is None:
            return
        matrix = insert(self.module, node, node.target, args, node.kwargs)
        matrix.meta = {**node.meta, "val": matrix.meta["val"]}
        view = self._view_as(matrix, node)
        node.replace_all_uses_with(view)
        self.folded[view] = matrix
        self.unfolded.add(view)

    def _new_args(self, node: Node) -> list[Any] | None:
        """The arguments of the same work on folded tensors; None where it is no such work."""
        rank = value_of(node).dim()
        if is_call(node, aten.linear.default, aten.matmul.default):
            x, weight = node.args[:2]
            fits = isinstance(weight, Node) and value_of(weight).dim() == 2 and _is_full(x, node)
            return [self._as_rows(x, node), *node.args[1:]] if fits else None
        if is_call(node, aten.layer_norm.default, aten.rms_norm.default):
            shape: Any = node.args[1]
            return [self._as_rows(node.args[0], node), *node.args[1:]] if len(shape) == 1 else None
        if is_call(node, aten.embedding.default) and rank == 3:
            table, ids, *rest = node.args
            rows = insert(self.module, node, aten.reshape.default, (ids, [value_of(node).shape[0]]))
            return [table, rows, *rest]
        if is_call(node, *_SOFTMAXES):
            last = node.args[1] in (-1, rank - 1)
            return [self._as_rows(node.args[0], node), -1, *node.args[2:]] if last else None
        if is_collective(node):
            sums = getattr(node.target, "_opname", "") in _SUMS_OVER_PROCESSES
            folds = sums and self._comes_folded(node.all_input_nodes[0])
            return [self._as_rows(node.args[0], node), *node.args[1:]] if folds else None
        if is_pointwise(node) and any(self._comes_folded(arg) for arg in node.all_input_nodes):
            return [self._as_rows(arg, node) if isinstance(arg, Node) else arg for arg in node.args]
        return None

    def _comes_folded(self, node: Node) -> bool:
        """Whether a node is a view of what was folded, so that nothing is copied to fold it again."""
        while node not in self.unfolded and is_call(node, *VIEWS, getitem):
            (node,) = node.all_input_nodes
        return node in self.unfolded

    def _as_rows(self, node: Any, user: Node) -> Node:
        """An operand with the first dimension of its user as rows."""
        assert isinstance(node, Node)
        shape = list(value_of(node).shape)
        rank = value_of(user).dim()
        if len(shape) < 2:
            return node
        if node in self.folded and len(shape) == rank:
            return self.folded[node]
        if (node, rank) not in self.views:
            self.views[node, rank] = self._rows_of(node, [1] * (rank - len(shape)) + shape, user)
        return self.views[node, rank]

    def _rows_of(self, node: Node, shape: list[int], user: Node) -> Node:
        batch, *middle, _, width = shape
        if prod(shape) == width:
            return insert(self.module, user, aten.reshape.default, (node, [width]))
        flat = insert(self.module, user, aten.reshape.default, (node, [batch, *middle, width]))
        if not middle:
            return flat
        order = [*range(1, len(shape) - 2), 0, len(shape) - 2]
        return insert(self.module, user, aten.permute.default, (flat, order))

    def _view_as(self, matrix: Node, node: Node) -> Node:
        """A folded node in the shape of the one it stands for."""
        rank = value_of(node).dim()
        back = matrix
        if rank > 3:
            order = [rank - 3, *range(rank - 3), rank - 2]
            back = insert(self.module, node, aten.permute.default, (matrix, order))
        return insert(self.module, node, aten.reshape.default, (back, list(value_of(node).shape)))


def _is_full(x: Any, user: Node) -> bool:
    """Whether an operand has all rows of its user's result, none of them repeated."""
    return isinstance(x, Node) and value_of(x).shape[:-1] == value_of(user).shape[:-1]
