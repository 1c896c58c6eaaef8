"""Draws kernels: loads, then steps over buffers, then stores. The same `Random` gives the same kernel."""

from __future__ import annotations

from random import Random

from conformance.fuzz.element_steps import ElementSteps
from conformance.fuzz.flow_steps import FlowSteps
from conformance.fuzz.matrix_steps import MatrixSteps
from conformance.fuzz.nodes import Const, Index, Load, Node
from conformance.fuzz.plain_products import PlainProducts
from conformance.fuzz.program import Program
from conformance.fuzz.statements import Copy, Memory, Region, Statement, Store
from conformance.fuzz.thread_steps import ThreadSteps
from conformance.fuzz.tiled_products import TiledProducts
from conformance.fuzz.values import is_float

_STEPS = (
    *("map",) * 5,
    *("branch", "reduce", "gemm") * 2,
    *("vector", "cumsum", "loop", "while", "where", "part", "copy", "attention", "stack", "scalar"),
    *("turns", "powers", "leave", "decide", "tiled", "threads", "reducer", "turned"),
)


def random_program(random: Random) -> Program:
    return _Drawing(random).program()


class _Drawing(ElementSteps, MatrixSteps, FlowSteps, TiledProducts, PlainProducts, ThreadSteps):
    def program(self) -> Program:
        return self._program(self.plain_product() if self.random.random() < 0.08 else self._steps_of())

    def _steps_of(self) -> list[Statement]:
        """What a block loads, computes and stores."""
        body = [statement for _ in range(self.random.randint(1, 3)) for statement in self.input()]
        if self.random.random() < 0.3:
            self.indices.append(self.tensor("idx", (self.rows,), "int32", "in"))
            self.limits["idx"] = min(self.rows, self.cols)
        for _ in range(self.random.randint(1, 5)):
            body += self.step()
        return body + self.outputs()

    def _program(self, body: list[Statement]) -> Program:
        return Program(
            tuple(self.tensors),
            tuple(self.buffers),
            tuple(body),
            self.blocks,
            frozenset(self.special),
            tuple(self.limits.items()),
            self.dynamic,
            self.across,
        )

    def step(self) -> list[Statement]:
        made: list[Statement] = getattr(self, f"_{self.random.choice(_STEPS)}")()
        return made if made else self._map()

    def input(self) -> list[Statement]:
        """A tensor and the block of it that is loaded, sometimes of another type."""
        dtype = self.dtype()
        shape: tuple[int, ...] = (self.height, self.cols)
        offsets: tuple[Node, ...] = (self.row(), Const(0))
        sizes: tuple[int, ...] = (self.rows, self.cols)
        if self.random.random() < 0.2:
            offsets = self.moved(offsets)
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
        if len(shape) == 2 and self.across == 1 and offsets == (self.row(), Const(0)):
            self.in_place.append(made)
        dest = self.buffer((self.rows, self.cols), other)
        self.ready.append(dest)
        return [Copy(Region(made, offsets, sizes), self.whole(dest))]

    # ---- the end ----

    def outputs(self) -> list[Statement]:
        blocks = self.blocks_of()
        chosen = blocks[-self.random.choice([1, 1, 2, 3]) :]
        alone = self.blocks == self.across == 1 and not self.dynamic
        others = [one for one in self.ready if alone and one.shape != (self.rows, self.cols)]
        stored = [self._output(one) for one in (*chosen, *others[-2:])]
        return [*stored, *self._met(blocks)]

    def _output(self, source: Memory) -> Statement:
        name = self.name("y")
        if source.shape != (self.rows, self.cols):
            return Copy(self.whole(source), self.whole(self.tensor(name, source.shape, source.dtype, "out")))
        offsets: tuple[Node, ...] = (self.row(), self.column())
        atomic = self.random.choice(["add", "max", "min"]) if self._may_meet(source) else ""
        written = [one for one in self.in_place if one.dtype == source.dtype]
        if written and not atomic and self.random.random() < 0.15:
            return Copy(self.whole(source), Region(self._written(written[0]), offsets, source.shape))
        if self.random.random() < 0.15:
            offsets = self.moved(offsets)
        shape = (self.height, self.across * self.cols)
        dest = self.tensor(name, shape, source.dtype, "both" if atomic else "out")
        return Copy(self.whole(source), Region(dest, offsets, source.shape), atomic)

    def _written(self, tensor: Memory) -> Memory:
        """An input that the kernel writes as well; each only once."""
        self.in_place.remove(tensor)
        made = Memory(tensor.name, tensor.shape, tensor.dtype, "both")
        self.tensors[self.tensors.index(tensor)] = made
        return made

    def _may_meet(self, source: Memory) -> bool:
        return source.dtype in ("float32", "int32") and self.random.random() < 0.15

    def _met(self, blocks: list[Memory]) -> list[Statement]:
        """Elements of a block that meet in one vector."""
        sources = [one for one in blocks if one.dtype in ("int32", "float32")]
        if not sources or self.dynamic or self.random.random() > 0.08:
            return []
        source = self.random.choice(sources)
        extents = self.block_extents()
        dest = self.tensor(self.name("y"), (self.cols,), source.dtype, "both")
        op = "add" if source.dtype == "int32" else self.random.choice(["max", "min"])
        value = Load(source.name, (Index("i"), Index("j")), source.dtype)
        return [self.parallel(extents, Store(dest, (Index("j"),), value, op))]
