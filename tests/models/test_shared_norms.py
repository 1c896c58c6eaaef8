"""Norms in chunks of rows: on one core, or on several that each find the statistics of the whole row."""

from __future__ import annotations

import pytest
import torch

import tilesmith
from tilesmith.kernels.rowwise import RowWise
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.planning.steps import Launch


class Norm(torch.nn.Module):
    def __init__(self, kind: str, columns: int) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(columns) if kind == "layer" else torch.nn.RMSNorm(columns, 1e-5)
        for parameter in self.norm.parameters():
            torch.nn.init.normal_(parameter, 1.0, 0.5)

    def forward(self, x: torch.Tensor, y: torch.Tensor | None = None) -> torch.Tensor:
        return self.norm(x if y is None else x + y)  # type: ignore[no-any-return]


def _template(model: tilesmith.CompiledModel) -> RowWise:
    executable = model.executable
    assert isinstance(executable, TenstorrentExecutable)
    (step,) = (one for one in executable.plan.steps if isinstance(one, Launch))
    assert isinstance(step.template, RowWise)
    return step.template


@pytest.mark.parametrize("kind", ["layer", "rms"])
@pytest.mark.parametrize(
    ("rows", "columns", "shares"),
    [(20, 352, 6), (96, 352, 6), (704, 256, 1), (40, 2304, 8)],
    ids=["chunks beyond the end", "rows of cores", "whole rows", "parts of rows"],
)
def test_norms_are_those_of_torch(rows: int, columns: int, shares: int, kind: str) -> None:
    torch.manual_seed(0)
    model = Norm(kind, columns).eval().bfloat16()
    x = (100 + torch.randn(rows, columns)).bfloat16()
    compiled = tilesmith.compile(model, backend="tenstorrent", checks="on", numbers="chip")
    with torch.no_grad():
        made, wanted = compiled(x).float(), model.float()(x.float())
    assert torch.norm(made - wanted) <= 0.004 * torch.norm(wanted)
    assert _template(compiled).shares == shares


def test_a_sum_is_normalised_in_chunks() -> None:
    torch.manual_seed(0)
    model = Norm("layer", 352).eval().bfloat16()
    x, y = torch.randn(2, 20, 352).bfloat16()
    compiled = tilesmith.compile(model, backend="tenstorrent", checks="on", numbers="chip")
    with torch.no_grad():
        made, wanted = compiled(x, y).float(), model.float()(x.float(), y.float())
    assert torch.norm(made - wanted) <= 0.004 * torch.norm(wanted)


def test_long_rows_of_a_decode_step_are_shared() -> None:
    compiled = tilesmith.compile(Norm("rms", 4096).eval().bfloat16(), backend="tenstorrent", numbers="fast")
    compiled.prepare(torch.randn(32, 4096).bfloat16())
    assert _template(compiled).share == 1
