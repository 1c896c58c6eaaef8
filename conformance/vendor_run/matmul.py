"""Products with multicast operands: over rows and columns of cores (2-D), or from one core to all (1-D)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from conformance.accessors import accessor_words
from conformance.vendor_run.bench import BF16, TILE, Bench, Result, cores_of, random, rectangle, tiles
from tilesmith.formats import tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    DataMovementConfig,
    Kernel,
    Processor,
    Semaphore,
)
from tilesmith.runtime import Tensor

KERNELS = "matmul/device/kernels"
NAMED = {
    "cb_in0": 0, "cb_in1": 1, "cb_in0_sharded": 2, "cb_bias": 3, "cb_out": 4, "cb_intermed0": 5,
    "cb_sparsity": 6, "cb_in0_transposed": 10, "num_active": 0,
}  # fmt: skip
NO_TENSOR = (0, 0)
# NoC 1 for what is written to others, NoC 0 for what is read from DRAM.
IN0 = DataMovementConfig(Processor.RISCV_1, noc=1)
IN1 = DataMovementConfig(Processor.RISCV_0, noc=0)


@dataclass(frozen=True)
class Product:
    """Sizes in tiles. `spread` is "2d", or the operand that one core sends to all others."""

    m: int
    k: int
    n: int
    grid: tuple[int, int]
    per_core: tuple[int, int]
    subblock: tuple[int, int]
    k_block: int
    spread: str = "2d"
    bias: bool = False
    accumulate_in_l1: bool = False

    @cached_property
    def cores(self) -> list[CoreCoord]:
        return list(rectangle(*self.grid).cores())

    def place(self, core: CoreCoord) -> tuple[int, int]:
        """Which block of rows and of columns of the result a core makes."""
        number = core.y * self.grid[0] + core.x
        return {"2d": (core.y, core.x), "in0": (0, number), "in1": (number, 0)}[self.spread]

    def group(self, core: CoreCoord, operand: int) -> list[CoreCoord]:
        """The cores that share this core's block of an operand, its sender first."""
        mine = self.place(core)[operand]
        return [other for other in self.cores if self.place(other)[operand] == mine]

    @property
    def k_blocks(self) -> int:
        return self.k // self.k_block


def product(bench: Bench, sizes: Product) -> Result:
    """matmul_multicore_reuse_mcast_2d_program_factory, and both forms of the 1-D one."""
    p = sizes
    a, b = random(p.m * TILE, p.k * TILE), random(p.k * TILE, p.n * TILE, seed=1)
    bias = random(p.n * TILE, seed=2)
    in0, in1 = bench.put(a), bench.put(b)
    in3 = bench.put(bias[None]) if p.bias else None
    out = bench.device.empty((p.m * TILE, p.n * TILE), BF16)
    kernels = [*_in0(bench, p, in0), *_in1(bench, p, in1, in3, out), _compute(bench, p)]
    rows, columns = p.per_core
    size, result = tile_bytes(BF16), rows * columns
    cbs = [tiles(0, 2 * rows * p.k_block, p.cores), tiles(1, 2 * columns * p.k_block, p.cores)]
    shared = (CBFormat(4, BF16, size), CBFormat(5, BF16, size))
    cbs.append(CircularBuffer(result * size, cores_of(p.cores), shared))
    if p.bias:
        cbs.append(tiles(3, columns, p.cores))
    bench.run(kernels, cbs, [Semaphore(index, cores_of(p.cores)) for index in range(4)])
    wanted = a.float() @ b.float() + (bias.float() if p.bias else 0.0)
    return out.to_torch(), wanted


def _in0(bench: Bench, p: Product, in0: Tensor) -> list[Kernel]:
    rows = p.per_core[0]
    groups = {core: p.group(core, 0) for core in p.cores}
    others = len(groups[p.cores[0]]) - 1
    senders = [core for core in p.cores if groups[core][0] == core]
    start = {core: p.place(core)[0] * rows for core in senders}
    sender = bench.plain(
        f"{KERNELS}/dataflow/reader_bmm_tile_layout_in0_sender_padding.cpp", senders, IN0,
        named_compile_time_args=NAMED, defines={} if others else {"SKIP_MCAST": "1"},
        compile_time_args=(
            1, p.k, p.k_block, rows * p.k, p.k_block, rows, p.k_block * rows, 0, 0, 0, 0, 0,
            p.k_blocks, 1, 1, 0, 1, others, others, p.m * p.k, 1, 1, 0, 0, 0, 1, 0, 0,
            *accessor_words(in0), *NO_TENSOR, 0,
        ),
        runtime_args={
            core: (
                in0.address, start[core] * p.k, *_corners(bench, groups[core], IN0.noc),
                min(rows, p.m - start[core]), 0,
            )
            for core in senders
        },
    )  # fmt: skip
    if not others:
        return [sender]
    receivers = [core for core in p.cores if core not in senders]
    receiver = bench.plain(
        f"{KERNELS}/dataflow/reader_bmm_tile_layout_in0_receiver.cpp", receivers, IN0,
        named_compile_time_args=NAMED, compile_time_args=(p.k_block * rows, p.k_blocks, 1, 1, 0, 1, 1, 0),
        runtime_args={core: bench.device.arch.worker_noc_xy(groups[core][0]) for core in receivers},
    )  # fmt: skip
    return [sender, receiver]


