"""Steps of random kernels in which elements meet: reductions, running sums, products, attention."""

from __future__ import annotations

from conformance.fuzz.collectives import Gemm, Reduce, Scan
from conformance.fuzz.drawing import Drawing
from conformance.fuzz.functions import Function, Quotient
from conformance.fuzz.nodes import Binary, Const, Index, Load
from conformance.fuzz.statements import Copy, Fill, For, Memory, Statement, Store
from conformance.fuzz.values import is_float

_REDUCTIONS = ("sum", "max", "min", "abssum", "absmax")
_OF_BITS = ("bitand", "bitor", "bitxor")
_REDUCED = ("float32", "bfloat16", "float16", "int32", "int16", "int8", "uint8", "uint16", "uint32")
_SUMS = {"bfloat16": "float32", "float16": "float32", "float32": "float32", "int8": "int32"}


class MatrixSteps(Drawing):
    """Each method draws one step, or nothing where there is nothing to draw it from."""

    def _reduce(self) -> list[Statement]:
        """Over any dimension, of a block or a stack of blocks, with and without clearing first."""
        sources = [one for one in self.ready if len(one.shape) in (2, 3) and one.dtype in _REDUCED]
        if not sources:
            return []
        source = self.random.choice(sources)
        dim = self.random.randrange(len(source.shape))
        shape = tuple(size for at, size in enumerate(source.shape) if at != dim)
        dest = self.buffer(shape, source.dtype)
        clear = self.random.random() < 0.6
        before: list[Statement] = [] if clear else [Fill(dest, self.random.choice([0, 1, 3]))]
        kinds = _REDUCTIONS if is_float(source.dtype) else (*_REDUCTIONS, *_OF_BITS)
        kind = self.random.choice([one for one in kinds if clear or one != "abssum"])  # it always clears
        self.hold(dest)
        return [*before, Reduce(kind, source, dest, dim, clear)]

    def _cumsum(self) -> list[Statement]:
        sources = self.blocks_of("float32", "int32", "bfloat16", "float16", "int16", "uint8")
        if not sources:
            return []
        kind, dim = self.random.choice(["sum", "sum", "max"]), self.random.choice([0, 1])
        return [Scan(self.random.choice(sources), dim, self.random.random() < 0.3, kind)]

    def _gemm(self) -> list[Statement]:
        """A block, or its transpose, times a tensor; sometimes the result goes into a second product."""
        sources = self.blocks_of(*_SUMS)
        if not sources or self.dynamic:
            return []
        a = self.random.choice(sources)
        across = self.random.random() < 0.3
        rows, inner = (self.cols, self.rows) if across else (self.rows, self.cols)
        transposed = self.random.random() < 0.4
        body, c = self._product(a, rows, inner, self.cols, across, transposed)
        if a.dtype != "int8" and self.random.random() < 0.3:
            narrow = self.buffer((rows, self.cols), a.dtype)
            again, _ = self._product(narrow, rows, self.cols, self.cols, False, self.random.random() < 0.4)
            return [*body, Copy(self.whole(c), self.whole(narrow)), *again]
        return body

    def _product(
        self, a: Memory, rows: int, inner: int, cols: int, across: bool, transposed: bool
    ) -> tuple[list[Statement], Memory]:
        b, load = self._loaded((cols, inner) if transposed else (inner, cols), a.dtype)
        c = self.buffer((rows, cols), _SUMS[a.dtype])
        self.hold(c)
        return [load, Fill(c, 0), Gemm(a, b, c, across, transposed)], c

    def _powers(self) -> list[Statement]:
        """Products whose result goes back to their operand."""
        sources = self.blocks_of("bfloat16", "float16", "float32")
        if not sources or self.dynamic:
            return []
        a = self.random.choice(sources)
        b, load = self._loaded((self.cols, self.cols), a.dtype)
        c = self.buffer(a.shape, "float32")
        factor = a if self.rows == self.cols and self.random.random() < 0.5 else b
        scaled = Binary(
            "*", Load(c.name, (Index("i"), Index("j")), "float32"), Const(0.125, "float32"), "float32"
        )
        store = self.parallel(self.block_extents(), Store(c, (Index("i"), Index("j")), scaled))
        self.hold_last(a)
        again = (Fill(c, 0), Gemm(a, factor, c, False, False), store, Copy(self.whole(c), self.whole(a)))
        return [load, For(self.name("k"), Const(2), again)]

    def _loaded(self, shape: tuple[int, ...], dtype: str) -> tuple[Memory, Statement]:
        """A buffer that holds a tensor of its own."""
        tensor = self.tensor(self.name("w"), shape, dtype, "in")
        buffer = self.buffer(shape, dtype)
        return buffer, Copy(self.whole(tensor), self.whole(buffer))

    def _attention(self) -> list[Statement]:
        """A block of queries against keys and values that lie in tensors of their own."""
        sources = self.blocks_of("bfloat16", "float16", "float32")
        if not sources or self.dynamic:
            return []
        q, keys = self.random.choice(sources), self.random.choice([32, 64, 40])
        (k, load_k), (v, load_v) = (
            self._loaded((keys, self.cols), q.dtype),
            self._loaded((keys, self.cols), q.dtype),
        )
        scores, out = (
            self.buffer((self.rows, keys), "float32"),
            self.buffer((self.rows, self.cols), "float32"),
        )
        most, total = self.buffer((self.rows,), "float32"), self.buffer((self.rows,), "float32")
        weights = self.buffer((self.rows, keys), q.dtype)
        self.hold(out)
        square, block = {"i": self.rows, "k": keys}, self.block_extents()

        def of(memory: Memory, *names: str) -> Load:
            return Load(memory.name, tuple(map(Index, names)), memory.dtype)

        below = Binary("-", of(scores, "i", "k"), of(most, "i"), "float32")
        power = Store(scores, (Index("i"), Index("k")), Function("exp", below, "float32"))
        share = Quotient(of(out, "i", "j"), of(total, "i"), "float32")
        return [
            load_k,
            load_v,
            Fill(scores, 0),
            Gemm(q, k, scores, False, True),
            Reduce("max", scores, most, 1),
            self.parallel(square, power),
            Reduce("sum", scores, total, 1),
            Copy(self.whole(scores), self.whole(weights)),
            Fill(out, 0),
            Gemm(weights, v, out, False, False),
            self.parallel(block, Store(out, (Index("i"), Index("j")), share)),
        ]
