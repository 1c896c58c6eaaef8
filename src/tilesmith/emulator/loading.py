"""Program -> the runtime's program: kernels built and loaded, circular buffers and semaphores described."""

from __future__ import annotations

import ctypes as c
from array import array
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from tilesmith.arch import Arch
from tilesmith.emulator import library
from tilesmith.emulator.elf import writable_data
from tilesmith.emulator.kernel_build import KernelUnit, build_kernels, kernel_unit
from tilesmith.emulator.launch import Spread
from tilesmith.emulator.runtime_build import runtime_job
from tilesmith.errors import InternalFault
from tilesmith.formats import TileShape
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRangeSet,
    Kernel,
    Program,
)
from tilesmith.program.kernel import FixedArgs


@dataclass
class LoadedProgram:
    """A program the runtime holds. Its structure is fixed; arguments come with every run."""

    handle: int
    libraries: Mapping[str, Path]  # by kernel name, to look up lines of raw accesses
    orders: Sequence[Sequence[CoreCoord]]  # per kernel, its cores in the order arguments are given
    addresses: tuple[int, ...]  # of the circular buffers, where they stand now
    arch: Arch
    fibers: Sequence[tuple[CoreCoord, int, str]]  # core, role and kernel of each, in the runtime's order
    kernel_names: Sequence[str]
    paths: Sequence[Path] = ()  # of every library it was loaded with
    held: Callable[[], Program | None] = lambda: None  # the Program that ran last, while somebody has it
    keep: list[Any] = field(default_factory=list)
    last: tuple[ref[Program], c.Array[library.Arguments]] | None = None
    spread: Spread | None = None

    def unload(self) -> None:
        """Give back what the runtime holds. It cannot run again."""
        library.runtime().functions.tsh_program_free(self.handle)
        library.runtime().unload_kernels(self.paths)

    def arguments(self, program: Program) -> c.Array[library.Arguments]:
        """This call's arguments, as the runtime reads them; a program of fixed ones keeps them."""
        if self.last is not None and self.last[0]() is program:
            return self.last[1]
        packed = self._packed(program)
        fixed = all(isinstance(kernel.runtime_args, FixedArgs) for kernel in program.kernels)
        self.last = (ref(program), packed) if fixed else None
        return packed

    def spread_of(self, program: Program) -> Spread:
        """How one of its programs, and so each of them, lies on cores."""
        if self.spread is None:
            self.spread = Spread.of(program)
        return self.spread

    def _packed(self, program: Program) -> c.Array[library.Arguments]:
        packed = (library.Arguments * len(program.kernels))()
        self.keep = []
        for slot, kernel, cores in zip(packed, program.kernels, self.orders, strict=True):
            values, offsets = _pack_arguments(kernel, cores)
            common = _words(kernel.common_runtime_args)
            self.keep += [values, offsets, common]
            slot.values, slot.offsets, slot.common = (
                values.ctypes.data,
                offsets.ctypes.data,
                common.ctypes.data,
            )
            slot.common_count = len(common)
        return packed

    def move_cbs(self, program: Program, addresses: Sequence[int]) -> None:
        """Follow circular buffers that stand on other tensors than last time."""
        for cb, old, new in zip(program.cbs, self.addresses, addresses, strict=True):
            for entry in cb.format_descriptors if old != new else ():
                slot, keep = library.CbDescription(), list[Any]()
                _describe_cb(slot, cb, entry, new, self.arch, keep)
                library.runtime().functions.tsh_move_cb(self.handle, c.byref(slot))
        self.addresses = tuple(addresses)


def build_program(program: Program, arch: Arch, checks: bool, fast: bool) -> list[tuple[Path, ...]]:
    """Build what is missing, the runtime along with the kernels; return the libraries of each kernel."""
    return _built(_units(program, arch, checks, fast))


def build_programs(programs: Sequence[Program], arch: Arch, checks: bool, fast: bool) -> None:
    """Build what is missing of several programs, all kernels side by side."""
    _built([unit for program in programs for unit in _units(program, arch, checks, fast)])


def _units(program: Program, arch: Arch, checks: bool, fast: bool) -> list[KernelUnit]:
    return [
        kernel_unit(kernel, formats_of(kernel, program.cbs), arch, checks, fast) for kernel in program.kernels
    ]


def _built(units: Sequence[KernelUnit]) -> list[tuple[Path, ...]]:
    first = () if library.loaded() else (runtime_job(),)
    runtime, libraries = build_kernels(units, first)
    if runtime:
        library.adopt_runtime(runtime[0])
    return libraries


