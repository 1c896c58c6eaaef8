"""C++ of scalars and control flow: parentheses where needed, names where useful, the user's names kept."""

from __future__ import annotations

import pytest
from tests.compiler.passes.conftest import Golden
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.codegen.kernel import kernel_source
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.context import parse
from tilesmith.errors import InternalFault


def source(body: str, keep_names: bool = True) -> str:
    module = parse(f"tt.kernel reader @k_reader() {{\n{body}\n}}")
    module.verify()
    for op in module.walk():
        if op.name.startswith("arith.") and not keep_names:
            op.results[0].name_hint = None
    return kernel_source(kernel_in(module))


def kernel_in(module: ModuleOp) -> tt.KernelOp:
    return next(op for op in module.walk() if isinstance(op, tt.KernelOp))


ARGS = """
    %n = tt.arg "core" "n" {position = 0 : i64}
    %m = tt.arg "core" "m" {position = 1 : i64}
    %two = arith.constant 2 : index
    %k = arith.constant -3 : index
    %yes = arith.cmpi slt, %n, %m : index
    %no = arith.cmpi eq, %n, %two : index
    %f = arith.constant 0.5 : f32
    %x = tile.var_of %f : f32 -> !tile.var<f32>
    %c = tile.var_of %two : index -> !tile.var<index>
    %b = tile.var_of %yes : i1 -> !tile.var<i1>
    %0 = tile.get %x : !tile.var<f32> -> f32
"""


def expression(lines: str, kind: str = "index") -> str:
    """The C++ of the value %r that the lines define."""
    target = {"index": "%c", "f32": "%x", "i1": "%b"}[kind]
    text = source(f"{ARGS}{lines}\n tile.set {target}, %r : !tile.var<{kind}>, {kind}", keep_names=False)
    return text.rpartition(f"{target[1:]} = ")[2].partition(";")[0]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("%r = arith.addi %n, %m : index", "n + m"),
        ("%a = arith.addi %n, %m : index\n %r = arith.muli %a, %two : index", "(n + m) * 2"),
        ("%a = arith.muli %n, %m : index\n %r = arith.addi %a, %two : index", "n * m + 2"),
        ("%a = arith.addi %n, %m : index\n %r = arith.addi %two, %a : index", "2 + n + m"),
        ("%a = arith.subi %n, %m : index\n %r = arith.subi %two, %a : index", "2 - (n - m)"),
        ("%a = arith.subi %n, %m : index\n %r = arith.subi %a, %two : index", "n - m - 2"),
        ("%a = arith.muli %n, %m : index\n %r = arith.divsi %two, %a : index", "2 / (n * m)"),
        ("%a = arith.divsi %n, %m : index\n %r = arith.muli %two, %a : index", "2 * (n / m)"),
        ("%r = arith.subi %n, %k : index", "n - -3"),
        ("%a = arith.addi %n, %m : index\n %r = arith.shli %a, %two : index", "(n + m) << 2"),
        ("%a = arith.andi %n, %m : index\n %r = arith.ori %a, %two : index", "(n & m) | 2"),
        ("%r = arith.minsi %n, %two : index", "std::min<int32_t>(n, 2)"),
        ("%r = arith.floordivsi %n, %k : index", "floor_div(n, -3)"),
        ("%a = arith.addi %n, %m : index\n %r = arith.select %yes, %a, %two : index", "n < m ? n + m : 2"),
        ("%i = arith.index_cast %n : index to i32\n %r = arith.index_cast %i : i32 to index", "n"),
        ("%r = arith.ceildivsi %n, %two : index", "-floor_div(-n, 2)"),
        ("%r = arith.constant -2147483648 : index", "INT32_MIN"),
        (
            "%r = arith.shrui %n, %two : index",
            "static_cast<int32_t>(static_cast<uint32_t>(n) >> static_cast<uint32_t>(2))",
        ),
        (
            "%i = arith.extui %yes : i1 to i32\n %r = arith.index_cast %i : i32 to index",
            "static_cast<int32_t>(holds)",
        ),
        (
            "%i = arith.fptoui %f : f32 to i32\n %r = arith.index_cast %i : i32 to index",
            "static_cast<int32_t>(static_cast<uint32_t>(0.5f))",
        ),
        (
            "%i = arith.fptosi %f : f32 to i32\n %r = arith.index_cast %i : i32 to index",
            "static_cast<int32_t>(0.5f)",
        ),
    ],
)
def test_integers(lines: str, expected: str) -> None:
    # The condition of the select is used elsewhere too, so that it has a name of its own.
    assert expression(lines).replace("holds ?", "n < m ?") == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("%a = arith.addf %f, %0 : f32\n %r = arith.addf %f, %a : f32", "0.5f + (0.5f + x)"),
        ("%a = arith.addf %f, %0 : f32\n %r = arith.addf %a, %f : f32", "0.5f + x + 0.5f"),
        ("%a = arith.addf %f, %0 : f32\n %r = arith.negf %a : f32", "-(0.5f + x)"),
        ("%r = arith.maximumf %0, %f : f32", "std::max<float>(x, 0.5f)"),
        (
            "%i = arith.index_cast %n : index to i32\n %r = arith.sitofp %i : i32 to f32",
            "static_cast<float>(n)",
        ),
        ("%i = arith.constant 3 : i32\n %r = arith.bitcast %i : i32 to f32", "bit_cast<float>(3)"),
        ("%r = arith.constant 0xFF800000 : f32", "-__builtin_inff()"),
        ("%r = arith.constant 0x7FC00000 : f32", '__builtin_nanf("")'),
        ("%r = arith.uitofp %yes : i1 to f32", "static_cast<float>(holds)"),
        (
            "%i = arith.constant 3 : i32\n %r = arith.uitofp %i : i32 to f32",
            "static_cast<float>(static_cast<uint32_t>(3))",
        ),
    ],
)
def test_floats(lines: str, expected: str) -> None:
    assert expression(lines, "f32") == expected


