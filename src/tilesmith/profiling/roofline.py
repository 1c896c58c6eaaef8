"""How much of the chip a run used, and the least time its work could take on it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilesmith.arch import Arch
from tilesmith.profiling.model import RoleProfile, Roofline, TensorTraffic, Utilisation
from tilesmith.profiling.traffic import dram_peak
from tilesmith.program.executor import KernelTraffic

_FLOPS_PER_PRODUCT = 2 * 32**3


def roofline(
    arch: Arch,
    roles: Sequence[RoleProfile],
    traffic: Sequence[KernelTraffic],
    tensors: Sequence[TensorTraffic],
) -> Roofline:
    """Math at the program's fidelity on every core, and every byte of DRAM moved once at peak rate."""
    matmul = sum(one.matmul_cycles for one in traffic)
    other = sum(role.work.get("fpu", 0) + role.work.get("sfpu", 0) for role in roles)
    least = sum(min(t.size, t.read) + min(t.size, t.written) for t in tensors if t.in_dram)
    moved = sum(one.dram_read_bytes + one.dram_written_bytes for one in traffic)
    flops = _FLOPS_PER_PRODUCT * sum(one.tile_products for one in traffic)
    return Roofline(
        math_cycles=(matmul + other) / arch.num_cores,
        dram_cycles=least / dram_peak(arch),
        dram_bytes=least,
        dram_bytes_moved=moved,
        flops=flops,
        intensity=flops / least if least else 0.0,
        peak_tflops=flops * arch.num_cores * arch.clock_ghz / matmul / 1e3 if matmul else 0.0,
    )


def utilisation(
    arch: Arch,
    cycles: int,
    roles: Sequence[RoleProfile],
    traffic: Sequence[KernelTraffic],
    moved: NDArray[np.float64],
) -> Utilisation:
    """`moved` are the bytes of each role on each NoC."""
    cores = len({(role.x, role.y) for role in roles})
    matmul = sum(one.matmul_cycles for one in traffic)
    dram = sum(one.dram_read_bytes + one.dram_written_bytes for one in traffic)
    time, link = max(1, cycles), arch.timing.noc.stream_bytes

    def used(unit: str) -> float:
        return sum(role.work.get(unit, 0) for role in roles) / (time * max(1, cores))

    per_core: dict[tuple[int, int], NDArray[np.float64]] = {}
    for role, row in zip(roles, moved, strict=True):
        per_core[role.x, role.y] = per_core.get((role.x, role.y), np.zeros(2)) + row
    loads = np.array(list(per_core.values())).reshape(-1, 2) / (time * link)
    return Utilisation(
        matrix=matmul / (time * arch.num_cores),
        matrix_used=matmul / (time * max(1, cores)),
        vector_used=used("sfpu"),
        unpack_used=used("unpack"),
        pack_used=used("pack"),
        dram=dram / (time * dram_peak(arch)),
        noc=(float(loads[:, 0].mean()), float(loads[:, 1].mean())) if len(loads) else (0.0, 0.0),
        busiest_noc=float(loads.max()) if len(loads) else 0.0,
    )
