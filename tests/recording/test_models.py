"""A model compiled for the chip of a device runs on that device, so that it can be recorded."""

from __future__ import annotations

import torch

import tilesmith
from tilesmith.recording import Workload, record
from tilesmith.runtime import Device


def relu(device: Device) -> torch.Tensor:
    with torch.no_grad():
        result: torch.Tensor = tilesmith.compile(torch.nn.ReLU(), target=device.arch)(torch.ones(32, 32))
    return result


def test_the_launches_of_a_model_are_recorded() -> None:
    for chip in ("wormhole", "n150"):
        assert len(record(Workload("relu", relu), chip).launches) == 1
