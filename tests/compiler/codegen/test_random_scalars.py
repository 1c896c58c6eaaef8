"""Random integer expressions: their C++, with and without simplification, gives what they mean."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1, i32
from xdsl.ir import Block, Operation, SSAValue

from tilesmith.compiler.codegen.kernel import kernel_source
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.lowering.simplify_scalars import SimplifyScalars
from tilesmith.toolchain import compile_shared

COUNT = 80
INPUTS = [(7, 3), (-5, 4), (0, -9), (64, 1)]
WRAP = 1 << 32


def wrapped(value: int) -> int:
    return (value + WRAP // 2) % WRAP - WRAP // 2


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


Arithmetic = Callable[[int, int], int]
BINARY: dict[type[Operation], Arithmetic] = {
    arith.AddiOp: lambda a, b: wrapped(a + b),
    arith.SubiOp: lambda a, b: wrapped(a - b),
    arith.MuliOp: lambda a, b: wrapped(a * b),
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
    arith.AndIOp: lambda a, b: a & b,
    arith.OrIOp: lambda a, b: a | b,
    arith.XOrIOp: lambda a, b: a ^ b,
}
BY_CONSTANT: dict[type[Operation], Arithmetic] = {
    arith.DivSIOp: quotient,
    arith.RemSIOp: lambda a, b: a - b * quotient(a, b),
    arith.FloorDivSIOp: lambda a, b: a // b,
}
COMPARE: list[tuple[str, Callable[[int, int], bool]]] = [
    ("eq", lambda a, b: a == b),
    ("slt", lambda a, b: a < b),
    ("sge", lambda a, b: a >= b),
    ("ult", lambda a, b: a % WRAP < b % WRAP),
]


def build_op(kind: Any, a: SSAValue, b: SSAValue) -> Operation:
    made: Operation = kind(a, b)
    return made


class Tree:
    """Grows one expression in a block and knows what it is worth for every input."""

    def __init__(self, seed: int, block: Block, arguments: Sequence[SSAValue]) -> None:
        self.random = random.Random(seed)
        self.block = block
        self.leaves = [(value, [pair[k] for pair in INPUTS]) for k, value in enumerate(arguments)]

    def op(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def constant(self, value: int) -> SSAValue:
        return self.op(arith.ConstantOp(IntegerAttr(value, i32)))

    def grow(self, depth: int) -> tuple[SSAValue, list[int]]:
        if depth == 0 or self.random.random() < 0.1:
            if self.random.random() < 0.5:
                return self.random.choice(self.leaves)
            number = self.random.choice([0, 1, 2, 8, 32, 64, -1, -3])
            return self.constant(number), [number] * len(INPUTS)
        kind = self.random.choice(["binary", "binary", "binary", "by constant", "select"])
        if kind == "by constant":
            return self.divided(depth)
        if kind == "select":
            return self.selected(depth)
        operation = self.random.choice(list(BINARY))
        (a, left), (b, right) = self.grow(depth - 1), self.grow(depth - 1)
        worth = [BINARY[operation](x, y) for x, y in zip(left, right, strict=True)]
        return self.kept(self.op(build_op(operation, a, b)), worth)

    def divided(self, depth: int) -> tuple[SSAValue, list[int]]:
        operation = self.random.choice(list(BY_CONSTANT))
        divisor = self.random.choice([1, 2, 32, -3])
        a, left = self.grow(depth - 1)
        if any(x == -(1 << 31) for x in left):
            return a, left
        worth = [BY_CONSTANT[operation](x, divisor) for x in left]
        return self.kept(self.op(build_op(operation, a, self.constant(divisor))), worth)

    def selected(self, depth: int) -> tuple[SSAValue, list[int]]:
        (a, left), (b, right), (c, other) = (self.grow(depth - 1) for _ in range(3))
        name, holds = self.random.choice(COMPARE)
        condition = self.op(arith.CmpiOp(a, b, name))
        truth = [holds(x, y) for x, y in zip(left, right, strict=True)]
        if self.random.random() < 0.5:
            again = self.op(arith.CmpiOp(c, b, "sle"))
            condition = self.op(arith.AndIOp(condition, again, result_type=i1))
            truth = [t and x <= y for t, x, y in zip(truth, other, right, strict=True)]
        worth = [y if t else x for t, x, y in zip(truth, left, right, strict=True)]
        return self.kept(self.op(arith.SelectOp(condition, b, a)), worth)

    def kept(self, value: SSAValue, worth: list[int]) -> tuple[SSAValue, list[int]]:
        """Sometimes a value is used again, and sometimes it has a name."""
        if self.random.random() < 0.2:
            self.leaves.append((value, worth))
        if self.random.random() < 0.2:
            value.name_hint = self.random.choice(["row", "page", "for", "x"])
        return value, worth


def module_of(seed: int) -> tuple[ModuleOp, list[int]]:
    kernel = tt.KernelOp("k", "reader", [], [], [])
    block = kernel.body.block
    arguments = []
    for position, name in enumerate(("n", "m")):
        argument = tt.ArgOp(name, "core")
        argument.position = tt.number(position)
        block.add_op(argument)
        cast = arith.IndexCastOp(argument.value, i32)
        block.add_op(cast)
        arguments.append(cast.result)
    tree = Tree(seed, block, arguments)
    out = tile.VarOp(tree.constant(0), "out")
    block.add_op(out)
    value, worth = tree.grow(5)
    block.add_op(tile.SetOp(out.var, value))
    return ModuleOp([kernel]), worth


def function(seed: int, simplify: bool) -> tuple[str, list[int]]:
    module, worth = module_of(seed)
    module.verify()
    if simplify:
        SimplifyScalars().apply(compiler_context(), module)
        module.verify()
    kernel = next(op for op in module.ops if isinstance(op, tt.KernelOp))
    text = kernel_source(kernel)
    helpers, _, body = text.partition("void kernel_main() {")
    helpers = helpers[helpers.rindex("#include") :].partition("\n")[2] if "inline" in helpers else ""
    body = body.replace("get_arg_val<int32_t>(0)", "a").replace("get_arg_val<int32_t>(1)", "b")
    body = body.rstrip().removesuffix("}") + "    return out;\n}"
    name = f"f{seed}"
    return f'namespace {name} {{ {helpers} extern "C" int32_t {name}(int32_t a, int32_t b) {{{body} }}', worth


@pytest.mark.parametrize("simplify", [False, True])
def test_cpp_means_what_the_ir_means(simplify: bool) -> None:
    made = [function(seed, simplify) for seed in range(COUNT)]
    text = "#include <algorithm>\n#include <cstdint>\n" + "\n".join(text for text, _ in made)
    library = ctypes.CDLL(str(build(text)))
    for seed, (_, worth) in enumerate(made):
        got = [getattr(library, f"f{seed}")(*pair) for pair in INPUTS]
        assert got == worth, f"seed {seed}: {made[seed][0]}"


def build(text: str) -> Path:
    return compile_shared([("scalars.cpp", text)], flags=("-O1", "-fwrapv"))
