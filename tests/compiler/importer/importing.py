"""Imports a kernel, interprets it, and tells what it was made of."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects.context import parse
from tilesmith.compiler.dialects.interpreter import interpret
from tilesmith.compiler.importer.tilelang import import_prim_func

Array = NDArray[Any]


def imported(kernel: Any) -> ModuleOp:
    """The kernel's module, verified, and equal to itself once printed and parsed."""
    module = import_prim_func(kernel)
    module.verify()
    assert str(parse(str(module))) == str(module)
    return module


def operations(kernel: Any) -> Counter[str]:
    """How often each operation occurs."""
    return Counter(op.name for op in imported(kernel).walk())


def run(kernel: Any, symbols: dict[str, int] | None = None, **tensors: Array) -> None:
    """Interpret the kernel on arrays, in place."""
    interpret(imported(kernel), tensors, symbols or {})


def noise(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def integers(*shape: int, below: int, seed: int = 0, dtype: str = "int32") -> Array:
    return np.random.default_rng(seed).integers(0, below, shape).astype(dtype)
