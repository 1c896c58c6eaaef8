"""Traces: every cycle of a role is accounted for, and a trace changes neither result nor time."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from examples.metal.matmul_single.host import matmul_program

import tilesmith
from tilesmith import settings
from tilesmith.program import Program
from tilesmith.program.trace import FIRST_TRANSFER, Cause, Moved, Work, dram_bank
from tilesmith.runtime import Device, RunReport, Tensor


@pytest.fixture(scope="module")
def device() -> Device:
    return tilesmith.open_device("wormhole")


@pytest.fixture(scope="module")
def tensors(device: Device) -> tuple[Tensor, Tensor, Tensor]:
    a, b = torch.ones(64, 96).bfloat16(), torch.ones(96, 64).bfloat16()
    return device.from_torch(a), device.from_torch(b), device.empty((64, 64))


@pytest.fixture(scope="module")
def program(tensors: tuple[Tensor, Tensor, Tensor]) -> Program:
    return matmul_program(*tensors)


@pytest.fixture(scope="module")
def traced(device: Device, program: Program) -> RunReport:
    return device.run(program, trace=True)


def test_a_run_is_not_traced_unless_asked(device: Device, program: Program, traced: RunReport) -> None:
    plain = device.run(program)
    assert plain.trace is None
    assert plain.cycles == traced.cycles


def test_waits_and_work_make_up_every_role(traced: RunReport) -> None:
    assert traced.trace is not None
    waits = traced.trace.waits
    for number, role in enumerate(traced.roles):
        mine = waits[waits["fiber"] == number]
        assert int((mine["end"] - mine["begin"]).sum()) == role.waited
        assert role.waited + sum(role.work) == role.cycles


def test_transfers_are_all_there(traced: RunReport) -> None:
    assert traced.trace is not None
    moved = traced.trace.transfers
    reads = moved[moved["kind"] == FIRST_TRANSFER + Moved.READ]
    assert len(reads) == 2 * 2 * 2 * 3
    assert int(moved["bytes"].sum()) == sum(one.read_bytes + one.written_bytes for one in traced.traffic)
    assert all(dram_bank(int(remote)) is not None for remote in moved["object"])
    assert (moved["end"] > moved["begin"]).all()


def test_events_name_kernel_lines(traced: RunReport) -> None:
    assert traced.trace is not None
    waits = traced.trace.waits
    barriers = waits[waits["kind"] == Cause.READ_BARRIER]
    assert {traced.trace.files[file].rsplit("/", 1)[1] for file in barriers["file"]} == {"reader.cpp"}
    assert len(np.unique(barriers["line"])) == 2


def test_products_are_counted(traced: RunReport) -> None:
    compute = next(one for one in traced.traffic if one.tile_products)
    assert compute.tile_products == 2 * 2 * 3
    assert compute.matmul_cycles == 2 * 2 * 3 * 64
    math = next(role for role in traced.roles if role.role == "math")
    assert math.work[Work.MATMUL] >= compute.matmul_cycles


def test_a_trace_needs_the_clock(device: Device, program: Program, traced: RunReport) -> None:
    with settings.using(clock="off"):
        assert device.run(program, trace=True).cycles == traced.cycles
