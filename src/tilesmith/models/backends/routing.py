"""Numbers of experts for kernels that are timed without numbers: what they read depends on them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tilesmith.kernels.grouped_linear import GroupedLinear
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import TILE, Storage
from tilesmith.runtime import Tensor


def route_evenly(step: Launch, tensor: Callable[[Storage], Tensor]) -> None:
    """Give the rows of a launch to all experts in turn: no routing asks for more of them.

    Rows of more than a tile come expert by expert, as models are planned.
    """
    if not isinstance(step.template, GroupedLinear):
        return
    held, rows = step.storages["ids"], step.numbers["m"]
    numbers = np.arange(held.rows * held.cols) % step.template.groups
    if rows > TILE:
        numbers[:rows].sort()
    tensor(held).copy_from_numpy(numbers.astype(np.float32).reshape(held.rows, held.cols))
