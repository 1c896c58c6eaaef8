"""Draws kernels: loads, then steps over buffers, then stores. The same `Random` gives the same kernel."""

from __future__ import annotations

from random import Random

from benchmarks.fuzz.collectives import Cumsum, Gemm, Reduce
from benchmarks.fuzz.expressions import Expressions
from benchmarks.fuzz.nodes import Binary, Compare, Const, Index, Load, Node
from benchmarks.fuzz.program import Program
from benchmarks.fuzz.statements import (
    Choice,
    Copy,
    Fill,
    For,
    Memory,
    Parallel,
    Region,
    Statement,
    Store,
    While,
)
from benchmarks.fuzz.values import DTYPES, is_float

_ROWS, _COLS = (32, 32, 64, 16, 33), (32, 32, 64, 96, 48, 100)
_REDUCTIONS = ("sum", "max", "min", "abssum", "absmax")


def random_program(random: Random) -> Program:
    return _Drawing(random).program()


class _Drawing:
    """`ready` are the buffers that hold something."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.rows, self.cols = random.choice(_ROWS), random.choice(_COLS)
        self.blocks = random.choice([1, 1, 2, 3])
        self.height = self.blocks * self.rows - random.choice([0, 0, random.randrange(self.rows)])
        self.dynamic = random.random() < 0.15
        # Few types to a kernel: each then meets the others more often.
        self.dtypes = random.sample(DTYPES, random.choice([1, 2, 2, 3]))
        self.tensors: list[Memory] = []
        self.buffers: list[Memory] = []
        self.ready: list[Memory] = []
        self.indices: list[Memory] = []
        self.special: set[str] = set()
        self.limits: dict[str, int] = {}
        self.count = 0

    def program(self) -> Program:
        body = [statement for _ in range(self.random.randint(1, 3)) for statement in self.input()]
        if self.random.random() < 0.3:
            self.indices.append(self.tensor("idx", (self.rows,), "int32", "in"))
            self.limits["idx"] = min(self.rows, self.cols)
        for _ in range(self.random.randint(1, 5)):
            body += self.step()
        body += self.outputs()
        return Program(
            tuple(self.tensors),
            tuple(self.buffers),
            tuple(body),
            self.blocks,
            frozenset(self.special),
            tuple(self.limits.items()),
            self.dynamic,
        )

    # ---- memories ----

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

    def input(self) -> list[Statement]:
        """A tensor and the block of it that is loaded, sometimes of another type."""
        dtype = self.dtype()
        shape: tuple[int, ...] = (self.height, self.cols)
        offsets: tuple[Node, ...] = (Binary("*", Index("bx"), Const(self.rows), "int32"), Const(0))
        sizes: tuple[int, ...] = (self.rows, self.cols)
        if not self.dynamic and self.random.random() < 0.2:
            middle = self.random.choice([1, 3])
            shape = (self.blocks, middle, self.rows, self.cols)
            offsets = (Index("bx"), Const(self.random.randrange(middle)), Const(0), Const(0))
            sizes = (1, 1, *sizes)
        name = self.name("x")
        made = self.tensor(name, shape, dtype, "in")
        if self.random.random() < 0.4:
            self.special.add(name)
        other = self.dtype() if self.random.random() < 0.2 else dtype
        if is_float(dtype) and not is_float(other):
            other = dtype
        dest = self.buffer((self.rows, self.cols), other)
        self.ready.append(dest)
        return [Copy(Region(made, offsets, sizes), self.whole(dest))]

    def whole(self, memory: Memory) -> Region:
        return Region(memory, tuple(Const(0) for _ in memory.shape), memory.shape)

    def expressions(self, extents: dict[str, int]) -> Expressions:
        usable = [one for one in self.ready if len(one.shape) <= 2]
        return Expressions(self.random, usable, extents, self.indices)

    # ---- steps ----

    def step(self) -> list[Statement]:
        kinds = (
            ["map"] * 4
            + ["branch"] * 2
            + ["vector", "reduce", "reduce", "cumsum", "gemm", "loop", "while", "where", "part", "copy"]
        )
        made = getattr(self, f"_{self.random.choice(kinds)}")()
        return made if made else self._map()

    def block_extents(self) -> dict[str, int]:
        return {"i": self.rows, "j": self.cols}

    def store(self, dest: Memory, extents: dict[str, int], depth: int = 3) -> Store:
        value = self.expressions(extents).draw(dest.dtype, self.random.randint(0, depth))
        return Store(dest, tuple(Index(name) for name in extents), value)

    def parallel(self, extents: dict[str, int], *body: Statement) -> Parallel:
        return Parallel(tuple(extents.items()), body)

    def _fresh_or_old(self, shape: tuple[int, ...]) -> Memory:
        old = [one for one in self.ready if one.shape == shape]
        return (
            self.random.choice(old)
            if old and self.random.random() < 0.3
            else self.buffer(shape, self.dtype())
        )

    def _map(self) -> list[Statement]:
        extents = self.block_extents()
        dest = self._fresh_or_old((self.rows, self.cols))
        made = self.parallel(extents, self._shielded(self.store(dest, extents), extents))
        self._hold(dest)
        return [made]

    def _shielded(self, store: Store, extents: dict[str, int]) -> Statement:
        """A store that reads its own target elsewhere depends on the order of elements: draw again."""
        while any(_reads_elsewhere(node, store) for node in _walk(store.value)):
            store = self.store(store.memory, extents)
        return store

    def _branch(self) -> list[Statement]:
        extents = self.block_extents()
        dest = self.buffer((self.rows, self.cols), self.dtype())
        condition = self.expressions(extents).condition(1)
        sides = [self.store(dest, extents, 2), self.store(dest, extents, 2)]
        inner: Statement = sides[1]
        if self.random.random() < 0.3:
            inner = Choice(
                self.expressions(extents).condition(0), (sides[1],), (self.store(dest, extents, 1),)
            )
        self._hold(dest)
        return [self.parallel(extents, Choice(condition, (sides[0],), (inner,)))]

    def _vector(self) -> list[Statement]:
        name, size = self.random.choice([("i", self.rows), ("j", self.cols)])
        dest = self.buffer((size,), self.dtype())
        made = self.parallel({name: size}, self.store(dest, {name: size}, 2))
        self._hold(dest)
        return [made]

    def _reduce(self) -> list[Statement]:
        sources = [
            one
            for one in self.ready
            if one.shape == (self.rows, self.cols)
            and one.dtype in ("float32", "bfloat16", "float16", "int32")
        ]
        if not sources:
            return []
        source = self.random.choice(sources)
        dim = self.random.choice([0, 1])
        dest = self.buffer((self.cols if dim == 0 else self.rows,), source.dtype)
        clear = self.random.random() < 0.7
        before: list[Statement] = [] if clear else [Fill(dest, self.random.choice([0, 1, 3]))]
        kind = self.random.choice(
            [one for one in _REDUCTIONS if clear or one != "abssum"]
        )  # it always clears
        made = Reduce(kind, source, dest, dim, clear)
        self._hold(dest)
        return [*before, made]

    def _cumsum(self) -> list[Statement]:
        sources = [
            one
            for one in self.ready
            if one.shape == (self.rows, self.cols) and one.dtype in ("float32", "int32")
        ]
        if not sources:
            return []
        return [Cumsum(self.random.choice(sources), self.random.choice([0, 1]), self.random.random() < 0.3)]

    def _gemm(self) -> list[Statement]:
        types = {"bfloat16": "float32", "float16": "float32", "float32": "float32", "int8": "int32"}
        sources = [one for one in self.ready if one.dtype in types and one.shape == (self.rows, self.cols)]
        if not sources:
            return []
        a = self.random.choice(sources)
        weights = (
            self.tensor(self.name("w"), (self.cols, self.cols), a.dtype, "in") if not self.dynamic else None
        )
        if weights is None:
            return []
        b = self.buffer((self.cols, self.cols), a.dtype)
        c = self.buffer((self.rows, self.cols), types[a.dtype])
        self._hold(c)
        load = Copy(self.whole(weights), self.whole(b))
        return [load, Fill(c, 0), Gemm(a, b, c, False, self.random.random() < 0.4)]

    def _update(self) -> Statement | None:
        """A map that reads and writes one buffer, to be repeated."""
        extents = self.block_extents()
        dest = self.random.choice([one for one in self.ready if one.shape == (self.rows, self.cols)])
        others = [one for one in self.ready if one is not dest]
        value = Expressions(self.random, others, extents, self.indices).draw(dest.dtype, 1)
        at = tuple(Index(name) for name in extents)
        if dest.dtype == "bool":
            return self.parallel(extents, Store(dest, at, value))
        old = Load(dest.name, at, dest.dtype)
        op = self.random.choice(["+", "-", "max", "min"])
        return self.parallel(extents, Store(dest, at, Binary(op, old, value, dest.dtype)))

    def _number(self) -> Node:
        """How often: a number, or one that a tensor brings."""
        if self.random.random() < 0.5:
            return Const(self.random.randint(1, 3))
        if "count" not in self.limits:
            self.limits["count"] = 4
            self.tensor("count", (4,), "int32", "in")
        return Load("count", (Const(self.random.randrange(4)),), "int32")

    def _loop(self) -> list[Statement]:
        update = self._update()
        assert update is not None
        variable = self.name("k")
        inner: tuple[Statement, ...] = (update,)
        if self.random.random() < 0.3:
            inner = (For(self.name("k"), Const(2), inner),)
        header = self.random.choice(["T.serial({})", "T.serial({})", "T.Pipelined({}, num_stages=2)"])
        return [For(variable, self._number(), inner, header)]

    def _while(self) -> list[Statement]:
        update = self._update()
        assert update is not None
        return [While(self.name("v"), self._number(), (update,))]

    def _where(self) -> list[Statement]:
        update, other = self._update(), self._update()
        assert update is not None
        assert other is not None
        left: Node = Binary("%", Index("bx"), Const(2), "int32")
        if self.random.random() < 0.5:
            left = self._number()
        otherwise = (other,) if self.random.random() < 0.5 else ()
        return [Choice(Compare(self.random.choice(["==", "<", ">"]), left, Const(1)), (update,), otherwise)]

    def _part(self) -> list[Statement]:
        """A slice of one buffer to a slice of another."""
        blocks = [one for one in self.ready if one.shape == (self.rows, self.cols)]
        source = self.random.choice(blocks)
        fitting = [one for one in blocks if one is not source and one.dtype == source.dtype]
        if not fitting:
            return []
        sizes = self.random.choice([8, 16]), self.random.choice([16, 32])
        ends = self.rows - sizes[0], self.cols - sizes[1]
        if min(ends) < 0:
            return []
        places = [tuple(Const(self.random.choice([0, end, end // 2])) for end in ends) for _ in range(2)]
        dest = self.random.choice(fitting)
        return [Copy(Region(source, places[0], sizes), Region(dest, places[1], sizes))]

    def _copy(self) -> list[Statement]:
        source = self.random.choice(self.ready)
        dtype = (
            self.random.choice(DTYPES)
            if not is_float(source.dtype)
            else self.random.choice(["float32", "bfloat16", "float16"])
        )
        if dtype == "bool":
            return []
        dest = self.buffer(source.shape, dtype)
        self._hold(dest)
        return [Copy(self.whole(source), self.whole(dest))]

    def _hold(self, memory: Memory) -> None:
        if memory not in self.ready:
            self.ready.append(memory)

    # ---- the end ----

    def outputs(self) -> list[Statement]:
        blocks = [one for one in self.ready if one.shape == (self.rows, self.cols)]
        chosen = blocks[-self.random.choice([1, 1, 2, 3]) :]
        vectors = [one for one in self.ready if len(one.shape) == 1 and self.blocks == 1 and not self.dynamic]
        return [self._output(one) for one in (*chosen, *vectors[-1:])]

    def _output(self, source: Memory) -> Statement:
        name = self.name("y")
        if len(source.shape) == 1:
            return Copy(self.whole(source), self.whole(self.tensor(name, source.shape, source.dtype, "out")))
        atomic = source.dtype in ("float32", "int32") and self.random.random() < 0.15
        dest = self.tensor(name, (self.height, self.cols), source.dtype, "both" if atomic else "out")
        offsets = (Binary("*", Index("bx"), Const(self.rows), "int32"), Const(0))
        return Copy(self.whole(source), Region(dest, offsets, source.shape), atomic)


def _walk(node: Node) -> list[Node]:
    return [node, *(inner for part in node.parts for inner in _walk(part))]


def _reads_elsewhere(node: Node, store: Store) -> bool:
    return isinstance(node, Load) and node.name == store.memory.name and node.at != store.at
