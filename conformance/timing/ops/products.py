"""Products with operands in DRAM that rows and columns of cores multicast, with formats of their own."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.accessors import accessor_words
from conformance.timing.gemm import CB_A, CB_B, CB_OUT, CB_SUMS, KERNELS
from conformance.timing.ops.plan import FORMATS, TILE, Plan, kernel_duration
from tilesmith.formats import tile_bytes
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
from tilesmith.runtime import Device, Tensor

Formats = tuple[str, str, str]


@dataclass(frozen=True)
class Product:
    """Sizes in tiles, as in a MatmulMultiCoreReuseMultiCastProgramConfig; batches are more rows of blocks."""

    m: int
    k: int
    n: int
    per_core: tuple[int, int]
    block: tuple[int, int]
    k_block: int
    subblock: tuple[int, int]
    formats: Formats
    fidelity: str
    batches: int = 1
    wide: bool = False

    @property
    def cores(self) -> CoreRange:
        """As many columns and rows of cores as there are blocks."""
        columns, rows = -(-self.n // self.per_core[1]), -(-self.m // self.per_core[0])
        return CoreRange((0, 0), (columns - 1, rows - 1))

    @property
    def blocks(self) -> int:
        return self.k // self.k_block

    @property
    def outer(self) -> int:
        """Output blocks of one core."""
        (rows, columns), (height, width) = self.per_core, self.block
        return self.batches * (rows // height) * (columns // width)


def product(device: Device, p: Product) -> float:
    """From the first start to the last end."""
    rows, columns = p.cores.end.y + 1, p.cores.end.x + 1
    height, width = p.per_core[0] * rows * p.batches, p.per_core[1] * columns
    shapes = ((height, p.k), (p.k, width), (height, width))
    tensors = [
        device.empty((m * TILE, n * TILE), FORMATS[dtype])
        for (m, n), dtype in zip(shapes, p.formats, strict=True)
    ]
    kernels = (_in0(device, p, tensors[0]), _in1(device, p, tensors[1], tensors[2]), _compute(p))
    semaphores = tuple(Semaphore(index, p.cores) for index in range(4))
    report = device.run(Program(kernels, _buffers(p), semaphores), checks="off", numbers="none")
    for tensor in tensors:
        tensor.deallocate()
    return kernel_duration(device, report.cycles, False)


def _buffers(p: Product) -> tuple[CircularBuffer, ...]:
    (height, width), (a, b, out) = p.block, p.formats
    sizes = (
        (CB_A, a, 2 * height * p.k_block),
        (CB_B, b, 2 * p.k_block * width),
        (CB_OUT, out, height * width),
        (CB_SUMS, "bf16", height * width),
    )
    return tuple(
        CircularBuffer(
            count * tile_bytes(FORMATS[dtype]),
            p.cores,
            CBFormat(index, FORMATS[dtype], tile_bytes(FORMATS[dtype])),
        )
        for index, dtype, count in sizes
    )


def _in0(device: Device, p: Product, a: Tensor) -> Kernel:
    columns = [device.arch.worker_noc_xy(CoreCoord(x, 0))[0] for x in range(p.cores.end.x + 1)]
    height, width = p.block
    args = {}
    for core in p.cores.cores():
        y = device.arch.worker_noc_xy(core)[1]
        where = (
            p.k,
            core.y * p.per_core[0] * p.batches,
            p.per_core[1] // width,
            int(core.x == 0),
            columns[0],
            y,
        )
        others = (columns[-1], columns[1], len(columns) - 1)
        args[core] = (a.address, p.outer, p.blocks, height, p.k_block, *where, *others)
    config = DataMovementConfig(Processor.RISCV_1, noc=1)
    return Kernel(
        KERNELS / "gemm_in0_pages.cpp",
        p.cores,
        config,
        compile_time_args=accessor_words(a),
        runtime_args=args,
    )


def _in1(device: Device, p: Product, b: Tensor, out: Tensor) -> Kernel:
    lines = [device.arch.worker_noc_xy(CoreCoord(0, y))[1] for y in range(p.cores.end.y + 1)]
    height, width = p.block
    across = p.per_core[1] * (p.cores.end.x + 1)
    args = {}
    for core in p.cores.cores():
        x = device.arch.worker_noc_xy(core)[0]
        per_row = p.per_core[1] // width
        work = (p.outer, p.blocks, p.k_block, width, across, core.x * p.per_core[1], per_row)
        output = (core.y * p.per_core[0] * p.batches, height, *p.subblock)
        role = (int(core.y == 0), 1, x, lines[0], lines[1], lines[-1], len(lines) - 1)
        args[core] = (b.address, out.address, *work, *output, *role)
    config = DataMovementConfig(Processor.RISCV_0, noc=0)
    return Kernel(
        KERNELS / "gemm_in1.cpp", p.cores, config, compile_time_args=accessor_words(b, out), runtime_args=args
    )


def _compute(p: Product) -> Kernel:
    words = (p.outer, p.blocks, *p.block, p.k_block, *p.subblock)
    config = ComputeConfig(
        math_fidelity=MathFidelity[p.fidelity], math_approx_mode=True, fp32_dest_acc_en=p.wide
    )
    args = dict.fromkeys(p.cores.cores(), words)
    return Kernel(KERNELS / "gemm_compute.cpp", p.cores, config, runtime_args=args)


def block_product(device: Device, k: int, fidelity: str, in_l1: bool) -> float:
    """One core: eight blocks of 16 by 16 tiles, `k` deep, that lie in its L1; sub-blocks of 4 by 2."""
    plan = Plan(device, [CoreCoord(0, 0)])
    side, blocks, core = 16, 8, CoreCoord(0, 0)
    for index, tiles, dtype in (
        (0, side * k, "bfp8_b"),
        (1, side * k, "bfp8_b"),
        (16, side * side, "bfp8_b"),
        (24, side * side, "bf16"),
    ):
        plan.buffer(index, tiles, dtype)
    plan.reader("two_operands.cpp", (), {core: (blocks, side * k)})
    plan.writer("shard.cpp", (16, 0), {core: (side * side,)})
    plan.compute("block_product.cpp", (int(in_l1),), {core: (blocks, side, side, k, 4, 2)}, fidelity)
    return plan.cycles()
