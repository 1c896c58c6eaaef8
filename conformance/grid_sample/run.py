"""Runs one call of grid_sample and says how far it is from torch, and what it read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from conformance.grid_sample.case import Case, Memory
from tilesmith.formats import DataFormat
from tilesmith.ops.compute_config import ComputeKernelConfig
from tilesmith.ops.grid_sample import golden_grid_sample, grid_sample, prepare_grid_sample_grid
from tilesmith.ops.host import HostTensor
from tilesmith.ops.memory import DRAM_MEMORY_CONFIG, L1_MEMORY_CONFIG, MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.program import Program, num_cores_to_corerangeset
from tilesmith.runtime import (
    BufferType,
    Device,
    Layout,
    RunReport,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
)
from tilesmith.runtime import MemoryConfig as Placed
from tilesmith.runtime.observers import Observer, observing
from tilesmith.runtime.tensor_spec import TensorSpec
from tilesmith.testing import Comparison, compare


@dataclass(frozen=True)
class Outcome:
    """How a call fared. `reads` are the image's pixels read for each point."""

    case: Case
    comparison: Comparison
    error_of_peak: float  # the largest error, relative to the largest pixel
    reads: float
    cycles: int
    compute_kernels: int

    @property
    def expected_reads(self) -> int:
        return 1 if self.case.mode == "nearest" else 4

    @property
    def ok(self) -> bool:
        return self.comparison.ok and self.reads == self.expected_reads


class Watch(Observer):
    """Keeps the program that ran last, and its report."""

    program: Program
    report: RunReport

    def ran(self, *call: Any) -> None:
        _, self.program, _, self.report = call


def run_case(device: Device, case: Case, seed: int = 0) -> Outcome:
    """Run a call under checks: findings are raised."""
    image, coordinates = _values(case, seed)
    there = _upload(device, image, case.image_type, case.image_memory)
    grid = _grid(device, case, coordinates)
    given = coordinates if case.prepared else grid.to_torch()
    watch = Watch()
    with observing(watch):
        output = grid_sample(
            there,
            grid,
            mode=case.mode,
            padding_mode=case.padding,
            align_corners=case.align_corners,
            use_precomputed_grid=case.prepared,
            batch_output_channels=case.joined,
            memory_config=_asked(case, device),
            compute_kernel_config=ComputeKernelConfig(fp32_dest_acc_en=case.wide),
        )
    stored = there.to_torch().float()
    wanted = _expected(case, stored, given)
    peak = float(stored.abs().max())
    comparison = compare(
        output.to_torch(), wanted, case.tolerance(peak / max(float(wanted.abs().max()), 1e-30))
    )
    return Outcome(
        case,
        comparison,
        comparison.max_abs / peak,
        _pixel_reads(case, watch.report),
        watch.report.cycles,
        sum(kernel.is_compute for kernel in watch.program.kernels),
    )


