"""The garbage collector rests while a kernel is compiled, and only then."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from examples.tilelang.gemm import gemm

import tilesmith
import tilesmith.compiler.compile as compiling
from tilesmith.compiler import pipeline
from tilesmith.compiler.garbage import without_collections
from tilesmith.errors import UnsupportedKernelError


def test_compiling_collects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    states: list[bool] = []

    def noted(*args: Any) -> None:
        states.append(gc.isenabled())
        pipeline.lower(*args)

    monkeypatch.setattr(compiling, "lower", noted)
    tilesmith.compile(gemm(64, 64, 64, block=(32, 32, 32)))
    assert states == [False]
    assert gc.isenabled()


def test_it_works_again_after_an_error() -> None:
    with pytest.raises(UnsupportedKernelError), without_collections():
        raise UnsupportedKernelError("no")
    assert gc.isenabled()


def test_one_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with without_collections():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
