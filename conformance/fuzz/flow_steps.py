"""Steps of random kernels that repeat or choose: loops, while, branches of the whole block."""

from __future__ import annotations

from conformance.fuzz.drawing import Drawing
from conformance.fuzz.expressions import Expressions
from conformance.fuzz.nodes import Binary, Compare, Const, Index, Load, Node
from conformance.fuzz.statements import Choice, For, Statement, Store, While


class FlowSteps(Drawing):
    """Each method draws one step."""

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
