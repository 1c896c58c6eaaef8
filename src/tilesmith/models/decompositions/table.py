"""Every decomposition: `python -m tilesmith.models.decompositions.table` prints them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torch.fx import Node

from tilesmith.models.decompositions import (
    average_pool,
    backward,
    batch_norm_training,
    concat,
    convolution,
    convolution_backward,
    gather_scatter,
    grid_sample,
    group_norm_training,
    interpolate,
    max_pool_backward,
    mixture_of_experts,
    outer_products,
    recurrent,
    reductions,
    scaled_products,
    sort,
    training,
)
from tilesmith.models.decompositions.registry import REGISTRY, Decomposition

MODULES = (
    *(average_pool, backward, batch_norm_training, concat, convolution, convolution_backward),
    *(gather_scatter, grid_sample, group_norm_training, interpolate, max_pool_backward, mixture_of_experts),
    *(outer_products, recurrent, reductions, scaled_products, sort, training),
)
"""Importing one registers its decompositions."""


def find(node: Node) -> Decomposition | None:
    """The decomposition of a call, if it has one."""
    return REGISTRY.find(node)


def of_autograd() -> dict[Any, Callable[..., Any]]:
    """Those that AOTAutograd applies while it derives the backward graph."""
    return REGISTRY.of_autograd()


def rows() -> Iterator[tuple[str, str, str]]:
    """Of each its operator, which calls it is for, and what it is made of."""
    for entry in sorted(REGISTRY, key=lambda one: one.name):
        when = "in training" if entry.stage == "autograd" else _first_line(entry.when)
        yield entry.name, when, _first_line(entry.function).rstrip(".")


def _first_line(function: Callable[..., Any]) -> str:
    return (function.__doc__ or "").strip().split("\n")[0]


if __name__ == "__main__":
    for row in rows():
        print("  ".join(f"{cell:{width}}" for cell, width in zip(row, (55, 60, 0), strict=True)))
