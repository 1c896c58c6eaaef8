"""What kind of numbers a node gives."""

from __future__ import annotations

import torch
from torch.fx import Node

HALF = "rounded to half"
"""In the meta of a node: its value is float16, stored as float32 and rounded as torch rounds it."""


def is_real(node: Node) -> bool:
    """Whether a node gives a tensor of real numbers.

    >>> node = torch.fx.Graph().placeholder("x")
    >>> node.meta["val"] = torch.zeros(2)
    >>> is_real(node), is_complex(node)
    (True, False)
    """
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.dtype.is_floating_point


def is_complex(node: Node) -> bool:
    """Whether a node gives a tensor of complex numbers."""
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.is_complex()


IN_ROWS = "stored in rows"
"""The mark of a value of few rows that is copied anyhow: it is stored without the padding of tiles."""
