"""What PyTorch says when it cannot capture a model, in a sentence, with the line of the model."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

import torch
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from tilesmith.errors import CaptureError

_LIBRARIES = (Path(torch.__file__).parent, Path(__file__).parent.parent, Path(sys.base_prefix))


def refusal(error: Exception) -> CaptureError:
    """The error a user sees for one that came out of torch.export."""
    where = _line_of_model(error)
    if isinstance(error, GuardOnDataDependentSymNode) or "data-dependent" in str(error):
        return CaptureError(
            "the model decides by the values of its tensors what to compute next",
            where=where,
            remedy="use torch.where or torch.cond, or compile the parts on either side of the decision",
        )
    if "torch.classes.quantized" in str(error) or "torch.classes.rnn" in str(error):
        return CaptureError(
            "the model has modules of torch.ao whose packed int8 weights torch.export cannot read",
            where=where,
            remedy="of torch.ao's quantised modules Linear and Conv2d are read (docs/quantization.md); "
            "leave the others as they are",
        )
    first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return CaptureError(
        f"PyTorch cannot capture the model: {type(error).__name__}: {first}",
        where=where,
        remedy="the model must run on these inputs by itself, and torch.export must be able to follow it",
    )


def _line_of_model(error: Exception) -> str:
    """The innermost line that belongs neither to PyTorch nor to tilesmith."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not _is_library(frame.filename)]
    return f"{own[-1].filename}:{own[-1].lineno}" if own else ""


def _is_library(filename: str) -> bool:
    path = Path(filename)
    return filename.startswith("<") or any(folder in path.parents for folder in _LIBRARIES)
