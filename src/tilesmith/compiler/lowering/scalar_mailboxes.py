"""Scalars that come from memory: the reader looks them up and sends them to the kernels that need them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import i32
from xdsl.ir import Operation

from tilesmith.compiler.analysis.roles import READER
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.types import BufferType

PAGE_SIZE = 64
"""Bytes of a page with one word in it; small, but aligned for every memory."""


@dataclass(frozen=True)
class Sent:
    """A scalar and the circular buffer it goes through, for each role that needs it."""

    cbs: Mapping[str, tt.CBOp]


def sent_scalars(
    reads: Iterable[tile.ReadOp], needed: Mapping[str, Collection[Operation]]
) -> dict[Operation, Sent]:
    """The elements read in control flow that other kernels than the reader need."""
    sent: dict[Operation, Sent] = {}
    for number, read in enumerate(reads):
        roles = [role for role, ops in needed.items() if read in ops]
        if roles:
            sent[read] = Sent({role: _declaration(number, role) for role in roles})
    return sent


def _declaration(number: int, role: str) -> tt.CBOp:
    buffer_type = BufferType.of((1,), i32, "local", "scalar", "Int32")
    return tt.CBOp(f"scalar{number}_{role}", buffer_type, 1, 2, PAGE_SIZE, READER, role)