def _values(case: Case, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """An image (N, H, W, C), and coordinates (N, Hg, Wg, 2 K)."""
    size, random = case.size, torch.Generator().manual_seed(seed)
    image = torch.randn(size.images, size.height, size.width, size.channels, generator=random)
    shape = (size.images, size.grid_height, size.grid_width, case.sets)
    axes = [_coordinates(case, extent, shape, random) for extent in (size.width, size.height)]
    return image, torch.stack(axes, dim=-1).reshape(*shape[:3], 2 * case.sets)


def _coordinates(case: Case, extent: int, shape: tuple[int, ...], random: torch.Generator) -> torch.Tensor:
    drawn = torch.randn(shape, generator=random) * 0.8
    if case.coordinates == "random":
        return drawn
    if case.coordinates == "far":
        return drawn * 100.0
    if case.coordinates == "not finite":
        strange = torch.tensor([float("nan"), float("inf"), float("-inf"), 3e38, -3e38])
        which = torch.randint(0, 2 * len(strange), shape, generator=random)
        return torch.where(which < len(strange), strange[which % len(strange)], drawn)
    # Places half a pixel apart, from outside to outside; or exactly on the pixels.
    step = 0.5 if case.coordinates == "halfway" else 1.0
    places = torch.randint(-4, int(extent / step) + 4, shape, generator=random) * step
    if case.align_corners:
        return places * (2.0 / max(extent - 1, 1)) - 1.0
    return (places * 2.0 + 1.0) / extent - 1.0


def _expected(case: Case, image: torch.Tensor, coordinates: torch.Tensor) -> torch.Tensor:
    wanted = golden_grid_sample(
        image,
        coordinates,
        mode=case.mode,
        padding_mode=case.padding,
        align_corners=case.align_corners,
        batch_output_channels=case.joined,
    )
    # The matrix unit has no NaN: a point that is nowhere gives zeros, in both modes.
    return wanted.nan_to_num() if case.coordinates == "not finite" else wanted


def _upload(device: Device, values: torch.Tensor, dtype: DataFormat, memory: Memory) -> Tensor:
    placed = _placed(device, memory, values.shape.numel() // values.shape[-1], values.shape[-1])
    return Tensor.of_device(device.from_torch(values, dtype, Layout.ROW_MAJOR, placed))


def _grid(device: Device, case: Case, coordinates: torch.Tensor) -> Tensor:
    if not case.prepared:
        return _upload(device, coordinates, case.grid_type, case.grid_memory)
    size = case.size
    shape = (size.images, size.grid_height, size.grid_width * case.sets, 2)
    spec = TensorSpec(shape, DataFormat.Float32, Layout.ROW_MAJOR, Placed())
    raw = Tensor(on_host=HostTensor.of_numpy(coordinates.reshape(shape).numpy(), spec))
    points = prepare_grid_sample_grid(
        raw,
        (size.images, size.height, size.width, size.channels),
        mode=case.mode,
        padding_mode=case.padding,
        align_corners=case.align_corners,
    ).on_host
    assert points is not None
    # Points of one row stand side by side: as many values, fewer and longer rows.
    width = points.spec.shape[-1] * case.sets
    rows = TensorSpec(
        (*shape[:2], size.grid_width, width),
        DataFormat.Float16_b,
        Layout.ROW_MAJOR,
        _placed(device, case.grid_memory, size.rows, width),
    )
    pages = points.pages.reshape(rows.num_pages, rows.page_size)
    return Tensor.of_device(HostTensor(rows, pages).to_device(device, rows))


def _placed(device: Device, memory: str, rows: int, width: int, each: int = 0) -> Placed:
    """Shards of a few rows, so that most cores have one and the last is not full."""
    if not memory.startswith("shards"):
        return Placed(buffer_type=BufferType.DRAM if memory == "dram" else BufferType.L1)
    cores = device.arch.num_cores - 3
    height = each or -(-rows // cores)
    orientation = ShardOrientation.COL_MAJOR if "column" in memory else ShardOrientation.ROW_MAJOR
    used = num_cores_to_corerangeset(min(-(-rows // height), cores), device.arch.grid, row_wise=True)
    spec = ShardSpec(used, (height, width), orientation)
    return Placed(TensorMemoryLayout.HEIGHT_SHARDED, BufferType.L1, spec)


def _asked(case: Case, device: Device) -> MemoryConfig | None:
    if case.output in ("", "dram", "l1"):
        return {"": None, "dram": DRAM_MEMORY_CONFIG, "l1": L1_MEMORY_CONFIG}[case.output]
    rows = case.size.rows * (1 if case.joined else case.sets)
    each = 2 * case.sets
    width = case.size.channels * (case.sets if case.joined else 1)
    return MemoryConfig.of(_placed(device, case.output, rows, width, each))


def _pixel_reads(case: Case, report: RunReport) -> float:
    """NoC reads for each point, without those of the grid's rows (no row is read more than twice)."""
    reads = sum(kernel.noc_reads for kernel in report.traffic)
    if case.grid_memory == "shards":
        return reads / case.points
    return (reads - case.size.rows) // case.points
