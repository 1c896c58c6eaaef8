"""One call that is about to be made, and what torch makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

Wanted = torch.Tensor | Sequence[torch.Tensor]


@dataclass(frozen=True)
class Step:
    """`text` is the call as a user writes it; `exact`: the result is torch's, rounded once to its type.

    `moves`: values only change their places, so that any value may be there and none may change.
    """

    operation: str
    text: str
    call: Callable[[], Any]
    wanted: Callable[[], Wanted]
    inputs: tuple[str, ...]
    exact: bool = False
    moves: bool = False
