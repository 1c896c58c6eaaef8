"""Attention of one token for each user: cores share its keys, and join partial softmaxes in a tree."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from conformance.accessors import accessor_words
from conformance.vendor_run.bench import BF16, TILE, Bench, Result, bits, random, rectangle, tiles
from tilesmith.program import (
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRange,
    Kernel,
    ReaderConfig,
    Semaphore,
    WriterConfig,
)
from tilesmith.runtime import Tensor

KERNELS = "transformer/sdpa_decode/device/kernels"
NO_TENSOR = (0, 0)
NOBODY = 0xFFFFFFFF
ROUNDS = 6  # of the tree, at most
REDUCED, WRITTEN = 0, 1  # semaphores
ONE = 0x3F803F80  # twice, in bfloat16


@dataclass(frozen=True)
class Decode:
    """One user for each of `positions`; sizes in tiles, `chunk` of the keys at a time."""

    positions: tuple[int, ...]
    keys: int
    width: int
    chunk: int
    cores_each: int
    heads: int = 32

    @property
    def users(self) -> int:
        return len(self.positions)

    @property
    def grid(self) -> CoreRange:
        """A row of cores for each user."""
        return rectangle(self.cores_each, self.users)

    @property
    def scale(self) -> float:
        return float((self.width * TILE) ** -0.5)

    def place(self, core: CoreCoord) -> tuple[int, int]:
        """Its user, and its number among that user's cores."""
        return core.y, core.x


@dataclass(frozen=True)
class Node:
    """A core in the tree of its user: from whom it receives in each round, and when it sends to whom."""

    parent: int
    round: int
    children: tuple[int, ...]


def node(number: int, count: int) -> Node:
    rounds = (number & -number).bit_length() - 1 if number else ROUNDS
    children = [
        number + 2**one if one < rounds and number + 2**one < count else NOBODY for one in range(ROUNDS)
    ]
    return Node(number - 2**rounds if number else NOBODY, rounds if number else NOBODY, tuple(children))


def decode(bench: Bench, decode: Decode) -> Result:
    """sdpa_decode_program_factory: queries of one key head, each user's in one tile of rows."""
    d = decode
    q = random(1, d.users, d.heads, d.width * TILE)
    k = random(d.users, 1, d.keys * TILE, d.width * TILE, seed=1)
    v = random(d.users, 1, d.keys * TILE, d.width * TILE, seed=2)
    operands = (bench.put(q), bench.put(k), bench.put(v))
    out = bench.device.empty(q.shape, BF16)
    kernels = [_reader(bench, d, operands), _writer(bench, d, out), _compute(bench, d)]
    bench.run(kernels, _buffers(d), [Semaphore(index, d.grid) for index in (REDUCED, WRITTEN)])
    return out.to_torch(), wanted(d, q, k, v)


def wanted(d: Decode, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    rows = []
    for user, position in enumerate(d.positions):
        keys, values = (one[user, :, : position + 1].float() for one in (k, v))
        queries = q[0, user].float()[None]
        rows.append(torch.nn.functional.scaled_dot_product_attention(queries, keys, values))
    return torch.stack(rows, 1)


def _buffers(d: Decode) -> list[CircularBuffer]:
    out, statistics = d.width, 1
    counts = {
        0: d.width,
        1: 2 * d.chunk * d.width,
        2: 2 * d.chunk * d.width,
        3: d.chunk,
        10: d.width,
        24: d.chunk,
    }
    counts |= dict.fromkeys((5, 6, 7, 11, 12, 17, 18, 21, 22, 27, 28, 29, 30, 31), statistics)
    counts |= dict.fromkeys((16, 20, 23, 25, 26), out)
    if d.cores_each > 1:
        counts[19] = (out + 2 * statistics) * (d.cores_each - 1)
    return [tiles(index, count, d.grid) for index, count in counts.items()]


def _places(bench: Bench, cores: list[CoreCoord]) -> tuple[int, ...]:
    """All x, then all y."""
    xs, ys = zip(*(bench.device.arch.worker_noc_xy(core) for core in cores), strict=True)
    return (*xs, *ys)


def _roots(d: Decode) -> list[CoreCoord]:
    return [core for core in d.grid.cores() if d.place(core)[1] == 0]


def _reader(bench: Bench, d: Decode, operands: tuple[Tensor, ...]) -> Kernel:
    addresses = tuple(one.address for one in operands)
    given = {}
    for core in d.grid.cores():
        user, number = d.place(core)
        given[core] = (
            *addresses, 0, 0, 0, 0, 0, int(number == 0), 0, user, number, d.positions[user], 0, 0, 0, 0, 0,
            *_places(bench, _roots(d)),
        )  # fmt: skip
    return bench.plain(
        f"{KERNELS}/dataflow/reader_decode_all.cpp", d.grid, ReaderConfig(),
        compile_time_args=(
            d.users, 1, d.keys, d.width, d.width, d.chunk, d.users * d.cores_each, 0, 0, 0, 1, 0, d.users, 1,
            d.cores_each, 1, d.users, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
            *accessor_words(*operands), *(NO_TENSOR * 4),
        ),
        runtime_args=given,
    )  # fmt: skip


def _writer(bench: Bench, d: Decode, out: Tensor) -> Kernel:
    given = {}
    for core in d.grid.cores():
        user, number = d.place(core)
        mine = node(number, d.cores_each)
        group = [one for one in d.grid.cores() if d.place(one)[0] == user]
        given[core] = (
            out.address, int(number == 0), 0, user, number, d.positions[user], int(number == 0), mine.parent,
            mine.round, *mine.children, *_places(bench, group), *_places(bench, _roots(d)),
            *_places(bench, _roots(d)),
        )  # fmt: skip
    return bench.plain(
        f"{KERNELS}/dataflow/writer_decode_all.cpp", d.grid, WriterConfig(),
        compile_time_args=(
            1, d.keys, d.width, d.chunk, ONE, d.cores_each, d.users * d.cores_each, REDUCED, WRITTEN, 0,
            d.heads, 1, d.cores_each, 1, d.users, d.users, 2, 1, 0, 1, 0, 0, 0, *accessor_words(out),
        ),
        runtime_args=given,
    )  # fmt: skip


def _compute(bench: Bench, d: Decode) -> Kernel:
    given = {}
    for core in d.grid.cores():
        user, number = d.place(core)
        mine = node(number, d.cores_each)
        root = int(number == 0)
        given[core] = (root, user, number, d.positions[user], root, mine.parent, *mine.children)
    held = dict.fromkeys(("SUB_EXP", "MUL_BCAST", "STATS"), d.chunk) | {"DHT": d.width}
    defines = {f"{name}_GRANULARITY": str(count) for name, count in held.items()}
    return bench.plain(
        f"{KERNELS}/compute/sdpa_flash_decode.cpp", d.grid, ComputeConfig(),
        defines=defines | {"EXP_APPROX_MODE": "0"},
        compile_time_args=(
            d.keys, d.width, d.width, 1, d.chunk, d.width, d.chunk, 1, 1, 1, d.chunk, d.width, 1, 1, 1,
            d.cores_each, 1, 1, 0, 0, 0, 0, 1, 0, bits(d.scale), 0, 0, 0,
        ),
        runtime_args=given,
    )  # fmt: skip
