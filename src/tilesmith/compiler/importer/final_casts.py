"""Casts to bfloat16 at the end of what a store writes: the place it writes to rounds by itself."""

from __future__ import annotations

from dataclasses import replace

from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.rewrite import transform_bodies


def without_final_casts(body: tuple[s.Statement, ...]) -> tuple[s.Statement, ...]:
    """A cast to the type of the place would round twice."""
    return tuple(transform_bodies(statement, _stored) for statement in body)


def _stored(statement: s.Statement) -> s.Statement:
    match statement:
        case s.Store(memory=memory, value=s.Cast(a=value, dtype="bfloat16"), accumulate="") if (
            memory.dtype == "bfloat16" and s.is_float(value.dtype) and _has_a_place(memory)
        ):
            return replace(statement, value=value)
    return statement


def _has_a_place(memory: s.Memory) -> bool:
    """Variables, and local buffers that become such, are values in float32: only the cast rounds them."""
    return memory.scope not in ("var", "local")
