"""Part of the lowering, up to the pass named."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.pipeline import Choices, pipeline, run


def after(name: str, module: ModuleOp, arch: str = "wormhole") -> ModuleOp:
    """The module after the pass named and all before it; changed in place."""
    passes = pipeline(Choices(arch=arch))
    last = [step.name for step in passes].index(name)
    run(compiler_context(), module, passes[: last + 1])
    return module
