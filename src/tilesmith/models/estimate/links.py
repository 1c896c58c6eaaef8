"""Collectives of a graph by the clock of a board: each distinct one runs once, without numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from torch.fx import Node

from tilesmith import collectives, settings
from tilesmith.arch import Board
from tilesmith.formats import DataFormat
from tilesmith.models.estimate.timed import Timed
from tilesmith.runtime import MeshTensor, open_mesh
from tilesmith.runtime.timed_mesh import TimedMesh

_BYTES = 2
"""Of an activation, in bfloat16."""


@dataclass(frozen=True)
class Links:
    """The links of a board whose chips share a model."""

    board: Board
    known: dict[tuple[str, tuple[int, int]], Timed] = field(default_factory=dict, compare=False)

    @property
    def chips(self) -> int:
        return self.board.num_chips

    def timed(self, node: Node) -> Timed:
        """What a functional collective takes."""
        shape = node.all_input_nodes[0].meta["val"].shape
        key = name_of(node), (prod(shape[:-1]), int(shape[-1]))
        if key not in self.known:
            self.known[key] = self._run(*key)
        return self.known[key]

    def _run(self, name: str, shape: tuple[int, int]) -> Timed:
        board = self.board
        with open_mesh(board.shape, board.name) as mesh, settings.using(checks="off", numbers="none"):
            timed = TimedMesh(mesh.shape, mesh.chips)
            _COLLECTIVES[name](timed.empty(shape, DataFormat.Float16_b))
            return Timed(
                name,
                timed.microseconds,
                timed.launch_us,
                0.0,
                0.0,
                self._least_us(name, prod(shape) * _BYTES),
            )

    def _least_us(self, name: str, size: int) -> float:
        """Bytes that every chip must send, over all links it has to its neighbours, at their full rate."""
        others = self.chips - 1
        sent = size * others * (2 / self.chips if name == "all_reduce" else 1)
        directions = 2 if self.board.ring_rows else 1
        links = directions * self.board.links
        return sent / (links * self.board.fabric.link_gb_per_s * 1e3)


def name_of(node: Node) -> str:
    """A collective by its name among ours; empty for what waits for one.

    >>> import torch
    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> name_of(graph.call_function(torch.ops._c10d_functional.all_reduce.default, (x, "sum", "chips")))
    'all_reduce'
    """
    return _FUNCTIONAL.get(getattr(node.target, "_opname", ""), "")


def _reduced(tensor: MeshTensor) -> MeshTensor:
    return collectives.all_reduce(tensor)


def _gathered(tensor: MeshTensor) -> MeshTensor:
    return collectives.all_gather(tensor, dim=-1)


_FUNCTIONAL = {"all_reduce": "all_reduce", "all_gather_into_tensor": "all_gather"}
_COLLECTIVES = {"all_reduce": _reduced, "all_gather": _gathered}
