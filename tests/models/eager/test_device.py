"""Eager PyTorch on the device "tilesmith": calls are programs, gradients and optimisers work as always."""

from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

from tilesmith import settings
from tilesmith.errors import BadCallError
from tilesmith.models.eager import DeviceTensor, calls, use_device
from tilesmith.zoo.running import relative_l2
from tilesmith.zoo.sample import noise, seeded


@pytest.fixture(autouse=True)
def _quick() -> object:
    use_device()
    calls.clear()
    with settings.using(checks="off", numbers="fast"):
        yield


def test_a_call_is_a_program() -> None:
    a, b = noise(8, 40), noise(40, 16, seed=2)
    made = torch.relu(a.to("tilesmith") @ b.to("tilesmith"))
    assert isinstance(made, DeviceTensor)
    assert made.device == torch.device("tilesmith", 0)
    assert relative_l2(made.cpu(), torch.relu(a @ b)) < 1e-2
    assert (calls["aten::mm", "device"], calls["aten::relu", "device"]) == (1, 1)


def test_a_model_moves_there_and_learns_as_on_the_host(repository: Path) -> None:
    """In a process of its own: PyTorch's autograd knows the devices there are at its first backward."""
    body = (
        "from tests.models.eager import test_device as here\n"
        "here.use_device()\n"
        "with here.settings.using(checks='off', numbers='fast'):\n"
        "    here.learns_as_on_the_host()\n"
    )
    run = [sys.executable, "-c", body]
    done = subprocess.run(run, cwd=repository, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def learns_as_on_the_host() -> None:
    model = seeded(lambda: nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8)))
    there = copy.deepcopy(model).to("tilesmith")
    x = noise(4, 8)
    for one, given in ((model, x), (there, x.to("tilesmith"))):
        optimiser = torch.optim.SGD(one.parameters(), lr=0.1)
        one(given).square().mean().backward()
        optimiser.step()
    for ours, theirs in zip(there.parameters(), model.parameters(), strict=True):
        assert ours.device.type == "tilesmith"
        assert ours.grad is not None
        assert theirs.grad is not None
        assert relative_l2(ours.grad.cpu(), theirs.grad) < 1e-2
        assert relative_l2(ours.detach().cpu(), theirs.detach()) < 1e-2
    products = {where for name, where in calls if name in ("aten::addmm", "aten::mm", "aten::add_")}
    assert products == {"device"}


def test_views_share_and_changes_in_place_are_seen() -> None:
    x = torch.zeros(4, 4, device="tilesmith")
    x.t()[0].add_(torch.tensor(2.0))
    assert x.cpu()[:, 0].tolist() == [2, 2, 2, 2]
    assert x.sum().item() == 8
    assert "device='tilesmith:0'" in repr(x)
    twin = copy.deepcopy(x)
    assert twin.add_(1).sum().item() == 24
    assert x.sum().item() == 8


@pytest.mark.parametrize("make", ["tensor", "arange", "ones"])
def test_tensors_are_made_there(make: str) -> None:
    made = {"tensor": lambda: torch.tensor([0, 1, 2], device="tilesmith")}
    made["arange"] = lambda: torch.arange(3, device="tilesmith")
    made["ones"] = lambda: torch.ones(3, device="tilesmith").cumsum(0).sub(1).long()
    assert made[make]().cpu().tolist() == [0, 1, 2]


def test_what_no_kernel_does_runs_on_the_host_and_is_counted() -> None:
    made = torch.linalg.matrix_power(noise(3, 3).to("tilesmith"), 2)
    torch.linalg.det(made)
    assert any(where == "host" and "linalg" in name for name, where in calls)


def test_tensors_of_two_places_are_refused() -> None:
    with pytest.raises(BadCallError, match="a tensor on tilesmith:0 and one on the host"):
        torch.ones(3, device="tilesmith") + torch.ones(3)


def test_types_the_chip_does_not_have_are_refused() -> None:
    with pytest.raises(BadCallError, match="float64, which the chip does not have"):
        torch.ones(3, dtype=torch.float64).to("tilesmith")


def test_random_state_is_kept_and_restored_as_torch_asks_of_a_device() -> None:
    module = torch.get_device_module(use_device())
    state = module.get_rng_state()
    first = torch.rand(4)
    module.set_rng_state(state)
    assert torch.equal(torch.rand(4), first)
    with torch.random.fork_rng(device_type="tilesmith"):
        torch.rand(1)
    assert torch.equal(module.get_rng_state(), torch.get_rng_state())


def test_operators_can_still_be_checked_by_torch() -> None:
    torch.library.opcheck(torch.ops.tilesmith.softmax.default, (noise(4, 8),))