BOTH = "%p = arith.cmpi slt, %n, %two : index\n %q = arith.cmpi sge, %m, %two : index\n"
EQUAL = "%s = arith.cmpi eq, %m, %n : index\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (f"{BOTH} %r = arith.andi %p, %q : i1", "n < 2 && m >= 2"),
        (
            f"{BOTH} %t = arith.andi %p, %q : i1\n {EQUAL} %r = arith.ori %t, %s : i1",
            "(n < 2 && m >= 2) || m == n",
        ),
        ("%r = arith.cmpi ult, %n, %two : index", "static_cast<uint32_t>(n) < static_cast<uint32_t>(2)"),
        ("%r = arith.cmpf ogt, %0, %f : f32", "x > 0.5f"),
        ("%r = arith.cmpf ugt, %0, %f : f32", "!(x <= 0.5f)"),
        ("%r = arith.cmpf uno, %0, %f : f32", "(x != x || 0.5f != 0.5f)"),
        ("%r = arith.cmpf one, %0, %f : f32", "(x < 0.5f || x > 0.5f)"),
        ("%r = arith.xori %yes, %no : i1", "holds != (n == 2)"),
        ("%r = arith.constant true", "true"),
    ],
)
def test_conditions(lines: str, expected: str) -> None:
    assert expression(lines, "i1") == expected


def test_control_flow(golden: Golden) -> None:
    golden(
        source("""
    %n = tt.arg "core" "block count" {position = 0 : i64}
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %count = tile.var_of %zero : index -> !tile.var<index>
    scf.for %i = %zero to %n step %one {
      %even = arith.remsi %i, %four : index
      %first = arith.cmpi eq, %even, %zero : index
      %second = arith.cmpi eq, %even, %one : index
      scf.if %first {
        %now = tile.get %count : !tile.var<index> -> index
        %next = arith.addi %now, %one : index
        tile.set %count, %next : !tile.var<index>, index
      } else {
        scf.if %second {
          tile.set %count, %i : !tile.var<index>, index
        } else {
          tile.set %count, %zero : !tile.var<index>, index
        }
      }
    }
    scf.for %i = %zero to %n step %four {
      %before = tile.get %count : !tile.var<index> -> index
      tile.set %count, %i : !tile.var<index>, index
      %sum = arith.addi %before, %i : index
      tile.set %count, %sum : !tile.var<index>, index
    }
    scf.while () : () -> () {
      %now = tile.get %count : !tile.var<index> -> index
      %more = arith.cmpi slt, %now, %n : index
      scf.condition(%more)
    } do {
      %now = tile.get %count : !tile.var<index> -> index
      %next = arith.addi %now, %one : index
      tile.set %count, %next : !tile.var<index>, index
      scf.yield
    }
    """),
        "cpp",
    )


