"""The C++ of whole kernels: as it was when somebody last read it, and without warnings."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.compiler.passes import samples
from tests.compiler.passes.conftest import Golden

import tilesmith
from tilesmith import settings
from tilesmith.emulator.kernel_build import kernel_unit
from tilesmith.emulator.runtime_build import INCLUDE
from tilesmith.toolchain import find_compiler

STRICT = ("-std=c++20", "-fsyntax-only", "-fpermissive", "-Wall", "-Wextra", "-Werror")


@pytest.mark.parametrize("name", ["add", "gemm", "softmax"])
def test_sources(name: str, golden: Golden) -> None:
    golden("\n".join(tilesmith.compile(samples.module(name), "wormhole").sources().values()), "cpp")


@pytest.mark.parametrize("name", samples.names())
def test_no_warnings(name: str, tmp_path: Path) -> None:
    kernel = tilesmith.compile(samples.module(name), "wormhole")
    compiler = find_compiler()
    formats = {one.buffer_index: one for cb in kernel.program.cbs for one in cb.format_descriptors}
    for one in kernel.program.kernels:
        (job,) = kernel_unit(one, formats, kernel.arch, checks=False).jobs
        unit = tmp_path / f"{one.name}.cpp"
        (source,) = job.sources
        assert isinstance(source, tuple)
        unit.write_text(source[1], encoding="utf-8")
        done = subprocess.run(
            [*compiler.command, *STRICT, "-isystem", str(INCLUDE), str(unit)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("level", ["0", "2"])
def test_a_setting_says_how_far_kernels_are_optimised(level: str) -> None:
    kernel = tilesmith.compile(samples.module("add"), "wormhole")
    with settings.using(kernel_optimization=level):
        (job,) = kernel_unit(kernel.program.kernels[0], {}, kernel.arch, checks=True).jobs
    assert job.flags[0] == f"-O{level}"
