"""Steps of random kernels that multiply tensors block by block, at places that indices or tables give."""

from __future__ import annotations

from conformance.fuzz.collectives import Gemm
from conformance.fuzz.drawing import Drawing
from conformance.fuzz.nodes import Binary, Const, Index, Load, Node
from conformance.fuzz.statements import Copy, Fill, For, Memory, Region, Statement

_DTYPES = ("bfloat16", "float16", "float32")
_HEADERS = ("T.serial({})", "T.Pipelined({}, num_stages=2)", "T.Pipelined({}, num_stages=3)")


class TiledProducts(Drawing):
    """Blocks side by side load the same rows, those below each other the same columns: cores may share."""

    def _tiled(self) -> list[Statement]:
        if self.dynamic:
            return []
        dtype, deep, turns = (
            self.random.choice(_DTYPES),
            self.random.choice([32, 32, 48]),
            Index(self.name("k")),
        )
        rounds, count = Index(self.name("r")), self.random.choice([1, 1, 2])
        a = self.tensor(self.name("w"), (self.height, 4 * deep), dtype, "in")
        b = self.tensor(self.name("w"), (4 * deep, self.across * self.cols), dtype, "in")
        left, right = self.buffer((self.rows, deep), dtype), self.buffer((deep, self.cols), dtype)
        total = self.buffer((self.rows, self.cols), "float32")
        self.hold(total)
        before, place = self._place(rounds, turns)
        start = Binary("*", place, Const(deep), "int32")
        body: tuple[Statement, ...] = (
            Copy(Region(a, (self.row(), start), left.shape), self.whole(left)),
            Copy(Region(b, (start, self.column()), right.shape), self.whole(right)),
            Gemm(left, right, total, False, False),
        )
        length = Const(self.random.choice([2, 3, 4]))
        loop = For(turns.name, length, body, self.random.choice(_HEADERS))
        return [Fill(total, 0), For(rounds.name, Const(count), (*before, loop))]

    def _place(self, rounds: Index, turns: Index) -> tuple[tuple[Statement, ...], Node]:
        """Which block of the depth comes in a turn: that of the turn, or what a table says."""
        way = self.random.choice(["turn", "turn", "table", "buffer"])
        if way == "turn":
            return (), turns
        name, rows = self.name("table"), max(self.blocks, self.across, 2)
        table = self.tensor(name, (rows, 4), "int32", "in")
        self.limits[name] = 4
        row = self.random.choice([Index("bx"), rounds, *([Index("bc")] if self.across > 1 else [])])
        if way == "table":
            return (), Load(name, (row, turns), "int32")
        held = Memory(self.name("b"), (1, 4), "int32", "shared")
        self.buffers.append(held)
        fill = Copy(Region(table, (row, Const(0)), (1, 4)), self.whole(held))
        return (fill,), Load(held.name, (Const(0), turns), "int32")
