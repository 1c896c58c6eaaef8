"""The body of a map as a graph of calls on whole tiles.

Every value is a tile of floats: whole numbers up to 2^24 are exact in them, and truth is 1 or 0. What is the
same for a whole tile (constants, captured scalars, block and batch indices) becomes a parameter of a call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.ir import SSAValue


@dataclass(frozen=True)
class Uniform:
    """A scalar of the map's body or from outside; `inverse` stands for one divided by it."""

    value: SSAValue
    inverse: bool = False


@dataclass(frozen=True)
class Origin:
    """Where the current tile begins along a dimension of the map."""

    dim: int


Scalar = float | Uniform | Origin


@dataclass(frozen=True, eq=False)
class Node:
    """A tile."""

    @property
    def args(self) -> tuple[Node, ...]:
        return ()


@dataclass(frozen=True, eq=False)
class Load(Node):
    """The tile of an input that goes with the current tile of the output; `turned` over its diagonal."""

    number: int
    turned: bool = False


@dataclass(frozen=True, eq=False)
class Count(Node):
    """0, 1, 2 ..: down the rows ("row"), along the columns ("col"), or in memory order ("flat")."""

    along: str


@dataclass(frozen=True, eq=False)
class Fill(Node):
    """The same number all over."""

    value: Scalar


@dataclass(frozen=True, eq=False)
class Reload(Node):
    """A tile that an earlier section has packed because DST had no room for it."""


@dataclass(frozen=True, eq=False)
class Eltwise(Node):
    """The matrix unit on two tiles straight from circular buffers."""

    fn: str
    left: Load
    right: Load


@dataclass(frozen=True, eq=False)
class AddTile(Node):
    """A tile straight from a circular buffer, added by the matrix unit to what a slot holds.

    The adder keeps all bits of a sum in DST; it takes eleven of the tile, which is more than bfloat16 has.
    """

    source: Node
    added: Load

    @property
    def args(self) -> tuple[Node, ...]:
        return (self.source,)


@dataclass(frozen=True, eq=False)
class Apply(Node):
    """A function of the vector unit: in place for one argument, into a slot of its own for more."""

    fn: str
    inputs: tuple[Node, ...]
    params: tuple[Scalar, ...] = ()

    @property
    def args(self) -> tuple[Node, ...]:
        return self.inputs


@dataclass(frozen=True, eq=False)
class Spread(Node):
    """Row 0 of a tile, all over."""

    source: Node

    @property
    def args(self) -> tuple[Node, ...]:
        return (self.source,)


LEAVES = (Load, Count, Fill, Reload, Eltwise)


def with_args(node: Node, args: tuple[Node, ...]) -> Node:
    """The same call on other tiles."""
    if all(new is old for new, old in zip(args, node.args, strict=True)):
        return node
    if isinstance(node, Apply):
        return replace(node, inputs=args)
    assert isinstance(node, Spread | AddTile)
    return replace(node, source=args[0])
