"""A model as one of several chips has it in tensor parallel: a part of each weight, and the collectives.

What is split is what transformers' own plan of the model says: the heads and the gated unit, whose second
products are summed over the chips, and the vocabulary of the last product, whose parts are gathered.
"""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

import torch
from torch import Tensor, nn

from tilesmith.errors import BadCallError

GROUP = "chips"
"""The name of the group in the graphs' collectives. Nothing communicates when a model is timed."""
_DIVIDED = ("num_attention_heads", "num_key_value_heads", "intermediate_size")
_STYLES = {"colwise", "rowwise"}


class Reduced(nn.Module):
    """A product whose rows are split: the sum over all chips."""

    def __init__(self, product: nn.Linear) -> None:
        super().__init__()
        self.product = product

    def forward(self, value: Tensor) -> Tensor:
        functional = torch.ops._c10d_functional
        total: Tensor = functional.wait_tensor(functional.all_reduce(self.product(value), "sum", GROUP))
        return total


class Gathered(nn.Module):
    """A product whose columns are split: those of all chips, side by side."""

    def __init__(self, product: nn.Linear, chips: int) -> None:
        super().__init__()
        self.chips = chips
        features = -(-product.out_features // chips)
        self.product = nn.Linear(product.in_features, features, product.bias is not None, device="meta")

    def forward(self, value: Tensor) -> Tensor:
        functional, mine = torch.ops._c10d_functional, self.product(value)
        every: Tensor = functional.wait_tensor(functional.all_gather_into_tensor(mine, self.chips, GROUP))
        # The mesh's all-gather puts the parts where they belong; only the shape matters here.
        return every.reshape(*mine.shape[:-1], -1)


def part_of(config: Any, chips: int) -> Any:
    """The configuration of one chip's part."""
    fields = config.to_dict()
    fields["head_dim"] = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    for name in _DIVIDED:
        size = getattr(config, name, None)
        if size is None:
            raise _refused(config, chips, f"its configuration has no {name}")
        if size % chips:
            raise _refused(config, chips, f"{name} is {size}")
        fields[name] = size // chips
    fields["tie_word_embeddings"] = False
    return type(config).from_dict(fields)


def with_collectives(model: Any, config: Any, chips: int) -> Any:
    """A model of a part's configuration with the collectives that its plan asks for."""
    plan = dict(getattr(config, "base_model_tp_plan", None) or {})
    if not plan or not set(plan.values()) <= _STYLES:
        raise _refused(config, chips, "transformers has no plan for it of products split by rows and columns")
    inner = model.base_model
    for name, module in [*inner.named_modules()]:
        if any(style == "rowwise" and fnmatch(name, pattern) for pattern, style in plan.items()):
            parent, _, child = name.rpartition(".")
            setattr(inner.get_submodule(parent), child, Reduced(module))
    model.set_output_embeddings(Gathered(model.get_output_embeddings(), chips))
    return model


def _refused(config: Any, chips: int, why: str) -> BadCallError:
    return BadCallError(
        f"{config.model_type} cannot be split over {chips} chips: {why}",
        where="estimate",
        remedy="choose a number of chips that divides its heads and its inner size, with --chips",
    )
