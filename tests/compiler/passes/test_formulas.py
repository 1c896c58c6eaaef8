"""Formulas in comments: what a map computes, as a person would write it."""

from __future__ import annotations

import pytest

from tilesmith.compiler.analysis.formulas import LONGEST, formula_of
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.context import parse

BLOCK = "!tile.buffer<[32, 64], f32, fragment>"
BOTH = "%c = arith.cmpi slt, %j, %n : index\n %d = arith.cmpf ogt, %a, %b : f32"
ROW = "!tile.buffer<[64], f32, fragment>"


def formula(body: str) -> str | None:
    module = parse(f"""
    tile.func @f(%A: !tile.tensor<[8], f32>) symbols(%n) {{
      %x = tile.alloc "x" : {BLOCK}
      %bias = tile.alloc "bias" : {ROW}
      %two = arith.constant 2.0 : f32
      %0 = arith.constant -3.0 : f32
      tile.map(%x, %bias) -> %x dims [[0, 1], [1]] : ({BLOCK}, {ROW}) -> {BLOCK} {{
      ^bb0(%a: f32, %b: f32, %i: index, %j: index):
        {body}
        tile.yield %r : f32
      }}
    }}""")
    op = next(op for op in module.walk() if isinstance(op, tile.MapOp))
    return formula_of(op, ["x", "bias"], "y")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%r = arith.addf %a, %b : f32", "x[i, j] + bias[j]"),
        ("%s = arith.subf %a, %b : f32\n %r = arith.mulf %s, %0 : f32", "(x[i, j] - bias[j]) * (-3)"),
        ("%s = arith.subf %a, %b : f32\n %r = arith.subf %a, %s : f32", "x[i, j] - (x[i, j] - bias[j])"),
        ("%s = arith.mulf %a, %b : f32\n %r = arith.divf %s, %two : f32", "x[i, j] * bias[j] / 2"),
        (
            '%s = tile.fn "exp"(%a) : (f32) -> f32\n %r = arith.maximumf %s, %two : f32',
            "max(exp(x[i, j]), 2)",
        ),
        ("%s = arith.addf %a, %b : f32\n %r = arith.negf %s : f32", "-(x[i, j] + bias[j])"),
        (
            "%c = arith.cmpi sle, %j, %i : index\n %r = arith.select %c, %a, %two : f32",
            "j <= i ? x[i, j] : 2",
        ),
        (
            f"{BOTH}\n %e = arith.andi %c, %d : i1\n %r = arith.select %e, %a, %b : f32",
            "j < n && x[i, j] > bias[j] ? x[i, j] : bias[j]",
        ),
    ],
)
def test_formulas(body: str, expected: str) -> None:
    assert formula(body) == f"y[i, j] = {expected}"


def test_what_is_no_formula() -> None:
    assert formula("%s = arith.bitcast %a : f32 to i32\n %r = arith.bitcast %s : i32 to f32") is None


def test_what_is_too_long() -> None:
    steps = "\n".join(f"%s{n + 1} = arith.addf %s{n}, %b : f32" for n in range(20))
    assert formula(f"%s0 = arith.addf %a, %b : f32\n{steps}\n%r = arith.addf %s20, %a : f32") is None
    assert LONGEST < 110
