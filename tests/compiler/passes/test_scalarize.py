"""What no layout suits becomes scalar code, and means the same."""

from __future__ import annotations

import numpy as np
import pytest
from tests.compiler.passes.layouts import after, of_type, results

from tilesmith.compiler.dialects.context import parse
from tilesmith.compiler.dialects.tile import CopyOp, MapOp, ReduceOp, ScalarOp
from tilesmith.compiler.transforms.infer_tt_layout import InferTTLayout
from tilesmith.compiler.transforms.scalarize import scalarize

KERNEL = """
builtin.module {{
  tile.func @kernel(%X: !tile.tensor<{x}>, %Y: !tile.tensor<{y}>) {{
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %5 = arith.constant 5 : index
    tile.grid (%bx) in (%1) {{
      %a = tile.alloc "a" : !tile.buffer<{x}, shared>
      %b = tile.alloc "b" : !tile.buffer<{y}, fragment>
      tile.load %X[{x_zeros}] -> %a sizes [{x_sizes}] dims [{x_dims}]
        : !tile.tensor<{x}> -> !tile.buffer<{x}, shared>
      tile.load %Y[{y_zeros}] -> %b sizes [{y_sizes}] dims [{y_dims}]
        : !tile.tensor<{y}> -> !tile.buffer<{y}, fragment>
      {body}
      tile.store %b -> %Y[{y_zeros}] sizes [{y_sizes}] dims [{y_dims}] accumulate ""
        : !tile.buffer<{y}, fragment> -> !tile.tensor<{y}>
    }}
  }}
}}
"""


def kernel(x: tuple[int, ...], y: tuple[int, ...], body: str, element: str = "f32") -> str:
    """X into a, Y into b, the body, and b back into Y."""
    words: dict[str, str] = {}
    for name, shape in (("x", x), ("y", y)):
        words |= {
            name: f"{list(shape)}, {element}",
            f"{name}_zeros": ", ".join("%0" for _ in shape),
            f"{name}_sizes": ", ".join(map(str, shape)),
            f"{name}_dims": ", ".join(map(str, range(len(shape)))),
        }
    kinds = {"A": f"!tile.buffer<{words['x']}, shared>", "B": f"!tile.buffer<{words['y']}, fragment>"}
    return KERNEL.format(body=body.format(**kinds), **words)


def twice(expression: str, ins: str, dims: str, types: str) -> str:
    """A map whose body doubles its input."""
    return (
        f"tile.map({ins}) -> %b dims {dims} : ({types}) -> {{B}} {{{{\n"
        f"^bb0(%v: f32, {expression}):\n %w = arith.addf %v, %v : f32\n tile.yield %w : f32 }}}}"
    )


CASES = {
    "the diagonal of a block": ((40, 40), (40,), twice("%i: index", "%a", "[[0, 0]]", "{A}"), "f32"),
    "batches become rows": (
        (3, 40, 5),
        (40, 3, 5),
        twice("%i: index, %j: index, %k: index", "%a", "[[1, 0, 2]]", "{A}"),
        "f32",
    ),
    "a copy that starts inside a tile": (
        (40, 40),
        (64, 64),
        "tile.copy %a[] -> %b[%5, %1] sizes [40, 40] dims [0, 1] : {A} -> {B}",
        "f32",
    ),
    "a row of a block": (
        (40, 40),
        (40,),
        "tile.copy %a[%5, %0] -> %b[] sizes [1, 40] dims [-1, 0] : {A} -> {B}",
        "f32",
    ),
    "bits of a vector": (
        (40, 8),
        (40,),
        'tile.reduce "bitor" %a, %b along 1 clear false : {A}, {B}',
        "i32",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_scalar_code_means_the_same(name: str) -> None:
    x, y, body, element = CASES[name]
    text = kernel(x, y, body, element)
    module = after(parse(text), InferTTLayout())
    assert len(of_type(module, ScalarOp)) == 1
    assert not of_type(module, MapOp) + of_type(module, CopyOp) + of_type(module, ReduceOp)
    random = np.random.default_rng(0)
    made = np.int32 if element == "i32" else np.float32
    inputs = {"X": random.integers(-50, 50, x).astype(made), "Y": random.integers(-50, 50, y).astype(made)}
    expected = results(parse(text), inputs)["Y"]
    assert not np.array_equal(expected, inputs["Y"])
    assert np.array_equal(results(module, inputs)["Y"], expected)


OF_NUMBERS = ["sum", "max", "min", "abssum", "absmax"]
OF_BITS = ["bitand", "bitor", "bitxor"]


@pytest.mark.parametrize(
    ("element", "kind"),
    [*(("f32", kind) for kind in OF_NUMBERS), *(("i32", kind) for kind in OF_NUMBERS + OF_BITS)],
)
@pytest.mark.parametrize("clear", ["true", "false"])
def test_every_reduction_can_be_written_out(kind: str, clear: str, element: str) -> None:
    text = kernel((6, 9), (6,), f'tile.reduce "{kind}" %a, %b along 1 clear {clear} : {{A}}, {{B}}', element)
    made = np.int32 if element == "i32" else np.float32
    random = np.random.default_rng(0)
    inputs = {"X": random.integers(-50, 50, (6, 9)).astype(made), "Y": np.arange(6).astype(made)}
    module = parse(text)
    (reduction,) = of_type(module, ReduceOp)
    scalarize(reduction)
    module.verify()
    assert np.array_equal(results(module, inputs)["Y"], results(parse(text), inputs)["Y"])


def test_integers_are_filled_and_copied_by_scalar_code() -> None:
    body = "%seven = arith.constant 7 : i32 tile.fill %b, %seven : {B}, i32"
    module = after(parse(kernel((40,), (40,), body, "i32")), InferTTLayout())
    assert len(of_type(module, ScalarOp)) == 1
    found = results(module, {"X": np.zeros(40, np.int32), "Y": np.zeros(40, np.int32)})
    assert (found["Y"] == 7).all()
