"""Launch: the vendor's dispatch microbenchmark, as programs of the same make."""

from __future__ import annotations

from conformance.timing.rows import Outcome, read_rows
from tilesmith.arch import Arch
from tilesmith.emulator.launch import launch_us
from tilesmith.formats import DataFormat
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRange,
    Kernel,
    KernelConfig,
    Program,
    ReaderConfig,
    Semaphore,
    SourceType,
    WriterConfig,
)

EMPTY = "void kernel_main() {}"
PAGE = 2048


def run_launch(arch: Arch, row: dict[str, str]) -> Outcome:
    """Time per program; kernels that are busy long enough hide the dispatch of the next."""
    busy = float(row["busy_cycles"]) / (arch.clock_ghz * 1e3)
    predicted = max(
        launch_us(_program(arch, row), arch), busy + arch.timing.dispatch.go_signal_us if busy else 0
    )
    return Outcome(f"{row['arch']} {row['case']}", row["taken"] == "1", float(row["us"]), predicted)


def _program(arch: Arch, row: dict[str, str]) -> Program:
    groups = _groups(arch, row)
    configs: list[KernelConfig] = [ReaderConfig(), WriterConfig(), ComputeConfig()]
    kernels = []
    for number, cores in enumerate(groups):
        for config in configs[: int(row["kernels"])]:
            # Compute counts for three of the five processors, each with arguments of its own.
            share = 3 if isinstance(config, ComputeConfig) else 1
            args = (
                {core: (0,) * int(row["args"]) * share for core in cores.cores()}
                if row["args"] != "0"
                else {}
            )
            kernels.append(
                Kernel(
                    EMPTY, cores, config, SourceType.SOURCE_CODE, runtime_args=args,
                    common_runtime_args=(0,) * int(row["common_args"]), name=f"kernel{number}",
                )
            )  # fmt: skip
    everywhere = CoreRange(groups[0].start, groups[-1].end)
    buffers = [
        CircularBuffer(PAGE, everywhere, CBFormat(index, DataFormat.Float16_b, PAGE))
        for index in range(int(row["cbs"]))
    ]
    semaphores = [Semaphore(index, everywhere) for index in range(int(row["semaphores"]))]
    return Program(kernels, buffers, semaphores)


def _groups(arch: Arch, row: dict[str, str]) -> list[CoreRange]:
    if row["all_cores"] == "0":
        return [CoreRange((0, 0), (0, 0))]
    count = int(row["groups"])
    if count == 1:
        return [arch.grid_range]
    last = CoreCoord(arch.grid.x - 1, arch.grid.y - 1)
    lines = [CoreRange((0, y), (last.x, y)) for y in range(count - 1)]
    return [*lines, CoreRange((0, count - 1), last)]


def launch_rows() -> list[dict[str, str]]:
    return read_rows("launch.csv")
