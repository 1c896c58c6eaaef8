"""Steps of random kernels that repeat or choose: loops, while, branches of the whole block."""

from __future__ import annotations

from conformance.fuzz.drawing import Drawing
from conformance.fuzz.nodes import Binary, Both, Compare, Const, Either, Index, Load, Node
from conformance.fuzz.statements import Choice, Copy, For, Leave, Memory, Statement, Store, While
from conformance.fuzz.step_functions import Looked
from conformance.fuzz.values import is_float

_COUNTS = 4
_HEADERS = ("T.serial({})", "T.serial({})", "T.unroll({})", "T.Pipelined({}, num_stages=2)")


class FlowSteps(Drawing):
    """Each method draws one step."""

    def _update(self) -> Statement:
        """A map that reads and writes one buffer, to be repeated."""
        blocks = [one for one in self.ready if one.shape == (self.rows, self.cols)]
        return self._updated(self.random.choice(blocks))

    def _updated(self, dest: Memory) -> Statement:
        extents = self.block_extents()
        others = [one for one in self.ready if one is not dest]
        value = self.expressions_over(others, extents).draw(dest.dtype, 1)
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
        return self._count(Const(self.random.randrange(_COUNTS)))

    def _count(self, at: Node) -> Node:
        """A number that a tensor brings."""
        if "count" not in self.limits:
            self.limits["count"] = 4
            self.tensor("count", (_COUNTS,), "int32", "in")
        return Load("count", (at,), "int32")

    def _loop(self) -> list[Statement]:
        update = self._update()
        variable = self.name("k")
        inner: tuple[Statement, ...] = (update,)
        if self.random.random() < 0.3:
            inner = (For(self.name("k"), Const(2), inner),)
        header = self.random.choice(_HEADERS)
        return [For(variable, self._number(), inner, header)]

    def _while(self) -> list[Statement]:
        update = self._update()
        return [While(self.name("v"), self._number(), (update,))]

    def _where(self) -> list[Statement]:
        update, other = self._update(), self._update()
        left: Node = Binary("%", Index("bx"), Const(2), "int32")
        if self.random.random() < 0.5:
            left = self._number()
        otherwise = (other,) if self.random.random() < 0.5 else ()
        rows = [one for one in self.tensors if one.scope == "in" and one.shape == (self.height, self.cols)]
        rows = [one for one in rows if not is_float(one.dtype) and one not in self.in_place]
        if rows and not self.dynamic and self.random.random() < 0.4:
            looked = Looked(self.random.choice(["any_of", "all_of"]), rows[0].name, self.row(), self.cols)
            return [Choice(looked, (update,), otherwise)]
        return [Choice(Compare(self.random.choice(["==", "<", ">"]), left, Const(1)), (update,), otherwise)]

    def _decide(self) -> list[Statement]:
        """The same by a number of a neighbour, which not every block has."""
        update = self._update()
        ahead = self.random.randint(1, _COUNTS)
        number = self._count(Binary("+", Index("bx"), Const(ahead), "int32"))
        wanted = Compare(self.random.choice(["==", "<", ">"]), number, Const(1))
        last = Const(_COUNTS - ahead)
        if self.random.random() < 0.5:
            return [Choice(Both(Compare("<", Index("bx"), last), wanted), (update,))]
        return [Choice(Either(Compare(">=", Index("bx"), last), wanted), (update,))]

    def _leave(self) -> list[Statement]:
        """A loop that skips rounds, or ends before its last."""
        update, other = self._update(), self._update()
        variable = self.name("k")
        left = self._count(Index(variable)) if self.random.random() < 0.5 else Index(variable)
        condition = Compare(self.random.choice(["==", ">"]), left, Const(self.random.randint(0, 2)))
        if self.random.random() < 0.4:
            return [While(variable, Const(_COUNTS), (update, Leave("break", condition), other))]
        leave = Leave(self.random.choice(["break", "continue"]), condition)
        return [For(variable, Const(_COUNTS), self.random.choice([(leave, update), (update, leave, other)]))]

    def _turns(self) -> list[Statement]:
        """A buffer made from another one, which then becomes the one it was made from."""
        now = self.random.choice([one for one in self.ready if one.shape == (self.rows, self.cols)])
        after, extents = self.buffer(now.shape, now.dtype), self.block_extents()
        drawn, here = self.expressions_over([now], extents), tuple(map(Index, extents))
        value = drawn.load(now)
        while isinstance(value, Load) and value.at == here:
            value = drawn.load(now)
        if now.dtype != "bool":
            op = self.random.choice(["+", "-", "max", "min"])
            value = Binary(op, value, drawn.draw(now.dtype, 1), now.dtype)
        made = self.parallel(extents, Store(after, here, value))
        self.hold_last(now)
        # What works on tiles keeps the two in tiles, where copies can be left out.
        plain = (self._updated(now),) if self.random.random() < 0.6 else ()
        return [For(self.name("k"), Const(3), (made, Copy(self.whole(after), self.whole(now)), *plain))]
