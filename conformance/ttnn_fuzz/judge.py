"""Is a result what torch says? Elements that are rounded once must be exactly so."""

from __future__ import annotations

from typing import Any

import torch

from conformance.op_matrix.tolerances import tolerance
from conformance.ttnn_fuzz.draw import LIMITS, plain
from conformance.ttnn_fuzz.step import Step
from tilesmith import ttnn
from tilesmith.testing.compare import compare

_TINY = 2.0**-126  # smaller ones count as zero on the chip


def problem(step: Step, got: Any) -> str:
    """Empty when the result is right; else what is wrong with it."""
    wanted = step.wanted()
    if isinstance(wanted, torch.Tensor):
        return _one(step, got, wanted)
    if len(got) != len(wanted):
        return f"{len(got)} results, expected {len(wanted)}"
    problems = (_one(step, mine, theirs) for mine, theirs in zip(got, wanted, strict=True))
    return next(filter(None, problems), "")


def _one(step: Step, got: ttnn.Tensor, wanted: torch.Tensor) -> str:
    if tuple(got.shape) != tuple(wanted.shape):
        return f"shape {list(got.shape)}, expected {list(wanted.shape)}"
    mine = plain(got)
    if got.dtype.is_integer:
        return _different(mine, _wrapped(wanted, got.dtype.name.lower()))
    if step.exact and not got.dtype.is_block_float:
        return _different(mine, _rounded(wanted, got.dtype))
    if step.moves and not got.dtype.is_block_float:
        return _different(mine, wanted.double())
    comparison = compare(
        mine.numpy(), wanted.double().numpy(), tolerance(step.operation, got.dtype, step.inputs)
    )
    return "" if comparison.ok else str(comparison)


def _wrapped(wanted: torch.Tensor, dtype: str) -> torch.Tensor:
    """An integer as its type keeps it."""
    least, most = LIMITS[dtype]
    return (wanted.to(torch.int64) - least) % (most - least + 1) + least


def _rounded(wanted: torch.Tensor, dtype: Any) -> torch.Tensor:
    once = wanted.float()
    once = torch.where(once.abs() < _TINY, torch.zeros_like(once), once)
    return (once.bfloat16() if dtype == ttnn.bfloat16 else once).double()


def _different(got: torch.Tensor, wanted: torch.Tensor) -> str:
    same = (got == wanted) | (got.isnan() & wanted.isnan())
    if bool(same.all()):
        return ""
    worst = tuple(int(index) for index in (~same).nonzero()[0])
    count = int((~same).sum())
    return f"{count} of {same.numel()} elements differ; at {worst} {got[worst]}, expected {wanted[worst]}"
