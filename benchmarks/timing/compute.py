"""Tilize and vector functions: cycles per tile, as the vendor's tables and pull requests give them."""

from __future__ import annotations

from pathlib import Path

from benchmarks.timing.rows import Outcome, read_rows
from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
    WriterConfig,
)
from tilesmith.runtime import Device

KERNELS = Path(__file__).parent / "kernels"
CORE = CoreCoord(0, 0)
FORMATS = {"bf16": DataFormat.Float16_b, "fp32": DataFormat.Float32, "bfp8_b": DataFormat.Bfp8_b}
WIDTH = 8  # tiles in a row of tiles
STEPS = 32


def run_tilize(device: Device, row: dict[str, str]) -> Outcome:
    """From end to end: the slope over more rows of tiles, so that start and end do not count."""
    wide = row["fp32_dest"] == "1"
    short, long = (_tilize_cycles(device, row["in"], row["out"], wide, steps) for steps in (STEPS, 2 * STEPS))
    label = f"{row['arch']} tilize {row['in']} to {row['out']}, {'32' if wide else '16'}-bit DST"
    return Outcome(label, row["taken"] == "1", float(row["cycles"]), (long - short) / (STEPS * WIDTH))


def _tilize_cycles(device: Device, source: str, target: str, wide: bool, steps: int) -> int:
    program = Program(
        [
            Kernel(KERNELS / "pages.cpp", CORE, ReaderConfig(), compile_time_args=(0, 1), runtime_args={CORE: (steps, WIDTH)}),
            Kernel(KERNELS / "tilize_rows.cpp", CORE, ComputeConfig(fp32_dest_acc_en=wide), runtime_args={CORE: (steps, WIDTH)}),
            Kernel(KERNELS / "pages.cpp", CORE, WriterConfig(), compile_time_args=(16, 0), runtime_args={CORE: (steps, WIDTH)}),
        ],
        [_buffer(0, FORMATS[source]), _buffer(16, FORMATS[target])],
    )  # fmt: skip
    return device.run(program, checks="off", numbers="none").cycles


def _buffer(index: int, tile: DataFormat) -> CircularBuffer:
    size = tile_bytes(tile)
    return CircularBuffer(2 * WIDTH * size, CORE, CBFormat(index, tile, size))


def run_sfpu(device: Device, row: dict[str, str]) -> Outcome:
    """The math role alone: calls one after the other on a tile that stays in DST."""
    call, header = row["call"], row["header"]
    source = (
        f'#include "api/compute/cb_api.h"\n#include "api/compute/tile_move_copy.h"\n'
        f'#include "api/compute/reg_api.h"\n#include "api/compute/compute_kernel_hw_startup.h"\n#include "api/compute/{header}"\n'
        "void kernel_main() {\n    compute_kernel_hw_startup(0, 16);\n    copy_init(0);\n"
        f"    {row['init']};\n    tile_regs_acquire();\n"
        "    for (uint32_t i = 0; i < get_arg_val<uint32_t>(0); ++i) " + call + ";\n"
        "    tile_regs_commit();\n    tile_regs_wait();\n    tile_regs_release();\n}\n"
    )
    short, long = (_math_cycles(device, source, calls) for calls in (STEPS, 2 * STEPS))
    label = f"{row['arch']} {row['function']}"
    return Outcome(label, row["taken"] == "1", float(row["cycles"]), (long - short) / STEPS)


def _math_cycles(device: Device, source: str, calls: int) -> int:
    kernel = Kernel(
        source, CORE, ComputeConfig(), SourceType.SOURCE_CODE, runtime_args={CORE: (calls,)}, name="sfpu"
    )
    buffers = [_buffer(0, DataFormat.Float16_b), _buffer(16, DataFormat.Float16_b)]
    report = device.run(Program([kernel], buffers), checks="off", numbers="fast")
    return max(role.cycles for role in report.roles if role.role == "math")


def tilize_rows() -> list[dict[str, str]]:
    return read_rows("tilize.csv")


def sfpu_rows() -> list[dict[str, str]]:
    return read_rows("sfpu.csv")
