"""Headers that are parsed while a model is captured are those its kernels ask for."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import tilesmith
from tilesmith.arch import load_arch
from tilesmith.emulator.early_headers import _begun, parse_early
from tilesmith.models.backends.kernels import forget
from tilesmith.toolchain import known_compiler


def test_kernels_of_a_model_find_their_headers_parsed(fresh_cache: Path) -> None:
    if known_compiler().family != "gcc":
        pytest.skip("only gcc parses headers once")
    _begun.clear()
    parse_early(load_arch("wormhole"), checks=False, fast=True).join()
    parsed = set(fresh_cache.rglob("*.gch"))
    assert len(parsed) == 3
    forget()
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.LayerNorm(64)).eval()
    tilesmith.compile(model, checks="off", numbers="fast")(torch.randn(32, 64))
    assert set(fresh_cache.rglob("*.gch")) == parsed


def test_a_model_begins_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[tuple[bool, bool]] = []
    monkeypatch.setattr(
        "tilesmith.emulator.executor.parse_early", lambda _arch, checks, fast: begun.append((checks, fast))
    )
    compiled = tilesmith.compile(torch.nn.Linear(32, 32).eval(), checks="on", numbers="chip")
    for _ in range(2):
        compiled(torch.randn(32, 32))
    assert begun == [(True, False)]


def test_a_compiler_that_fails_fails_where_somebody_waits(
    fresh_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILESMITH_CXX", str(fresh_cache / "no-such-compiler"))
    _begun.clear()
    parse_early(load_arch("wormhole"), checks=False, fast=True).join()
    assert not list(fresh_cache.rglob("*.so"))
    _begun.clear()
