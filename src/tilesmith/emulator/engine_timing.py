"""What the compute engines' steps cost, handed from the arch data to the runtime."""

from __future__ import annotations

import ctypes as c
from typing import Any, ClassVar

from tilesmith.arch import Arch
from tilesmith.arch.timing import FpuTiming
from tilesmith.isa.cycles import clock_table

_BF16_TILE = 2048  # the arch data's untilize figures are for one
_RATES = (
    "unpack_rate",
    "tilize_rate",
    "untilize_rate",
    "pack_rate",
    "pack_tilize_rate",
    "pack_untilize_rate",
    "accumulate_factor",
    "matmul_srca_rate",
    "matmul_srcb_rate",
)
_CYCLES = (
    "start",
    "tilize_start",
    "pack_start",
    "section",
    "latency",
    "matmul_phase",
    "eltwise_phase",
    "reduce_phase",
    "copy",
    "transpose",
    "sfpu_default",
)


class EngineTiming(c.Structure):
    """Cycles, and bytes per cycle; field for field the structure in native/engine.h."""

    _fields_: ClassVar[list[tuple[str, Any]]] = [
        *((name, c.c_double) for name in _RATES),
        ("matmul_overhead", c.c_double * 5),
        *((name, c.c_uint32) for name in _CYCLES),
    ]


def install_engine_timing(functions: c.CDLL, arch: Arch) -> None:
    """Chips of one family share their figures, so installing them twice changes nothing."""
    cycles = clock_table(arch)
    functions.tsh_engine_timing(
        int(arch.family == "blackhole"),
        c.byref(_engine_timing(arch)),
        (c.c_char_p * len(cycles))(*(name.encode() for name in cycles)),
        (c.c_uint32 * len(cycles))(*cycles.values()),
        len(cycles),
    )


def _engine_timing(arch: Arch) -> EngineTiming:
    unpack, fpu, sfpu, pack = arch.timing.unpack, arch.timing.fpu, arch.timing.sfpu, arch.timing.pack
    return EngineTiming(
        unpack_rate=unpack.bytes_per_cycle,
        tilize_rate=unpack.tilize_bytes,
        untilize_rate=_BF16_TILE / unpack.untilize_bf16,
        pack_rate=pack.bytes_per_cycle,
        pack_tilize_rate=pack.tilize_bytes,
        pack_untilize_rate=_BF16_TILE / pack.untilize_bf16,
        accumulate_factor=pack.l1_accumulate_factor,
        matmul_srca_rate=unpack.matmul_srca_bytes,
        matmul_srcb_rate=unpack.matmul_srcb_bytes,
        matmul_overhead=_by_phases(fpu),
        start=unpack.start,
        tilize_start=unpack.tilize_start,
        pack_start=pack.start,
        section=pack.section,
        latency=fpu.latency,
        matmul_phase=fpu.matmul_per_phase,
        eltwise_phase=fpu.eltwise_per_tile,
        reduce_phase=fpu.reduce_per_tile,
        copy=fpu.copy_per_tile,
        transpose=4 * fpu.transpose_per_face,
        sfpu_default=sfpu.default,
    )


def _by_phases(fpu: FpuTiming) -> tuple[float, ...]:
    """Index by the number of fidelity phases; a matmul has at least one."""
    overhead = {fpu.phases[fidelity]: cycles for fidelity, cycles in fpu.matmul_overhead.items()}
    return tuple(overhead.get(phases, 0.0) for phases in range(5))
