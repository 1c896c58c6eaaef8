"""`tilesmith.profile`: run a model or a kernel once, and keep the profile in a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tilesmith.models.compile import compile, is_model  # noqa: A004 - the name users look for
from tilesmith.profiling.collect import recording

if TYPE_CHECKING:
    import torch

__all__ = ["profile"]


def profile(
    model: Callable[..., Any],
    inputs: Any = (),
    *,
    backend: str = "tenstorrent",
    output_dir: str | Path = "./profiles",
    title: str = "",
) -> Path:
    """Call `model` with `inputs` (one, or a sequence of them) and return the folder of the profile.

    A torch module is compiled for the backend first; anything else is called as it is. What the folder holds
    is in docs/profiling.md; `PerformanceProfiler(folder)` reads it back.
    """
    arguments = tuple(inputs) if isinstance(inputs, Sequence) and not isinstance(inputs, str) else (inputs,)
    called = _compiled(model, backend)
    with recording(title or getattr(model, "__name__", type(model).__name__)) as recorder:
        called(*arguments)
    return recorder.profile.save(output_dir)


def _compiled(model: Callable[..., Any], backend: str) -> Callable[..., Any]:
    if not is_model(model):
        return model
    from tilesmith.models.compiled_model import CompiledModel

    if isinstance(model, CompiledModel):
        return model
    compiled: Callable[..., Any] = compile(cast("torch.nn.Module", model), backend=backend)
    return compiled
