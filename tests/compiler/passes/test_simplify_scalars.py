"""Index arithmetic and control flow after simplification: the same, with less to read."""

from __future__ import annotations

import pytest
from tests.compiler.passes.conftest import Golden
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects.context import compiler_context, parse
from tilesmith.compiler.lowering.simplify_scalars import SimplifyScalars


def simplified(body: str) -> ModuleOp:
    module = parse(f"tt.kernel reader @k() {{\n{body}\n}}")
    SimplifyScalars().apply(compiler_context(), module)
    module.verify()
    return module


ARGS = """
    %n = tt.arg "core" "n"
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %thirty_two = arith.constant 32 : index
    %sixty_four = arith.constant 64 : index
    %minus = arith.constant -7 : index
    %v = tile.var_of %zero : index -> !tile.var<index>
"""


def value_of(lines: str, kind: str = "index") -> str:
    """What is stored in the variable in the end: a number, or the text of the operation."""
    body = f"{ARGS}{lines}\n"
    if kind == "i1":
        body += "%i = arith.select %r, %one, %two : index\n tile.set %v, %i : !tile.var<index>, index"
    else:
        body += "tile.set %v, %r : !tile.var<index>, index"
    stored = next(op for op in simplified(body).walk() if op.name == "tile.set").operands[1]
    owner = stored.owner
    if isinstance(owner, arith.ConstantOp):
        return str(owner.value).split(" ")[0]
    return str(owner).partition(" = ")[2]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("%r = arith.addi %two, %thirty_two : index", "34"),
        ("%r = arith.divsi %minus, %two : index", "-3"),
        ("%r = arith.remsi %minus, %two : index", "-1"),
        ("%r = arith.floordivsi %minus, %two : index", "-4"),
        ("%r = arith.minsi %minus, %two : index", "-7"),
        ("%r = arith.muli %n, %zero : index", "0"),
        ("%r = arith.remsi %n, %one : index", "0"),
        ("%a = arith.muli %n, %sixty_four : index\n %r = arith.remsi %a, %thirty_two : index", "0"),
        ("%c = arith.cmpi slt, %one, %two : index\n %r = arith.select %c, %two, %n : index", "2"),
        ("%c = arith.cmpi sge, %one, %two : index\n %r = arith.select %c, %n, %two : index", "2"),
    ],
)
def test_known_numbers(lines: str, expected: str) -> None:
    assert value_of(lines) == expected


@pytest.mark.parametrize(
    "lines",
    [
        "%r = arith.addi %n, %zero : index",
        "%r = arith.addi %zero, %n : index",
        "%r = arith.subi %n, %zero : index",
        "%r = arith.muli %one, %n : index",
        "%r = arith.divsi %n, %one : index",
        "%a = arith.muli %n, %two : index\n %r = arith.divsi %a, %two : index",
    ],
)
def test_the_argument_itself(lines: str) -> None:
    assert value_of(lines) == 'tt.arg "core" "n"'


@pytest.mark.parametrize(
    "lines",
    [
        "%r = arith.subi %zero, %n : index",
        "%r = arith.divsi %two, %zero : index",
        "%r = arith.remsi %two, %zero : index",
        "%a = arith.muli %n, %two : index\n %r = arith.divsi %a, %thirty_two : index",
        "%a = arith.addi %n, %two : index\n %r = arith.divsi %a, %two : index",
    ],
)
def test_what_is_not_known_stays(lines: str) -> None:
    assert value_of(lines).startswith("arith.")


def test_a_product_divided_is_a_smaller_product() -> None:
    text = value_of("%a = arith.muli %n, %sixty_four : index\n %r = arith.divsi %a, %thirty_two : index")
    assert text.startswith("arith.muli %n")


def test_a_product_of_a_product_is_one_product() -> None:
    text = value_of("%a = arith.muli %n, %sixty_four : index\n %r = arith.muli %two, %a : index")
    assert text.startswith("arith.muli %n")


def test_control_flow(golden: Golden) -> None:
    """One turn: no loop. None: nothing. A branch that is known: no branch. Named indices: outside."""
    golden(
        str(
            simplified(f"""{ARGS}
    scf.for %i = %zero to %one step %one {{
      scf.for %j = %one to %one step %one {{
        tile.set %v, %j : !tile.var<index>, index
      }}
      %first = arith.cmpi eq, %i, %zero : index
      scf.if %first {{
        tile.set %v, %i : !tile.var<index>, index
      }} else {{
        tile.set %v, %n : !tile.var<index>, index
      }}
    }}
    scf.for %i = %zero to %n step %one {{
      %0 = arith.muli %n, %two : index
      %row = arith.addi %0, %one : index
      %here = arith.addi %i, %one : index
      %apart = arith.divsi %two, %n : index
      tt.stage "reader" "one" ins() outs() : () -> () {{
        %same = arith.addi %i, %one : index
        tile.set %v, %row : !tile.var<index>, index
        tile.set %v, %same : !tile.var<index>, index
      }}
      tile.set %v, %here : !tile.var<index>, index
      tile.set %v, %apart : !tile.var<index>, index
    }}
    """)
        )
    )
