"""Norms and products of rows leave garbage below a matrix where every reader clears its own result."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

import tilesmith
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.compiled_model import CompiledModel
from tilesmith.models.planning.steps import Launch


class Block(nn.Module):
    """A layer of a transformer without its attention: of 37 rows, five lie in the second tile."""

    def __init__(self, sums: bool) -> None:
        super().__init__()
        self.sums = sums
        self.norm, self.wide, self.narrow = nn.LayerNorm(64), nn.Linear(64, 96), nn.Linear(96, 64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + self.narrow(nn.functional.gelu(self.wide(self.norm(x))))
        result: torch.Tensor = y.sum(1) if self.sums else y.transpose(1, 2) @ y
        return result


def masks(compiled: CompiledModel) -> dict[str, bool]:
    executable = compiled.executable
    assert isinstance(executable, TenstorrentExecutable)
    launches = [step for step in executable.plan.steps if isinstance(step, Launch)]
    epilogues: dict[str, Any] = {" + ".join(step.ops): step.template for step in launches}
    return {ops: template.epilogue.mask_rows for ops, template in epilogues.items()}


def test_only_what_sums_along_columns_needs_zeros_below_a_matrix() -> None:
    torch.manual_seed(0)
    model, x = Block(sums=False).eval(), torch.randn(2, 37, 64) + 3
    model.norm.bias.data += 2  # garbage that a sum of columns would see
    compiled = tilesmith.compile(model, backend="tenstorrent")
    result = compiled(x)
    torch.testing.assert_close(result, model(x), rtol=2e-2, atol=2e-2 * result.abs().max().item())
    found = masks(compiled)
    assert not found["layer_norm"]
    assert not found["linear + gelu"]
    assert found["linear + add"]


def test_sums_of_columns_see_no_garbage() -> None:
    torch.manual_seed(1)
    model, x = Block(sums=True).eval(), torch.randn(2, 37, 64)
    model.norm.bias.data += 2
    result = tilesmith.compile(model, backend="tenstorrent")(x)
    torch.testing.assert_close(result, model(x), rtol=2e-2, atol=2e-2 * result.abs().max().item())
