"""Draws random kernels. The same `Random` gives the same kernel."""

from __future__ import annotations

from random import Random
from typing import Literal

import torch
from tests.differential.programs.expressions import Expression, Interval, random_expression, reading, tamed
from tests.differential.programs.spec import (
    Buffer,
    Copy,
    Gemm,
    Kind,
    Map,
    Program,
    Reduce,
    Repeat,
    Step,
    Where,
)

_SIZES = (1, 17, 31, 32, 33, 50, 64, 65, 96, 100)
_BLOCKS = (32, 32, 32, 64, 64, 96, 16, 48, 8)
_DTYPES = ("bfloat16", "bfloat16", "float32")
_REDUCTIONS = ("sum", "max", "min", "abssum", "absmax")
_SYMMETRIC, _POSITIVE = Interval(-2.0, 2.0), Interval(0.5, 2.0)
_SUBSCRIPTS: dict[Kind, str] = {"block": "i, j", "row": "j", "column": "i"}


def random_program(random: Random) -> Program:
    return _Drawing(random).program()


class _Drawing:
    """A kernel while it is being drawn: which buffers exist, which inputs are still as they were loaded."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.family = random.choice(["blocks", "rows", "columns"])
        self.m, self.n = random.choice(_SIZES), random.choice(_SIZES)
        self.block_m = self.m if self.family == "columns" else random.choice(_BLOCKS)
        self.block_n = self.n if self.family == "rows" else random.choice(_BLOCKS)
        self.buffers: list[Buffer] = []
        self.steps: list[Step] = []
        self.pristine: set[str] = set()

    def program(self) -> Program:
        inputs = tuple(self.input(number) for number in range(self.random.randint(1, 4)))
        self.buffers += inputs
        self.pristine = {buffer.name for buffer in inputs if buffer.dtype == "bfloat16"}
        for number in range(self.random.randint(1, 5)):
            self.step(number)
        outputs = self.outputs(inputs)
        return Program(self.m, self.n, self.block_m, self.block_n, inputs, tuple(self.steps), outputs)

    def outputs(self, inputs: tuple[Buffer, ...]) -> tuple[Buffer, ...]:
        """The last result, and sometimes another. A vector is stored only where one block holds all of it."""
        kinds: list[Kind] = ["block"]
        kinds += ["column"] if self.n <= self.block_n else []
        kinds += ["row"] if self.m <= self.block_m else []
        written = [b for b in self.buffers if b not in inputs and b.kind in kinds]
        written.sort(key=lambda buffer: self.last_write(buffer.name))
        if not written:
            written = [self.map("block", "last").dest]
        others = self.random.sample(written[:-1], min(len(written) - 1, self.random.choice([0, 0, 1])))
        return (*others, written[-1])

    def last_write(self, name: str) -> int:
        dests = [(step.body if isinstance(step, Repeat | Where) else step).dest.name for step in self.steps]
        return max(place for place, dest in enumerate(dests) if dest == name)

    def input(self, number: int) -> Buffer:
        kind: Kind = self.random.choice(["block", "block", "row", "column"]) if number else "block"
        bounds = self.random.choice([_SYMMETRIC, _POSITIVE])
        scope = self.random.choice(["shared", "shared", "fragment"])
        return Buffer(f"x{number}_local", kind, self.random.choice(_DTYPES), scope, bounds, f"x{number}")

    def step(self, number: int) -> None:
        kinds = ["map", "map", "map", "gemm", "repeat", "where", "copy", "vector"]
        if self.family != "blocks":
            kinds += ["reduce", "reduce", "reduce"]
        name = f"v{number}"
        match self.random.choice(kinds):
            case "gemm" if not any(isinstance(step, Gemm) for step in self.steps[1:]):
                self.gemm(name)
            case "reduce":
                self.reduce(name)
            case "repeat":
                self.steps.append(Repeat(self.random.randint(1, 3), self.update()))
            case "where":
                self.steps.append(Where(self.axis(), self.update()))
            case "copy":
                self.copy(name)
            case "vector":
                self.map(self.random.choice(["row", "column"]), name)
            case _:
                self.map("block", name)

    def axis(self) -> Literal["bx", "by"]:
        by_column = self.family == "columns" or (self.family == "blocks" and self.random.random() < 0.5)
        return "bx" if by_column else "by"

    def fresh(self, name: str, kind: Kind, bounds: Interval, dtypes: tuple[str, ...] = _DTYPES) -> Buffer:
        scope = self.random.choice(["fragment", "fragment", "shared"])
        buffer = Buffer(name, kind, self.random.choice(dtypes), scope, bounds)
        self.buffers.append(buffer)
        return buffer

    def map(self, kind: Kind, name: str) -> Map:
        """A map into a new buffer, or (blocks only) over one that exists."""
        expression = self.expression(kind)
        old = [buffer for buffer in self.buffers if buffer.kind == kind]
        if old and self.random.random() < 0.3:
            step = self.overwrite(self.random.choice(old), expression)
        else:
            step = Map(self.fresh(name, kind, expression.bounds), expression)
        self.steps.append(step)
        return step

    def overwrite(self, dest: Buffer, expression: Expression) -> Map:
        place = self.buffers.index(dest)
        new = Buffer(dest.name, dest.kind, dest.dtype, dest.scope, expression.bounds, dest.source)
        self.buffers[place] = new
        self.pristine.discard(dest.name)
        return Map(new, expression)

    def update(self) -> Map:
        """dest = dest / 2 + other. `other` does not read it: its bounds would not hold in the second turn."""
        dest = self.random.choice([buffer for buffer in self.buffers if buffer.kind == "block"])
        before = reading(dest.name, "i, j", dest.bounds)
        other = tamed(self.expression("block", 1, besides=dest), 4.0)
        half = Expression(
            f"({before.text} * 0.5 + {other.text})",
            lambda values, rounding: rounding(
                before.value(values, rounding) * 0.5 + other.value(values, rounding)
            ),
            Interval(-2 * dest.bounds.size - 8.0, 2 * dest.bounds.size + 8.0),
        )
        return self.overwrite(dest, half)

    def expression(self, kind: Kind, depth: int = 3, besides: Buffer | None = None) -> Expression:
        usable = [b for b in self.buffers if (b.kind == kind or kind == "block") and b != besides]
        # The latest results twice: a step whose result nobody reads tests little.
        leaves = [reading(b.name, _SUBSCRIPTS[b.kind], b.bounds) for b in (*usable, *usable[-2:])]
        leaves += [] if leaves else [self.position(kind)]
        if self.random.random() < 0.2:
            leaves.append(self.position(kind))
        conditions = self.conditions(kind, usable)
        return tamed(random_expression(self.random, leaves, conditions, self.random.randint(1, depth)))

    def position(self, kind: Kind) -> Expression:
        """The element's row or column as a number: exact, and different everywhere."""
        of_row = kind == "column" or (kind == "block" and self.random.random() < 0.5)
        text, name, size = (
            (f"by * {self.block_m} + i", "#row", self.m)
            if of_row
            else (f"bx * {self.block_n} + j", "#column", self.n)
        )
        return Expression(
            f"(T.cast({text}, 'float32') * 0.0078125)",
            lambda values, _: values[name] / 128,
            Interval(0.0, size / 128),
        )

    def conditions(self, kind: Kind, usable: list[Buffer]) -> list[Expression]:
        result = []
        if kind in ("block", "column"):
            result.append(self.comparison(f"by * {self.block_m} + i", "#row", self.random.randint(0, self.m)))
        if kind in ("block", "row"):
            result.append(
                self.comparison(f"bx * {self.block_n} + j", "#column", self.random.randint(0, self.n))
            )
        exact = [buffer for buffer in usable if buffer.name in self.pristine]
        if exact:
            buffer = self.random.choice(exact)
            at = f"{buffer.name}[{_SUBSCRIPTS[buffer.kind]}]"
            result.append(self.comparison(at, buffer.name, self.random.choice([0.75, 1.0, 1.25])))
        return result

    def comparison(self, text: str, name: str, bound: float) -> Expression:
        sign = self.random.choice(["<", ">="])

        def value(values, rounding):  # type: ignore[no-untyped-def]
            del rounding
            return (values[name] < bound if sign == "<" else values[name] >= bound).double()

        return Expression(f"{text} {sign} {bound}", value, Interval(0.0, 1.0))

    def gemm(self, name: str) -> None:
        k, flags = self.random.choice(_SIZES), [self.random.random() < 0.4 for _ in range(3)]
        old = [b for b in self.buffers if b.kind == "block" and b.dtype == "float32" and not b.source]
        clear = not old or flags[2]
        bounds = Interval(-4.0 * k, 4.0 * k)
        dest = self.fresh(name, "block", bounds, ("float32",)) if clear else self.random.choice(old)
        if not clear:
            place = self.buffers.index(dest)
            reach = dest.bounds.size + 4.0 * k
            dest = Buffer(dest.name, "block", dest.dtype, dest.scope, Interval(-reach, reach))
            self.buffers[place] = dest
        block_k, stages = self.random.choice((32, 32, 64, 16, 48)), self.random.choice((0, 1, 2, 3))
        dtype = self.random.choice(_DTYPES)
        self.steps.append(
            Gemm(dest, f"a_{name}", f"b_{name}", k, block_k, flags[0], flags[1], stages, dtype, clear)
        )

    def reduce(self, name: str) -> None:
        source = self.random.choice([buffer for buffer in self.buffers if buffer.kind == "block"])
        operation = self.random.choice(_REDUCTIONS)
        kind: Kind = "column" if self.family == "rows" else "row"
        length = self.n if self.family == "rows" else self.m
        reach = source.bounds.size * (length if operation.endswith("sum") else 1)
        low = 0.0 if operation.startswith("abs") else -reach
        if operation in ("max", "min"):
            low = source.bounds.low
        self.steps.append(Reduce(self.fresh(name, kind, Interval(low, reach)), source, operation))

    def copy(self, name: str) -> None:
        source = self.random.choice(self.buffers)
        self.steps.append(Copy(self.fresh(name, source.kind, source.bounds), source))


def input_values(program: Program, seed: int) -> dict[str, torch.Tensor]:
    """Values for every input tensor, by name: uniform within the bounds, all exact in bf16."""
    generator = torch.Generator().manual_seed(seed)

    def uniform(shape: tuple[int, ...], bounds: Interval, dtype: str) -> torch.Tensor:
        values = torch.rand(shape, generator=generator) * (bounds.high - bounds.low) + bounds.low
        return values.bfloat16().to(getattr(torch, dtype))

    values = {b.source: uniform(program.shape(b.kind), b.bounds, b.dtype) for b in program.inputs}
    for gemm in program.gemms():
        a_shape = (gemm.k, program.m) if gemm.transpose_a else (program.m, gemm.k)
        b_shape = (program.n, gemm.k) if gemm.transpose_b else (gemm.k, program.n)
        values[gemm.a] = uniform(a_shape, _SYMMETRIC, gemm.dtype)
        values[gemm.b] = uniform(b_shape, _SYMMETRIC, gemm.dtype)
    return values
