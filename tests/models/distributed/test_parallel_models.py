"""Models in tensor parallel, DDP and FSDP2: one process that drives a mesh gives the bits of torchrun's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "conformance"
MESH = [sys.executable, "-m", "tilesmith.cli", "run"]
PROCESSES = [sys.executable, "-m", "torch.distributed.run", "--standalone"]


def _printed(start: list[str], ranks: int, *models: str, script: str = "parallel.py") -> str:
    command = [*start, "--nproc-per-node", str(ranks), str(SCRIPTS / script), *models]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, pytest.param(4, marks=pytest.mark.sweep)])
def test_sequence_parallel_has_the_same_bits_in_one_process(ranks: int) -> None:
    found = _printed(MESH, ranks, "sequence")
    assert f"sequence on {ranks} chips: off by" in found
    assert found == _printed(PROCESSES, ranks, "sequence")


@pytest.mark.slow
def test_models_of_transformers() -> None:
    """One after the other in one process: half of the time of each alone is that of imports."""
    pytest.importorskip("transformers")
    models = ("llama", "bert", "mixtral")
    lines = _printed(MESH, 2, *models).splitlines()
    assert [line.split(" off by")[0] for line in lines] == [f"{model} on 2 chips:" for model in models]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ways", "ranks"), [(("ddp", "fsdp"), 2), pytest.param(("ddp",), 4, marks=pytest.mark.sweep)]
)
def test_training_has_the_losses_of_one_chip(ways: tuple[str, ...], ranks: int) -> None:
    found = _printed(MESH, ranks, *ways, script="parallel_training.py")
    told = [line.split(": losses")[0] for line in found.splitlines()]
    assert told == [f"{how} over {ranks} chips" for how in ways]
    assert found == _printed(PROCESSES, ranks, *ways, script="parallel_training.py")