def _in1(bench: Bench, p: Product, in1: Tensor, in3: Tensor | None, out: Tensor) -> list[Kernel]:
    columns = p.per_core[1]
    groups = {core: p.group(core, 1) for core in p.cores}
    others = len(groups[p.cores[0]]) - 1
    senders = [core for core in p.cores if groups[core][0] == core]
    fused = {"FUSE_BIAS": "1"} if in3 is not None else {}
    write = (
        1, p.n, p.subblock[1], p.subblock[0] * p.n, columns, p.per_core[0] * p.n, p.subblock[1],
        p.subblock[0], p.subblock[0] * p.subblock[1], p.m * p.n,
    )  # fmt: skip
    sender = bench.plain(
        f"{KERNELS}/dataflow/reader_bmm_tile_layout_in1_sender_writer_padding.cpp", senders, IN1,
        named_compile_time_args=NAMED, defines=fused | ({} if others else {"SKIP_MCAST": "1"}),
        compile_time_args=(
            1, p.n, p.k_block * p.n, columns, columns, p.k_block, p.k_block * columns, p.k_blocks, 1, 1,
            2, 3, others, others, p.k * p.n, 1, 1, 0, 0, *write, int(in3 is not None), 0, 0, 0,
            *accessor_words(in1), *NO_TENSOR, *accessor_words(out),
            *(accessor_words(in3) if in3 is not None else ()),
        ),
        runtime_args={core: _sender_words(bench, p, core, groups[core], in1, in3, out) for core in senders},
    )  # fmt: skip
    if not others:
        return [sender]
    receivers = [core for core in p.cores if core not in senders]
    receiver = bench.plain(
        f"{KERNELS}/dataflow/reader_bmm_tile_layout_in1_receiver_writer_padding.cpp", receivers, IN1,
        named_compile_time_args=NAMED, defines=fused,
        compile_time_args=(
            p.k_block * columns, p.k_blocks, 1, 1, 2, 3, 1, *write, columns if fused else 0, 0,
            *accessor_words(out),
        ),
        runtime_args={
            core: (
                *bench.device.arch.worker_noc_xy(groups[core][0]), out.address, _first(p, core),
                *_receiver_rest(p, core), 1, 1,
            )
            for core in receivers
        },
    )  # fmt: skip
    return [sender, receiver]


def _sender_words(
    bench: Bench,
    p: Product,
    core: CoreCoord,
    group: Sequence[CoreCoord],
    in1: Tensor,
    in3: Tensor | None,
    out: Tensor,
) -> tuple[int, ...]:
    (rows, columns), (height, width) = p.per_core, p.subblock
    first = p.place(core)[1] * columns
    here = min(columns, p.n - first)
    blocks = -(-here // width)
    last = here - (blocks - 1) * width
    return (
        in1.address, first, *_corners(bench, group, IN1.noc), 0, out.address, _first(p, core),
        here, rows // height, height, 0, columns // width, blocks, last,
        (width - last) * tile_bytes(BF16), (columns // width - blocks) * width * height,
        in3.address if in3 is not None else 0, first if in3 is not None else 0, 1,
    )  # fmt: skip


def _receiver_rest(p: Product, core: CoreCoord) -> tuple[int, ...]:
    """How many subblocks are not padding, and what to skip."""
    (rows, columns), (height, width) = p.per_core, p.subblock
    i, j = p.place(core)
    tall, wide = min(rows, p.m - i * rows), min(columns, p.n - j * columns)
    down, across = -(-tall // height), -(-wide // width)
    last_w = wide - (across - 1) * width
    return (
        rows // height, down, tall - (down - 1) * height, (rows // height - down) * columns * height,
        columns // width, across, last_w, (width - last_w) * tile_bytes(BF16),
        (columns // width - across) * width * height,
    )  # fmt: skip


def _compute(bench: Bench, p: Product) -> Kernel:
    (rows, columns), (height, width) = p.per_core, p.subblock
    defines: Mapping[str, str] = {
        **({"FUSE_BIAS": "1"} if p.bias else {}),
        **({"PACKER_L1_ACC": "1"} if p.accumulate_in_l1 else {}),
    }
    return bench.plain(
        f"{KERNELS}/compute/bmm_large_block_zm_fused_bias_activation.cpp", p.cores,
        ComputeConfig(), defines=defines, named_compile_time_args={**NAMED, "bias_ntiles": columns},
        compile_time_args=(
            p.k_block, rows // height, rows * p.k_block, height * p.k_block,
            columns // width, columns * p.k_block, columns, p.k_blocks, 1, 1,
            height, width, height * width, 1, rows * columns, 0, 0, 0, 1,
        ),
    )  # fmt: skip


def _first(p: Product, core: CoreCoord) -> int:
    i, j = p.place(core)
    return i * p.per_core[0] * p.n + j * p.per_core[1]


def _corners(bench: Bench, group: Sequence[CoreCoord], noc: int) -> tuple[int, int, int, int]:
    """The corners of the other cores of a group, in the order in which its NoC goes."""
    if len(group) == 1:
        return (0, 0, 0, 0)
    whole = {core.x for core in group[1:]}, {core.y for core in group[1:]}
    low = CoreCoord(min(whole[0]), min(whole[1]))
    high = CoreCoord(max(whole[0]), max(whole[1]))
    start, end = (high, low) if noc == 1 else (low, high)
    return (*bench.device.arch.worker_noc_xy(start), *bench.device.arch.worker_noc_xy(end))