def test_a_variable_read_before_it_changes_keeps_its_old_value() -> None:
    text = source("""
    %two = arith.constant 2 : index
    %c = tile.var_of %two : index -> !tile.var<index>
    %d = tile.var_of %two : index -> !tile.var<index>
    %old = tile.get %c : !tile.var<index> -> index
    tile.set %c, %two : !tile.var<index>, index
    tile.set %d, %old : !tile.var<index>, index
    """)
    assert "const int32_t old = c;\n    c = 2;\n    d = old;" in text


def test_names_stay_unique_in_nested_scopes_and_are_used_again_after_them() -> None:
    text = source("""
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %n = tt.arg "core" "for" {position = 0 : i64}
    %c = tile.var_of %zero : index -> !tile.var<index>
    scf.for %i = %zero to %n step %one {
      scf.for %i_1 = %zero to %n step %one {
        tile.set %c, %i_1 : !tile.var<index>, index
      }
    }
    scf.for %i = %zero to %n step %one {
      tile.set %c, %i : !tile.var<index>, index
    }
    """)
    assert "const int32_t n = get_arg_val<int32_t>(0);" in text
    assert text.count("for (int32_t i = 0; i < n; ++i)") == 2
    assert "for (int32_t i_2 = 0; i_2 < n; ++i_2)" in text


def test_parameters_named_like_functions_of_the_chip() -> None:
    tensor = "!tile.tensor<[32], f32>"
    accessor = f"{{compile_time_offset = 0 : i64, address = 0 : i64}} : {tensor} -> !tt.accessor_of<{tensor}>"
    module = parse(f"""
    tt.kernel reader @k_reader(%index: {tensor}, %min: {tensor}) {{
      %a = tt.accessor %index {accessor}
      %b = tt.accessor %min {accessor}
    }}""")
    for op in module.walk():
        if isinstance(op, tt.AccessorOp):
            op.accessor.name_hint = op.tensor.name_hint
    text = kernel_source(kernel_in(module))
    assert "constexpr auto index_args = TensorAccessorArgs<0>();" in text
    assert "const auto index_ = TensorAccessor(index_args, " in text
    assert "TensorAccessorArgs<index_args.next_compile_time_args_offset()>()" in text


def test_variables_named_like_functions_in_use() -> None:
    text = source("""
    %get_arg_val = tt.arg "core" "get_arg_val" {position = 0 : i64}
    %floor_div = arith.constant 2 : index
    %cb_A = tile.var_of %floor_div : index -> !tile.var<index>
    %row = arith.floordivsi %get_arg_val, %floor_div : index
    tile.set %cb_A, %row : !tile.var<index>, index
    """)
    assert "const int32_t get_arg_val_2 = get_arg_val<int32_t>(0);" in text
    assert "int32_t cb_A_ = 2;" in text
    assert "const int32_t row = floor_div(get_arg_val_2, 2);" in text


def test_a_condition_that_takes_statements() -> None:
    text = source("""
    %zero = arith.constant 0 : index
    %c = tile.var_of %zero : index -> !tile.var<index>
    scf.while () : () -> () {
      %now = tile.get %c : !tile.var<index> -> index
      %next = arith.addi %now, %now : index
      tile.set %c, %next : !tile.var<index>, index
      %more = arith.cmpi slt, %next, %zero : index
      scf.condition(%more)
    } do {
      scf.yield
    }
    """)
    assert "while (true) {" in text
    assert "if (!(next < 0)) {\n            break;" in text


ZERO = "%zero = arith.constant 0 : index\n"
CARRYING = """%r = scf.for %i = %zero to %zero step %zero iter_args(%s = %zero) -> (index) {
      scf.yield %s : index
    }"""
CHOOSING = "%r = scf.if %t -> (i1) { scf.yield %t : i1 } else { scf.yield %t : i1 }"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('%n = tt.arg "core" "n"', "argument n has no position yet"),
        (f"{ZERO} {CARRYING}", "a loop carries values"),
        (f"%t = arith.constant true\n {CHOOSING}", "yields values"),
        ("%z = arith.constant 0.0 : f32\n %r = arith.truncf %z : f32 to f16", "no C"),
    ],
)
def test_what_kernels_do_not_have(lines: str, message: str) -> None:
    with pytest.raises(InternalFault, match=message):
        source(lines)
