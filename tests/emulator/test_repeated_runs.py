"""Nothing of a run is left for the next of the same program: not in its cycles either."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

import tilelang.language as T  # noqa: N812
import torch
from conformance.thread_counts import Runs

import tilesmith
from tilesmith.runtime.observers import observing


@T.prim_func
def counted(
    x: T.Tensor((32, 32), "float32"), count: T.Tensor((1,), "int32"), y: T.Tensor((32, 32), "float32")
):
    with T.Kernel(1, threads=128):
        block = T.alloc_shared((32, 32), "float32")
        T.copy(x, block)
        done = T.alloc_var("int32")
        done = 0
        while done < count[0]:
            for i, j in T.Parallel(32, 32):
                block[i, j] = block[i, j] + 1.0
            done = done + 1
        T.copy(block, y)


def test_counts_that_go_through_mailboxes() -> None:
    """The number of turns goes from one compute role to the others."""
    compiled = tilesmith.compile(counted, target="wormhole")
    given = torch.zeros(32, 32), torch.tensor([2], dtype=torch.int32), torch.zeros(32, 32)
    runs = Runs()
    with observing(runs):
        for _ in range(3):
            compiled(*given)
    assert bool((given[2] == 2).all())
    assert len(runs.seen) == 3
    assert len(set(runs.seen)) == 1
