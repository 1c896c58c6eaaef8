"""What of a model runs eagerly where dynamo breaks the graph.

Dynamo breaks the graph of the function that it compiles, at the call that led to what it cannot follow. The
called function is compiled by itself, unless its file is one that dynamo compiles nothing of, as are all of
torch's: then it runs eagerly, with every layer of torch in it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from traceback import FrameSummary
from types import FunctionType

import torch
from torch._dynamo import trace_rules
from torch._dynamo.output_graph import GraphCompileReason

_TORCH = Path(torch.__file__).parent
_LAYERS = (_TORCH / "nn", _TORCH / "ao", _TORCH / "distributions")
WRAPPERS = str(_TORCH / "_dynamo" / "external_utils.py")
"""What dynamo puts around modules of torch, to have a frame that it compiles."""
_CALLS = _TORCH / "nn" / "modules" / "module.py"
"""How any module is called, which computes nothing."""


def left_out(breaks: Sequence[GraphCompileReason]) -> str | None:
    """What the first of some graph breaks leaves to eager execution that is more than reading a value."""
    return next((found for one in breaks if (found := _left_out_by(one)) is not None), None)


def _left_out_by(broken: GraphCompileReason) -> str | None:
    """What one graph break leaves out: a layer or a container of torch, a function, an operator."""
    if not broken.user_stack:
        return None
    why, last = broken.reason.splitlines()[0].rstrip("."), broken.user_stack[-1]
    for caller, called in pairwise([None, *broken.user_stack]):
        if called is not None and _is_layer(called):
            by = "" if caller is None or caller.filename == WRAPPERS else f", which {_place(caller)} calls"
            inside = "" if called is last else " and layers of torch in it"
            at = _place(last) if called is not last else f"{last.filename}:{last.lineno}"
            return f"{_qualified(called)}{inside}{by}: {why}, at {at}"
    function = re.search(r"function `(\w+)` in file `([^`]+)`", broken.reason)
    if function is not None and _is_in_layers(Path(function[2])):
        return f"{function[1]}, which {_place(last)} calls, and layers that take what it gives"
    operator = re.search(r"Operator `([^`]+)`'s output shape depends", broken.reason)
    return None if operator is None else f"{operator[1]} in {_place(last)}: values decide the result's size"


def _is_layer(frame: FrameSummary) -> bool:
    """Whether a frame computes, and is of a file that dynamo compiles nothing of."""
    file = Path(frame.filename)
    if frame.name == "__init__" or file == _CALLS or not trace_rules.check_file(frame.filename).skipped:
        return False
    return _is_in_layers(file) or ("site-packages" in file.parts and _TORCH not in file.parents)


def _is_in_layers(file: Path) -> bool:
    return any(folder in file.parents for folder in _LAYERS)


def _place(frame: FrameSummary) -> str:
    return f"{as_written(_qualified(frame))} ({frame.filename}:{frame.lineno})"


def as_written(name: str) -> str:
    """What a function is called of which dynamo compiles a part.

    >>> as_written("Model.torch_dynamo_resume_in_forward_at_12")
    'Model.forward'
    """
    return re.sub(r"torch_dynamo_resume_in_(\w+)_at_\d+", r"\1", name)


def _qualified(frame: FrameSummary) -> str:
    """A function with its class, as the loaded module that has the file has it."""
    files = ((getattr(one, "__file__", None), one) for one in list(sys.modules.values()))
    module = next((one for file, one in files if file == frame.filename), None)
    for owner in vars(module).values() if module is not None else ():
        method = vars(owner).get(frame.name) if isinstance(owner, type) else None
        if isinstance(method, FunctionType) and _has_line(method, frame):
            return method.__qualname__
    return frame.name


def _has_line(method: FunctionType, frame: FrameSummary) -> bool:
    code = method.__code__
    lines = [line for *_, line in code.co_lines() if line is not None]
    return code.co_filename == frame.filename and frame.lineno in lines
