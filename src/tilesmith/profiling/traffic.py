"""What moved: per tensor, per DRAM bank and per NoC, from the transfers of a traced run."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tilesmith.arch import Arch
from tilesmith.profiling.model import BankTraffic, HeldTensor, TensorTraffic
from tilesmith.program.trace import FIRST_TRANSFER, LOCAL, Moved, Trace
from tilesmith.runtime.buffer import Buffer
from tilesmith.runtime.memory_config import TensorMemoryLayout
from tilesmith.runtime.tensor_spec import TensorSpec

_NOT_DRAM = 0x10000


def dram_peak(arch: Arch) -> float:
    """Bytes per cycle of all banks together.

    >>> from tilesmith.arch import load_arch
    >>> dram_peak(load_arch("n150"))
    288.0
    """
    return arch.timing.dram.peak_gb_per_s / arch.clock_ghz


def bank_traffic(trace: Trace, arch: Arch, cycles: int) -> tuple[BankTraffic, ...]:
    moved = _dram(trace)
    each = max(1.0, cycles * dram_peak(arch) / arch.num_dram_banks)
    return tuple(_bank(moved[moved["object"] == bank], bank, each) for bank in range(arch.num_dram_banks))


def _bank(moved: NDArray[np.void], bank: int, peak_bytes: float) -> BankTraffic:
    reads = moved["kind"] == FIRST_TRANSFER + Moved.READ
    read, total = int(moved["bytes"][reads].sum()), int(moved["bytes"].sum())
    return BankTraffic(bank, read, total - read, len(moved), total / peak_bytes)


def dram_over_time(trace: Trace, arch: Arch, step: int, steps: int) -> tuple[tuple[float, ...], ...]:
    """Utilisation of each bank in each step of so many cycles; a transfer counts where it arrives."""
    moved = _dram(trace)
    peak = step * dram_peak(arch) / arch.num_dram_banks
    at = np.minimum(moved["end"] // np.uint64(step), np.uint64(steps - 1)).astype(np.int64)
    index = moved["object"].astype(np.int64) * steps + at
    filled = np.bincount(index, moved["bytes"].astype(float), arch.num_dram_banks * steps) / peak
    return tuple(tuple(round(float(v), 3) for v in row) for row in filled.reshape(arch.num_dram_banks, steps))


def _dram(trace: Trace) -> NDArray[np.void]:
    moved = trace.transfers
    return moved[moved["object"] < _NOT_DRAM]


def noc_bytes(trace: Trace, fibers: int) -> NDArray[np.float64]:
    """Bytes that each role moved on each NoC, as [roles, 2]. A multicast leaves its sender once."""
    moved = trace.transfers
    index = moved["fiber"].astype(np.int64) * 2 + moved["noc"]
    total: NDArray[np.float64] = np.bincount(index, moved["bytes"].astype(float), 2 * fibers).astype(float)
    return total.reshape(fibers, 2)


def tensor_traffic(trace: Trace, buffers: Mapping[int, Buffer]) -> tuple[TensorTraffic, ...]:
    """The tensors that transfers reached, in the order in which they were."""
    moved = trace.transfers
    in_dram, local = moved["object"] < _NOT_DRAM, moved["address"] & LOCAL
    touched: list[tuple[int, TensorTraffic]] = []
    for number, buffer in buffers.items():
        low, high = np.uint64(buffer.address), np.uint64(buffer.address + buffer.size_per_bank)
        there = (local >= low) & (local < high)
        mine = moved[there & (in_dram == buffer.in_dram)]
        if len(mine):
            touched.append((int(mine["begin"].min()), _tensor(mine, number, buffer)))
    return tuple(tensor for _, tensor in sorted(touched, key=lambda pair: pair[0]))


def _tensor(mine: NDArray[np.void], number: int, buffer: Buffer) -> TensorTraffic:
    spec = buffer.spec
    reads = mine["kind"] == FIRST_TRANSFER + Moved.READ
    read, total = int(mine["bytes"][reads].sum()), int(mine["bytes"].sum())
    return TensorTraffic(
        id=number,
        name=f"tensor {list(spec.shape)}",
        shape=spec.shape,
        dtype=spec.dtype.name,
        layout=spec.layout.name,
        memory=memory_name(spec),
        size=spec.num_pages * spec.page_size,
        read=read,
        written=total - read,
        in_dram=buffer.in_dram,
    )


def memory_name(spec: TensorSpec) -> str:
    """As the vendor's reports write it: DRAM_INTERLEAVED, L1_BLOCK_SHARDED."""
    layout: TensorMemoryLayout = spec.memory_config.memory_layout
    return f"{'DRAM' if spec.memory_config.in_dram else 'L1'}_{layout.name}"


def held_tensor(number: int, buffer: Buffer) -> HeldTensor:
    spec = buffer.spec
    return HeldTensor(
        id=number,
        shape=spec.shape,
        dtype=spec.dtype.name,
        layout=spec.layout.name,
        memory=memory_name(spec),
        address=buffer.address,
        size_per_bank=buffer.size_per_bank,
        page_size=spec.page_size,
        in_dram=buffer.in_dram,
    )
