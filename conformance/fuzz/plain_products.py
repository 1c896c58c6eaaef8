"""Random kernels that are one product in blocks, as they are written for GPUs, with work on its elements.

The compiler carries these out in blocks of its own choice.
"""

from __future__ import annotations

from conformance.fuzz.collectives import Gemm
from conformance.fuzz.drawing import Drawing
from conformance.fuzz.nodes import Binary, Const, Index, Load, Node
from conformance.fuzz.statements import Copy, Fill, For, Memory, Region, Statement, Store

_DTYPES = ("bfloat16", "bfloat16", "float16", "float32")


class PlainProducts(Drawing):
    def plain_product(self) -> list[Statement]:
        """The whole kernel: products along the depth, work on their sums, stores."""
        draw = self.random
        self.dynamic, self.rows, self.cols = False, draw.choice([32, 64]), draw.choice([32, 64, 96])
        self.blocks, self.across = draw.choice([1, 2, 3, 4]), draw.choice([1, 2, 2, 3])
        self.height = self.blocks * self.rows - draw.choice([0, 0, 1, 31])
        self.width = self.across * self.cols - draw.choice([0, 0, 1, 31])
        dtype, turned = draw.choice(_DTYPES), (draw.random() < 0.2, draw.random() < 0.3)
        totals = [self.buffer((self.rows, self.cols), "float32") for _ in range(draw.choice([1, 1, 1, 2]))]
        body: list[Statement] = [*(Fill(total, draw.choice([0, 0, 0, 2])) for total in totals)]
        body.append(self._steps(dtype, turned, totals))
        if draw.random() < 0.6:
            body += self._finish(totals[0])
        if draw.random() < 0.3:
            narrow = self.buffer((self.rows, self.cols), dtype)
            body.append(Copy(self.whole(totals[0]), self.whole(narrow)))
            totals[0] = narrow
        return body + [self._stored(total) for total in totals]

    def _steps(self, dtype: str, turned: tuple[bool, bool], totals: list[Memory]) -> Statement:
        """The loop along the depth: each sum has weights of its own."""
        draw, turn = self.random, Index(self.name("k"))
        deep, turns = draw.choice([32, 64]), draw.choice([1, 2, 3, 4])
        depth, start = turns * deep - draw.choice([0, 0, 5]), Binary("*", turn, Const(deep), "int32")
        left, load = self._brought(
            (self.height, depth), (self.row(), start), (self.rows, deep), dtype, turned[0]
        )
        body = [load]
        for total in totals:
            place = (start, self.column())
            right, load = self._brought((depth, self.width), place, (deep, self.cols), dtype, turned[1])
            body += [load, Gemm(left, right, total, *turned)]
        header = draw.choice(["T.Pipelined({}, num_stages=2)", "T.Pipelined({}, num_stages=3)"])
        return For(turn.name, Const(turns), tuple(body), header)

    def _brought(
        self,
        whole: tuple[int, int],
        place: tuple[Node, Node],
        block: tuple[int, int],
        dtype: str,
        turned: bool,
    ) -> tuple[Memory, Statement]:
        if turned:
            whole, place, block = whole[::-1], place[::-1], block[::-1]
        tensor, buffer = self.tensor(self.name("w"), whole, dtype, "in"), self.buffer(block, dtype)
        return buffer, Copy(Region(tensor, place, block), self.whole(buffer))

    def _finish(self, total: Memory) -> list[Statement]:
        """Elements of the sum with those of a block or a vector beside it."""
        across, down = (self.width, self.column(), self.cols, "j"), (self.height, self.row(), self.rows, "i")
        chosen = self.random.choice([(across,), (down,), (down, across)])
        sizes, place, block, names = (tuple(part) for part in zip(*chosen, strict=True))
        tensor, other = self.tensor(self.name("x"), sizes, "float32", "in"), self.buffer(block, "float32")
        element = Load(total.name, (Index("i"), Index("j")), "float32")
        beside = Load(other.name, tuple(map(Index, names)), "float32")
        value = Binary(self.random.choice(["+", "-", "*"]), element, beside, "float32")
        return [
            Copy(Region(tensor, place, block), self.whole(other)),
            self.parallel(self.block_extents(), Store(total, (Index("i"), Index("j")), value)),
        ]

    def _stored(self, source: Memory) -> Statement:
        dest = self.tensor(self.name("y"), (self.height, self.width), source.dtype, "out")
        return Copy(self.whole(source), Region(dest, (self.row(), self.column()), source.shape))
