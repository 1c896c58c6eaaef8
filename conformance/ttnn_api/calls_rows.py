"""Calls of operations along rows: reductions, softmax and norms."""

from __future__ import annotations

from collections.abc import Callable

from conformance.ttnn_api.call import Call, Fact, Kit, calls_of

_REDUCTION: dict[str, Callable[[Kit], Fact]] = {
    "last": lambda k: k.call(k.t(2, 3, 64, 96), dim=-1),
    "last, kept": lambda k: k.call(k.t(2, 3, 64, 96), dim=-1, keepdim=True),
    "rows": lambda k: k.call(k.t(2, 3, 64, 96), dim=-2, keepdim=True),
    "last two": lambda k: k.call(k.t(2, 3, 64, 96), dim=[-2, -1], keepdim=True),
    "all": lambda k: k.call(k.t(2, 3, 64, 96)),
    "first": lambda k: k.call(k.t(2, 3, 64, 96), dim=0, keepdim=True),
    "awkward": lambda k: k.call(k.t(3, 31, 33), dim=-1, keepdim=True),
    "float32": lambda k: k.call(k.t(64, 64, dtype="float32"), dim=-1, keepdim=True),
    "to L1": lambda k: k.call(k.t(64, 64), dim=-1, keepdim=True, memory_config=k.l1),
    "out of range": lambda k: k.call(k.t(64, 64), dim=5),
    "row major": lambda k: k.call(k.rows(64, 64), dim=-1, keepdim=True),
}

_SOFTMAX: dict[str, Callable[[Kit], Fact]] = {
    "last": lambda k: k.call(k.t(2, 3, 64, 96), dim=-1),
    "awkward": lambda k: k.call(k.t(3, 31, 33), dim=-1),
    "rows": lambda k: k.call(k.t(2, 3, 64, 96), dim=-2),
    "float32": lambda k: k.call(k.t(64, 64, dtype="float32"), dim=-1),
    "to L1": lambda k: k.call(k.t(64, 64), dim=-1, memory_config=k.l1),
    "out of range": lambda k: k.call(k.t(64, 64), dim=4),
    "row major": lambda k: k.call(k.rows(64, 64), dim=-1),
}

_NORM: dict[str, Callable[[Kit], Fact]] = {
    "plain": lambda k: k.call(k.t(2, 3, 64, 96)),
    "weight": lambda k: k.call(k.t(2, 3, 64, 96), weight=k.t(1, 96)),
    "weight and bias": lambda k: k.call(k.t(64, 96), weight=k.t(1, 96), bias=k.t(1, 96)),
    "row-major weight": lambda k: k.call(k.t(64, 96), weight=k.rows(3, 32)),
    "residual": lambda k: k.call(k.t(64, 96), residual_input_tensor=k.t(64, 96)),
    "float32": lambda k: k.call(k.t(64, 96, dtype="float32")),
    "to L1": lambda k: k.call(k.t(64, 96), memory_config=k.l1),
    "weight of another width": lambda k: k.call(k.t(64, 96), weight=k.t(1, 64)),
    "residual of another shape": lambda k: k.call(k.t(64, 96), residual_input_tensor=k.t(32, 96)),
    "row major": lambda k: k.call(k.rows(64, 96)),
}

ROWS: list[Call] = [
    *(call for name in ("sum", "max") for call in calls_of(name, _REDUCTION)),
    *(call for name in ("mean", "min") for call in calls_of(name, dict(list(_REDUCTION.items())[:5]))),
    *calls_of("softmax", _SOFTMAX),
    *(call for name in ("layer_norm", "rms_norm") for call in calls_of(name, _NORM)),
]
