"""Our compiled `x @ w` against every traced row of the vendor's GEMM report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from conformance.timing.rows import read_rows

import tilesmith
from tilesmith import settings
from tilesmith.arch import Arch, load_arch
from tilesmith.compiler.codegen.program import build_program
from tilesmith.compiler.launch import shared_device, tensor_types
from tilesmith.errors import L1BudgetError
from tilesmith.kernels.linear import Linear
from tilesmith.models.backends.kernels import compiled
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable
from tilesmith.models.planning.blocks import candidates
from tilesmith.models.planning.formats import stored_as
from tilesmith.models.planning.steps import Launch, Plan
from tilesmith.models.planning.views import Storage
from tilesmith.runtime import DRAM_MEMORY_CONFIG, L1_MEMORY_CONFIG, Device, Layout, MemoryConfig, Tensor
from tilesmith.schedules import Rectangle

DTYPES = {"BFLOAT16": "bfloat16", "BFLOAT8_B": "bfloat8_b", "BFLOAT4_B": "bfloat4_b"}
# Products of tiles that are run in full; larger ones are extended along k from a few blocks.
FULL_LIMIT = 3_000_000


@dataclass(frozen=True)
class Row:
    product: str
    config: str
    grid_x: int
    m: int
    k: int
    n: int
    dtype: str
    fidelity: str
    in_l1: bool
    ns: float

    @property
    def label(self) -> str:
        where = "L1" if self.in_l1 else "DRAM"
        return (
            f"{self.product} {self.grid_x} {self.m}x{self.k}x{self.n} {self.dtype} {self.fidelity} {where}"
            f" {self.config}"
        )


@dataclass(frozen=True)
class Outcome:
    """Microseconds of the report, and of our program by the clock, its launch included."""

    row: Row
    us: float
    schedule: str

    @property
    def ratio(self) -> float:
        """How many times as fast ours is."""
        return self.row.ns / 1e3 / self.us


def rows() -> list[Row]:
    return [
        Row(
            one["product"],
            one["config"],
            int(one["grid_x"]),
            int(one["m"]),
            int(one["k"]),
            int(one["n"]),
            DTYPES[one["format"]],
            one["fidelity"],
            one["in0"] == "L1",
            float(one["ns"]),
        )
        for one in read_rows("gemm_times.csv")
    ]


def outcomes(chosen: list[Row]) -> Iterator[Outcome]:
    for row in chosen:
        for step in launches_of(row):
            assert isinstance(step.template, Linear)
            try:
                us = _predicted(row, step)
            except L1BudgetError:  # x and the result lie in L1 too, and leave no room for these blocks
                continue
            yield Outcome(row, us, f"{step.template.block} {step.template.mesh}")
            break


class _Product(torch.nn.Module):
    def forward(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return x @ w


def launches_of(row: Row) -> Iterator[Launch]:
    """The kernel that O2 makes of `x @ w` of these sizes, stored in this format, and the next best.

    With newer firmware a p150 has fewer columns of cores than ours: wider rectangles are left out.
    """
    arch = load_arch(row.product)
    small = tilesmith.compile(_Product(), target=row.product, fidelity=row.fidelity, optimization_level="O1")
    small.prepare(torch.empty(32, 32, dtype=torch.bfloat16), torch.empty(32, 32, dtype=torch.bfloat16))
    executable = small.executable
    assert isinstance(executable, TenstorrentExecutable)
    plan = stored_as(_sized(executable.plan, row), row.dtype, row.dtype)
    step = _product_of(plan)
    in_l1 = [one for name, one in step.storages.items() if _memory(row, name) == L1_MEMORY_CONFIG]
    for one in candidates(step, arch, row.fidelity, in_l1):
        assert isinstance(one, Linear)
        if row.grid_x == arch.grid.x or (one.mesh is not None and one.mesh.cores[0] <= row.grid_x):
            yield replace(step, template=one)


def _product_of(plan: Plan) -> Launch:
    (step,) = (one for one in plan.steps if isinstance(one, Launch))
    return step


def _sized(plan: Plan, row: Row) -> Plan:
    """The plan of a product of one tile, for other sizes: nothing in it but its numbers depends on them."""
    sizes = {"x": (row.m, row.k), "w0": (row.k, row.n)}

    def sized(step: Any) -> Any:
        if not isinstance(step, Launch):
            return step
        storages = {
            name: replace(
                one, rows=sizes.get(name, (row.m, row.n))[0], cols=sizes.get(name, (row.m, row.n))[1]
            )
            for name, one in step.storages.items()
        }
        return replace(step, storages=storages, numbers={**step.numbers, "m": row.m, "n": row.n, "k": row.k})

    return replace(plan, steps=tuple(map(sized, plan.steps)))


def _predicted(row: Row, step: Launch) -> float:
    template = step.template
    assert isinstance(template, Linear)
    work = row.m * row.n * row.k // 32**3
    if work <= FULL_LIMIT or not isinstance(template.mesh, Rectangle):
        return _run(row, step)
    # Every sum takes the same number of steps, and every step as long as the one before.
    few, more = 6, 10
    alone = replace(template.mesh, across=1, down=1)
    short, longer = (_run(row, _cut(step, replace(alone, steps=steps))) for steps in (few, more))
    two = _run(row, _cut(step, replace(alone, across=2, steps=few)))
    sums, mesh = template.mesh.across * template.mesh.down, template.mesh
    first = short + (longer - short) / (more - few) * (mesh.steps - few)
    again = two - short + (longer - short) / (more - few) * (mesh.steps - few)
    return first + again * (sums - 1)


def _cut(step: Launch, mesh: Rectangle) -> Launch:
    """The launch with fewer blocks for each core and along k."""
    template = step.template
    assert isinstance(template, Linear)
    bm, bn, bk = template.block
    m, n, k = mesh.rows * mesh.down * bm, mesh.columns * mesh.across * bn, mesh.steps * bk
    shapes = {"x": (m, k), "w0": (k, n)}
    storages = {
        name: replace(one, rows=shapes.get(name, (m, n))[0], cols=shapes.get(name, (m, n))[1])
        for name, one in step.storages.items()
    }
    return replace(
        step,
        template=replace(template, mesh=mesh),
        storages=storages,
        numbers={**step.numbers, "m": m, "n": n, "k": k},
    )


def _run(row: Row, step: Launch) -> float:
    """Microseconds of one launch with its tensors where the row has them."""
    arch = load_arch(row.product)
    device = shared_device(arch)
    kernel = compiled(step.template, arch, row.fidelity, step.formats)
    (module,) = kernel.modules
    tensors = {name: _tensor(device, step.storages[name], row, name) for name in tensor_types(module)}
    sizes = {f"{name}_rows": one.rows for name, one in step.storages.items()}
    sizes |= {f"{name}_cols": one.cols for name, one in step.storages.items()}
    program = build_program(module, arch, tensors, {**step.numbers, **sizes})
    with settings.using(checks="off", numbers="none"):
        report = device.run(program)
    for tensor in tensors.values():
        tensor.deallocate()
    return _microseconds(report.cycles, report.launch_us, arch)


def _microseconds(cycles: int, launch_us: float, arch: Arch) -> float:
    return cycles / (arch.clock_ghz * 1e3) + launch_us


def _tensor(device: Device, storage: Storage, row: Row, name: str) -> Tensor:
    return device.empty((storage.rows, storage.cols), storage.format, Layout.TILE, _memory(row, name))


def _memory(row: Row, name: str) -> MemoryConfig:
    """Weights lie in DRAM in every row of the report."""
    return L1_MEMORY_CONFIG if row.in_l1 and name != "w0" else DRAM_MEMORY_CONFIG
