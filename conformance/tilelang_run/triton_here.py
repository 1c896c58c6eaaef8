"""Runs the Triton kernels some examples compare themselves with, in Triton's own interpreter."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

# What the interpreter lacks: functions of CUDA's library, by the name Triton's own language has for them.
_OF_CUDA = {
    "fast_expf": "exp",
    "exp2": "exp2",
    "fast_logf": "log",
    "fast_log2f": "log2",
    "fast_dividef": "fdiv",
}


def install(packages: Path) -> None:
    """`packages`: a folder made with `pip install --no-deps --target FOLDER triton fla-core ...`."""
    os.environ["TRITON_INTERPRET"] = "1"
    os.environ["FLA_USE_FAST_OPS"] = "1"  # by way of the functions below
    sys.path.append(str(packages))
    library = import_module("triton.language.extra.libdevice")
    for name, ours in _OF_CUDA.items():
        setattr(library, name, _called(ours))
    _stop_tuning()
    _widen_bfloat16()


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


def _widen_bfloat16() -> None:
    """The interpreter multiplies the bits of bfloat16 as whole numbers: it gets float32 instead."""
    kernel = import_module("triton.runtime.interpreter").InterpretedFunction
    run = kernel.run

    def widened(self: Any, *args: Any, **named: Any) -> Any:
        narrow = [one for one in (*args, *named.values()) if _is_bfloat16(one)]
        wide = {id(one): one.float() for one in narrow}
        result = run(
            self,
            *(wide.get(id(one), one) for one in args),
            **{name: wide.get(id(one), one) for name, one in named.items()},
        )
        for one in narrow:
            one.copy_(wide[id(one)])
        return result

    kernel.run = widened


def _is_bfloat16(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype is torch.bfloat16
