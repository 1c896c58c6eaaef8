"""Kernels of programs that are about to run are compiled at once; running them compiles nothing more."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tilesmith import CoreCoord, Kernel, Program, ReaderConfig, SourceType, open_device
from tilesmith.toolchain.invoke import run_compiler


def program(text: str) -> Program:
    kernel = Kernel(
        f"// {text}\nvoid kernel_main() {{}}", CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE
    )
    return Program(kernels=(kernel,))


def test_running_finds_everything_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[Any] = []

    def counted(*given: Any) -> None:
        compiled.append(given)
        run_compiler(*given)

    monkeypatch.setattr("tilesmith.toolchain.library.run_compiler", counted)
    fresh = uuid4().hex
    programs = [program(f"{fresh} {number}") for number in range(2)]
    with open_device("wormhole") as device:
        device.build([*programs, program(f"{fresh} 1")])
        assert len(compiled) == 2
        for each in programs:
            device.run(each)
        device.build(programs)
    assert len(compiled) == 2
