"""Kernel -> shared library: the unit the vendor's toolchain would compile, for the host's compiler."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tilesmith import settings
from tilesmith.arch import Arch
from tilesmith.emulator.compile_errors import explain
from tilesmith.emulator.kernel_bindings import bindings_text, entry_text
from tilesmith.emulator.kernel_start import Define, Start, defined, start_of
from tilesmith.emulator.kernel_text import asks_for_its_role, confuses, own_texts, read, simplified
from tilesmith.emulator.runtime_build import INCLUDE
from tilesmith.emulator.suppress import check_comments
from tilesmith.errors import KernelCompileError
from tilesmith.formats import TileShape, tile_bytes
from tilesmith.program import CBFormat, Kernel
from tilesmith.program.sources import kernel_path
from tilesmith.toolchain import Compiler, Job, compile_many, is_in_wheel, known_compiler, wheel_compiler

_TABLE = 64
_ROLE_MACROS = ("TRISC_UNPACK", "TRISC_MATH", "TRISC_PACK")

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
    roles = _ROLE_MACROS if kernel.is_compute and asks_for_its_role(own) else ("",)
    rest = _rest(kernel, source, text, formats)
    starts = [start_of(kernel, arch, own, fast, role) for role in roles]
    units = [replace(start, text=start.text + rest) for start in starts]
    return KernelUnit(kernel, _jobs(kernel, units, own, checks))


def _jobs(kernel: Kernel, units: Sequence[Start], own: Sequence[str], checks: bool) -> tuple[Job, ...]:
    """For the compiler of the wheel, if that brought the kernel compiled, or for the one that is here."""
    name = f"{Path(kernel.label).stem}.unit.cpp"
    includes = (INCLUDE, *map(Path, kernel.compiler_include_paths))

    def jobs(compiler: Compiler, units: Sequence[Start]) -> tuple[Job, ...]:
        flags = _flags(compiler, checks)
        return tuple(
            Job(((name, unit.text),), includes, flags, precompiled=unit.precompiled, bare=True)
            for unit in units
        )

    wheel = wheel_compiler(name)
    if wheel is not None and all(map(is_in_wheel, found := jobs(wheel, units))):
        return found
    compiler = known_compiler()
    if not confuses(compiler, own):
        return jobs(compiler, units)
    # All headers come with the preprocessed text.
    options = ("-std=c++20", *_flags(compiler, checks), *(f"-I{folder}" for folder in includes))
    return jobs(compiler, [Start(simplified(one.text, compiler, options), "") for one in units])


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


def _rest(kernel: Kernel, source: Path | None, text: str, formats: Mapping[int, CBFormat]) -> str:
    """The kernel's numbers and its text."""
    lines = [*defined([*_arguments(kernel), *_circular_buffers(formats)]), '#include "ts/own_numbers.h"']
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
