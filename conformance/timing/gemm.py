"""The vendor's tuned matmul (2D multicast, blocks as published) as a program for the emulator."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance.accessors import accessor_words
from conformance.timing.rows import read_rows
from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRange,
    DataMovementConfig,
    Kernel,
    MathFidelity,
    Processor,
    Program,
    Semaphore,
)
from tilesmith.runtime import Device, Layout, Tensor

KERNELS = Path(__file__).parent / "kernels"
FORMATS = {
    "BFLOAT16": DataFormat.Float16_b,
    "BFLOAT8_B": DataFormat.Bfp8_b,
    "BFLOAT4_B": DataFormat.Bfp4_b,
}
TILE = 32
CB_A, CB_B, CB_SHARD, CB_OUT, CB_SUMS = 0, 1, 2, 16, 24


@dataclass(frozen=True)
class GemmRow:
    """One traced, tuned row of the GEMM report; sizes in tiles. `cycles` is the mean of the math kernels."""

    product: str
    grid: CoreCoord
    k_tiles: int
    format: str
    fidelity: str
    sharded: bool
    per_core_m: int
    per_core_n: int
    k_block: int
    block_m: int
    block_n: int
    sub_m: int
    sub_n: int
    cycles: float
    taken: bool

    @property
    def blocks(self) -> int:
        return self.k_tiles // self.k_block

    @property
    def outer(self) -> int:
        """Output blocks of one core."""
        return (self.per_core_m // self.block_m) * (self.per_core_n // self.block_n)

    @property
    def label(self) -> str:
        m, n = self.per_core_m * self.grid.y * TILE, self.per_core_n * self.grid.x * TILE
        where = "L1" if self.sharded else "DRAM"
        block, sub = f"{self.block_m}x{self.block_n}x{self.k_block}", f"{self.sub_m}x{self.sub_n}"
        return (
            f"{self.product} {self.grid.x}x{self.grid.y} {m}x{self.k_tiles * TILE}x{n} {self.format} "
            f"{self.fidelity} {where} blocks {block} of {sub}"
        )

    @property
    def work(self) -> int:
        """Products of tiles, over all cores."""
        return self.per_core_m * self.per_core_n * self.k_tiles * self.grid.x * self.grid.y


def gemm_rows() -> list[GemmRow]:
    return [_row(row) for row in read_rows("gemm.csv")]


def _row(row: dict[str, str]) -> GemmRow:
    names = ("per_core_m", "per_core_n", "k_block", "block_m", "block_n", "sub_m", "sub_n")
    return GemmRow(
        product=row["product"],
        grid=CoreCoord(int(row["grid_x"]), int(row["grid_y"])),
        k_tiles=int(row["k"]) // TILE,
        format=row["format"],
        fidelity=row["fidelity"],
        sharded=row["in0"] == "L1",
        cycles=float(row["cycles"]),
        taken=row["taken"] == "1",
        **{name: int(row[name]) for name in names},
    )


def emulate(device: Device, row: GemmRow) -> float:
    """Mean cycles of the math role, as the report measures them."""
    k, n = row.k_tiles * TILE, row.per_core_n * row.grid.x * TILE
    m = row.per_core_m * row.grid.y * TILE
    tile = FORMATS[row.format]
    a = device.empty((m, k) if not row.sharded else (TILE, TILE), tile, Layout.TILE)
    b = device.empty((k, n), tile, Layout.TILE)
    out = device.empty((m, n) if not row.sharded else (TILE, TILE), tile, Layout.TILE)
    report = device.run(program(device, row, a, b, out), checks="off", numbers="none")
    for tensor in (a, b, out):
        tensor.deallocate()
    cycles = [role.cycles for role in report.roles if role.role == "math"]
    return sum(cycles) / len(cycles)


def program(device: Device, row: GemmRow, a: Tensor, b: Tensor, out: Tensor) -> Program:
    cores = CoreRange((0, 0), (row.grid.x - 1, row.grid.y - 1))
    kernels = (_in0(device, row, cores, a), _in1(device, row, cores, b, out), _compute(row, cores))
    semaphores = tuple(Semaphore(index, cores) for index in range(4))
    return Program(kernels, _buffers(row, cores), semaphores)


def _buffers(row: GemmRow, cores: CoreRange) -> tuple[CircularBuffer, ...]:
    tile = FORMATS[row.format]
    block = row.block_m * row.block_n
    sizes = [
        (CB_A, tile, 2 * row.block_m * row.k_block),
        (CB_B, tile, 2 * row.k_block * row.block_n),
        (CB_OUT, tile, block),
    ]
    if row.sharded:
        sizes.append((CB_SHARD, tile, row.block_m * _shard_width(row)))
    if tile is DataFormat.Float16_b:  # sums and output have one format, and so one memory
        shared = CBFormat(CB_OUT, tile, tile_bytes(tile)), CBFormat(CB_SUMS, tile, tile_bytes(tile))
        rest = tuple(_buffer(cores, *size) for size in sizes if size[0] != CB_OUT)
        return (*rest, CircularBuffer(block * tile_bytes(tile), cores, shared))
    sizes.append((CB_SUMS, DataFormat.Float16_b, block))
    return tuple(_buffer(cores, *size) for size in sizes)


def _buffer(cores: CoreRange, index: int, tile: DataFormat, tiles: int) -> CircularBuffer:
    return CircularBuffer(tiles * tile_bytes(tile), cores, CBFormat(index, tile, tile_bytes(tile)))


def _shard_width(row: GemmRow) -> int:
    return max(row.k_tiles // row.grid.x, row.k_block)


def _in0(device: Device, row: GemmRow, cores: CoreRange, a: Tensor) -> Kernel:
    config = DataMovementConfig(Processor.RISCV_1, noc=1)
    columns = [device.arch.worker_noc_xy(CoreCoord(x, 0))[0] for x in range(row.grid.x)]
    args = {}
    for core in cores.cores():
        y = device.arch.worker_noc_xy(core)[1]
        if row.sharded:
            own = (core.x, y, columns[-1], columns[0], row.grid.x, *columns)
            args[core] = (row.blocks, row.block_m, row.k_block, _shard_width(row), *own)
        else:
            per_row = row.per_core_n // row.block_n
            where = (row.k_tiles, core.y * row.per_core_m, per_row, int(core.x == 0), columns[0], y)
            others = (columns[-1], columns[1], row.grid.x - 1)
            args[core] = (a.address, row.outer, row.blocks, row.block_m, row.k_block, *where, *others)
    name = "gemm_in0_shards.cpp" if row.sharded else "gemm_in0_pages.cpp"
    words = () if row.sharded else accessor_words(a)
    return Kernel(KERNELS / name, cores, config, compile_time_args=tuple(words), runtime_args=args)


def _in1(device: Device, row: GemmRow, cores: CoreRange, b: Tensor, out: Tensor) -> Kernel:
    config = DataMovementConfig(Processor.RISCV_0, noc=0)
    lines = [device.arch.worker_noc_xy(CoreCoord(0, y))[1] for y in range(row.grid.y)]
    n_tiles, per_row = row.per_core_n * row.grid.x, row.per_core_n // row.block_n
    args = {}
    for core in cores.cores():
        x = device.arch.worker_noc_xy(core)[0]
        work = (row.outer, row.blocks, row.k_block, row.block_n, n_tiles, core.x * row.per_core_n, per_row)
        output = (core.y * row.per_core_m, row.block_m, row.sub_m, row.sub_n)
        role = (int(core.y == 0), int(not row.sharded), x, lines[0], lines[1], lines[-1], row.grid.y - 1)
        args[core] = (b.address, out.address, *work, *output, *role)
    words = accessor_words(b, out)
    return Kernel(KERNELS / "gemm_in1.cpp", cores, config, compile_time_args=words, runtime_args=args)


def _compute(row: GemmRow, cores: CoreRange) -> Kernel:
    words = (row.outer, row.blocks, row.block_m, row.block_n, row.k_block, row.sub_m, row.sub_n)
    config = ComputeConfig(math_fidelity=MathFidelity[row.fidelity], math_approx_mode=True)
    args = dict.fromkeys(cores.cores(), words)
    return Kernel(KERNELS / "gemm_compute.cpp", cores, config, runtime_args=args)
