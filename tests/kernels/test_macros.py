"""Macros whose text is rewritten once: each has the values around it, as TileLang's own."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tilelang.language as T  # noqa: N812 - the name TileLang's users know
from tilelang.language.eager import ast

from tilesmith.kernels.authoring import prim_func
from tilesmith.kernels.macros import macro

SHAPE = (32, 32)


def scaled(
    factor: float, decorate: Callable[..., Any] = macro, extra: Callable[..., Any] | None = None
) -> str:
    @decorate
    def times(value):
        return value * T.float32(factor)

    @decorate
    def body(tensors):
        with T.Kernel(1, threads=128) as _:
            block = T.alloc_fragment(SHAPE, "float32")
            T.copy(tensors["A"], block)
            for i, j in T.Parallel(*SHAPE):
                block[i, j] = times(block[i, j]) if extra is None else extra(block[i, j])
            T.copy(block, tensors["B"])

    return str(prim_func("scaled", dict.fromkeys("AB", (SHAPE, "float32")), (), body))


def test_each_has_its_own_values() -> None:
    texts = {factor: scaled(factor) for factor in (2.0, 3.0, 2.0)}
    assert "T.float32(2.0)" in texts[2.0]
    assert "T.float32(3.0)" in texts[3.0]
    assert texts == {factor: scaled(factor, T.macro) for factor in texts}


def test_functions_around_are_the_new_ones() -> None:
    scaled(2.0)
    assert "T.exp(" in scaled(2.0, extra=T.exp)


def test_the_text_is_rewritten_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scaled(2.0)
    monkeypatch.setattr(ast.DSLMutator, "visit", None)
    scaled(5.0)
    with pytest.raises(TypeError):
        scaled(5.0, T.macro)


def test_what_nothing_surrounds_is_rewritten_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(ast.DSLMutator, "visit", None)

        @macro
        def doubled(value):
            return value + value

    assert scaled(2.0, extra=doubled) == scaled(2.0, extra=T.macro(twice))


def twice(value):
    return value + value
