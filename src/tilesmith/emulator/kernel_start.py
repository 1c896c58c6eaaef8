"""What a kernel reads before its own text, and how much of that the compiler parses once for many kernels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tilesmith.arch import Arch
from tilesmith.emulator.runtime_build import INCLUDE
from tilesmith.program import ComputeConfig, Kernel
from tilesmith.toolchain import Text, reached, words_of

Define = tuple[str, str]

_STANDARD = '#include "ts/precompiled.h"\n'
_PROLOGUE = ('#include "ts/prologue.h"',)
# What the vendor's firmware includes before every data-movement kernel.
_FIRMWARE = ('#include "api/dataflow/dataflow_api.h"', '#include "api/debug/kernel_profiler.hpp"')
# What the compute headers are made of. The names it has outside namespace ts come with each of them.
_COMPUTE = ('#include "ts/compute_start.h"',)
_SHARED = str(INCLUDE / "ts/compute.h")

_MACRO = re.compile(r"^[ \t]*#[ \t]*(?:define|undef)[ \t]+(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Start:
    """`text` is how a unit begins; `precompiled` is text with which it may begin besides."""

    text: str
    precompiled: str


def start_of(kernel: Kernel, arch: Arch, own: Sequence[str], fast: bool = False, role: str = "") -> Start:
    """For a kernel with these texts of its own; `role` is the macro of one compute role, if there is one."""
    headers = (*_PROLOGUE, *(() if kernel.is_compute else _FIRMWARE))
    processor = [*_processor(kernel, arch, fast), *([(role, "1")] if role else [])]
    text = _lines([*defined([*processor, *_fidelity(kernel), *kernel.defines]), *headers])
    if kernel.is_compute and _includes_compute_headers(tuple(own)):
        headers = (*headers, *_COMPUTE)
    # A macro that one of these headers knows may change what it says. Kernels of one role are few.
    macros = {name for name, _ in kernel.defines}.union(*(_MACRO.findall(part) for part in own))
    if role or macros & _words(headers):
        return Start(text, _STANDARD)
    return Start(text, _STANDARD + _lines([*defined(processor), *headers]))


def defined(defines: Iterable[Define]) -> Iterator[str]:
    """Macros as lines."""
    return (f"#define {name} {value}" for name, value in defines)


def _lines(parts: Iterable[str]) -> str:
    return "".join(f"{part}\n" for part in parts)


def _fidelity(kernel: Kernel) -> Iterable[Define]:
    """No header that is parsed once asks for it: the engine knows it from the program."""
    if isinstance(kernel.config, ComputeConfig):
        yield "MATH_FIDELITY", str(int(kernel.config.math_fidelity))


@lru_cache(maxsize=256)
def _includes_compute_headers(own: tuple[str, ...]) -> bool:
    return _SHARED in reached([Text("", part) for part in own], (INCLUDE,))


@lru_cache(maxsize=8)
def _words(headers: Sequence[str]) -> frozenset[str]:
    return words_of(reached([Text("", _lines(headers))], (INCLUDE,)))


def _processor(kernel: Kernel, arch: Arch, fast: bool) -> Iterable[Define]:
    yield f"ARCH_{arch.family.upper()}", "1"
    yield "NUM_DRAM_BANKS", str(arch.num_dram_banks)
    yield "NUM_L1_BANKS", str(arch.num_cores)
    config = kernel.config
    if not isinstance(config, ComputeConfig):
        yield f"COMPILE_FOR_{config.risc}", "1"
        yield "NOC_INDEX", str(config.noc)
        yield "NOC_MODE", "0"
        return
    yield "COMPILE_FOR_TRISC", "1"
    yield "TS_FAST_NUMBERS", str(int(fast))
    yield "DST_ACCUM_MODE", str(int(config.fp32_dest_acc_en))
    yield "APPROX", str(int(config.math_approx_mode))
    if config.fp32_dest_acc_en:
        yield "FP32_DEST_ACC_EN", "1"
    if config.dst_full_sync_en:
        yield "DST_FULL_SYNC", "1"
