"""What it costs to start a program, from the arch data: dispatch as a trace replays it."""

from __future__ import annotations

from tilesmith.arch import Arch
from tilesmith.program import Program


def launch_us(program: Program, arch: Arch) -> float:
    """Microseconds between the starts of two such programs whose kernels have nothing to do.

    >>> from tilesmith.arch import load_arch
    >>> launch_us(Program([], []), load_arch("n150"))
    1.57
    """
    dispatch = arch.timing.dispatch
    groups = _kernel_groups(program)
    cores = sum(groups)
    microseconds = dispatch.launch_us + dispatch.group_us * max(0, len(groups) - 1)
    with_arguments = [core for kernel in program.kernels for core in kernel.runtime_args]
    if len(set(with_arguments)) > 1:
        words = sum(len(values) for kernel in program.kernels for values in kernel.runtime_args.values())
        extra_kib = (words - len(with_arguments)) * 4 / 1024
        return (
            microseconds
            + dispatch.argument_core_us * len(set(with_arguments))
            + dispatch.argument_kib_us * extra_kib
        )
    if with_arguments or _is_configured(program):
        microseconds += dispatch.config_us if cores > 1 else dispatch.config_one_core_us
    return microseconds


def _is_configured(program: Program) -> bool:
    shared = any(kernel.common_runtime_args for kernel in program.kernels)
    return bool(program.cbs or program.semaphores or shared)


def _kernel_groups(program: Program) -> list[int]:
    """How many cores run the same kernels, for every such group."""
    kernels_of: dict[object, list[int]] = {}
    for index, kernel in enumerate(program.kernels):
        for core in kernel.core_ranges.cores():
            kernels_of.setdefault(core, []).append(index)
    groups: dict[tuple[int, ...], int] = {}
    for kernels in kernels_of.values():
        groups[tuple(kernels)] = groups.get(tuple(kernels), 0) + 1
    return list(groups.values())
