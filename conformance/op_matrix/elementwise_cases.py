"""Cases of unary, binary and ternary operations."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.op_matrix.case import Case, Input
from conformance.op_matrix.shapes import ALIGNED, AWKWARD, SHARDED, VECTORS, turns

_PLAIN = [
    "abs",
    "neg",
    "square",
    "sign",
    "exp",
    "exp2",
    "expm1",
    "sigmoid",
    "silu",
    "tanh",
    "relu",
    "relu6",
    "gelu",
    "mish",
    "softsign",
    "hardsigmoid",
    "hardswish",
    "tanhshrink",
    "erf",
    "erfc",
    "sin",
    "cos",
    "atan",
    "asinh",
    "ceil",
    "floor",
    "trunc",
    "frac",
    "cbrt",
    "identity",
    "logical_not",
    "eqz",
    "nez",
    "gtz",
    "gez",
    "ltz",
    "lez",
    "isfinite",
    "isinf",
    "isnan",
    "isposinf",
    "isneginf",
    "signbit",
    "log_sigmoid",
    "i0",
    "i1",
    "hardmish",
    "deg2rad",
    "rad2deg",
    "swish",
]
_DOMAINS = {
    "log": (0.1, 8.0),
    "log2": (0.1, 8.0),
    "log10": (0.1, 8.0),
    "log1p": (0.0, 8.0),
    "sqrt": (0.0, 8.0),
    "rsqrt": (0.1, 8.0),
    "reciprocal": (0.3, 8.0),
    "digamma": (1.0, 8.0),
    "acosh": (1.1, 4.0),
    "asin": (-0.9, 0.9),
    "acos": (-0.9, 0.9),
    "atanh": (-0.9, 0.9),
    "erfinv": (-0.9, 0.9),
    "tan": (-1.2, 1.2),
    "sinh": (-3.0, 3.0),
    "cosh": (-3.0, 3.0),
}
_WITH_NUMBERS: tuple[tuple[str, tuple[float, ...], tuple[tuple[str, float], ...]], ...] = (
    ("leaky_relu", (0.1,), ()),
    ("relu_max", (1.5,), ()),
    ("relu_min", (0.5,), ()),
    ("heaviside", (0.5,), ()),
    ("threshold", (0.5, 2.0), ()),
    ("softcap", (2.0,), ()),
    ("elu", (), (("alpha", 0.5),)),
    ("celu", (), (("alpha", 2.0),)),
    ("selu", (), ()),
    ("softplus", (), (("beta", 2.0), ("threshold", 10.0))),
    ("hardtanh", (), (("min_val", -0.5), ("max_val", 2.0))),
    ("hardshrink", (), (("lambd", 1.0),)),
    ("softshrink", (), (("lambd", 1.0),)),
    ("round", (), (("decimals", 0),)),
    ("clamp", (-1.0, 1.5), ()),
    ("clip", (-1.0, 1.5), ()),
)
_ON_INTEGERS = [
    "abs",
    "neg",
    "relu",
    "logical_not",
    "eqz",
    "nez",
    "gtz",
    "gez",
    "ltz",
    "lez",
    "bitwise_not",
]
_BINARY = {
    "add": (-3.0, 3.0),
    "subtract": (-3.0, 3.0),
    "multiply": (-3.0, 3.0),
    "div": (0.5, 4.0),
    "rsub": (-3.0, 3.0),
    "eq": (-2.0, 2.0),
    "ne": (-2.0, 2.0),
    "lt": (-2.0, 2.0),
    "gt": (-2.0, 2.0),
    "le": (-2.0, 2.0),
    "ge": (-2.0, 2.0),
    "maximum": (-3.0, 3.0),
    "minimum": (-3.0, 3.0),
    "logical_and": (-2.0, 2.0),
    "logical_or": (-2.0, 2.0),
    "logical_xor": (-2.0, 2.0),
    "squared_difference": (-3.0, 3.0),
    "hypot": (-3.0, 3.0),
    "ldexp": (-3.0, 3.0),
    "logaddexp": (-3.0, 3.0),
    "logaddexp2": (-3.0, 3.0),
    "xlogy": (0.5, 4.0),
    "atan2": (0.5, 4.0),
    "pow": (0.5, 3.0),
    "div_no_nan": (0.5, 4.0),
}
_INTEGER_BINARY = [
    "add",
    "subtract",
    "multiply",
    "rsub",
    "eq",
    "ne",
    "lt",
    "gt",
    "le",
    "ge",
    "maximum",
    "minimum",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "logical_and",
    "logical_or",
    "logical_xor",
    "gcd",
    "lcm",
]
_BROADCASTS = (
    ((3, 33, 65), (3, 33, 65)),
    ((3, 33, 65), (65,)),
    ((3, 33, 65), (33, 1)),
    ((3, 33, 65), (1, 1, 1)),
    ((1, 33, 1), (3, 1, 65)),
    ((2, 3, 32, 64), (3, 1, 64)),
    ((1,), (31, 33)),
)


def unary_cases() -> Iterator[Case]:
    memories, layouts = turns("dram", "l1"), turns("tile", "tile", "row_major")
    limits = dict.fromkeys(_PLAIN, (-3.0, 3.0)) | _DOMAINS
    for name, (low, high) in limits.items():
        for dtype in ("bfloat16", "float32"):
            for shape in ((3, 33, 65), (1, 31)):
                one = Input(shape, dtype, next(layouts), next(memories), low, high)
                yield Case("unary", name, (one,))
    for name, numbers, options in _WITH_NUMBERS:
        for dtype in ("bfloat16", "float32"):
            one = Input((2, 31, 33), dtype, next(layouts), next(memories))
            yield Case("unary", name, (one,), numbers, options)
    for name in _ON_INTEGERS:
        yield Case("unary", name, (Input((3, 33, 65), "int32", low=-9, high=9),))
    yield from _unary_everywhere()
    yield from _typecasts()


def _unary_everywhere() -> Iterator[Case]:
    """Two operations over every shape, layout and memory."""
    for name in ("relu", "exp"):
        for dtype in ("bfloat16", "float32", "bfloat8_b"):
            for shape in (*AWKWARD, *VECTORS):
                for layout in ("tile", "row_major"):
                    if layout == "tile" or dtype != "bfloat8_b":
                        yield Case("unary", name, (Input(shape, dtype, layout),))
            for shape in ALIGNED:
                for memory in SHARDED:
                    yield Case("unary", name, (Input(shape, dtype, memory=memory),))


def _typecasts() -> Iterator[Case]:
    kinds = ("bfloat16", "float32", "bfloat8_b", "int32", "uint32", "uint16")
    for source in kinds:
        for target in kinds:
            if source != target:
                one = Input((2, 33, 65), source, low=0 if "uint" in source + target else -9, high=9)
                yield Case("unary", "typecast", (one,), options=(("dtype", target),))


def binary_cases() -> Iterator[Case]:
    memories = turns("dram", "l1")
    for name, (low, high) in _BINARY.items():
        for dtype in ("bfloat16", "float32"):
            for a, b in _BROADCASTS[:4]:
                pair = tuple(Input(shape, dtype, "tile", next(memories), low, high) for shape in (a, b))
                yield Case("binary", name, pair)
            if name not in ("hypot", "atan2"):
                yield Case("binary", name, (Input((31, 33), dtype, low=low, high=high),), (1.5,))
    for name in _INTEGER_BINARY:
        for a, b in _BROADCASTS[:3]:
            low = 1 if name in ("gcd", "lcm") else -9
            yield Case("binary", name, tuple(Input(shape, "int32", low=low, high=9) for shape in (a, b)))
    yield from _binary_everywhere()
    yield from _ternary()


def _binary_everywhere() -> Iterator[Case]:
    """add and multiply over every broadcast, layout, memory and mix of dtypes; with activations."""
    for name in ("add", "multiply"):
        for a, b in _BROADCASTS:
            for dtype in ("bfloat16", "float32", "bfloat8_b"):
                yield Case("binary", name, (Input(a, dtype), Input(b, dtype)))
            yield Case("binary", name, (Input(a), Input(b, "float32")))
            yield Case("binary", name, (Input(a, layout="row_major"), Input(b, layout="row_major")))
            yield Case("binary", name, (Input(a, layout="row_major"), Input(b)))
        for memory in SHARDED:
            for other in (memory, "dram"):
                yield Case("binary", name, (Input((64, 64), memory=memory), Input((64, 64), memory=other)))
        for option in ("activations", "input_tensor_a_activations", "input_tensor_b_activations"):
            for step in ("relu", "exp", "sigmoid"):
                pair = (Input((3, 33, 65), low=-1.0, high=1.0), Input((1, 65), low=-1.0, high=1.0))
                yield Case("binary", name, pair, options=((option, (step,)),))
        yield Case("binary", name, (Input((3, 33, 65)),), first=(2.5,))
    yield Case("binary", "div", (Input((3, 33, 65), low=0.5),), first=(2.5,))


def _ternary() -> Iterator[Case]:
    for dtype in ("bfloat16", "float32"):
        for shape in AWKWARD:
            three = (Input(shape, dtype), Input(shape, dtype), Input(shape[-1:], dtype))
            yield Case("ternary", "where", three)
            yield Case("ternary", "where", three[:2], (0.5,))
