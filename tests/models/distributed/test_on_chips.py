"""Collectives in compiled graphs: where operand and result are whole tiles, neither goes through the host."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import Tensor
from torch._dynamo import config
from torch.distributed import _functional_collectives as functional

from tilesmith import collectives
from tilesmith.models.distributed import spawn

RANKS = 2
WIDTH = 64
OPERATIONS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")

Shape = tuple[int, ...]


def summed(x: Tensor, world: Any) -> Tensor:
    total: Tensor = functional.all_reduce(x, "sum", world)
    return total


def gathered(dim: int) -> Callable[[Tensor, Any], Tensor]:
    return lambda x, world: functional.all_gather_tensor(x, dim, world)


def scattered(dim: int) -> Callable[[Tensor, Any], Tensor]:
    return lambda x, world: functional.reduce_scatter_tensor(x, "sum", dim, world)


def exchanged(x: Tensor, world: Any) -> Tensor:
    sizes = [x.shape[0] // RANKS] * RANKS
    return functional.all_to_all_single(x, sizes, sizes, world)


WANTED: dict[str, Callable[[Sequence[Tensor], int, int], Tensor]] = {
    "all_reduce": lambda parts, _rank, _dim: sum(parts[1:], parts[0]),
    "all_gather": lambda parts, _rank, dim: torch.cat(list(parts), dim),
    "reduce_scatter": lambda parts, rank, dim: sum(parts[1:], parts[0]).chunk(RANKS, dim)[rank],
    "all_to_all": lambda parts, rank, _dim: torch.cat([part.chunk(RANKS)[rank] for part in parts]),
}
COLLECTIVES: dict[str, Callable[[int], Callable[[Tensor, Any], Tensor]]] = {
    "all_reduce": lambda _: summed,
    "all_gather": gathered,
    "reduce_scatter": scattered,
    "all_to_all": lambda _: exchanged,
}
# Shape of an operand, dimension, and whether chips move it by themselves: parts must be whole tiles, one
# below the other or side by side. A batch of one is what a sequence that is split along its length has.
CASES: list[tuple[str, Shape, int, bool]] = [
    ("all_reduce", (2, 64, WIDTH), 0, True),
    ("all_reduce", (2, 40, WIDTH), 0, False),
    ("all_gather", (2, 64, WIDTH), 0, True),
    ("all_gather", (2, 40, WIDTH), 0, False),
    ("all_gather", (1, 64, WIDTH), 1, True),
    ("all_gather", (2, 64, WIDTH), 1, False),
    ("all_gather", (2, 64, WIDTH), 2, True),
    ("reduce_scatter", (2, 64, WIDTH), 0, True),
    ("reduce_scatter", (1, 128, WIDTH), 1, True),
    ("reduce_scatter", (2, 40, WIDTH), 0, False),
    ("all_to_all", (4, 32, WIDTH), 0, True),
    ("all_to_all", (2, 40, WIDTH), 0, False),
]


def _rounded(x: Tensor) -> Tensor:
    return x.bfloat16().float()


def _brought(shape: Shape) -> list[Tensor]:
    """What the ranks bring: few bits, so that kernels round nothing before the collective."""
    generator = torch.Generator().manual_seed(0)
    return [_rounded(torch.randn(shape, generator=generator)) for _ in range(RANKS)]


def _check(rank: int, operation: str, shape: Shape, dim: int, host: int = -1) -> None:
    """One collective in a graph. The rank `host` brings a tensor that no kernel has made."""
    gc.collect()  # models before it leave all chips now: tensors lie alike only where all ranks free alike
    world, mine = dist.group.WORLD, _brought(shape)[rank]
    assert world is not None
    collective, twice = COLLECTIVES[operation](dim), 2 * torch.eye(WIDTH)

    def model(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        beside = torch.relu(x)  # lives while the chips are at it
        operand = y if rank == host else x @ twice
        return beside * 4, collective(operand, world) * 4

    with torch.no_grad():
        compiled = torch.compile(model, backend="tilesmith", dynamic=False)
        beside, found = compiled(mine, mine * 2)
    wanted = WANTED[operation]([part * 2 for part in _brought(shape)], rank, dim)
    assert torch.equal(_rounded(found), _rounded(wanted) * 4), (operation, shape, dim)
    assert torch.equal(beside, torch.relu(mine) * 4)


def _check_all(rank: int) -> None:
    dist.init_process_group("gloo")
    for operation, shape, dim, _ in CASES:
        _check(rank, operation, shape, dim)


def _check_mixed(rank: int) -> None:
    dist.init_process_group("gloo")
    for operation in OPERATIONS:
        for host in range(RANKS):
            _check(rank, operation, (2, 64, WIDTH), 0, host)


def _watch(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """What runs on the mesh from now on, and whether its result goes to a tensor that is there."""
    seen: list[tuple[str, bool]] = []

    def watched(name: str) -> Callable[..., Any]:
        true = getattr(collectives, name)

        def call(*args: Any, **options: Any) -> Any:
            seen.append((name, options.get("into") is not None))
            return true(*args, **options)

        return call

    for name in OPERATIONS:
        monkeypatch.setattr(collectives, name, watched(name))
    return seen


@pytest.mark.filterwarnings("ignore:.*is deprecated:FutureWarning")
def test_what_chips_move_stays_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not whole tiles still goes through the host, to the same bits."""
    seen = _watch(monkeypatch)
    with config.patch(recompile_limit=len(CASES)):  # of one function
        spawn(_check_all, nprocs=RANKS)
    assert seen == [(operation, stays) for operation, _, _, stays in CASES]


@pytest.mark.filterwarnings("ignore:.*is deprecated:FutureWarning")
def test_a_rank_may_bring_a_tensor_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it comes first or last; the other's operand goes through the host then."""
    seen = _watch(monkeypatch)
    with config.patch(recompile_limit=RANKS * len(OPERATIONS)):
        spawn(_check_mixed, nprocs=RANKS)
    assert seen == [(operation, False) for operation in OPERATIONS for _ in range(RANKS)]
