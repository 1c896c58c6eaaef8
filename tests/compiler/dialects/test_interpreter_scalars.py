"""What arith operations and functions compute inside the body of a map."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.compiler.dialects.modules import Kernel, region, run
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, f32, i1, i32
from xdsl.ir import Region, SSAValue

from tilesmith.compiler.dialects import tile

INDEX = IndexType()


def _mapped(kind: Any, operate: Any, *inputs: Any) -> NDArray[Any]:
    """The body `operate` over vectors of one type."""
    shape = [len(inputs[0])]

    def body(k: Kernel) -> None:
        buffers = [k.buffer(name, shape, kind) for name in "ABC"[: len(inputs)]]
        for name, buffer in zip("ABC", buffers, strict=False):
            k.load(name, buffer)
        code: Region = region([*[kind] * len(inputs), INDEX], lambda *args: operate(*args[:-1]))
        tile.MapOp(buffers, buffers[0], [[0]] * len(inputs), code)
        k.store(buffers[0], "O")

    tensors = dict.fromkeys([*"ABC"[: len(inputs)], "O"], (shape, kind))
    return run(tensors, body, dict(zip("ABC", inputs, strict=False)))["O"]


def test_integer_division_rounds_as_its_name_says() -> None:
    a, b = [7, -7, 7, -7], [2, 2, -2, -2]
    assert _mapped(i32, lambda x, y: arith.DivSIOp(x, y).result, a, b).tolist() == [3, -3, -3, 3]
    assert _mapped(i32, lambda x, y: arith.RemSIOp(x, y).result, a, b).tolist() == [1, -1, 1, -1]
    assert _mapped(i32, lambda x, y: arith.FloorDivSIOp(x, y).result, a, b).tolist() == [3, -4, -4, 3]
    assert _mapped(i32, lambda x, y: arith.CeilDivSIOp(x, y).result, a, b).tolist() == [4, -3, -3, 4]
    assert _mapped(i32, lambda x, y: arith.DivUIOp(x, y).result, [-1], [2]).tolist() == [2**31 - 1]


def test_shifts_see_bits_as_their_name_says() -> None:
    assert _mapped(i32, lambda x, y: arith.ShRSIOp(x, y).result, [-8], [1]).tolist() == [-4]
    assert _mapped(i32, lambda x, y: arith.ShRUIOp(x, y).result, [-8], [1]).tolist() == [2**31 - 4]
    assert _mapped(i32, lambda x, y: arith.ShLIOp(x, y).result, [2**30], [1]).tolist() == [-(2**31)]


def test_comparisons_select() -> None:
    def ordered(x: SSAValue, y: SSAValue) -> SSAValue:
        return arith.SelectOp(arith.CmpfOp(x, y, "olt").result, x, y).result

    def unordered(x: SSAValue, y: SSAValue) -> SSAValue:
        return arith.SelectOp(arith.CmpfOp(x, y, "ult").result, x, y).result

    def unsigned(x: SSAValue, y: SSAValue) -> SSAValue:
        return arith.SelectOp(arith.CmpiOp(x, y, "ult").result, x, y).result

    nan = float("nan")
    assert _mapped(f32, ordered, [1, nan], [2, 5]).tolist() == [1, 5]
    assert np.isnan(_mapped(f32, unordered, [nan], [5])[0])
    assert _mapped(i32, unsigned, [-1], [3]).tolist() == [3]


@pytest.mark.parametrize("name", sorted(name for name, count in tile.FUNCTIONS.items() if count == 1))
def test_functions_of_one_argument_give_numbers(name: str) -> None:
    kind = i32 if name == "popcount" else f32
    points = [1, 2, 255] if name == "popcount" else [0.25, 0.5, 0.75]
    result_type = i1 if name.startswith("is") else kind

    def call(x: SSAValue) -> SSAValue:
        value = tile.FnOp(name, [x], result_type).value
        return arith.UIToFPOp(value, f32).result if result_type == i1 else value

    result = _mapped(kind, call, points)
    references: dict[str, Any] = {
        "popcount": lambda _: np.array([1, 1, 8]),
        "recip": lambda x: 1 / x,
        "rsqrt": lambda x: x**-0.5,
        "exp10": lambda x: 10.0**x,
        "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "round": np.rint,
        "bfloat16": np.asarray,  # the points are numbers of all three
        "float8_e4m3": np.asarray,
        "float8_e5m2": np.asarray,
        "erf": lambda _: np.array([0.2763264, 0.5204999, 0.7111556]),
        "erfc": lambda _: 1 - np.array([0.2763264, 0.5204999, 0.7111556]),
    }
    renamed = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh"}
    reference = references.get(name) or getattr(np, renamed.get(name, "arctanh" if name == "atanh" else name))
    with np.errstate(invalid="ignore"):
        assert np.allclose(result, reference(np.array(points)), atol=1e-5, equal_nan=True)


def test_functions_of_two_arguments() -> None:
    for name, expected in [
        ("pow", 8.0),
        ("fmod", 2.0),
        ("atan2", np.arctan2(2, 3)),
        ("hypot", 13**0.5),
        ("copysign", 2.0),
    ]:
        result = _mapped(f32, lambda x, y, n=name: tile.FnOp(n, [x, y], f32).value, [2.0], [3.0])
        assert result[0] == pytest.approx(expected)
