"""Chips that are known only once they are opened."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tilesmith.arch import Arch, add_arch, add_finder, load_arch
from tilesmith.arch import model as arch_model


def test_a_finder_is_asked_until_the_chip_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arch_model, "_found", {})
    monkeypatch.setattr(arch_model, "_finders", {})
    chip = replace(load_arch("wormhole"), name="mine")
    asked: list[str] = []

    def find() -> Arch:
        asked.append("mine")
        return chip

    add_finder("mine", find)
    assert load_arch("mine") is load_arch("mine") is chip
    add_arch(chip)
    assert load_arch("mine") is chip
    assert asked == ["mine", "mine"]
