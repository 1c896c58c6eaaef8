"""Steps of random kernels that map elements to elements, one or several dimensions at once."""

from __future__ import annotations

from dataclasses import replace

from conformance.fuzz.drawing import Drawing
from conformance.fuzz.nodes import Binary, Const, Index, Load, Node
from conformance.fuzz.statements import Assign, Choice, Copy, For, Memory, Region, Statement, Store, Transpose
from conformance.fuzz.values import DTYPES, is_float


class ElementSteps(Drawing):
    """Each method draws one step, or nothing where there is nothing to draw it from."""

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
        made = self._shielded(self.store(dest, extents), extents)
        if dest not in self.ready and self.random.random() < 0.15:
            made = replace(made, at=self._elsewhere())
        self.hold(dest)
        return [self.parallel(extents, made)]

    def _elsewhere(self) -> tuple[Node, ...]:
        """Every place of a block once, in another order."""
        size = self.rows
        backwards = Binary("-", Const(size - 1), Index("i"), "int32")
        around = Binary("%", Binary("+", Index("i"), Const(5), "int32"), Const(size), "int32")
        return self.random.choice([backwards, around]), Index("j")

    def _shielded(self, store: Store, extents: dict[str, int]) -> Store:
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
        self.hold(dest)
        return [self.parallel(extents, Choice(condition, (sides[0],), (inner,)))]

    def _vector(self) -> list[Statement]:
        name, size = self.random.choice([("i", self.rows), ("j", self.cols)])
        dest = self.buffer((size,), self.dtype())
        made = self.parallel({name: size}, self.store(dest, {name: size}, 2))
        self.hold(dest)
        return [made]

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
        self.hold(dest)
        return [Copy(self.whole(source), self.whole(dest))]

    def _stack(self) -> list[Statement]:
        """A buffer of three dimensions."""
        extents = {"d": self.random.choice([2, 3]), **self.block_extents()}
        dest = self.buffer(tuple(extents.values()), self.dtype())
        made = self.parallel(extents, self.store(dest, extents, 2))
        self.hold(dest)
        return [made]

    def _turned(self) -> list[Statement]:
        """The transpose of a block, which a block then reads."""
        source = self.random.choice(self.blocks_of())
        turned = Memory(self.name("b"), source.shape[::-1], source.dtype, source.scope)
        self.buffers.append(turned)
        dest = self.buffer(source.shape, source.dtype)
        self.hold(dest)
        element = Load(turned.name, (Index("j"), Index("i")), turned.dtype)
        back = Store(dest, (Index("i"), Index("j")), element)
        return [Transpose(source, turned), self.parallel(self.block_extents(), back)]

    def _scalar(self) -> list[Statement]:
        """A variable, and a sum into it."""
        dtype = self.random.choice(["float32", "bfloat16", "float16", "int32"])
        made = Memory(self.name("v"), (), dtype, "var")
        self.buffers.append(made)
        start = Assign(made, self.expressions({}).draw(dtype, self.random.randint(0, 2)))
        self.variables.append(made)
        sources = self.blocks_of(dtype)
        if not sources or self.random.random() < 0.4:
            return [start]
        source, step = self.random.choice(sources), self.name("k")
        element = Load(source.name, (Index(step), Const(self.random.randrange(self.cols))), dtype)
        op = self.random.choice(["+", "max"])
        total = Assign(made, Binary(op, Load(made.name, (), dtype), element, dtype))
        if self.random.random() < 0.4:
            return [start, For(step, Const(self.rows), self._watched(made, step, total))]
        return [start, For(step, Const(self.random.randint(2, self.rows)), (total,))]

    def _watched(self, variable: Memory, step: str, change: Statement) -> tuple[Statement, ...]:
        """What a variable is in every iteration, before or after it changes."""
        dest = self.buffer((self.rows,), variable.dtype)
        self.hold(dest)
        seen = Store(dest, (Index(step),), Load(variable.name, (), variable.dtype))
        return (change, seen) if self.random.random() < 0.5 else (seen, change)


def _walk(node: Node) -> list[Node]:
    return [node, *(inner for part in node.parts for inner in _walk(part))]


def _reads_elsewhere(node: Node, store: Store) -> bool:
    return isinstance(node, Load) and node.name == store.memory.name and node.at != store.at
