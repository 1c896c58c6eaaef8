"""What the operations of the tile dialect mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.compiler.dialects.modules import Kernel, index, loop, number, region, run, whole
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import Float8E4M3FNType, IndexType, IntegerType, Signedness, bf16, f32, i32
from xdsl.ir import SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.types import TensorType

RNG = np.random.default_rng(3)
ROWS = np.arange(4, dtype=np.float32)[:, None]
COLS = np.arange(6, dtype=np.float32)[None, :]
BLOCK = 10 * ROWS + COLS
INDEX = IndexType()


def test_load_beyond_the_tensor_is_zero_and_store_drops_it() -> None:
    def body(k: Kernel) -> None:
        buffer = k.buffer("a", [4, 4])
        k.load("A", buffer, 2, 4)
        k.store(buffer, "B", 0, 0)
        k.store(buffer, "C", 3, 3)

    out = run(
        {"A": ([4, 6], f32), "B": ([4, 4], f32), "C": ([4, 6], f32)}, body, {"A": BLOCK, "B": 7, "C": 7}
    )
    assert out["B"].tolist() == [[24, 25, 0, 0], [34, 35, 0, 0], [0] * 4, [0] * 4]
    assert out["C"][3].tolist() == [7, 7, 7, 24, 25, 0]
    assert (out["C"][:3] == 7).all()


def test_load_before_the_tensor_is_zero() -> None:
    def body(k: Kernel) -> None:
        buffer = k.buffer("a", [4, 6])
        k.load("A", buffer, -1, -2)
        k.store(buffer, "B")

    out = run({"A": ([4, 6], f32), "B": ([4, 6], f32)}, body, {"A": BLOCK + 1})
    assert (out["B"][0] == 0).all()
    assert (out["B"][:, :2] == 0).all()
    assert (out["B"][1:, 2:] == (BLOCK + 1)[:3, :4]).all()


def test_limits_bound_a_transfer_within_the_tensor() -> None:
    def body(k: Kernel) -> None:
        buffer = k.buffer("a", [4, 6])
        k.load("A", buffer, limits=[index(2), index(5)])
        k.store(buffer, "B", limits=[index(3), index(6)])

    out = run({"A": ([4, 6], f32), "B": ([4, 6], f32)}, body, {"A": BLOCK + 1, "B": -1})
    assert (out["B"][:2, :5] == (BLOCK + 1)[:2, :5]).all()
    assert (out["B"][2] == 0).all()
    assert (out["B"][3] == -1).all()


def test_dimensions_are_dropped_added_and_exchanged() -> None:
    values = RNG.normal(size=(2, 3, 5)).astype(np.float32)

    def body(k: Kernel) -> None:
        plane = k.buffer("plane", [5, 1, 3])
        k.load("A", plane, 1, 0, 0, sizes=[1, 3, 5], dims=[-1, 2, 0])
        k.store(plane, "B", 0, 0, 0, sizes=[1, 3, 5], dims=[-1, 2, 0])
        k.store(plane, "C", 0, 0, sizes=[5, 3], dims=[0, 2])

    tensors = {"A": ([2, 3, 5], f32), "B": ([2, 3, 5], f32), "C": ([5, 3], f32)}
    out = run(tensors, body, {"A": values})
    assert (out["B"][0] == values[1]).all()
    assert (out["B"][1] == 0).all()
    assert (out["C"] == values[1].T).all()


def test_writing_rounds_to_the_element_type() -> None:
    e4m3 = Float8E4M3FNType()

    def body(k: Kernel) -> None:
        wide, narrow, tiny = k.buffer("w", [4]), k.buffer("n", [4], bf16), k.buffer("t", [4], e4m3)
        k.load("A", wide)
        tile.CopyOp(wide, narrow)
        tile.CopyOp(wide, tiny)
        k.store(narrow, "B")
        k.store(tiny, "C")
        k.store(wide, "D")

    kinds = {"A": ([4], f32), "B": ([4], f32), "C": ([4], f32), "D": ([4], bf16)}
    out = run(kinds, body, {"A": [1.001, 3.14159, -1000.0, 0.5]})
    assert out["B"].tolist() == [1.0, 3.140625, -1000.0, 0.5]
    assert out["C"].tolist() == [1.0, 3.25, -448.0, 0.5]
    assert out["D"].astype(np.float32).tolist() == out["B"].tolist()


def test_unsigned_bytes_widen_and_wrap() -> None:
    u8 = IntegerType(8, Signedness.UNSIGNED)

    def body(k: Kernel) -> None:
        buffer = k.buffer("a", [3], u8)
        k.load("A", buffer)
        more = region([i32, INDEX], lambda x, _: arith.AddiOp(x, whole(100)).result)
        tile.MapOp([buffer], buffer, [[0]], more)
        k.store(buffer, "B")

    out = run({"A": ([3], u8), "B": ([3], i32)}, body, {"A": [0, 200, 255]})
    assert out["B"].tolist() == [100, 44, 99]


@pytest.mark.parametrize(
    ("transpose_a", "transpose_b"), [(False, False), (True, False), (False, True), (True, True)]
)
def test_gemm_adds_to_what_is_there(transpose_a: bool, transpose_b: bool) -> None:
    a, b = RNG.normal(size=(2, 4, 3)).astype(np.float32), RNG.normal(size=(2, 3, 5)).astype(np.float32)
    given_a = a.swapaxes(1, 2) if transpose_a else a
    given_b = b.swapaxes(1, 2) if transpose_b else b

    def body(k: Kernel) -> None:
        left, right, total = (
            k.buffer("a", given_a.shape),
            k.buffer("b", given_b.shape),
            k.buffer("c", [2, 4, 5]),
        )
        k.load("A", left)
        k.load("B", right)
        tile.FillOp(total, number(1.0))
        tile.GemmOp(left, right, total, transpose_a, transpose_b)
        tile.GemmOp(left, right, total, transpose_a, transpose_b)
        k.store(total, "C")

    tensors = {"A": (given_a.shape, f32), "B": (given_b.shape, f32), "C": ([2, 4, 5], f32)}
    out = run(tensors, body, {"A": given_a, "B": given_b})
    assert np.allclose(out["C"], 1 + 2 * (a @ b), atol=1e-5)


def test_gemm_of_integers_is_exact() -> None:
    i8 = IntegerType(8)
    a = RNG.integers(-128, 128, size=(4, 64))

    def body(k: Kernel) -> None:
        left, total = k.buffer("a", [4, 64], i8), k.buffer("c", [4, 4], i32)
        k.load("A", left)
        tile.FillOp(total, whole(0))
        tile.GemmOp(left, left, total, transpose_b=True)
        k.store(total, "C")

    out = run({"A": ([4, 64], i8), "C": ([4, 4], i32)}, body, {"A": a})
    assert (out["C"] == a @ a.T).all()


def test_map_broadcasts_rows_columns_and_transposes() -> None:
    column, row, square = np.arange(3), 10 * np.arange(3), 100 * np.arange(9).reshape(3, 3)

    def body(k: Kernel) -> None:
        c, r, s, out = k.buffer("c", [3]), k.buffer("r", [1, 3]), k.buffer("s", [3, 3]), k.buffer("o", [3, 3])
        k.load("C", c)
        k.load("R", r, 0, sizes=[3], dims=[1])
        k.load("S", s)

        def add(x: SSAValue, y: SSAValue, z: SSAValue, i: SSAValue, j: SSAValue) -> SSAValue:
            inner = arith.AddfOp(arith.AddfOp(x, y).result, z).result
            place = arith.SIToFPOp(arith.IndexCastOp(arith.SubiOp(i, j).result, i32).result, f32).result
            return arith.AddfOp(inner, place).result

        tile.MapOp([c, r, s], out, [[0], [-1, 1], [1, 0]], region([f32, f32, f32, INDEX, INDEX], add))
        k.store(out, "O")

    tensors = {"C": ([3], f32), "R": ([3], f32), "S": ([3, 3], f32), "O": ([3, 3], f32)}
    out = run(tensors, body, {"C": column, "R": row, "S": square})
    i, j = np.mgrid[:3, :3]
    assert (out["O"] == column[:, None] + row + square.T + i - j).all()


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("sum", np.sum), ("max", np.max), ("min", np.min)],
)
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("clear", [True, False])
def test_reduce(kind: str, expected: Any, dim: int, clear: bool) -> None:
    values = RNG.integers(-9, 9, size=(4, 6)).astype(np.float32)
    kept = [6] if dim == 0 else [4, 1]

    def body(k: Kernel) -> None:
        source, dest = k.buffer("s", [4, 6]), k.buffer("d", kept)
        k.load("A", source)
        tile.FillOp(dest, number(5.0))
        tile.ReduceOp(source, dest, kind, dim, clear)
        k.store(dest, "B")

    out = run({"A": ([4, 6], f32), "B": (kept, f32)}, body, {"A": values})
    result = expected(values, axis=dim)
    whole_result = result if clear else expected(np.stack([result, np.full_like(result, 5)]), axis=0)
    assert (out["B"].reshape(-1) == whole_result).all()


def test_reduce_of_magnitudes_and_bits() -> None:
    def body(k: Kernel) -> None:
        source, bits = k.buffer("s", [3]), k.buffer("b", [3], i32)
        k.load("A", source)
        k.load("I", bits)
        for position, kind in enumerate(["absmax", "abssum"]):
            one = k.buffer(kind, [1])
            tile.ReduceOp(source, one, kind, 0)
            k.store(one, "B", position)
        for position, kind in enumerate(["bitand", "bitor", "bitxor"]):
            one = k.buffer(kind, [1], i32)
            tile.ReduceOp(bits, one, kind, 0)
            k.store(one, "C", position)

    tensors = {"A": ([3], f32), "I": ([3], i32), "B": ([2], f32), "C": ([3], i32)}
    out = run(tensors, body, {"A": [-3, 1, 2], "I": [6, 3, 2]})
    assert out["B"].tolist() == [3, 6]
    assert out["C"].tolist() == [2, 7, 7]


@pytest.mark.parametrize(("kind", "expected"), [("add", 8.0), ("max", 4.0), ("min", 0.0)])
def test_blocks_accumulate_in_order(kind: str, expected: float) -> None:
    def body(k: Kernel) -> None:
        buffer = k.buffer("a", [2])
        block = arith.SIToFPOp(arith.IndexCastOp(k.blocks[0], i32).result, f32).result
        tile.FillOp(buffer, arith.MulfOp(block, number(2.0)).result)
        k.store(buffer, "A", accumulate=kind)

    out = run({"A": ([2], f32)}, body, {"A": 2}, grid=(3,))
    assert out["A"].tolist() == [expected, expected]


def test_copy_of_a_part_leaves_the_rest() -> None:
    def body(k: Kernel) -> None:
        source, dest = k.buffer("s", [4, 6]), k.buffer("d", [3, 4])
        k.load("A", source)
        tile.FillOp(dest, number(-1.0))
        tile.CopyOp(source, dest, [index(1), index(2)], [index(0), index(1)], [3, 2], [1, 0])
        k.store(dest, "B")

    out = run({"A": ([4, 6], f32), "B": ([3, 4], f32)}, body, {"A": BLOCK})
    assert out["B"].tolist() == [[-1, 12, 22, 32], [-1, 13, 23, 33], [-1] * 4]


def test_clean_changes_no_element() -> None:
    def body(k: Kernel) -> None:
        buffer = k.buffer("a", [4, 6])
        k.load("A", buffer)
        tile.CleanOp(buffer, number(9.0))
        k.store(buffer, "B")

    out = run({"A": ([4, 6], f32), "B": ([4, 6], f32)}, body, {"A": BLOCK})
    assert (out["B"] == BLOCK).all()


def test_unwritten_buffers_show() -> None:
    def body(k: Kernel) -> None:
        k.store(k.buffer("a", [2]), "A")

    assert np.isnan(run({"A": ([2], f32)}, body, {})["A"]).all()


def test_symbols_size_the_grid_and_the_loops() -> None:
    def body(k: Kernel) -> None:
        buffer = k.buffer("a", [2])
        start = arith.MuliOp(k.blocks[0], index(2)).result
        k.load("A", buffer, start)

        def grow(_: SSAValue) -> None:
            more = region([f32, INDEX], lambda x, _: arith.AddfOp(x, number(1.0)).result)
            tile.MapOp([buffer], buffer, [[0]], more)

        loop(k.symbols["n"], grow)
        k.store(buffer, "A", start)

    out = run({"A": (["n"], f32)}, body, {}, grid=("n",), sizes={"n": 5})
    assert out["A"].tolist() == [5] * 5


def test_views_are_the_same_memory() -> None:
    def body(k: Kernel) -> None:
        view = tile.ViewOp(k.tensors["A"], TensorType.of([3, 8], f32)).tensor
        row = k.buffer("r", [8])
        tile.LoadOp(view, [index(1), index(0)], row, [1, 8], [-1, 0])
        tile.StoreOp(row, view, [index(0), index(0)], [1, 8], [-1, 0])

    out = run({"A": ([4, 6], f32)}, body, {"A": np.arange(24).reshape(4, 6)})
    assert out["A"].reshape(-1)[:8].tolist() == list(range(8, 16))


def _gather(k: Kernel) -> None:
    def each(i: SSAValue) -> None:
        place = arith.IndexCastOp(tile.ReadOp(k.tensors["P"], [i], i32).value, INDEX).result
        value = tile.ReadOp(k.tensors["A"], [place], f32).value
        tile.WriteOp(k.tensors["B"], [i], value, "add")

    tile.ScalarOp([k.tensors["A"], k.tensors["P"]], [k.tensors["B"]], region([], lambda: loop(4, each)))


def test_scalar_code_gathers_and_accumulates() -> None:
    tensors = {"A": ([6], f32), "P": ([4], i32), "B": ([4], f32)}
    out = run(tensors, _gather, {"A": 10 * np.arange(6), "P": [5, 0, 2, 2], "B": 1})
    assert out["B"].tolist() == [51, 1, 21, 21]


def test_scalar_code_outside_its_arrays_is_an_error() -> None:
    tensors = {"A": ([6], f32), "P": ([4], i32), "B": ([4], f32)}
    with pytest.raises(IndexError, match=r"tile\.read at"):
        run(tensors, _gather, {"P": [5, 0, 6, 2]})


def test_variables_conditions_and_while() -> None:
    """Steps of the Collatz sequence, with everything control flow has."""

    def body(k: Kernel) -> None:
        n = tile.VarOp(tile.ReadOp(k.tensors["N"], [index(0)], i32).value, "n").var
        steps = tile.VarOp(whole(0), "steps").var

        def more() -> None:
            scf.ConditionOp(arith.CmpiOp(tile.GetOp(n).value, whole(1), "sgt").result)

        def step() -> None:
            now = tile.GetOp(n).value
            odd = arith.CmpiOp(arith.RemSIOp(now, whole(2)).result, whole(1), "eq").result
            tripled = region(
                [], lambda: _set(n, arith.AddiOp(arith.MuliOp(now, whole(3)).result, whole(1)).result)
            )
            halved = region([], lambda: _set(n, arith.DivSIOp(now, whole(2)).result))
            scf.IfOp(odd, [], tripled, halved)
            tile.SetOp(steps, arith.AddiOp(tile.GetOp(steps).value, whole(1)).result)
            scf.YieldOp()

        scf.WhileOp([], [], region([], more), region([], step))
        write = region([], lambda: _write(k.tensors["S"], tile.GetOp(steps).value))
        tile.ScalarOp([], [k.tensors["S"]], write)

    out = run({"N": ([1], i32), "S": ([1], i32)}, body, {"N": [27]})
    assert out["S"].tolist() == [111]


def _set(variable: SSAValue, value: SSAValue) -> None:
    tile.SetOp(variable, value)
    scf.YieldOp()


def _write(tensor: SSAValue, value: SSAValue) -> None:
    tile.WriteOp(tensor, [index(0)], value)
