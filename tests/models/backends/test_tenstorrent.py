"""A model on the emulator, with its checks on: right, fused, with nothing on the host."""

from __future__ import annotations

import pytest
import torch

import tilesmith
from tilesmith.models.backends.memory import plan_memory
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.planning.steps import Launch
from tilesmith.testing import Tolerance, compare


class Network(torch.nn.Module):
    """A convolution, a norm, a residual, a reduction and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(48, 64)
        self.norm = torch.nn.LayerNorm(64)
        self.second = torch.nn.Linear(64, 64)
        self.last = torch.nn.Linear(64, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm(torch.relu(self.first(x)))
        made: torch.Tensor = self.last(x + torch.nn.functional.gelu(self.second(x)))
        return made


@pytest.fixture(scope="module")
def compiled() -> tilesmith.CompiledModel:
    torch.manual_seed(0)
    return tilesmith.compile(Network().eval(), backend="tenstorrent")


def test_a_network_is_right_and_nothing_is_left_to_the_host(compiled: tilesmith.CompiledModel) -> None:
    x = torch.randn(40, 48)
    with torch.no_grad():
        expected = compiled.original(x)
    outcome = compare(compiled(x), expected, Tolerance.of(tilesmith.bfloat16, roundings=8))
    assert outcome.pcc > 0.999
    report = compiled.report
    assert report.host == ()
    assert [line.kernel for line in report.kernels] == ["linear", "layer_norm", "linear", "linear"]
    assert report.kernels[2].ops == ("linear", "gelu", "add")
    assert "4 kernels" in str(report)
    assert report.to_json()["fused_ops"] == 3


def test_the_clock_says_what_a_call_would_take(compiled: tilesmith.CompiledModel) -> None:
    compiled(torch.randn(40, 48))
    executable = compiled.executable
    assert isinstance(executable, TenstorrentExecutable)
    assert executable.cycles > 0
    assert executable.microseconds > executable.cycles / 2000


def test_memory_is_used_again_and_results_stay_in_l1(compiled: tilesmith.CompiledModel) -> None:
    compiled(torch.randn(40, 48))
    executable = compiled.executable
    assert isinstance(executable, TenstorrentExecutable)
    made = [out for step in executable.plan.steps if isinstance(step, Launch) for out in step.outputs]
    memory = plan_memory(executable.plan, l1_bytes=1 << 20)
    assert len({memory.slots[out] for out in made}) < len(made)
    assert all(memory.slots[out].in_l1 for out in made)
    assert not any(slot.in_l1 for slot in plan_memory(executable.plan, l1_bytes=0).slots.values())
