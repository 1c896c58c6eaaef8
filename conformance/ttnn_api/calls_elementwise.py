"""Calls of operations on one, two or three tensors, element by element, and of those that make tensors."""

from __future__ import annotations

from collections.abc import Callable

from conformance.ttnn_api.call import Call, Fact, Kit, calls_of

_PLAIN = (
    "relu", "gelu", "exp", "sqrt", "rsqrt", "reciprocal", "sigmoid", "tanh", "abs", "neg", "log", "sin",
    "cos", "square", "silu", "floor", "ceil", "sign", "isnan", "logical_not", "erf", "softplus", "mish",
)  # fmt: skip

_UNARY: dict[str, Callable[[Kit], Fact]] = {
    "bfloat16": lambda k: k.call(k.t(1, 1, 64, 96)),
    "float32": lambda k: k.call(k.t(1, 1, 64, 96, dtype="float32")),
    "awkward shape": lambda k: k.call(k.t(3, 31, 33)),
    "row major": lambda k: k.call(k.rows(1, 1, 32, 64)),
    "to L1": lambda k: k.call(k.t(1, 1, 64, 64), memory_config=k.l1),
    "in L1": lambda k: k.call(k.t(1, 1, 64, 64, memory=k.l1)),
    "height shards": lambda k: k.call(k.t(1, 1, 128, 64, memory=k.shards("HEIGHT", (4, 1), (32, 64)))),
    "block shards": lambda k: k.call(k.t(1, 1, 128, 128, memory=k.shards("BLOCK", (2, 2), (64, 64)))),
}

_BINARY: dict[str, Callable[[Kit], Fact]] = {
    "equal shapes": lambda k: k.call(k.t(1, 1, 64, 96), k.t(1, 1, 64, 96)),
    "float32": lambda k: k.call(k.t(64, 96, dtype="float32"), k.t(64, 96, dtype="float32")),
    "a row": lambda k: k.call(k.t(2, 64, 96), k.t(1, 1, 96)),
    "a column": lambda k: k.call(k.t(2, 64, 96), k.t(2, 64, 1)),
    "one element": lambda k: k.call(k.t(2, 64, 96), k.t(1, 1, 1)),
    "a number": lambda k: k.call(k.t(64, 96), 2.0),
    "another rank": lambda k: k.call(k.t(2, 3, 32, 32), k.t(32, 32)),
    "both broadcast": lambda k: k.call(k.t(2, 1, 32, 64), k.t(1, 3, 32, 64)),
    "another type": lambda k: k.call(k.t(64, 64), k.t(64, 64, dtype="float32")),
    "dtype asked for": lambda k: k.call(k.t(64, 64), k.t(64, 64), dtype=k.lib.float32),
    "to L1": lambda k: k.call(k.t(64, 64), k.t(64, 64), memory_config=k.l1),
    "height shards": lambda k: k.call(
        k.t(1, 1, 128, 64, memory=k.shards("HEIGHT", (4, 1), (32, 64))),
        k.t(1, 1, 128, 64, memory=k.shards("HEIGHT", (4, 1), (32, 64))),
    ),
    "row major": lambda k: k.call(k.rows(1, 1, 32, 64), k.rows(1, 1, 32, 64)),
    "activation": lambda k: k.call(
        k.t(64, 64), k.t(64, 64), activations=[k.lib.UnaryWithParam(k.lib.UnaryOpType.RELU)]
    ),
    "shapes that do not fit": lambda k: k.call(k.t(64, 96), k.t(64, 64)),
    "heights that do not fit": lambda k: k.call(k.t(1, 1, 64, 96), k.t(1, 1, 32, 96)),
    "batches that do not fit": lambda k: k.call(k.t(2, 32, 32), k.t(3, 32, 32)),
}

_TERNARY: dict[str, Callable[[Kit], Fact]] = {
    "equal shapes": lambda k: k.call(k.t(64, 64), k.t(64, 64), k.t(64, 64)),
    "a number": lambda k: k.call(k.t(64, 64), 1.0, k.t(64, 64)),
    "two numbers": lambda k: k.call(k.t(64, 64), 1.0, 0.0),
}

_MADE: dict[str, Callable[[Kit], Fact]] = {
    "row major": lambda k: k.call([2, 3, 5], device=k.device),
    "tiles": lambda k: k.call([2, 33, 5], layout=k.lib.TILE_LAYOUT, device=k.device),
    "float32 in L1": lambda k: k.call([64, 64], dtype=k.lib.float32, device=k.device, memory_config=k.l1),
}

ELEMENTWISE: list[Call] = [
    *(call for name in _PLAIN[:4] for call in calls_of(name, _UNARY)),
    *(Call(name, "bfloat16", _UNARY["bfloat16"]) for name in _PLAIN[4:]),
    *(call for name in ("add", "multiply") for call in calls_of(name, _BINARY)),
    *(
        Call(name, "equal shapes", _BINARY["equal shapes"])
        for name in ("subtract", "divide", "eq", "gt", "lt", "ge", "maximum", "minimum", "pow", "logical_and")
    ),
    *calls_of("where", _TERNARY),
    *(call for name in ("zeros", "ones") for call in calls_of(name, _MADE)),
    *calls_of("full", {"tiles": lambda k: k.call([32, 32], 3.0, layout=k.lib.TILE_LAYOUT, device=k.device)}),
    *calls_of("arange", {"ten": lambda k: k.call(0, 10, 1, device=k.device)}),
    *calls_of(
        "typecast",
        {
            "to float32": lambda k: k.call(k.t(64, 64), k.lib.float32),
            "to int32": lambda k: k.call(k.t(64, 64, dtype="float32"), k.lib.int32),
            "to bfloat8_b": lambda k: k.call(k.t(64, 64), k.lib.bfloat8_b),
        },
    ),
]
