"""Processes of torchrun that are gone, killed, asleep or too few: a sentence in time, nobody left running."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = str(Path(__file__).with_name("dead_peer.py"))
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
SECONDS = 10


def _ended(start: list[str], how: str, tag: str, **variables: str) -> str:
    """What was said on the way to a failure, with nobody left behind."""
    command = [*start, SCRIPT, how, str(SECONDS), tag]
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=600, env={**os.environ, **variables}
    )
    assert ended.returncode != 0
    time.sleep(1)
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if tag.encode() in _read(path)]
    assert not left
    return ended.stderr


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has ended meanwhile
        return b""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "seen"),
    [
        pytest.param("ends", "Connection", marks=pytest.mark.sweep),
        ("killed", "Connection"),
        ("sleeps", f"Timed out waiting {SECONDS}000ms"),
    ],
)
def test_a_peer_that_does_not_come(how: str, seen: str, tmp_path: Path) -> None:
    said = _ended(TORCHRUN, how, str(tmp_path))
    assert "CollectiveError: the collective _c10d_functional.all_reduce.default did not end: " in said
    assert seen in said
    assert "each must run the same collectives" in said


@pytest.mark.slow
def test_a_world_that_is_too_small(tmp_path: Path) -> None:
    said = _ended([sys.executable], "world", str(tmp_path), MASTER_ADDR="localhost", MASTER_PORT="0")
    assert "1/2 clients joined" in said
