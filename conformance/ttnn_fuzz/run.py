"""One random program: a tensor, and up to four calls, each on the result of the one before."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from random import Random
from typing import Any

from conformance.ttnn_fuzz import attention, elementwise, images, movement, rows, statistics
from conformance.ttnn_fuzz.draw import Draw
from conformance.ttnn_fuzz.judge import problem
from conformance.ttnn_fuzz.step import Step
from tilesmith import ttnn
from tilesmith.errors import FormatError, OperationError, OutOfDeviceMemoryError, TilesmithError

Family = Callable[[Draw, ttnn.Tensor], Step | None]
FAMILIES: tuple[tuple[Family, int], ...] = (
    (elementwise.unary, 8),
    (elementwise.binary, 12),
    (elementwise.divide, 1),
    (elementwise.where, 2),
    (elementwise.close, 1),
    (elementwise.cast, 3),
    (movement.permute, 3),
    (movement.transpose, 2),
    (movement.reshape, 4),
    (movement.slice_, 4),
    (movement.getitem, 3),
    (movement.pad, 3),
    (movement.repeat, 2),
    (movement.repeat_interleave, 1),
    (movement.roll, 1),
    (movement.expand, 1),
    (movement.unsqueeze, 1),
    (movement.concat, 4),
    (movement.stack, 1),
    (movement.split, 2),
    (movement.triangle, 1),
    (movement.layout, 3),
    (movement.memory, 4),
    (movement.clone, 1),
    (movement.through_host, 1),
    (rows.reduction, 7),
    (rows.running_sum, 1),
    (rows.softmax, 3),
    (rows.norm, 3),
    (rows.product, 5),
    (rows.order, 2),
    (rows.table, 2),
    (rows.pick, 1),
    (statistics.spread, 1),
    (statistics.product_of_all, 1),
    (statistics.place_of_largest, 2),
    (statistics.put, 1),
    (statistics.bounds, 2),
    (statistics.in_place, 2),
    (statistics.three, 2),
    (images.convolution, 1),
    (images.pool, 1),
    (attention.prefill, 1),
    (attention.new_position, 1),
    (attention.cache, 1),
)
_MOST_ELEMENTS = 40_000


def run_program(seed: int, number: int, device: ttnn.MeshDevice) -> dict[str, Any]:
    """What became of it: `kind` is right, refused, or what is wrong; `text` and `code` say where."""
    draw = Draw(Random(f"{seed}:{number}"), device)
    calls: list[str] = []
    try:
        kind, text = _run(draw, calls)
    except Exception as error:  # whatever a call of a user may meet is what is looked for
        kind, text = _kind(error), _told(error)
    return {"number": number, "kind": kind, "text": text, "calls": calls, "code": draw.code}


def _run(draw: Draw, calls: list[str]) -> tuple[str, str]:
    x = draw.tensor(draw.shape(), draw.dtype(), wild=draw.chance(0.2))
    for _ in range(draw.rng.randint(1, 4)):
        step = _next(draw, x)
        calls.append(step.text)
        got = step.call()
        wrong = problem(step, got)
        if wrong:
            return "wrong", f"{step.text}: {wrong}"
        x = got[0] if isinstance(got, (list, tuple)) else got
        if x.volume() > _MOST_ELEMENTS or not len(x.shape):
            break
    return "right", ""


def _next(draw: Draw, x: ttnn.Tensor) -> Step:
    families, weights = zip(*FAMILIES, strict=True)
    while True:
        family: Family = draw.rng.choices(families, weights)[0]
        step = family(draw, x)
        if step is not None:
            return step


def _kind(error: Exception) -> str:
    if isinstance(error, (OperationError, FormatError, OutOfDeviceMemoryError)):
        return "refused"
    return type(error).__name__ if isinstance(error, TilesmithError) else "crash"


def _told(error: Exception) -> str:
    if isinstance(error, TilesmithError):
        return f"{type(error).__name__}: {str(error)[:600]}"
    return "".join(traceback.format_exception(error))[-1500:]


def pattern(text: str) -> str:
    """A refusal without the numbers in it, to count alike ones together."""
    return re.sub(r"\d+", "#", text.partition("\n")[0])[:160]
