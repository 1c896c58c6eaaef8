"""Values of every element type survive the trip through the format that carries them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import (
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    IntegerType,
    Signedness,
    bf16,
    f32,
    i1,
    i32,
    i64,
)

from tilesmith.compiler.dialects.elements import numpy_type
from tilesmith.compiler.marshal import from_storage, to_storage
from tilesmith.errors import BadCallError
from tilesmith.formats import DataFormat, from_row_major_bytes, to_row_major_bytes

U8 = IntegerType(8, Signedness.UNSIGNED)
U32 = IntegerType(32, Signedness.UNSIGNED)


@pytest.mark.parametrize(
    ("element", "format", "values"),
    [
        (f32, DataFormat.Float32, [1.5, -3.1415927, 1e30]),
        (bf16, DataFormat.Float16_b, [1.5, -3.140625, 1e30]),
        (Float16Type(), DataFormat.Float32, [1.5, -3.1406, 65504]),
        (Float8E4M3FNType(), DataFormat.Float16_b, [1.5, -448, 0.001953125]),
        (Float8E5M2Type(), DataFormat.Float16_b, [1.5, -57344, 0.25]),
        (i32, DataFormat.Int32, [-(2**31), 7, 2**31 - 1]),
        (U32, DataFormat.Int32, [0, 7, 2**32 - 1]),
        (i64, DataFormat.Int32, [-5, 7, 2**31 - 1]),
        (IntegerType(8), DataFormat.UInt8, [-128, -1, 127]),
        (IntegerType(8), DataFormat.Float16_b, [-128, -1, 127]),
        (U8, DataFormat.UInt8, [0, 128, 255]),
        (U8, DataFormat.Float16_b, [0, 128, 255]),
        (i1, DataFormat.UInt8, [True, False, True]),
        (i1, DataFormat.Float16_b, [True, False, True]),
    ],
)
def test_round_trip(element: Any, format: DataFormat, values: list[float]) -> None:
    given = np.array(values).astype(numpy_type(element))
    carried = from_row_major_bytes(
        to_row_major_bytes(to_storage(given, format, "A"), format), format, given.shape
    )
    back = from_storage(carried, element)
    assert back.dtype == given.dtype
    assert back.tobytes() == given.tobytes()


def test_results_round_to_the_element_type() -> None:
    exact = np.array([1.0009, 1e6, -1e6], np.float32)
    assert from_storage(exact, bf16).tolist() == [1.0, 999424.0, -999424.0]
    assert from_storage(exact, Float8E4M3FNType()).astype(np.float32).tolist() == [1.0, 448.0, -448.0]
    assert from_storage(np.array([2.0000001, -1.0], np.float32), i32).tolist() == [2, -1]
    assert from_storage(exact, bf16).dtype == ml_dtypes.bfloat16


def test_integers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(BadCallError, match="A holds 0 to 4294967296") as caught:
        to_storage(np.array([0, 2**32]), DataFormat.Int32, "A")
    assert "64-bit integers travel as 32-bit ones" in str(caught.value)