def load_program(
    program: Program,
    addresses: Sequence[int],
    libraries: Sequence[tuple[Path, ...]],
    arch: Arch,
    machine: int,
) -> LoadedProgram:
    """Hand a built program to the runtime. `addresses` are those of its circular buffers in L1."""
    keep: list[Any] = []
    loaded: list[Path] = []
    kernels = (library.KernelDescription * len(program.kernels))()
    orders = [kernel.core_ranges.cores() for kernel in program.kernels]
    for slot, kernel, paths, cores in zip(kernels, program.kernels, libraries, orders, strict=True):
        _describe_kernel(slot, kernel, paths, cores, arch, keep)
        loaded += [paths[index % len(paths)] for index in range(3 if kernel.is_compute else 1)]
    views = [
        (cb, descriptor, address)
        for cb, address in zip(program.cbs, addresses, strict=True)
        for descriptor in cb.format_descriptors
    ]
    cbs = (library.CbDescription * len(views))()
    for slot, (cb, entry, address) in zip(cbs, views, strict=True):
        _describe_cb(slot, cb, entry, address, arch, keep)
    semaphores = (library.SemaphoreDescription * len(program.semaphores))()
    for slot, semaphore in zip(semaphores, program.semaphores, strict=True):
        slot.id, slot.value = semaphore.id, semaphore.initial_value & 0xFFFFFFFF
        _describe_cores(slot, semaphore.core_ranges.cores(), arch, keep)
    handle = library.runtime().functions.tsh_program_new(
        machine, kernels, len(kernels), cbs, len(cbs), semaphores, len(semaphores)
    )
    if not handle:
        raise InternalFault("a compiled kernel has no entry point")
    by_name = {kernel.label: paths[0] for kernel, paths in zip(program.kernels, libraries, strict=True)}
    names = [kernel.label for kernel in program.kernels]
    fibers = _fibers(program, orders)
    return LoadedProgram(handle, by_name, orders, tuple(addresses), arch, fibers, names, loaded)


def _fibers(program: Program, orders: Sequence[Sequence[CoreCoord]]) -> list[tuple[CoreCoord, int, str]]:
    fibers = []
    for kernel, cores in zip(program.kernels, orders, strict=True):
        config = kernel.config
        roles = (2, 3, 4) if isinstance(config, ComputeConfig) else (int(config.processor),)
        fibers += [(core, role, kernel.label) for core in cores for role in roles]
    return fibers


def formats_of(kernel: Kernel, cbs: Sequence[CircularBuffer]) -> Mapping[int, CBFormat]:
    """The circular buffers a kernel may see at compile time: those on any of its cores."""
    return ChainMap(*(
        {one.buffer_index: one for one in cb.format_descriptors}
        for cb in cbs
        if cb.core_ranges.intersects(kernel.core_ranges)
    ))  # fmt: skip


def core_index(core: CoreCoord, arch: Arch) -> int:
    return core.y * arch.grid.x + core.x


def _describe_kernel(
    slot: library.KernelDescription,
    kernel: Kernel,
    paths: tuple[Path, ...],
    cores: Sequence[CoreCoord],
    arch: Arch,
    keep: list[Any],
) -> None:
    slot.name = kernel.label.encode()
    for index in range(3 if kernel.is_compute else 1):
        path = paths[index % len(paths)]
        slot.handles[index] = library.runtime().load_kernel(path)
        slot.data_offsets[index], slot.data_sizes[index] = writable_data(path)
    slot.origin_x = min((core.x for core in cores), default=0)
    slot.origin_y = min((core.y for core in cores), default=0)
    _describe_cores(slot, cores, arch, keep)
    config = kernel.config
    if not isinstance(config, ComputeConfig):
        slot.processor, slot.noc = int(config.processor), config.noc
        return
    slot.compute = 1
    slot.fidelity = int(config.math_fidelity)
    slot.fp32_dest, slot.approx = config.fp32_dest_acc_en, config.math_approx_mode
    slot.full_sync, slot.bfp8_pack_precise = config.dst_full_sync_en, config.bfp8_pack_precise
    slot.unpack_to_dest_fp32 = sum(1 << cb for cb in config.unpack_to_dest_fp32)


def _describe_cb(
    slot: library.CbDescription,
    cb: CircularBuffer,
    view: CBFormat,
    address: int,
    arch: Arch,
    keep: list[Any],
) -> None:
    tile = view.tile or TileShape()
    slot.index, slot.format = view.buffer_index, int(view.data_format)
    slot.tile_rows, slot.tile_cols = tile.rows, tile.cols
    slot.face_rows, slot.faces = view.faces.face_r_dim, view.faces.num_faces
    slot.offset, slot.size, slot.page_size = address, cb.total_size, view.page_size
    slot.globally_allocated = cb.buffer is not None
    _describe_cores(slot, cb.core_ranges.cores(), arch, keep)


def _describe_cores(slot: Any, cores: Sequence[CoreCoord], arch: Arch, keep: list[Any]) -> None:
    array = (c.c_uint32 * len(cores))(*(core_index(core, arch) for core in cores))
    keep.append(array)
    slot.cores, slot.core_count = array, len(cores)


def _pack_arguments(
    kernel: Kernel, cores: Sequence[CoreCoord]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    args = kernel.runtime_args
    kept = args.kept if isinstance(args, FixedArgs) else None
    if isinstance(kept, _Packed) and kept.cores is kernel.core_ranges:
        return kept.values, kept.offsets
    rows = [args.get(core, ()) for core in cores]
    offsets = np.zeros(len(rows) + 1, np.uint32)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    values = _words([value for row in rows for value in row])
    if isinstance(args, FixedArgs):
        args.kept = _Packed(kernel.core_ranges, values, offsets)
    return values, offsets


@dataclass(frozen=True)
class _Packed:
    """Arguments as the runtime reads them, for kernels on these cores."""

    cores: CoreRangeSet
    values: NDArray[np.uint32]
    offsets: NDArray[np.uint32]


def _words(values: Sequence[int]) -> NDArray[np.uint32]:
    # An array of words refuses negative numbers and floats; numpy would wrap and truncate them in silence.
    return np.array(array("I", values), np.uint32)
