"""Runs the Triton kernels some examples compare themselves with, in Triton's own interpreter."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

# What the interpreter lacks: functions of CUDA's library, by the name Triton's own language has for them.
_OF_CUDA = {"fast_expf": "exp", "exp2": "exp2", "fast_logf": "log", "fast_log2f": "log2", "fast_dividef": "fdiv"}


def install(packages: Path) -> None:
    """`packages`: a folder made with `pip install --no-deps --target FOLDER triton fla-core ...`."""
    os.environ["TRITON_INTERPRET"] = "1"
    sys.path.append(str(packages))
    library = import_module("triton.language.extra.libdevice")
    for name, ours in _OF_CUDA.items():
        setattr(library, name, _called(ours))
    _stop_tuning()


def _called(name: str) -> Any:
    """Looked up at the call: the interpreter changes the language while a kernel runs."""
    language = import_module("triton.language")
    return lambda *args: getattr(language, name)(*args)


def _stop_tuning() -> None:
    """The first configuration wins."""
    tuner = import_module("triton.runtime.autotuner").Autotuner

    def run(self: Any, *args: Any, **named: Any) -> Any:
        config = self.configs[0]
        return self.fn.run(*args, **{**named, **config.all_kwargs()})

    tuner.run = run
