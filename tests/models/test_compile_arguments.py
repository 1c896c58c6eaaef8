"""What `tilesmith.compile` says of arguments that belong elsewhere."""

from __future__ import annotations

import pytest
import torch

import tilesmith
from tilesmith.errors import BadCallError


def test_inputs_in_the_place_of_the_target_are_told() -> None:
    with pytest.raises(BadCallError, match=r"(?s)the target is Tensor.*compile\(model\)\(\*inputs\)"):
        tilesmith.compile(torch.nn.Linear(4, 4), torch.zeros(1, 4))  # type: ignore[call-overload]
