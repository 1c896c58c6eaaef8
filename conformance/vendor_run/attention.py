"""Attention of whole sequences (prefill): chunks of queries against chunks of keys, row by row."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from conformance.accessors import accessor_words
from conformance.vendor_run.bench import BF16, TILE, Bench, Result, bits, random, rectangle, tiles
from tilesmith.formats import DataFormat
from tilesmith.program import (
    CircularBuffer,
    ComputeConfig,
    CoreRange,
    Kernel,
    ReaderConfig,
    Semaphore,
    WriterConfig,
)
from tilesmith.runtime import Tensor

KERNELS = "transformer/sdpa/device/kernels"
NO_TENSOR = (0, 0)
# fmt: off
Q, K, V, MASK, SCALE, COLUMN, QK, OUT_A, OUT_B, MAX_A, MAX_B, SUM_A, SUM_B, EXP_DIFF, OUT = range(15)
# fmt: on
UNUSED = Q  # the number of a buffer that this form of the kernels does not touch
SENDER, RECEIVER, VALID = 0, 1, 2  # semaphores
ONE = 0x3F803F80  # twice, in bfloat16


@dataclass(frozen=True)
class Attention:
    """Sizes in tiles: `queries` and `keys` long, `chunk` of each at a time. `chain`: cores hand keys on."""

    heads: int
    key_heads: int
    queries: int
    keys: int
    width: int
    cores: int
    causal: bool = False
    chain: bool = False
    fast_exp: bool = False
    chunk: tuple[int, int] = (2, 2)
    batch: int = 1

    @property
    def query_chunks(self) -> int:
        return self.queries // self.chunk[0]

    @property
    def key_chunks(self) -> int:
        return self.keys // self.chunk[1]

    @property
    def grid(self) -> CoreRange:
        return rectangle(self.cores, 1)

    @property
    def share(self) -> int:
        """Chunks of queries of one core, over all heads; pairs of a light and a heavy one if causal."""
        return self.batch * self.heads * self.query_chunks // self.cores

    @property
    def scale(self) -> float:
        return float((self.width * TILE) ** -0.5)


def attention(bench: Bench, attention: Attention) -> Result:
    """sdpa_program_factory with 32-bit DST, which takes the plain form of compute, not the streaming one."""
    a = attention
    q = random(a.batch, a.heads, a.queries * TILE, a.width * TILE)
    k = random(a.batch, a.key_heads, a.keys * TILE, a.width * TILE, seed=1)
    v = random(a.batch, a.key_heads, a.keys * TILE, a.width * TILE, seed=2)
    operands = (bench.put(q), bench.put(k), bench.put(v))
    out = bench.device.empty(q.shape, BF16)
    kernels = [_reader(bench, a, operands), _writer(bench, a, out), _compute(bench, a)]
    values = ((SENDER, 0), (RECEIVER, 0), (VALID, 1))
    semaphores = [Semaphore(index, a.grid, initial_value=value) for index, value in values]
    bench.run(kernels, _buffers(a), [] if a.causal else semaphores)
    return out.to_torch(), wanted(q, k, v, a.causal)


def wanted(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    group = q.shape[1] // k.shape[1]
    keys, values = (one.float().repeat_interleave(group, 1) for one in (k, v))
    return torch.nn.functional.scaled_dot_product_attention(q.float(), keys, values, is_causal=causal)


def _buffers(a: Attention) -> list[CircularBuffer]:
    rows, columns = a.chunk
    found = {
        Q: rows * a.width * (2 if a.share > 1 else 1), K: 2 * columns * a.width, V: 2 * columns * a.width,
        SCALE: 1, COLUMN: 1, OUT_A: rows * a.width, OUT_B: rows * a.width, MAX_A: rows, MAX_B: rows,
        EXP_DIFF: rows, OUT: rows * a.width,
    }  # fmt: skip
    if a.causal:
        found[MASK] = 2
    wide = {QK: rows * columns, SUM_A: rows, SUM_B: rows}
    made = [tiles(index, count, a.grid) for index, count in found.items()]
    return made + [tiles(index, count, a.grid, DataFormat.Float32) for index, count in wide.items()]


def _reader(bench: Bench, a: Attention, operands: tuple[Tensor, ...]) -> Kernel:
    addresses = tuple(one.address for one in operands)
    given = {}
    for number, core in enumerate(a.grid.cores()):
        chain = () if a.causal else _chain(bench, a, number)
        given[core] = (*addresses, 0, 0, 0, 0, 1, 0, 0, *chain, number * a.share, a.share)
    return bench.plain(
        f"{KERNELS}/dataflow/reader_interleaved.cpp", a.grid, ReaderConfig(), defines=_defines(a),
        compile_time_args=(
            a.batch, a.heads, a.key_heads, a.key_heads, a.keys, a.queries, a.keys, a.width, a.width,
            a.chunk[0], a.query_chunks, a.chunk[1], a.key_chunks, a.cores, int(a.causal), 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0, a.chunk[0], 0, 0, SENDER, RECEIVER, VALID, 0, int(a.causal), 0, 0, 0, 2, 0,
            *accessor_words(*operands), *(NO_TENSOR * 7),
            Q, K, V, MASK if a.causal else UNUSED, *([UNUSED] * 8),
        ),
        runtime_args=given,
    )  # fmt: skip


def _chain(bench: Bench, a: Attention, number: int) -> tuple[int, ...]:
    """Whether this core has keys from the one before it, and hands them to the one behind."""
    if not a.chain:
        return (0,) * 12
    places = [bench.device.arch.worker_noc_xy(core) for core in a.grid.cores()]
    first, last = number == 0, number == a.cores - 1
    before, behind = places[max(number - 1, 0)], places[min(number + 1, a.cores - 1)]
    return (1, int(first), int(last), 0, 0, *before, *behind, 0 if last else a.share, 0, 0)


def _writer(bench: Bench, a: Attention, out: Tensor) -> Kernel:
    return bench.plain(
        f"{KERNELS}/dataflow/writer_interleaved.cpp", a.grid, WriterConfig(), defines=_defines(a),
        compile_time_args=(
            a.batch, a.heads, a.queries, a.keys * TILE, a.width, a.chunk[0], a.query_chunks, a.chunk[1],
            a.key_chunks, ONE, a.cores, int(a.causal), 0, 0, 0, 0, int(a.causal), 0, a.chunk[0], 0,
            int(a.causal), 0, 0, SENDER, RECEIVER, VALID, 0, 0, *accessor_words(out), *(NO_TENSOR * 2),
            MASK if a.causal else UNUSED, SCALE, COLUMN, UNUSED, OUT, UNUSED, UNUSED, UNUSED,
        ),
        runtime_args={
            core: (out.address, 1, 0, 0, 0, 0, 0, number * a.share, a.share, 0, 0)
            for number, core in enumerate(a.grid.cores())
        },
    )  # fmt: skip


def _compute(bench: Bench, a: Attention) -> Kernel:
    rows, columns = a.chunk
    product = _subblock(rows, columns)
    result = _subblock(rows, a.width)
    return bench.plain(
        f"{KERNELS}/compute/sdpa.cpp", a.grid, ComputeConfig(fp32_dest_acc_en=True), defines=_defines(a),
        compile_time_args=(
            a.keys, a.width, a.width, rows, a.query_chunks, columns, a.key_chunks,
            a.width, product[1], product[0], rows // product[0], columns // product[1],
            columns, result[1], result[0], rows // result[0], a.width // result[1],
            int(a.causal), 0, 0, 0, bits(a.scale), 0, 0, 0, a.keys, 0, int(a.causal), 0,
            Q, K, V, MASK if a.causal else UNUSED, UNUSED, SCALE, COLUMN, UNUSED, UNUSED, OUT, QK, OUT_A,
            OUT_B, MAX_A, MAX_B, SUM_A, SUM_B, EXP_DIFF, UNUSED,
        ),
        runtime_args={
            core: (1, 0, 0, 0, number * a.share, a.share) for number, core in enumerate(a.grid.cores())
        },
    )  # fmt: skip


def _subblock(rows: int, columns: int) -> tuple[int, int]:
    """The largest that divides both and has room in 32-bit DST."""
    fitting = [
        (height, width)
        for height in range(1, rows + 1)
        for width in range(1, columns + 1)
        if rows % height == 0 and columns % width == 0 and height * width <= 4
    ]
    return max(fitting, key=lambda one: one[0] * one[1])


def _defines(a: Attention) -> dict[str, str]:
    """How many tiles each step holds in DST."""

    def divisor(total: int, most: int) -> str:
        return str(max(size for size in (1, 2, 4) if size <= most and total % size == 0))

    return {
        "STATS_GRANULARITY": divisor(a.chunk[0], 4),
        "SUB_EXP_GRANULARITY": divisor(a.chunk[1], 4),
        "MUL_BCAST_GRANULARITY": divisor(a.chunk[0] * a.chunk[1], 4),
        "DHT_GRANULARITY": divisor(a.width, 4),
        "REDUCE_GRANULARITY": divisor(a.chunk[0], 2),
        "EXP_APPROX_MODE": str(int(a.fast_exp)),
    }
