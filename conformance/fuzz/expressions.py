"""Draws expressions over the buffers of a kernel: every type, cast and way of indexing."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from conformance.fuzz.functions import FUNCTIONS, Function, Quotient
from conformance.fuzz.nodes import Binary, Both, Cast, Compare, Const, Index, Load, Node, Select, Unary
from conformance.fuzz.statements import Memory
from conformance.fuzz.step_functions import TESTS, WHOLE, Bits, Clamp, Test, Whole
from conformance.fuzz.values import INTEGERS, is_float

_FLOAT_OPS = ("+", "-", "*", "+", "-", "*", "max", "min", "/")
_QUOTIENTS = ("//", "%", "truncdiv", "truncmod")
_INTEGER_OPS = ("+", "-", "*", "&", "|", "^", "max", "min", "<<", ">>", *_QUOTIENTS)
_WAYS = ("plain",) * 7 + ("shift", "back", "reverse", "half", "twice", "gather", "fixed", "modulo")
_KINDS = (*("binary",) * 6, *("unary", "select", "cast", "function") * 2, "bits", "clamp")
_WORDS = ("float32", "int32", "uint32")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def plus(node: Node, number: int) -> Node:
    if number == 0:
        return node
    op = "+" if number > 0 else "-"
    return Binary(op, node, Const(abs(number)), "int32")


def is_constant(node: Node) -> bool:
    inner = bool(node.parts) and not isinstance(node, Load)
    return isinstance(node, Const) or (inner and all(map(is_constant, node.parts)))


class Expressions:
    """`i` and `j` run over `rows` and `cols`; in a vector there is only one of them.

    `plain` is how many of the indices are surely plain: what is not is no work for units that take tiles.
    """

    def __init__(
        self,
        random: Random,
        memories: Sequence[Memory],
        extents: dict[str, int],
        indices: Sequence[Memory],
        variables: Sequence[Memory] = (),
        plain: float = 0.0,
    ) -> None:
        self.random = random
        self.memories = memories
        self.extents = extents
        self.indices = indices
        self.variables = variables
        self.plain = plain

    def draw(self, dtype: str, depth: int) -> Node:
        if dtype == "bool":
            return self.condition(depth)
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf(dtype)
        match self.random.choice(_KINDS):
            case "binary":
                return self._binary(dtype, depth)
            case "unary" if not dtype.startswith("uint"):
                return Unary(self.random.choice(["abs", "negate"]), self.draw(dtype, depth - 1), dtype)
            case "select":
                sides = self.draw(dtype, depth - 1), self.draw(dtype, depth - 1)
                return Select(self.condition(depth - 1), *sides, dtype)
            case "function" if is_float(dtype) and self.random.random() < 0.2:
                return Whole(self.random.choice(WHOLE), self.draw(dtype, depth - 1), dtype)
            case "function" if is_float(dtype):
                return Function(self.random.choice(FUNCTIONS), self.draw(dtype, depth - 1), dtype)
            case "bits" if dtype in _WORDS:
                other = self.random.choice(_WORDS) if dtype == "float32" else "float32"
                inner = self.draw(other, depth - 1)
                same = other == dtype or is_constant(inner)
                return self._cast(inner, dtype) if same else Bits(inner, dtype)
            case "clamp":
                least, most = (
                    Const(number, dtype) for number in ((-1.5, 2.0) if is_float(dtype) else (1, 9))
                )
                return Clamp(self.draw(dtype, depth - 1), least, most, dtype)
            case "cast":
                other = self.random.choice(["float32", "bfloat16", "float16", *INTEGERS])
                return self._cast(self.draw(other, depth - 1), dtype)
        return self._binary(dtype, depth)

    def _binary(self, dtype: str, depth: int) -> Node:
        if is_float(dtype):
            sides = self.draw(dtype, depth - 1), self.draw(dtype, depth - 1)
            op = self.random.choice(_FLOAT_OPS)
            return Quotient(*sides, dtype) if op == "/" else Binary(op, *sides, dtype)
        op = self.random.choice(_INTEGER_OPS)
        a = self.draw(dtype, depth - 1)
        if op in ("<<", ">>"):
            return Binary(op, a, Const(self.random.randint(0, 7), dtype), dtype)
        if op in _QUOTIENTS:
            return Binary(op, a, Const(self.random.choice([1, 2, 3, 7, 16]), dtype), dtype)
        b = self.draw(dtype, depth - 1)
        if op == "-" and dtype.startswith("uint") and is_constant(a) and is_constant(b):
            op = "+"  # TileLang computes it, and refuses a difference below zero
        return Binary(op, a, b, dtype)

    def _cast(self, node: Node, dtype: str) -> Node:
        if dtype.startswith("uint") and is_constant(node):
            # TileLang computes it, and has no unsigned integer for a negative number, nor a bool for 2.
            node = Const(2.0 if is_float(node.dtype) else 1 if node.dtype == "bool" else 2, node.dtype)
        return node if node.dtype == dtype else Cast(node, dtype)

    def condition(self, depth: int) -> Node:
        kind = self.random.choice(["index", "data", "data", "both"])
        if kind == "both" and depth > 0:
            return Both(self.condition(0), self.condition(depth - 1))
        flags = [one for one in self.memories if one.dtype == "bool"]
        if flags and self.random.random() < 0.5:
            return Compare("!=", Cast(self.load(self.random.choice(flags)), "int32"), Const(0))
        if self.extents and (kind == "index" or not self.memories):
            name = self.random.choice(list(self.extents))
            return Compare(
                self.random.choice(_COMPARISONS),
                Index(name),
                Const(self.random.randint(0, self.extents[name])),
            )
        memory = self.random.choice(self.memories)
        if is_float(memory.dtype) and self.random.random() < 0.15:
            return Test(self.random.choice(TESTS), self._cast(self.load(memory), "float32"))
        dtype = "int32" if memory.dtype == "bool" else memory.dtype
        number = Const(self.random.choice([0, 1, 3]), dtype)
        return Compare(self.random.choice(_COMPARISONS), self._cast(self.load(memory), dtype), number)

    def leaf(self, dtype: str) -> Node:
        if self.random.random() < 0.12 or not self.memories:
            return Const(
                self.random.choice([0.5, -1.5, 2.0, 0.1]) if is_float(dtype) else self.random.randint(0, 9),
                dtype,
            )
        if self.variables and self.random.random() < 0.15:
            variable = self.random.choice(self.variables)
            return self._cast(Load(variable.name, (), variable.dtype), dtype)
        if self.extents and self.random.random() < 0.08:
            return self._cast(Index(self.random.choice(list(self.extents))), dtype)
        same = [one for one in self.memories if one.dtype == dtype]
        memory = self.random.choice(same if same and self.random.random() < 0.7 else list(self.memories))
        return self._cast(self.load(memory), dtype)

    # ---- indices ----

    def load(self, memory: Memory) -> Node:
        """An element of a memory, found in one of many ways; guarded where it may lie outside."""
        at: list[Node] = []
        guards: list[Node] = []
        names = self._names(memory)
        for dim, (name, size) in enumerate(zip(names, memory.shape, strict=True)):
            at.append(self._index(name, size, dim, guards))
        load = Load(memory.name, tuple(at), memory.dtype)
        if not guards:
            return load
        condition = guards[0]
        for other in guards[1:]:
            condition = Both(condition, other)
        return (
            Select(condition, load, Const(1, memory.dtype), memory.dtype)
            if memory.dtype != "bool"
            else Both(condition, load)
        )

    def _names(self, memory: Memory) -> list[str]:
        """Which loop each dimension follows; empty: none."""
        names = list(self.extents)
        if len(memory.shape) == 1:
            fitting = [name for name in names if self.extents[name] == memory.shape[0]]
            return [self.random.choice(fitting) if fitting else ""]
        chosen = ["" for _ in memory.shape[len(names) :]] + names[-len(memory.shape) :]
        if len(memory.shape) == 2 and len(set(memory.shape)) == 1 and self.random.random() < 0.15:
            chosen = chosen[::-1]  # transposed
        return chosen

    def _index(self, name: str, size: int, dim: int, guards: list[Node]) -> Node:
        extent = self.extents.get(name, 1)
        if not name:
            return Const(self.random.randrange(size))
        node: Node = Index(name)
        way = "plain" if self.random.random() < self.plain else self.random.choice(_WAYS)
        if way == "plain" and extent <= size:
            return node
        if way == "reverse" and extent <= size:
            # TileLang counts an index that is negative everywhere from the end.
            return Binary("-", Const(self.random.choice([size - 1, -1])), node, "int32")
        if way == "half":
            node = Binary("//", node, Const(2), "int32")
            extent = (extent + 1) // 2
        elif way == "twice":
            node = plus(Binary("*", node, Const(2), "int32"), self.random.randrange(2))
            extent = 2 * extent
        elif way == "fixed":
            return Const(self.random.randrange(size))
        elif way == "modulo":
            return Binary("%", plus(node, self.random.randint(0, 5)), Const(size), "int32")
        elif way == "gather" and dim == 0:
            fitting = [one for one in self.indices if one.shape[0] >= extent]
            if fitting:
                return Load(self.random.choice(fitting).name, (node,), "int32")
        elif way in ("shift", "back"):
            by = self.random.choice([1, 5, 16, 32]) * (1 if way == "shift" else -1)
            guards.append(
                Compare("<", plus(node, by), Const(size))
                if by > 0
                else Compare(">=", plus(node, by), Const(0))
            )
            if extent + by > size and by < 0:
                guards.append(Compare("<", plus(node, by), Const(size)))
            return plus(node, by)
        if extent > size:
            guards.append(Compare("<", node, Const(size)))
        return node
