"""Running many cases in several processes."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from conformance.op_matrix.case import Case
from conformance.op_matrix.run import Outcome, run_case
from tilesmith import ttnn

SHARE = 60  # cases a worker takes at a time; each share opens a device


def _run_share(cases: list[Case]) -> list[Outcome]:
    with ttnn.manage_device(device_id=0) as device:
        return [run_case(case, device) for case in cases]


def run(cases: list[Case], workers: int) -> list[Outcome]:
    """All outcomes. Shares are runs of neighbours, which use the same kernels."""
    shares = [cases[first : first + SHARE] for first in range(0, len(cases), SHARE)]
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return [outcome for share in pool.map(_run_share, shares) for outcome in share]
