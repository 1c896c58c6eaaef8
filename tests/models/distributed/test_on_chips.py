"""Sums in compiled graphs: where operand and result lie alike on the chips, neither goes through the host."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch.distributed import _functional_collectives as functional

from tilesmith import collectives
from tilesmith.models.backends import tenstorrent
from tilesmith.models.distributed import spawn
from tilesmith.runtime import MeshTensor

_all_reduce = collectives.all_reduce


def _summed(rank: int, rows: int) -> torch.Tensor:
    dist.init_process_group("gloo")
    torch.manual_seed(rank)
    weights = [torch.randn(64, 96) for _ in range(2)]
    world = dist.group.WORLD
    assert world is not None

    def model(x: torch.Tensor) -> torch.Tensor:
        beside = torch.relu(x @ weights[0])  # lives while the chips sum
        total: torch.Tensor = functional.all_reduce(torch.relu(x @ weights[1]), "sum", world)
        return beside * 3 + total

    with torch.no_grad():
        found: torch.Tensor = torch.compile(model, backend="tilesmith")(torch.randn(rows, 64))
    return found


@pytest.mark.parametrize("rows", [64, 40])
def test_what_chips_sum_stays_there(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bits are those of the way through the host, which tiles that are not full still take."""
    in_place = []

    def watched(*args: Any, **options: Any) -> MeshTensor:
        in_place.append(options.get("into") is not None)
        return _all_reduce(*args, **options)

    monkeypatch.setattr(collectives, "all_reduce", watched)
    on_chips = spawn(_summed, args=(rows,), nprocs=2)
    monkeypatch.setattr(tenstorrent, "mesh_sums", lambda *_: {})
    through_host = spawn(_summed, args=(rows,), nprocs=2)
    assert in_place == [rows % 32 == 0, False]
    assert all(map(torch.equal, on_chips, through_host))
