"""The schedules of a model, found by the clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.compiled_model import compile_model
from tilesmith.schedules.tuning_database import Tuned


def tuned_schedules(
    model: torch.nn.Module, inputs: Sequence[Any], candidates: int = 8, **options: Any
) -> tuple[Tuned, ...]:
    """What is best for each kernel of a model, of this many that the estimate likes; precision stays."""
    asked = {"accuracy": 1.0, "candidates": candidates, **options}
    compiled = compile_model(model, "tenstorrent", "O3", **asked)
    with torch.no_grad():
        compiled.prepare(*inputs)
    executable = compiled.executable
    assert isinstance(executable, TenstorrentExecutable)
    return executable.tuned
