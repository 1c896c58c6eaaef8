"""Groups of operators -> launches of templates, with every tensor in the form its kernel reads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.fx import Node

from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Expr, Input, Number, apply, narrowed
from tilesmith.kernels.movement import DIMS, Gather, Untilize
from tilesmith.kernels.operands import Access, Operand
from tilesmith.models.planning.dtypes import HALF
from tilesmith.models.planning.fusion import shape_of
from tilesmith.models.planning.images import fresh_image
from tilesmith.models.planning.iteration_space import Placed, Space, access_of, fits, space
from tilesmith.models.planning.partition import is_collective
from tilesmith.models.planning.pointwise import expression_of
from tilesmith.models.planning.source import Source
from tilesmith.models.planning.steps import Download, HostCall, Launch, Step, Template, Upload
from tilesmith.models.planning.views import (
    TILE,
    Axis,
    Storage,
    View,
    fresh,
    fresh_vector,
    joined_axes,
    padded,
)
from tilesmith.runtime import Layout


class NoKernel(Exception):
    """A group that no template can do as it is; the message says why. Its operators then run on the host."""


class OutOfOrder(NoKernel):
    """Operands that no two batch dimensions can walk together."""


@dataclass
class Lowering:
    """The state of planning: where every value is, and the steps so far."""

    dtype: str
    constants: Mapping[Node, torch.Tensor]
    places: Mapping[Node, tuple[Node, int]] = field(default_factory=dict)
    """Of images that are joined: by what, and from which channel on."""
    exact: Set[Node] = frozenset()
    """Values that whole numbers and places are made from."""
    quantised: Set[Node] = frozenset()
    """Integers that products of int8 read: bfloat16 holds them exactly."""
    formats: bool = True
    """Whether tensors may lie in another format than their kernel computes in."""
    convolution: str = "direct"
    """Which form convolutions of 3x3 windows take."""
    folds: bool = False
    """Whether images from the host may come with squares of pixels side by side."""
    cores: int = 0
    """How many there are to share tiles; none on a GPU, whose threads take elements."""
    device: dict[Node, View] = field(default_factory=dict)
    host: set[Node] = field(default_factory=set)
    steps: list[Step] = field(default_factory=list)
    constant_steps: list[Upload] = field(default_factory=list)
    added_constants: dict[str, torch.Tensor] = field(default_factory=dict)
    _constant_views: dict[str, View] = field(default_factory=dict)
    _forms: dict[tuple[Node, str], View] = field(default_factory=dict)
    _joined: dict[Node, View] = field(default_factory=dict)
    _rows: dict[Storage, Storage] = field(default_factory=dict)

    # ---- trying ----

    def draft(self) -> Lowering:
        """A plan that starts from what is known here. Nothing of it is known here until it is accepted."""
        return replace(
            self,
            device=dict(self.device),
            host=set(self.host),
            steps=[],
            constant_steps=[],
            added_constants=dict(self.added_constants),
            _constant_views=dict(self._constant_views),
            _forms=dict(self._forms),
            _joined=dict(self._joined),
            _rows=dict(self._rows),
        )

    def accept(self, draft: Lowering) -> None:
        """Go on with a draft: its steps follow those so far."""
        self.steps += draft.steps
        self.constant_steps += draft.constant_steps
        self.device, self.host = draft.device, draft.host
        self.added_constants = draft.added_constants
        self._constant_views, self._forms = draft._constant_views, draft._forms
        self._joined, self._rows = draft._joined, draft._rows

    def note_source(self, source: Source) -> None:
        """Say where the user asked for the kernels of a draft."""
        self.steps = [
            replace(step, source=source) if isinstance(step, Launch) else step for step in self.steps
        ]

    # ---- where values are ----

    def storage_type(self, node: Node) -> str:
        """The type of a value on the device: whole numbers and places need more bits than bfloat16 has."""
        if node in self.quantised:
            return "bfloat16"
        dtype = node.meta["val"].dtype
        usual = (dtype.is_floating_point and dtype != torch.float64) or dtype == torch.bool
        return self.dtype if usual and node not in self.exact else "float32"

    def to_host(self, node: Node) -> None:
        """Make a value available on the host."""
        if node not in self.host and node not in self.constants:
            self.steps.append(Download(node.name, self.device[node]))
            self.host.add(node)

    def call_host(self, node: Node, reason: str) -> None:
        for source in node.all_input_nodes:
            if source.op != "get_attr":
                self.to_host(source)
        self.steps.append(HostCall(node.name, reason, on_chips=is_collective(node)))
        self.host.add(node)

    def uploaded(
        self,
        node: Node,
        form: str,
        make: Callable[[], View],
        additive: bool = False,
        below: int | None = None,
        one_hot: int = 0,
    ) -> View:
        """A value of the host in a form; brought up once for each."""
        key = (node, form)
        if key not in self._forms:
            view = self._forms[key] = make()
            steps: list[Any] = self.constant_steps if node in self.constants else self.steps
            steps.append(Upload(node.name, view, additive, below, one_hot))
        return self._forms[key]

    def in_memory(self, node: Node) -> View:
        """A value on the device in whatever form it has there, brought up in rows if it is not there."""
        if node in self.device:
            return self.device[node]
        make = lambda: fresh(shape_of(node), self.storage_type(node), Layout.ROW_MAJOR)  # noqa: E731
        return self.uploaded(node, "plain rows", make)

    # ---- operands ----

    def placed(
        self,
        node: Node,
        target: Sequence[int],
        access: Access | None = None,
        rows_too: bool = True,
        dtype: str = "",
    ) -> Placed:
        """A tensor as an operand of a kernel over `target`, moved or uploaded if it must be.

        Blocks may come from a tensor that lies in rows, unless the kernel cannot read it so. A kernel that
        needs a dtype says which.
        """
        shape = shape_of(node)
        chosen = access or access_of(shape, target)
        if node in self.device and dtype and self.device[node].storage.dtype != dtype:
            view = self.gathered(node, shape, chosen, dtype)
        elif node in self.device:
            view = self.device[node].expand(_at_least_2d(target))
            candidates: tuple[Access, ...] = (
                ("block", "rows") if chosen == "block" and rows_too else (chosen,)
            )
            for candidate in candidates:
                if fits(Placed(candidate, view)):
                    return Placed(candidate, view)
            view = self.gathered(node, shape, chosen)
        else:
            wanted = dtype or self.storage_type(node)
            view = self.uploaded(node, f"{chosen} {wanted}", lambda: new_view(shape, chosen, wanted))
        return Placed(chosen, view.expand(_at_least_2d(target)))

    def constant(self, name: str, value: torch.Tensor, make: Callable[[], View]) -> View:
        """A tensor the plan itself needs, such as which pixels are there."""
        if name not in self._constant_views:
            self.added_constants[name] = value
            view = self._constant_views[name] = make()
            self.constant_steps.append(Upload(name, view))
        return self._constant_views[name]

    # ---- joining ----

    def joined(self, node: Node) -> View:
        """Room for images that a node joins."""
        if node not in self._joined:
            self._joined[node] = fresh_image(shape_of(node), self.storage_type(node))
        return self._joined[node]

    def room_for(self, node: Node) -> View | None:
        """Where images belong that are joined with others later: there they need not be copied."""
        if node not in self.places:
            return None
        whole, start = self.places[node]
        return self.joined(whole).slice(1, start, start + shape_of(node)[1])

    # ---- moving ----

    def spread(self, node: Node, shape: Sequence[int]) -> Placed:
        """A tensor repeated to a shape, as a new one that lies in the order of its dimensions."""
        full = _at_least_2d(shape)
        key = (node, f"spread {full}")
        if key not in self._forms:
            source = self.in_memory(node)
            view = self._forms[key] = fresh(full, source.storage.dtype)
            self.gather_into(source.expand(full), view, "block")
        return Placed("block", self._forms[key])

    def gathered(self, node: Node, shape: Sequence[int], access: Access = "block", dtype: str = "") -> View:
        """The elements of a device value, in order, as a new tensor of a shape."""
        key = (node, f"{access} {tuple(shape)} {dtype}")
        if key not in self._forms:
            source = self.device[node]
            view = self._forms[key] = new_view(shape, access, dtype or source.storage.dtype)
            if access == "column":  # the rows run along the columns of what is stored
                walked = view.expand(_at_least_2d(shape))
                rank = len(walked.axes)
                self.gather_into(source, walked.permute((*range(rank - 2), rank - 1, rank - 2)), "row")
            else:
                out: Access = "block" if access == "block" else "row"
                self.gather_into(source, view.expand(_at_least_2d(shape)), out)
        return self._forms[key]

    def gather_into(self, source: View, target: View, access: Access) -> None:
        """Copy elements, in the order of both views' dimensions, into a view that a kernel can store to."""
        blocks = self.cores > 0 and access in ("block", "rows")
        if blocks and self._copied_whole(source, Placed(access, target)):
            return
        if access == "row":  # each line is a vector of its own
            lines = (*target.axes[:-1], Axis(1, 0, 0), target.axes[-1])
            target = View(target.storage, lines, target.row, target.col)
        axes = joined_axes(source.axes)
        if len(axes) > DIMS:
            raise NoKernel(f"a tensor with {len(axes)} dimensions is moved; {DIMS} can be")
        runs = blocks and _is_in_runs(axes, source, target)
        turned = _turned_runs(axes, source, target) if blocks else None
        if turned is not None:
            axes = turned
        elif runs:
            axes = _by_runs(axes)
        axes = [Axis(1, 0, 0)] * (DIMS - len(axes)) + axes
        moves = {f"d{dim}": axis.size for dim, axis in enumerate(axes)}
        moves |= {f"s{dim}_row": axis.row for dim, axis in enumerate(axes)}
        moves |= {f"s{dim}_col": axis.col for dim, axis in enumerate(axes)}
        origin = {**_still("x"), "x_row": source.row, "x_col": source.col // (TILE if runs or turned else 1)}
        room = self.space(target.shape, {"y": Placed(access, target)}, join_rows=False)
        dtype = source.storage.dtype
        block = (1, 256) if access == "row" else (32, 32)
        ends_inside = turned is not None and target.shape[-2] % TILE != 0
        out = Result(Input("acc0"), Operand("y", access, target.storage.dtype))
        epilogue = Epilogue((out,), mask_rows=ends_inside)
        template = Gather(epilogue, block, dtype, runs or turned is not None, turned is not None)
        storages = {"x": self.in_rows(source.storage), "y": target.storage}
        self.launch(
            template, storages, {**size_numbers(room), **moves, **room.numbers, **origin}, ("copy",), target
        )

    def _copied_whole(self, source: View, target: Placed) -> bool:
        """Copy whole blocks, turned where rows of the target run along columns of the source."""
        view = source.reshape(target.view.shape)
        ways: tuple[Access, ...] = ("block", "turned", "turned_rows")
        found = next((way for way in ways if view is not None and fits(Placed(way, view))), None)
        if view is None or found is None or not fits(target):
            return False
        operands = {"x": Placed(found, view), "y": target}
        room = space(target.view.shape, operands)
        if room is None:
            return False
        ends = [size % TILE != 0 for size in target.view.shape[-2:]]
        result = Result(Input("x"), Operand("y", target.access, target.view.storage.dtype))
        epilogue = Epilogue((result,), (Operand("x", found, source.storage.dtype),), ends[0], ends[1])
        storages = {name: one.view.storage for name, one in operands.items()}
        width = next(size for size in (128, 64, TILE) if padded(room.cols) % size == 0)
        numbers = {**size_numbers(room), **room.numbers}
        self.launch(Elementwise(epilogue, (TILE, width)), storages, numbers, ("copy",), target.view)
        return True

    def in_rows(self, storage: Storage) -> Storage:
        """A storage in rows, copied from tiles if need be."""
        if storage.layout is Layout.ROW_MAJOR:
            return storage
        if storage not in self._rows:
            copy = self._rows[storage] = fresh(
                (storage.rows, storage.cols), storage.dtype, Layout.ROW_MAJOR
            ).storage
            self.launch(Untilize(storage.dtype), {"x": storage, "y": copy}, _still("x", "y"), ("copy",), copy)
        return self._rows[storage]

    def space(
        self,
        shape: Sequence[int],
        operands: Mapping[str, Placed],
        join_rows: bool = True,
        without_rows: Collection[str] = (),
    ) -> Space:
        found = space(shape, operands, join_rows, without_rows)
        if found is None:
            raise OutOfOrder(f"its operands walk {len(shape)} dimensions in different orders")
        if any(not fits(one) for one in operands.values()):
            raise NoKernel("an operand does not lie as its kernel would read it")
        return found

    def launch(
        self,
        template: Template,
        storages: Mapping[str, Storage],
        numbers: Mapping[str, int],
        ops: tuple[str, ...],
        *outputs: View | Storage,
    ) -> None:
        written = tuple(one.storage if isinstance(one, View) else one for one in outputs)
        self.steps.append(Launch(template, storages, numbers, ops, written))


def new_view(shape: Sequence[int], access: Access, dtype: str) -> View:
    """Room for a tensor as operands of this access are read."""
    full = _at_least_2d(shape)
    if access == "block":
        view = fresh(full, dtype)
    elif access == "column":
        view = fresh_vector(full, dtype)
    else:
        view = fresh(full, dtype, Layout.ROW_MAJOR)
    return View(view.storage, view.axes[len(full) - len(shape) :], view.row, view.col)


def size_numbers(room: Space) -> dict[str, int]:
    return {"m": room.rows, "n": room.cols, "nb1": room.batches[0], "nb2": room.batches[1]}


def _still(*names: str) -> dict[str, int]:
    return {f"{name}_{key}": 0 for name in names for key in ("row", "row1", "row2", "col", "col1", "col2")}


def _is_in_runs(axes: Sequence[Axis], source: View, target: View) -> bool:
    """Whether neighbours along columns come 32 at a time, in the source as in the target."""
    if not axes or (axes[-1].row, axes[-1].col) != (0, 1):
        return False
    steps = [source.col, target.shape[-1], axes[-1].size, *(axis.col for axis in axes[:-1])]
    return all(step % TILE == 0 for step in steps)


def _by_runs(axes: Sequence[Axis]) -> list[Axis]:
    """The same axes, where columns are counted 32 at a time."""
    *lead, last = axes
    return [*(replace(axis, col=axis.col // TILE) for axis in lead), Axis(last.size // TILE, 0, 1)]


def _turned_runs(axes: Sequence[Axis], source: View, target: View) -> list[Axis] | None:
    """The axes with 32 rows of the target counted as one, where those lie side by side in the source."""
    columns, split = 1, len(axes)
    while columns < target.shape[-1] and split:
        split -= 1
        columns *= axes[split].size
    if columns != target.shape[-1] or columns == 1 or not split:
        return None
    lead, inner, across = axes[: split - 1], axes[split - 1], axes[split:]
    ends_alone = inner.size == target.shape[-2] and source.col + padded(inner.size) <= source.storage.cols
    starts = [source.col, *(axis.col for axis in (*lead, *across))]
    whole = inner.size % TILE == 0 or ends_alone
    if (inner.row, inner.col) != (0, 1) or not whole or any(start % TILE for start in starts):
        return None
    counted = [replace(axis, col=axis.col // TILE) for axis in (*lead, *across)]
    counted.insert(split - 1, Axis(-(-inner.size // TILE), 0, 1))
    return counted


def _at_least_2d(shape: Sequence[int]) -> tuple[int, ...]:
    return (1,) * (2 - len(shape)) + tuple(shape)


# ---- expressions of groups ----


@dataclass
class Inlined:
    """Elementwise nodes as one expression: `reads` are the tensors it needs, by the name it calls them."""

    reads: dict[str, Node]
    values: dict[Node, Expr]

    def stored(self, node: Node, dtype: str) -> Expr:
        """The expression of a node whose value is stored in a dtype."""
        if node.meta.get(HALF) and dtype == "float32":
            return apply("half", self.values[node])
        return narrowed(self.values[node]) if dtype == "bfloat16" else self.values[node]


def inline(
    nodes: Sequence[Node], known: Mapping[Node, Expr], constants: Mapping[Node, torch.Tensor], prefix: str
) -> Inlined:
    """The expressions of elementwise nodes, over what is known and over operands prefix0, prefix1 ..."""
    names: dict[Node, str] = {}
    values = dict(known)
    for node in nodes:
        for source in node.all_input_nodes:
            if source in constants and constants[source].numel() == 1 and source.meta["val"].dim() == 0:
                values[source] = Number(float(constants[source]))
        args = [_argument(arg, values, names, prefix) for arg in node.args]
        values[node] = expression_of(node, args)
    return Inlined({name: node for node, name in names.items()}, values)


def _argument(arg: Any, values: Mapping[Node, Expr], names: dict[Node, str], prefix: str) -> Expr | None:
    if isinstance(arg, Node):
        if arg in values:
            return values[arg]
        return Input(names.setdefault(arg, f"{prefix}{len(names)}"))
    return Number(float(arg)) if isinstance(arg, bool | int | float) else None
