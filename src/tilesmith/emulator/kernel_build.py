"""Kernel -> shared library: the unit the vendor's toolchain would compile, for the host's compiler."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tilesmith import settings
from tilesmith.arch import Arch
from tilesmith.emulator.compile_errors import explain
from tilesmith.emulator.kernel_bindings import bindings_text, entry_text
from tilesmith.emulator.kernel_text import asks_for_its_role, confuses, own_texts, read, simplified
from tilesmith.emulator.runtime_build import INCLUDE
from tilesmith.emulator.suppress import check_comments
from tilesmith.errors import KernelCompileError
from tilesmith.formats import TileShape, tile_bytes
from tilesmith.program import CBFormat, ComputeConfig, Kernel
from tilesmith.program.sources import kernel_path
from tilesmith.toolchain import Compiler, Job, compile_many, is_in_wheel, known_compiler, wheel_compiler

_TABLE = 64
_STANDARD = "ts/precompiled.h"
_ROLE_MACROS = ("TRISC_UNPACK", "TRISC_MATH", "TRISC_PACK")

# What the vendor's firmware includes before every data-movement kernel.
_FIRMWARE_INCLUDES = ('#include "api/dataflow/dataflow_api.h"', '#include "api/debug/kernel_profiler.hpp"')

Define = tuple[str, str]

_FLAGS = (
    "-march=native",
    "-ffp-contract=off",  # the chip's RISCs round every float operation: they have no fused multiply-add
    "-w",
    "-fpermissive",  # kernels cast 32-bit addresses to pointers and back
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-strict-aliasing",
    "-fvisibility=hidden",
    "-fno-threadsafe-statics",
)
_CLANG_CASTS = "-fms-extensions"  # clang's way to allow casting a pointer to 32 bits
_GCC_CHECKED = ("-g1", "-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0")
_CLANG_CHECKED = ("-g1", "-Xclang", "-fsanitize=thread", "-mllvm", "-tsan-instrument-func-entry-exit=0")


@dataclass(frozen=True)
class KernelUnit:
    """A kernel as compiled for its circular buffers: three texts if it asks which compute role it is."""

    kernel: Kernel
    jobs: tuple[Job, ...]


def kernel_unit(
    kernel: Kernel, formats: Mapping[int, CBFormat], arch: Arch, checks: bool, fast: bool = False
) -> KernelUnit:
    """Describe how to build a kernel, without building it. `fast` is the kind of numbers it computes with."""
    source, text = _source(kernel)
    own = tuple(own_texts(text, source, kernel.compiler_include_paths))
    for part in own:
        check_comments(part, kernel.label)
    numbers = [("TS_FAST_NUMBERS", str(int(fast)))] if kernel.is_compute else []
    told_apart = kernel.is_compute and asks_for_its_role(own)
    variants = [[(role, "1"), *numbers] for role in _ROLE_MACROS] if told_apart else [numbers]
    units = [_unit(kernel, source, text, formats, [*_processor(kernel, arch), *more]) for more in variants]
    return KernelUnit(kernel, _jobs(kernel, units, own, checks))


def _jobs(kernel: Kernel, units: Sequence[str], own: Sequence[str], checks: bool) -> tuple[Job, ...]:
    """For the compiler of the wheel, if that brought the kernel compiled, or for the one that is here."""
    name = f"{Path(kernel.label).stem}.unit.cpp"
    includes = (INCLUDE, *map(Path, kernel.compiler_include_paths))

    def jobs(compiler: Compiler, units: Sequence[str], standard: str) -> tuple[Job, ...]:
        flags = _flags(compiler, checks)
        result = ((name, unit) for unit in units)
        return tuple(Job((source,), includes, flags, precompiled=standard, bare=True) for source in result)

    wheel = wheel_compiler(name)
    if wheel is not None and all(map(is_in_wheel, found := jobs(wheel, units, _STANDARD))):
        return found
    compiler = known_compiler()
    if not confuses(compiler, own):
        return jobs(compiler, units, _STANDARD)
    # The standard headers come with the preprocessed text.
    options = ("-std=c++20", *_flags(compiler, checks), *(f"-I{folder}" for folder in includes))
    return jobs(compiler, [simplified(unit, compiler, options) for unit in units], "")


def build_kernels(
    units: Sequence[KernelUnit], first: Sequence[Job] = ()
) -> tuple[list[Path], list[tuple[Path, ...]]]:
    """Build all units side by side, after the jobs in `first`: their libraries, and those of each unit."""
    jobs = [*first, *(job for unit in units for job in unit.jobs)]
    try:
        paths = compile_many(jobs)
    except KernelCompileError as error:
        raise explain(error, INCLUDE) from None
    built, rest = paths[: len(first)], iter(paths[len(first) :])
    return built, [tuple(next(rest) for _ in unit.jobs) for unit in units]


def _flags(compiler: Compiler, checks: bool) -> tuple[str, ...]:
    gcc = compiler.family == "gcc"
    common = (f"-O{settings.current().kernel_optimization}", *_FLAGS)
    # No start-up files, which bring static data, and no run-time library of a sanitizer; to zig that would
    # also mean no standard headers. Unique symbols would be shared by all kernels of the process.
    flags = {
        "gcc": (*common, "-nostdlib", "-fno-gnu-unique"),
        "clang": (*common, "-nostdlib", _CLANG_CASTS),
        "zig": (*common, _CLANG_CASTS),
    }[compiler.family]
    if not checks:
        return flags
    return (*flags, *(_GCC_CHECKED if gcc else _CLANG_CHECKED))


def _source(kernel: Kernel) -> tuple[Path | None, str]:
    path = kernel_path(kernel)
    if path is None:
        return None, kernel.kernel_source
    path = path.resolve()
    return path, read(str(path), path.stat().st_mtime_ns)


def _unit(
    kernel: Kernel,
    source: Path | None,
    text: str,
    formats: Mapping[int, CBFormat],
    processor: Sequence[Define],
) -> str:
    defines = [
        *_arguments(kernel),
        *processor,
        *_circular_buffers(formats),
        *kernel.defines,
    ]
    lines = [f"#define {name} {value}" for name, value in defines]
    lines.append('#include "ts/prologue.h"')
    if not kernel.is_compute:
        lines += _FIRMWARE_INCLUDES
    lines += bindings_text(kernel)
    if source is not None:
        lines.append(f'#include "{source}"')
    else:
        lines += [f'#line 1 "{kernel.label}"', text]
    lines += entry_text(kernel, text)
    # The first name generation puts the entry into a namespace; both are found from here.
    lines += ["namespace ts_kernel {} using namespace ts_kernel;"]
    lines += ['extern "C" __attribute__((visibility("default"))) void ts_kernel_entry() { kernel_main(); }']
    return "\n".join(lines) + "\n"


def _arguments(kernel: Kernel) -> Iterable[Define]:
    if kernel.compile_time_args:
        yield (
            "KERNEL_COMPILE_TIME_ARGS",
            ",".join(f"{value & 0xFFFFFFFF}u" for value in kernel.compile_time_args),
        )
    if kernel.named_compile_time_args:
        pairs = (f'{{"{name}",{value & 0xFFFFFFFF}u}}' for name, value in kernel.named_compile_time_args)
        yield "KERNEL_COMPILE_TIME_ARG_MAP", ",".join(pairs)


def _processor(kernel: Kernel, arch: Arch) -> Iterable[Define]:
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
    yield "MATH_FIDELITY", str(int(config.math_fidelity))
    yield "DST_ACCUM_MODE", str(int(config.fp32_dest_acc_en))
    yield "APPROX", str(int(config.math_approx_mode))
    if config.fp32_dest_acc_en:
        yield "FP32_DEST_ACC_EN", "1"
    if config.dst_full_sync_en:
        yield "DST_FULL_SYNC", "1"


def _circular_buffers(formats: Mapping[int, CBFormat]) -> Iterable[Define]:
    tiles = {index: one.tile or TileShape() for index, one in formats.items()}
    yield "TS_CB_FORMATS", _table({i: int(one.data_format) for i, one in formats.items()}, 255)
    yield "TS_CB_PAGE_SIZES", _table({i: one.page_size for i, one in formats.items()}, 0)
    yield (
        "TS_CB_TILE_SIZES",
        _table({i: tile_bytes(one.data_format, tiles[i]) for i, one in formats.items()}, 0),
    )
    yield "TS_CB_TILE_ROWS", _table({i: tile.rows for i, tile in tiles.items()}, 32)
    yield "TS_CB_TILE_COLS", _table({i: tile.cols for i, tile in tiles.items()}, 32)
    yield "TS_CB_FACE_ROWS", _table({i: one.faces.face_r_dim for i, one in formats.items()}, 16)
    yield "TS_CB_FACES", _table({i: one.faces.num_faces for i, one in formats.items()}, 4)


def _table(values: Mapping[int, int], default: int) -> str:
    return "{" + ",".join(str(values.get(index, default)) for index in range(_TABLE)) + "}"
