"""What every step of a random kernel draws from: sizes, types, the buffers that hold something."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from conformance.fuzz.expressions import Expressions, plus
from conformance.fuzz.nodes import Binary, Const, Index, Node
from conformance.fuzz.statements import Memory, Parallel, Region, Statement, Store
from conformance.fuzz.values import DTYPES

_ROWS, _COLS = (32, 32, 64, 16, 33), (32, 32, 64, 96, 48, 100)


class Drawing:
    """`ready` are the buffers that hold something."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.rows, self.cols = random.choice(_ROWS), random.choice(_COLS)
        self.blocks = random.choice([1, 1, 2, 3])
        self.height = self.blocks * self.rows - random.choice([0, 0, random.randrange(self.rows)])
        self.dynamic = random.random() < 0.15
        self.across = 1 if self.dynamic else random.choice([1, 1, 1, 2])
        self.plain = random.choice([0.0, 0.97])
        # Few types to a kernel: each then meets the others more often.
        self.dtypes = random.sample(DTYPES, random.choice([1, 2, 2, 3]))
        self.tensors: list[Memory] = []
        self.buffers: list[Memory] = []
        self.ready: list[Memory] = []
        self.indices: list[Memory] = []
        self.special: set[str] = set()
        self.limits: dict[str, int] = {}
        self.variables: list[Memory] = []
        self.in_place: list[Memory] = []
        self.count = 0

    def name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}_"

    def tensor(self, name: str, shape: tuple[int, ...], dtype: str, scope: str) -> Memory:
        made = Memory(name, shape, dtype, scope)
        self.tensors.append(made)
        return made

    def buffer(self, shape: tuple[int, ...], dtype: str) -> Memory:
        scope = self.random.choice(["fragment", "shared"])
        made = Memory(self.name("b"), shape, dtype, scope)
        self.buffers.append(made)
        return made

    def dtype(self) -> str:
        return self.random.choice(self.dtypes)

    def whole(self, memory: Memory) -> Region:
        return Region(memory, tuple(Const(0) for _ in memory.shape), memory.shape)

    def expressions(self, extents: dict[str, int]) -> Expressions:
        return self.expressions_over(self.ready, extents, self.variables)

    def expressions_over(
        self, memories: Sequence[Memory], extents: dict[str, int], variables: Sequence[Memory] = ()
    ) -> Expressions:
        return Expressions(self.random, memories, extents, self.indices, variables, self.plain)

    def row(self) -> Node:
        """The first row of a block in tensors that have all of them."""
        return Binary("*", Index("bx"), Const(self.rows), "int32")

    def column(self) -> Node:
        return Binary("*", Index("bc"), Const(self.cols), "int32") if self.across > 1 else Const(0)

    def moved(self, offsets: tuple[Node, ...]) -> tuple[Node, ...]:
        """The same place some rows and columns further, so that a part of a block lies outside."""
        # A place known to be negative would count from the end.
        back = [-3, -16] if self.blocks > 1 else []
        by = self.random.choice([0, 3, 16, 32, *back]), self.random.choice([0, 5, 32])
        return tuple(plus(at, further) for at, further in zip(offsets, by, strict=True))

    def block_extents(self) -> dict[str, int]:
        return {"i": self.rows, "j": self.cols}

    def store(self, dest: Memory, extents: dict[str, int], depth: int = 3) -> Store:
        value = self.expressions(extents).draw(dest.dtype, self.random.randint(0, depth))
        return Store(dest, tuple(Index(name) for name in extents), value)

    def parallel(self, extents: dict[str, int], *body: Statement) -> Parallel:
        return Parallel(tuple(extents.items()), body)

    def hold(self, memory: Memory) -> None:
        if memory not in self.ready:
            self.ready.append(memory)

    def hold_last(self, memory: Memory) -> None:
        """Let a buffer that has changed be among those that are stored."""
        self.ready.remove(memory)
        self.ready.append(memory)

    def blocks_of(self, *dtypes: str) -> list[Memory]:
        """Buffers of a whole block that hold something, of these types; of any if none is named."""
        shape = (self.rows, self.cols)
        return [one for one in self.ready if one.shape == shape and (not dtypes or one.dtype in dtypes)]
