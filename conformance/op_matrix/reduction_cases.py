"""Cases of products, reductions, norms, softmax and embedding."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.op_matrix.case import Case, Input
from conformance.op_matrix.shapes import ALIGNED, AWKWARD, SHARDED, VECTORS, turns

_PRODUCTS = (
    ((1, 1), (1, 1)),
    ((31, 33), (33, 65)),
    ((3, 33, 65), (65, 31)),
    ((3, 33, 65), (3, 65, 1)),
    ((2, 3, 32, 64), (3, 64, 32)),
    ((1, 1, 31), (1, 31, 33)),
    ((33,), (33, 64)),
    ((64, 33), (33,)),
)
_FLOATS = ("bfloat16", "float32", "bfloat8_b")


def product_cases() -> Iterator[Case]:
    memories = turns("dram", "l1")
    for a, b in _PRODUCTS:
        for dtype in _FLOATS:
            pair = (Input(a, dtype, memory=next(memories)), Input(b, dtype, memory=next(memories)))
            yield Case("product", "matmul", pair)
            if len(a) > 1 and len(b) > 1:
                yield from _linear(pair[0], pair[1])
        yield Case("product", "matmul", (Input(a), Input(b, "float32")))
    for dtype in _FLOATS:
        yield Case(
            "product",
            "matmul",
            (Input((65, 33), dtype), Input((65, 31), dtype)),
            options=(("transpose_a", True),),
        )
        yield Case(
            "product",
            "matmul",
            (Input((33, 65), dtype), Input((31, 65), dtype)),
            options=(("transpose_b", True),),
        )
        three = (Input((33, 31), dtype), Input((33, 65), dtype), Input((65, 31), dtype))
        for numbers in ((1.0, 1.0), (2.0, 0.5)):
            options = (("alpha", numbers[0]), ("beta", numbers[1]))
            yield Case("product", "addmm", three, options=options)
    for memory in SHARDED:
        yield Case("product", "matmul", (Input((64, 64), memory=memory), Input((64, 64), memory=memory)))


def _linear(a: Input, b: Input) -> Iterator[Case]:
    bias = Input((b.shape[-1],), a.dtype)
    yield Case("product", "linear", (a, b, bias), options=(("activation", "relu"),))
    yield Case("product", "linear", (a, b, bias))


def reduction_cases() -> Iterator[Case]:
    memories, layouts = turns("dram", "l1"), turns("tile", "tile", "row_major")
    for name in ("sum", "mean", "max", "min"):
        for dtype in (*_FLOATS, "int32"):
            if name == "mean" and dtype == "int32":
                continue
            for shape in (*AWKWARD, (33,)):
                layout = "tile" if dtype == "bfloat8_b" else next(layouts)
                one = Input(shape, dtype, layout, next(memories), low=-9, high=9)
                axes = [None, -1, *([0, (-2, -1)] if len(shape) > 1 else [])]
                for number, axis in enumerate(axes):
                    yield Case("reduction", name, (one,), (axis,), (("keepdim", bool(number % 2)),))
        for memory in SHARDED:
            yield Case("reduction", name, (Input((64, 64), memory=memory),), (-1,))


def row_cases() -> Iterator[Case]:
    for dtype in _FLOATS:
        for shape in (*AWKWARD, *VECTORS, *ALIGNED):
            one = Input(shape, dtype)
            for axis in (-1, 0):
                yield Case("rows", "softmax", (one,), (axis,))
            row = Input(shape[-1:], dtype)
            for name in ("layer_norm", "rms_norm"):
                yield Case("rows", name, (one,), options=(("epsilon", 1e-5),))
                yield Case("rows", name, (one, row, row), options=(("epsilon", 1e-5),))
        for memory in SHARDED:
            yield Case("rows", "softmax", (Input((64, 64), dtype, memory=memory),), (-1,))
            yield Case(
                "rows", "layer_norm", (Input((64, 64), dtype, memory=memory),), options=(("epsilon", 1e-5),)
            )


def embedding_cases() -> Iterator[Case]:
    for index in ((1,), (5,), (3, 33), (2, 31), (1, 64)):
        for width in (1, 31, 64, 65):
            for layout in ("tile", "row_major"):
                numbers = Input(index, "uint32", "row_major", low=0, high=16)
                table = Input((17, width), layout="row_major")
                yield Case("embedding", "embedding", (numbers, table), options=(("layout", layout),))
