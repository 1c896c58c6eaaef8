"""PyTorch's own parallel API over processes that torchrun starts, each with a chip of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("parallel_script.py")


@pytest.mark.slow
def test_two_processes_share_a_model_until_one_is_gone() -> None:
    """A shared model equals one chip, collectives equal torch's, and a dead peer is a sentence."""
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
        str(SCRIPT),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    for part in ("tensor_parallel", "collectives"):
        for rank in (0, 1):
            assert f"{part} is right on {rank}" in ended.stdout, ended.stderr
    assert ended.returncode != 0
    assert "CollectiveError: the collective _c10d_functional.all_reduce.default did not end" in ended.stderr
    assert "each must run the same collectives" in ended.stderr
