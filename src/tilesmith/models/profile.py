"""`tilesmith.profile`: run a model or a kernel once, and keep the profile in a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tilesmith.models.compile import compile, is_model  # noqa: A004 - the name users look for
from tilesmith.profiling.collect import recording
from tilesmith.profiling.runs.figures import figures_of
from tilesmith.profiling.runs.live import live
from tilesmith.profiling.runs.store import keep

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
    **keywords: Any,
) -> Path:
    """Call `model` with `inputs` and return the folder of the profile.

    `inputs` are one argument, a sequence of them, or a mapping of names to arguments as a tokenizer gives it.
    Other keywords are arguments of the model too. A torch module is compiled for the backend first; anything
    else is called as it is. What the folder holds is in docs/profiling.md; `PerformanceProfiler(folder)`
    reads it back. Every profile is also a run of its own in the project's store: `tilesmith runs list`.

    >>> import tempfile, torch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = profile(torch.nn.ReLU(), torch.ones(2), backend="cpu", output_dir=folder)
    ...     (made / "profile.json").is_file()
    True
    """
    arguments, keywords = _arguments(inputs, keywords)
    called = _prepared(model, backend, arguments, keywords)
    title = title or getattr(model, "__name__", type(model).__name__)
    with recording(title) as recorder, live(title):
        called(*arguments, **keywords)
    seen = recorder.profile
    folder = seen.save(output_dir)  # with the advice, which the run keeps too
    figures = figures_of(seen, backend=backend if is_model(model) else "")
    keep(replace(figures, tokens=token_count([*arguments, *keywords.values()])), seen)
    return folder


def token_count(arguments: Sequence[Any]) -> int:
    """How many token ids a model is given: elements of its first whole numbers in two dimensions, or 0."""
    for value in arguments:
        whole = hasattr(value, "dtype") and "int" in str(value.dtype)
        if whole and getattr(value, "ndim", 0) == 2:
            return int(value.shape[0] * value.shape[1])
    return 0


def _arguments(inputs: Any, keywords: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(inputs, Mapping):
        return (), {**inputs, **keywords}
    several = isinstance(inputs, Sequence) and not isinstance(inputs, str)
    return tuple(inputs) if several else (inputs,), keywords


def _prepared(
    model: Callable[..., Any], backend: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Callable[..., Any]:
    """What to call: a torch module compiled for these arguments, anything else as it is."""
    if not is_model(model):
        return model
    from tilesmith.models.compiled_model import CompiledModel

    compiled = (
        model
        if isinstance(model, CompiledModel)
        else compile(cast("torch.nn.Module", model), backend=backend)
    )
    compiled.prepare(*arguments, **keywords)
    return compiled
