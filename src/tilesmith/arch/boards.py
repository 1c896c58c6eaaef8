"""Boards of several chips, and the links between them: typed figures read from boards.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from tilesmith.arch.model import Arch, arch_names, load_arch
from tilesmith.errors import DeviceError

Shape = tuple[int, int]


@dataclass(frozen=True)
class FabricTiming:
    """What a packet costs on a link, and how large it may be.

    A router has one processor: each packet it sends and each it receives takes time of it, beside the wire's.
    """

    link_gb_per_s: float
    send_ns: float
    receive_ns: float
    ring_ns: float
    scatter_ns: float
    flush_ns: float
    first_hop_ns: float
    next_hop_ns: float
    slots: int
    max_payload: int
    header_bytes: int


@dataclass(frozen=True)
class Board:
    """Chips in rows and columns. Neighbours have `links` Ethernet links; a ring also joins first and last.

    >>> board = find_board("t3000", (1, 8))
    >>> board.shape, board.links, board.ring_rows
    ((1, 8), 2, True)
    """

    name: str
    arch: Arch
    shape: Shape
    links: int
    ring_rows: bool
    ring_columns: bool
    fabric: FabricTiming

    @property
    def num_chips(self) -> int:
        return self.shape[0] * self.shape[1]


def board_names() -> list[str]:
    """Every board there are figures for.

    >>> board_names()
    ['n300', 't3000', 'quietbox', 'galaxy', 'p150x2', 'p150x4']
    """
    return list(_data()["boards"])


def board_with(shape: Shape, name: str) -> str:
    """The board that chips of this name come on in this shape; where there is none, the chip's own name.

    >>> board_with((2, 4), "wormhole"), board_with((1, 3), "wormhole"), board_with((1, 4), "blackhole")
    ('t3000', 'wormhole', 'p150x4')
    """
    arch = load_arch(name)
    for board, row in _data()["boards"].items():
        fits = list(shape) == row["shape"] or list(shape) in row["ring_shapes"]
        if fits and (arch.product == row["product"] or name == load_arch(row["product"]).family):
            return str(board)
    return name


def find_board(name: str | Arch, shape: Shape | None = None) -> Board:
    """A board by its name, whole or the part of it that has `shape`.

    The name of a chip gives a line or grid of such chips, joined as its family joins them.
    """
    if isinstance(name, Arch) or name not in _data()["boards"]:
        arch = name if isinstance(name, Arch) else load_arch(name)
        return Board(arch.product, arch, shape or (1, 1), 2, False, False, fabric_timing(arch.family))
    row = _data()["boards"][name]
    arch = load_arch(row["product"])
    whole: Shape = (row["shape"][0], row["shape"][1])
    board = Board(
        name,
        arch,
        whole,
        row["links"],
        "rows" in row["rings"],
        "columns" in row["rings"],
        fabric_timing(arch.family),
    )
    if shape is None or shape == whole:
        return board
    part = _part(board, shape, row["ring_shapes"])
    if part is None and name in arch_names():
        return find_board(arch, shape)
    if part is None:
        raise DeviceError(
            f"{name} has {whole[0]} x {whole[1]} chips: no mesh of {shape[0]} x {shape[1]} fits on it",
            remedy="ask for fewer rows or columns, or leave the shape out",
        )
    return part


def _part(board: Board, shape: Shape, ring_shapes: list[list[int]]) -> Board | None:
    if list(shape) in ring_shapes:
        return replace(board, shape=shape, ring_rows=True, ring_columns=False)
    rows, columns = board.shape
    chips = shape[0] * shape[1]
    if shape[0] <= rows and shape[1] <= columns:
        ring_rows = board.ring_rows and shape[1] == columns
        ring_columns = board.ring_columns and shape[0] == rows
        return replace(board, shape=shape, ring_rows=ring_rows, ring_columns=ring_columns)
    if 1 in shape and chips <= rows * columns:  # a line that goes along the rows, to and fro
        return replace(board, shape=shape, ring_rows=False, ring_columns=False)
    return None


def fabric_timing(family: str) -> FabricTiming:
    return FabricTiming(**_data()["fabric"][family])


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("boards.toml").read_text(encoding="utf-8"))
