"""Copies within one buffer."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith
from tilesmith.compiler.dialects.context import parse

_TENSOR, _BUFFER = "!tile.tensor<[96, 64], f32>", "!tile.buffer<[96, 64], f32, shared>"
COPIES = {
    "whole": "tile.copy %x[] -> %x[] sizes [96, 64] dims [0, 1]",
    "apart": "tile.copy %x[%zero, %zero] -> %x[%far, %zero] sizes [32, 64] dims [0, 1]",
    "overlapping": "tile.copy %x[%zero, %zero] -> %x[%near, %zero] sizes [64, 64] dims [0, 1]",
    "askew": "tile.copy %x[%zero, %zero] -> %x[%odd, %zero] sizes [40, 64] dims [0, 1]",
}


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_within_a_buffer(name: str) -> None:
    module = parse(f"""builtin.module {{
      tile.func @shift(%A: {_TENSOR}, %B: {_TENSOR}) {{
        %one = arith.constant 1 : index
        tile.grid (%bx) in (%one) {{
          %x = tile.alloc "x" : {_BUFFER}
          %zero = arith.constant 0 : index
          %odd = arith.constant 7 : index
          %near = arith.constant 32 : index
          %far = arith.constant 64 : index
          tile.load %A[%zero, %zero] -> %x sizes [96, 64] dims [0, 1] : {_TENSOR} -> {_BUFFER}
          {COPIES[name]} : {_BUFFER} -> {_BUFFER}
          tile.store %x -> %B[%zero, %zero] sizes [96, 64] dims [0, 1] accumulate "" : {_BUFFER} -> {_TENSOR}
        }}
      }}
    }}""")
    a = np.arange(96 * 64, dtype=np.float32).reshape(96, 64) / 8
    expected = a.copy()
    first, rows = {"whole": (0, 96), "apart": (64, 32), "overlapping": (32, 64), "askew": (7, 40)}[name]
    expected[first : first + rows] = a[:rows]
    np.testing.assert_array_equal(tilesmith.compile(module)(a), expected)
