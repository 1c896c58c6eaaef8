"""The widened random kernels: a few of them here, as many as you like by `conformance/random_programs.py`."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import tilelang.language as T
from conformance.fuzz.collectives import Reduce
from conformance.fuzz.draw import random_program
from conformance.fuzz.functions import Function
from conformance.fuzz.judge import judged
from conformance.fuzz.matrix_unit import product
from conformance.fuzz.nodes import (
    Binary,
    Compare,
    Const,
    Either,
    Index,
    Load,
    Node,
    Scope,
    Unary,
    converted,
)
from conformance.fuzz.run import failure_of, prim_func
from conformance.fuzz.statements import Assign, For, Leave, Memory, State
from conformance.fuzz.values import Array, Value, numpy_type, settled, stored
from conformance.fuzz.worker import Work
from conformance.random_programs import Log

import tilesmith

pytestmark = pytest.mark.usefixtures("verified_after_each_pass")


@pytest.mark.parametrize("number", range(3))
def test_random_kernels_are_right(number: int) -> None:
    assert failure_of(random_program(Random(f"5:{number}")), number, "wormhole") is None


def test_the_same_seed_gives_the_same_kernel() -> None:
    texts = [random_program(Random(7)).source() for _ in range(2)]
    assert texts[0] == texts[1]
    assert texts[0] != random_program(Random(8)).source()


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_truncation_is_seen_and_rounding_is_not(dtype: str) -> None:
    exact = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32).astype(np.float64)
    wanted = settled(exact, np.zeros(exact.shape), dtype)
    memory = Memory("y", (32, 32), dtype, "out")
    right = stored(exact, dtype)
    assert judged(memory, right, wanted) == ""
    unit = 2.0 ** (np.frexp(exact)[1] - {"bfloat16": 8, "float16": 11}[dtype])
    cut = np.trunc(exact / unit) * unit
    assert judged(memory, cut, wanted) != ""


def test_a_lean_of_less_than_a_unit_is_seen() -> None:
    exact = np.random.default_rng(0).uniform(1.0, 2.0, (32, 32))
    wanted = Value(exact, np.full(exact.shape, 2.0**-9))
    assert "lean" in judged(Memory("y", (32, 32), "bfloat16", "out"), exact - 2.0**-9, wanted)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_cast_is_the_nearest_number_unless_it_lies_halfway(dtype: str) -> None:
    unit = {"bfloat16": 2.0**-7, "float16": 2.0**-10}[dtype]
    cast = converted(Value.exact(np.array([1.001, 1 + unit / 2, 1 + unit])), "float32", dtype)
    assert list(cast.error == 0) == [True, False, True]
    assert cast.data.tolist() == [stored(np.array(1.001), dtype), 1.0, 1 + unit]


@pytest.mark.parametrize("op", ["sqrt", "rsqrt"])
def test_roots_of_denormals_are_not_judged(op: str) -> None:
    class Numbers(Node):
        def value(self, scope: Scope) -> Value:
            return scope.memories["x"]

    numbers = np.array([4.0, 0.0, -1.0, -0.0, 2.0**-130, -(2.0**-130), np.inf])
    scope = Scope({"x": Value.exact(numbers)}, {})
    known = np.isfinite(Function(op, Numbers(), "float32").value(scope).error)
    assert known.tolist() == [True, True, True, True, False, False, True]


def test_a_denormal_may_count_as_zero() -> None:
    class Numbers(Node):
        def value(self, scope: Scope) -> Value:
            return scope.memories["x"]

    tiny, usual = 2.0**-130, 2.0**-100
    scope = Scope({"x": Value.exact(np.array([tiny, -usual]))}, {})
    for op in ("abs", "negate"):
        assert Unary(op, Numbers(), "float32").value(scope).error.tolist() == [tiny, 0.0]


def test_a_constant_may_keep_the_bits_of_float32() -> None:
    error = Const(0.1, "bfloat16").value(Scope({}, {})).error
    assert 9e-5 < float(error) < 1e-4
    assert not Const(0.5, "bfloat16").value(Scope({}, {})).error


def test_a_loop_may_be_left() -> None:
    total, step = Memory("v", (), "int32", "var"), Index("k")
    add = Assign(total, Binary("+", Load("v", (), "int32"), step, "int32"))
    sums = []
    for keyword in ("break", "continue"):
        state = State({"v": Value.exact(np.array(0))})
        leave = Leave(keyword, Compare("==", step, Const(2)))
        For("k", Const(5), (leave, add)).run(state)
        sums.append(int(state.memories["v"].data))
    assert sums == [0 + 1, 0 + 1 + 3 + 4]


def test_both_sides_of_or_are_looked_at_only_where_needed() -> None:
    missing = Compare(">", Load("x", (Const(4),), "int32"), Const(0))
    scope = Scope({"x": Value.exact(np.arange(4))}, {})
    known = [float(Either(Compare("==", Const(one), Const(1)), missing).value(scope).error) for one in (1, 0)]
    assert known == [0.0, np.inf]


def test_ties_that_go_away_from_zero_are_a_gain_of_their_own() -> None:
    drawn = [random_program(Random(f"7002:{number}")) for number in range(40)]
    assert {one.rounds_ties_away for one in drawn} == {True, False}
    wanted = Value(np.random.default_rng(0).uniform(1, 2, (64, 64)), np.full((64, 64), 0.01))
    memory = Memory("y", (64, 64), "float32", "out")
    found = wanted.data * (1 + 1e-3)
    assert "gain" in judged(memory, found, wanted)
    assert judged(memory, found, wanted, may_gain=True) == ""


def test_a_part_of_a_sum_may_overflow() -> None:
    source, dest = Memory("x", (1, 3), "float32", "shared"), Memory("y", (1,), "float32", "shared")
    rows = [[-3e38, -3e38, np.inf], [-1e38, 1.0, np.inf]]
    errors = []
    for row in rows:
        memories = {"x": Value.exact(np.array([row])), "y": Value.exact(np.zeros(1))}
        Reduce("sum", source, dest, 1).run(State(memories))
        errors.append(float(memories["y"].error[0]))
    assert errors == [np.inf, 0.0]


def test_no_constant_of_unsigned_integers_is_negative() -> None:
    """TileLang computes constants, and refuses them."""
    prim_func(random_program(Random("7001:122")).source())


def test_one_wrong_integer_is_seen() -> None:
    wanted = Value.exact(np.arange(64).reshape(8, 8))
    found = wanted.data.astype(np.int32)
    memory = Memory("y", (8, 8), "int32", "out")
    assert judged(memory, found, wanted) == ""
    found[3, 4] += 1
    assert "1 of 64 elements wrong; at (3, 4)" in judged(memory, found, wanted)


def gemm(dtype: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor((33, 48), dtype), B: T.Tensor((48, 40), dtype), C: T.Tensor((33, 40), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((33, 48), dtype)
            b = T.alloc_shared((48, 40), dtype)
            c = T.alloc_fragment((33, 40), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c)
            T.copy(c, C)

    return main


def operands(dtype: str, spread: int) -> tuple[Array, Array]:
    """Normal random numbers; one in eight is larger by up to 2^spread."""
    rng = np.random.default_rng(spread)
    a, b = (
        rng.standard_normal(shape) * 2.0 ** (rng.integers(0, spread + 1, shape) * (rng.random(shape) < 0.125))
        for shape in ((33, 48), (48, 40))
    )
    return a.astype(np.float32).astype(numpy_type(dtype)), b.astype(np.float32).astype(numpy_type(dtype))


@pytest.mark.parametrize("spread", [0, 14])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32"])
def test_products_lie_within_what_the_matrix_unit_rounds(dtype: str, spread: int) -> None:
    a, b = operands(dtype, spread)
    found = np.zeros((33, 40), np.float32)
    tilesmith.compile(gemm(dtype))(a, b, found)
    wanted = product(Value.exact(a.astype(np.float64)), Value.exact(b.astype(np.float64)), dtype)
    memory = Memory("c", found.shape, "float32", "out")
    assert judged(memory, found, wanted) == ""
    off = np.abs(found - wanted.data)
    assert off.max() < 2e-6 * np.abs(wanted.data).max()  # only additions in DST are not modelled
    assert judged(memory, found * np.float32(1 + 1e-4), wanted)


def test_a_log_says_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    options = Namespace(archs=("wormhole",))
    log = Log(path, options)
    for number in (0, 1, 100):
        log.add({"seed": 3, "number": number, "archs": ["wormhole"], "failures": {}})
    work = Work(3, 0, 250, ("wormhole",))
    left = [(one.first, one.count) for one in Log(path, options).left(work)]
    assert left == [(2, 98), (101, 149)]
    assert [one.first for one in Log(path, Namespace(archs=("blackhole",))).left(work)] == [0]
