"""Steps of random kernels in which threads meet: shuffles, reductions of warps and blocks, reducers."""

from __future__ import annotations

from conformance.fuzz.drawing import Drawing
from conformance.fuzz.expressions import is_constant
from conformance.fuzz.nodes import Binary, Cast, Const, Index, Load, Node
from conformance.fuzz.statements import Memory, Statement, Store
from conformance.fuzz.thread_statements import THREADS, WARP, EachThread, Reducer

_MET = ("float32", "int32", "uint32")
_REDUCED = (*_MET, "int16", "uint8")
_SHUFFLES = ("up", "down", "xor", "sync")
_BITS = ("bitand", "bitor")


class ThreadSteps(Drawing):
    """Each method draws one step."""

    def _threads(self) -> list[Statement]:
        """What threads tell each other, and a block that reads it."""
        dtype = self.random.choice(_MET)
        seen = [one for one in self.ready if one.scope == "shared"]
        value = self.expressions_over(seen, {"tx": THREADS}).draw(dtype, self.random.randint(0, 2))
        if is_constant(value):  # a number of Python to TileLang, which only exchanges expressions
            value = Binary("+", value, Cast(Index("tx"), dtype) if dtype != "int32" else Index("tx"), dtype)
        dest = Memory(self.name("b"), (THREADS,), dtype, "shared")
        self.buffers.append(dest)
        self.hold(dest)
        return [self._exchange(dest, value), self._spread(dest)]

    def _exchange(self, dest: Memory, value: Node) -> Statement:
        how = self.random.choice([*_SHUFFLES, "warp", "warp", "block", "block"])
        if how in _SHUFFLES:
            width = self.random.choice([WARP, WARP, 16, 8])
            by = 1 << self.random.randrange(5) if how == "xor" else self.random.randrange(WARP)
            return EachThread(dest, value, how, "", by, width)
        kinds = ["sum", "max", "min"]
        if dest.dtype != "float32":
            kinds += [*_BITS, *(["bitxor"] if how == "block" else [])]
        return EachThread(dest, value, how, self.random.choice(kinds))

    def _spread(self, source: Memory) -> Statement:
        """A block of which each row has an element of a vector."""
        dest = self.buffer((self.rows, self.cols), source.dtype)
        self.hold(dest)
        place = Binary("%", Index(self.random.choice("ij")), Const(THREADS), "int32")
        element = Load(source.name, (place,), source.dtype)
        return self.parallel(self.block_extents(), Store(dest, (Index("i"), Index("j")), element))

    def _reducer(self) -> list[Statement]:
        dtype, extents = self.random.choice(_REDUCED), self.block_extents()
        kinds = ["sum", "max", "min"] if dtype == "float32" else ["sum", "max", "min", *_BITS, "bitxor"]
        along = self.random.choice("ij")
        kept = "i" if along == "j" else "j"
        dest = Memory(self.name("b"), (extents[kept],), dtype, "fragment")
        value = self.expressions(extents).draw(dtype, self.random.randint(0, 2))
        self.buffers.append(dest)
        self.hold(dest)
        start = self.random.choice([None, None, 0, 3])
        name, over = self.name("r"), tuple(extents.items())
        return [Reducer(name, self.random.choice(kinds), value, dest, over, along, start)]
