"""What is known about indices."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from tilesmith.compiler.analysis.affine import linear_of, range_of
from tilesmith.compiler.analysis.index_expressions import (
    constant_of,
    divisor_of,
    is_multiple,
    leaves_of,
    text_of,
)
from tilesmith.compiler.dialects.context import parse
from tilesmith.errors import UnsupportedKernelError

INDICES = """
builtin.module {{
  tile.func @kernel() symbols(%m, %n) {{
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    scf.for %k = %c0 to %c96 step %c64 {{
      %less = arith.cmpi slt, %k, %m : index
      {code}
    }}
  }}
}}
"""


def value(code: str) -> SSAValue:
    """The value of the last line of some code on m, n and k (a loop from 0 by 64)."""
    module: ModuleOp = parse(INDICES.format(code=code))
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    results: list[SSAValue] = [op.results[0] for op in loop.body.block.ops if op.results]
    return results[-1]


@pytest.mark.parametrize(
    ("code", "divisor"),
    [
        ("%x = arith.addi %k, %c96 : index", 32),
        ("%x = arith.subi %k, %c0 : index", 64),
        ("%x = arith.muli %m, %c64 : index", 64),
        ("%a = arith.muli %m, %c64 : index %x = arith.muli %a, %c2 : index", 128),
        ("%x = arith.addi %k, %m : index", 1),
        ("%x = arith.divsi %k, %c2 : index", 32),
        ("%x = arith.divsi %k, %c3 : index", 1),
        ("%x = arith.remsi %k, %c96 : index", 32),
        ("%x = arith.minsi %k, %c96 : index", 32),
        ("%x = arith.shli %k, %c2 : index", 256),
        ("%x = arith.select %less, %k, %c96 : index", 32),
        ("%x = arith.subi %c2, %c2 : index", 0),
    ],
)
def test_divisors(code: str, divisor: int) -> None:
    assert divisor_of(value(code)) == divisor
    assert is_multiple(value(code), max(divisor, 1))


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("%x = arith.addi %m, %c2 : index", "m + 2"),
        ("%a = arith.addi %m, %n : index %x = arith.floordivsi %a, %c64 : index", "(m + n) // 64"),
        ("%x = arith.muli %c2, %c64 : index", "128"),
        ("%i = arith.index_cast %m : index to i32 %x = arith.index_cast %i : i32 to index", "m"),
    ],
)
def test_texts(code: str, text: str) -> None:
    assert text_of(value(code)) == text


def test_a_size_that_is_no_expression_of_symbols_is_refused() -> None:
    with pytest.raises(UnsupportedKernelError, match="the size of the grid"):
        text_of(value("%x = arith.xori %m, %n : index"))


def test_constants_do_not_guess_at_negative_divisions() -> None:
    assert constant_of(value("%a = arith.subi %c2, %c3 : index %x = arith.divsi %a, %c2 : index")) is None
    assert constant_of(value("%x = arith.subi %c2, %c3 : index")) == -1


def test_a_loop_index_is_made_of_its_bounds() -> None:
    leaves = leaves_of([value("%x = arith.addi %k, %n : index")])
    assert {leaf.name_hint for leaf in leaves} == {"k", "n"}


def test_sums() -> None:
    code = "%a = arith.muli %k, %c3 : index %b = arith.subi %a, %m : index %x = arith.addi %b, %c2 : index"
    form = linear_of(value(code))
    assert form.constant == 2
    assert {term.name_hint: factor for term, factor in form.terms.items()} == {"k": 3, "m": -1}


def test_what_is_no_sum_is_one_term() -> None:
    product = value("%x = arith.muli %k, %m : index")
    assert linear_of(product).terms == {product: 1}


def test_how_far_a_loop_index_reaches() -> None:
    added = value("%x = arith.addi %k, %m : index").owner
    assert isinstance(added, arith.AddiOp)
    assert range_of(added.lhs) == (0, 64)
    assert range_of(added.rhs) is None
    assert range_of(added.result) is None
