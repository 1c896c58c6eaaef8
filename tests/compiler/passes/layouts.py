"""Short ways to run the first passes and to look at what they chose."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.dialects.interpreter import interpret
from tilesmith.compiler.dialects.tile import AllocOp, FuncOp
from tilesmith.compiler.dialects.types import TensorType
from tilesmith.compiler.importer.tilelang import import_prim_func
from tilesmith.compiler.transforms.infer_tt_layout import InferTTLayout

T = TypeVar("T", bound=Operation)


def inferred(kernel: Any, formats: str = "") -> ModuleOp:
    """A TileLang kernel after the first pass."""
    return after(import_prim_func(kernel), InferTTLayout(formats=formats))


def after(module: ModuleOp, *passes: ModulePass) -> ModuleOp:
    """The module, changed by the passes and verified."""
    for step in passes:
        step.apply(compiler_context(), module)
        module.verify()
    return module


def buffers(module: ModuleOp) -> dict[str, str]:
    """The layout of every buffer, by name."""
    return {op.buffer_name.data: op.buffer.type.layout.data for op in of_type(module, AllocOp)}


def formats(module: ModuleOp) -> dict[str, str]:
    """The format of every buffer, by name."""
    return {op.buffer_name.data: op.buffer.type.format.data for op in of_type(module, AllocOp)}


def tensors(module: ModuleOp) -> dict[str, str]:
    """Layout and format of every parameter."""
    (func,) = of_type(module, FuncOp)
    found = {}
    for name, value in func.tensors.items():
        assert isinstance(value.type, TensorType)
        found[name] = f"{value.type.layout.data} {value.type.format.data}"
    return found


def of_type(module: ModuleOp, kind: type[T]) -> list[T]:
    return [op for op in module.walk() if isinstance(op, kind)]


def results(
    module: ModuleOp, inputs: dict[str, Any], symbols: dict[str, int] | None = None
) -> dict[str, Any]:
    """What the tensors hold after the kernel ran, by the definition of the dialect."""
    arrays = {name: np.array(value) for name, value in inputs.items()}
    interpret(module, arrays, symbols or {})
    return arrays
