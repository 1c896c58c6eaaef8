"""Everything about a Program that can be known before it runs, said before it runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, SupportsIndex

from tilesmith.arch.cores import CoreCoord, CoreRangeSet
from tilesmith.errors import (
    CircularBufferError,
    CoreOffGridError,
    KernelArgumentError,
    KernelOverlapError,
    SemaphoreError,
)
from tilesmith.program.budget import L1Claim, check_l1_budget
from tilesmith.program.circular_buffer import CBFormat, CircularBuffer
from tilesmith.program.kernel import ComputeConfig, DataMovementConfig, Kernel
from tilesmith.program.l1 import Placement, layout_l1
from tilesmith.program.program import Program
from tilesmith.program.sources import kernel_path

if TYPE_CHECKING:
    from tilesmith.arch import Arch

# tt-metal's max_runtime_args (kernel_types.hpp): unique and common arguments of a core share it.
MAX_RUNTIME_ARGS = 341
_UINT32 = 1 << 32
_ROOM = "one reader (NCRISC, NoC 0), one writer (BRISC, NoC 1) and one compute kernel"
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(\([\w\s,.]*\))?")


def check_program(program: Program, arch: Arch, l1_in_use: Sequence[L1Claim] = ()) -> Placement:
    """Raise a ProgramError for the first thing that cannot work; give back where the circular buffers stand.

    >>> from tilesmith.arch import load_arch
    >>> check_program(Program(), load_arch("wormhole")).addresses
    ()
    """
    for kernel in program.kernels:
        _check_on_grid(f"kernel {kernel.label}", kernel.core_ranges, arch, kernel.declared_at)
        _check_kernel(kernel, arch)
    _check_one_kernel_per_risc(program)
    for cb in program.cbs:
        _check_on_grid(f"circular buffer {_indices(cb)}", cb.core_ranges, arch, cb.declared_at)
        _check_circular_buffer(cb, program, arch)
    _check_cb_indices_unique(program)
    _check_semaphores(program, arch)
    placement = layout_l1(program, arch)
    check_l1_budget(program, arch, placement, l1_in_use)
    return placement


def check_runtime_values(program: Program) -> None:
    """What may change from call to call: every runtime argument is a 32-bit word."""
    for kernel in program.kernels:
        for core, args in kernel.runtime_args.items():
            _check_words(args, f"runtime argument of kernel {kernel.label} on core {core}", kernel)
        _check_words(kernel.common_runtime_args, f"common runtime argument of kernel {kernel.label}", kernel)


def _check_on_grid(what: str, cores: CoreRangeSet, arch: Arch, where: str) -> None:
    if not cores.ranges:
        raise CoreOffGridError(f"{what} has no cores", where=where, remedy="give it at least one core")
    for entry in cores.ranges:
        if not arch.grid_range.contains(entry):
            raise CoreOffGridError(
                f"{what} is placed on {entry}, but {arch.product} has {arch.grid.x} x {arch.grid.y} cores",
                where=where,
                remedy=f"use cores from 0-0 to {arch.grid_range.end}",
            )


def _check_kernel(kernel: Kernel, arch: Arch) -> None:
    kernel_path(kernel)
    label = f"kernel {kernel.label}"
    if isinstance(kernel.config, DataMovementConfig) and kernel.config.noc not in (0, 1):
        _reject(kernel, f"{label} asks for NoC {kernel.config.noc}", "a chip has NoC 0 and NoC 1")
    if isinstance(kernel.config, ComputeConfig):
        for cb in kernel.config.unpack_to_dest_fp32:
            if not 0 <= cb < arch.num_circular_buffers:
                limit = arch.num_circular_buffers - 1
                _reject(
                    kernel, f"unpack_to_dest_fp32 of {label} names circular buffer {cb}", f"use 0 to {limit}"
                )
    _check_words(kernel.compile_time_args, f"compile-time argument of {label}", kernel)
    _check_words(
        [value for _, value in kernel.named_compile_time_args], f"compile-time argument of {label}", kernel
    )
    names = [name for name, _ in kernel.named_compile_time_args]
    for name in {name for name in names if names.count(name) > 1}:
        _reject(kernel, f"{label} has two compile-time arguments named {name!r}", "give each its own name")
    for name, _ in kernel.defines:
        if not _IDENTIFIER.fullmatch(name):
            _reject(kernel, f"{label} defines {name!r}, which is no macro name", "use letters, digits and _")
    _check_bindings(kernel)
    _check_runtime_args(kernel)


def _check_bindings(kernel: Kernel) -> None:
    if kernel.bindings is None:
        return
    for namespace, bound in kernel.bindings.namespaces():
        more = [name for name, _ in kernel.named_compile_time_args] if namespace == "args" else []
        names = [*bound, *more]
        for name in names:
            if not _IDENTIFIER.fullmatch(name):
                _reject(kernel, f"kernel {kernel.label} binds {name!r}, which is no C++ name", "rename it")
            if names.count(name) > 1:
                _reject(
                    kernel, f"kernel {kernel.label} binds {namespace}::{name} twice", "give each its own name"
                )


def _check_runtime_args(kernel: Kernel) -> None:
    cores = set(kernel.core_ranges.cores())
    given = set(kernel.runtime_args)
    stray = sorted(given - cores)
    if stray:
        _reject(
            kernel,
            f"kernel {kernel.label} has runtime arguments for core {CoreCoord(*stray[0])}, where it is not",
            f"it runs on {kernel.core_ranges}: drop the arguments or widen the core ranges",
        )
    missing = sorted(cores - given, key=lambda core: (core.y, core.x))
    if given and missing:
        others = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        _reject(
            kernel,
            f"kernel {kernel.label} has runtime arguments for {len(given)} of its {len(cores)} cores;"
            f" core {missing[0]}{others} has none",
            "give every core its arguments: a core without work gets zeros, not nothing",
        )
    longest = max((len(args) for args in kernel.runtime_args.values()), default=0)
    total = longest + len(kernel.common_runtime_args)
    if total > MAX_RUNTIME_ARGS:
        _reject(
            kernel,
            f"kernel {kernel.label} has {total} runtime arguments; a core takes {MAX_RUNTIME_ARGS} at most",
            "put the table into a tensor and pass its address",
        )


def _check_words(values: Sequence[SupportsIndex], what: str, kernel: Kernel) -> None:
    for index, value in enumerate(values):
        # NumPy's integers are welcome; floats and strings are not integers.
        if not hasattr(value, "__index__") or not 0 <= value.__index__() < _UINT32:
            _reject(
                kernel,
                f"{what}, number {index}, is {value!r}: not an unsigned 32-bit integer",
                "pass negative numbers as value & 0xffffffff, and floats by their bits",
            )


def _check_one_kernel_per_risc(program: Program) -> None:
    holder: dict[tuple[CoreCoord, str], Kernel] = {}
    for kernel in program.kernels:
        wanted = [kernel.config.risc]
        if isinstance(kernel.config, DataMovementConfig):
            wanted.append(f"NoC {kernel.config.noc}")
        for core in kernel.core_ranges.cores():
            for resource in wanted:
                other = holder.setdefault((core, resource), kernel)
                if other is not kernel:
                    raise KernelOverlapError(
                        f"kernels {other.label} and {kernel.label} both want {resource} of core {core}",
                        where=kernel.declared_at,
                        remedy="a core has room for " + _ROOM,
                    )


def _check_circular_buffer(cb: CircularBuffer, program: Program, arch: Arch) -> None:
    if not cb.format_descriptors:
        _reject_cb(
            cb, "a circular buffer needs at least one format", "pass CBFormat(index, format, page_size)"
        )
    for format_descriptor in cb.format_descriptors:
        _check_format(format_descriptor, cb, program, arch)
    if cb.buffer is None:
        if cb.address_offset:
            _reject_cb(
                cb, f"{_name(cb)} has an address offset but no buffer", "pass buffer=, or drop the offset"
            )
        return
    if cb.address_offset + cb.total_size > cb.buffer.size_per_bank:
        _reject_cb(
            cb,
            f"{_name(cb)} takes {cb.address_offset + cb.total_size} bytes of a shard that has"
            f" {cb.buffer.size_per_bank}",
            "make it as large as the shard, or shard the tensor over fewer cores",
        )
    if not cb.buffer.cores.contains(cb.core_ranges):
        _reject_cb(
            cb,
            f"{_name(cb)} runs on {cb.core_ranges}, but its buffer has shards on {cb.buffer.cores} only",
            "use the core ranges of the shard spec",
        )


def _check_format(view: CBFormat, cb: CircularBuffer, program: Program, arch: Arch) -> None:
    name = f"circular buffer {view.buffer_index}"
    if not 0 <= view.buffer_index < arch.num_circular_buffers:
        _reject_cb(cb, f"there is no {name} on {arch.product}", f"use 0 to {arch.num_circular_buffers - 1}")
    if view.page_size <= 0 or cb.total_size <= 0:
        _reject_cb(
            cb, f"{name} has {cb.total_size} bytes in pages of {view.page_size}", "both must be positive"
        )
    if cb.total_size % view.page_size:
        fits = cb.total_size - cb.total_size % view.page_size
        _reject_cb(
            cb,
            f"{name} has {cb.total_size} bytes, which is not a whole number of {view.page_size}-byte pages",
            f"use {fits or view.page_size} or {fits + view.page_size} bytes",
        )
    if cb.total_size // view.page_size > arch.max_cb_pages:
        _reject_cb(
            cb,
            f"{name} has {cb.total_size // view.page_size} pages; its counters are 16 bits wide",
            f"use at most {arch.max_cb_pages} pages, for instance by making the pages larger",
        )
    if view.page_size % arch.l1_alignment and _has_compute(cb.core_ranges, program):
        rounded = -(-view.page_size // arch.l1_alignment) * arch.l1_alignment
        _reject_cb(
            cb,
            f"{name} has pages of {view.page_size} bytes next to a compute kernel, whose addresses count"
            f" {arch.l1_alignment}-byte words",
            f"round the page up to {rounded} bytes",
        )


def _has_compute(cores: CoreRangeSet, program: Program) -> bool:
    return any(kernel.is_compute and kernel.core_ranges.intersects(cores) for kernel in program.kernels)


def _check_cb_indices_unique(program: Program) -> None:
    holder: dict[tuple[CoreCoord, int], CircularBuffer] = {}
    for cb in program.cbs:
        for core in cb.core_ranges.cores():
            for index in cb.indices:
                if (core, index) in holder:
                    _reject_cb(
                        cb,
                        f"circular buffer {index} exists twice on core {core}"
                        f" (first declared at {holder[core, index].declared_at or 'an unknown place'})",
                        "give the second one another index, or disjoint cores",
                    )
                holder[core, index] = cb


def _check_semaphores(program: Program, arch: Arch) -> None:
    seen: set[tuple[CoreCoord, int]] = set()
    for semaphore in program.semaphores:
        _check_on_grid(f"semaphore {semaphore.id}", semaphore.core_ranges, arch, semaphore.declared_at)
        if not 0 <= semaphore.id < arch.num_semaphores:
            raise SemaphoreError(
                f"there is no semaphore {semaphore.id}",
                where=semaphore.declared_at,
                remedy=f"a core has semaphores 0 to {arch.num_semaphores - 1}",
            )
        if not 0 <= semaphore.initial_value < _UINT32:
            raise SemaphoreError(
                f"semaphore {semaphore.id} cannot start at {semaphore.initial_value}",
                where=semaphore.declared_at,
                remedy="it holds an unsigned 32-bit number",
            )
        for core in semaphore.core_ranges.cores():
            if (core, semaphore.id) in seen:
                raise SemaphoreError(
                    f"semaphore {semaphore.id} exists twice on core {core}",
                    where=semaphore.declared_at,
                    remedy="give the second one another id, or disjoint cores",
                )
            seen.add((core, semaphore.id))


def _indices(cb: CircularBuffer) -> str:
    return ", ".join(map(str, cb.indices)) or "without index"


def _name(cb: CircularBuffer) -> str:
    return f"circular buffer {_indices(cb)}"


def _reject(kernel: Kernel, what: str, remedy: str) -> None:
    raise KernelArgumentError(what, where=kernel.declared_at, remedy=remedy)


def _reject_cb(cb: CircularBuffer, what: str, remedy: str) -> None:
    raise CircularBufferError(what, where=cb.declared_at, remedy=remedy)
