"""torch.distributed in one process: its collectives are programs of a mesh, and give what torch's would."""

from __future__ import annotations

import os

import pytest
import torch
import torch.distributed as dist
from torch._dynamo import config

from tilesmith import settings
from tilesmith.errors import CollectiveError
from tilesmith.models.distributed import spawn
from tilesmith.models.distributed.reduction import reduced

DTYPES = (
    *(torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int32, torch.int64, torch.int16),
    *(torch.int8, torch.uint8, torch.bool, torch.complex64),
)


def _everything(rank: int) -> float:
    dist.init_process_group("gloo")
    size = dist.get_world_size()
    assert (rank, size) == (dist.get_rank(), 3)
    assert (os.environ["RANK"], os.getenv("LOCAL_RANK"), os.environ["WORLD_SIZE"]) == (
        str(rank),
        str(rank),
        "3",
    )
    torch.manual_seed(rank)
    for dtype in DTYPES:
        x = (torch.randn(37, 5) * 10).to(dtype)
        parts = [torch.empty_like(x) for _ in range(size)]
        dist.all_gather(parts, x)
        assert torch.equal(parts[rank], x)
        total = x.clone()
        dist.all_reduce(total)
        assert torch.equal(total, reduced(parts, dist.ReduceOp.SUM)), dtype
        from_one = x.clone()
        dist.broadcast(from_one, src=1)
        assert torch.equal(from_one, parts[1])
    _uneven(rank, size)
    _among_some(rank)
    dist.barrier()
    return float(torch.rand(1))


def _uneven(rank: int, size: int) -> None:
    sizes = [[sender + receiver for receiver in range(size)] for sender in range(size)]
    mine = torch.cat([torch.full((count,), 10.0 * rank + to) for to, count in enumerate(sizes[rank])])
    got = [row[rank] for row in sizes]
    found = torch.empty(sum(got))
    dist.all_to_all_single(found, mine, got, sizes[rank])
    wanted = torch.cat([torch.full((count,), 10.0 * sender + rank) for sender, count in enumerate(got)])
    assert torch.equal(found, wanted)
    part = torch.empty(2)
    dist.reduce_scatter_tensor(part, torch.arange(6.0) * (rank + 1))
    assert torch.equal(part, torch.arange(6.0).reshape(3, 2)[rank] * 6)
    most = torch.tensor([rank, -rank])
    dist.all_reduce(most, dist.ReduceOp.MAX)
    assert most.tolist() == [size - 1, 0]


def _among_some(rank: int) -> None:
    pair = dist.new_group([1, 2])
    ends = dist.new_group([0, 2])  # not neighbours: through the host
    if rank:
        x = torch.ones(4)
        dist.all_reduce(x, group=pair)
        assert x.tolist() == [2.0] * 4
    if rank != 1:
        x = torch.full((4,), float(rank))
        dist.all_reduce(x, group=ends)
        assert x.tolist() == [2.0] * 4
    if rank == 0:
        dist.send(torch.arange(3.0), 2)
    if rank == 2:
        x = torch.zeros(3)
        dist.recv(x, 0)
        assert x.tolist() == [0.0, 1.0, 2.0]
    found: list[object] = [None] * 3
    dist.all_gather_object(found, {"rank": rank})
    assert found == [{"rank": one} for one in range(3)]


@pytest.mark.filterwarnings("ignore:the chips of ranks:tilesmith.errors.TilesmithWarning")
def test_every_collective_and_dtype() -> None:
    before = torch.get_rng_state()
    random = spawn(_everything, nprocs=3)
    # Each rank has random numbers of its own, as a process would.
    alone = []
    for rank in range(3):
        torch.manual_seed(rank)
        for _ in DTYPES:
            torch.randn(37, 5)
        alone.append(float(torch.rand(1)))
    assert random == alone
    torch.set_rng_state(before)
    assert not dist.is_initialized()


def _left_alone(rank: int) -> None:
    dist.init_process_group()
    if rank == 0:
        dist.all_reduce(torch.ones(2))


def _other_collective(rank: int) -> None:
    dist.init_process_group()
    dist.all_reduce(torch.ones(2 + rank))


def _failing(rank: int) -> None:
    dist.init_process_group()
    if rank == 1:
        raise ValueError("a mistake of rank 1")
    dist.barrier()


def _wrong_world(_: int) -> None:
    dist.init_process_group("gloo", world_size=4)


def test_ranks_that_cannot_meet_are_told_at_once() -> None:
    with pytest.raises(CollectiveError, match=r"rank 0 waits in all_reduce .*rank 1 has ended"):
        spawn(_left_alone)
    with pytest.raises(CollectiveError, match=r"rank . runs all_reduce .* while others .* run all_reduce"):
        spawn(_other_collective)
    with pytest.raises(ValueError, match="a mistake of rank 1"):
        spawn(_failing)
    with pytest.raises(CollectiveError, match="told of 4 ranks, and there are 2"):
        spawn(_wrong_world)


def _settings(_: int) -> tuple[int, str]:
    return config.recompile_limit, settings.current().numbers


def test_settings_of_the_caller_are_the_ranks() -> None:
    """Code that all ranks share is compiled once for each: torch's limit is for one."""
    with config.patch(recompile_limit=5), settings.using(numbers="fast"):
        assert spawn(_settings, nprocs=3) == [(15, "fast")] * 3
