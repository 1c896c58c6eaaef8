"""The garbage collector rests while something is imported, captured or compiled, and only then."""

from __future__ import annotations

import gc
from importlib import import_module
from typing import Any

import pytest
from examples.tilelang.gemm import gemm

import tilesmith
import tilesmith.compiler.compile as compiling
from tilesmith.compiler import pipeline
from tilesmith.errors import UnsupportedKernelError
from tilesmith.garbage import without_collections


def test_compiling_collects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    states: list[bool] = []

    def noted(*args: Any) -> None:
        states.append(gc.isenabled())
        pipeline.lower(*args)

    monkeypatch.setattr(compiling, "lower", noted)
    tilesmith.compile(gemm(64, 64, 64, block=(32, 32, 32)))
    assert states == [False]
    assert gc.isenabled()


def test_capturing_collects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from tilesmith.models.capture import fx

    states: list[bool] = []
    monkeypatch.setattr(fx, "_with_constants", lambda _: states.append(gc.isenabled()))
    fx.export(torch.nn.ReLU(), (torch.zeros(2),))
    assert states == [False]
    assert gc.isenabled()


def test_importing_collects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    states = {}

    def noted(name: str) -> Any:
        states[name] = gc.isenabled()
        return import_module(name)

    monkeypatch.setattr(tilesmith, "import_module", noted)
    tilesmith.__getattr__("testing")
    assert not states["tilesmith.testing"]
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
