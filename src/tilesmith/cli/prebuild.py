"""What a wheel for one kind of computer brings compiled: runtime, formats, kernels of a first project."""

from __future__ import annotations

import contextlib
import runpy
import shutil
import tempfile
from pathlib import Path

from tilesmith.cli.init import TEMPLATES, init
from tilesmith.errors import KernelFindings
from tilesmith.formats.bindings import compile_all
from tilesmith.settings import using
from tilesmith.toolchain.portable import building_portably

# How people run a first project.
_WAYS = ({"checks": "on"}, {"checks": "off"}, {"checks": "off", "numbers": "fast"})


def prebuild(folder: Path) -> None:
    """Run what `tilesmith init` writes, and keep all that is compiled meanwhile in `folder`."""
    with tempfile.TemporaryDirectory() as scratch:
        project = Path(scratch) / "hello"
        init(project, TEMPLATES["metal"])
        with using(cache_dir=Path(scratch) / "cache"), building_portably(folder):
            compile_all()
            for way in _WAYS:
                with using(**way):
                    _run(project / "hello.py")
    shutil.rmtree(folder / "building", ignore_errors=True)


def _run(script: Path) -> None:
    """The script, and the mistake that its test and its notebook make."""
    defined = runpy.run_path(str(script))
    defined["main"]()
    careless = defined["READER"].replace("noc_async_read_barrier();", "")
    with contextlib.suppress(KernelFindings):
        defined["run"](defined["np"].ones((64, 96), "float32"), careless)
