"""Tilize and vector functions: cycles per tile, as the vendor's tables and pull requests give them."""

from __future__ import annotations

from pathlib import Path

from conformance.timing.rows import Outcome, read_rows
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
    args = {CORE: (steps, WIDTH)}
    pages, rows = KERNELS / "pages.cpp", KERNELS / "tilize_rows.cpp"
    program = Program(
        [
            Kernel(pages, CORE, ReaderConfig(), compile_time_args=(0, 1), runtime_args=args),
            Kernel(rows, CORE, ComputeConfig(fp32_dest_acc_en=wide), runtime_args=args),
            Kernel(pages, CORE, WriterConfig(), compile_time_args=(16, 0), runtime_args=args),
        ],
        [_buffer(0, FORMATS[source]), _buffer(16, FORMATS[target])],
    )
    return device.run(program, checks="off", numbers="none").cycles


def _buffer(index: int, tile: DataFormat) -> CircularBuffer:
    size = tile_bytes(tile)
    return CircularBuffer(2 * WIDTH * size, CORE, CBFormat(index, tile, size))


_INCLUDES = "".join(
    f'#include "api/compute/{name}.h"\n'
    for name in ("cb_api", "tile_move_copy", "reg_api", "compute_kernel_hw_startup")
)
_BODY = """
void kernel_main() {
    const uint32_t calls = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    %s;
    tile_regs_acquire();
    for (uint32_t i = 0; i < calls; ++i) %s;
    tile_regs_commit();
    tile_regs_wait();
    tile_regs_release();
}
"""


def run_sfpu(device: Device, row: dict[str, str]) -> Outcome:
    """The math role alone: calls one after the other on a tile that stays in DST."""
    source = _INCLUDES + f'#include "api/compute/{row["header"]}"\n' + _BODY % (row["init"], row["call"])
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
