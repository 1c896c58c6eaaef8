"""What it costs to start a program, from the arch data: dispatch as a trace replays it."""

from __future__ import annotations

from typing import NamedTuple

from tilesmith.arch import Arch
from tilesmith.program import Program


class Spread(NamedTuple):
    """How a program lies on cores: the same for all programs of one structure."""

    groups: int  # of cores that run the same kernels
    cores: int
    cores_with_arguments: int
    lists_of_arguments: int  # one per kernel and core that has any

    @staticmethod
    def of(program: Program) -> Spread:
        groups = _kernel_groups(program)
        with_arguments = [core for kernel in program.kernels for core in kernel.runtime_args]
        return Spread(len(groups), sum(groups), len(set(with_arguments)), len(with_arguments))


def launch_us(program: Program, arch: Arch, spread: Spread | None = None) -> float:
    """Microseconds between the starts of two such programs whose kernels have nothing to do.

    >>> from tilesmith.arch import load_arch
    >>> launch_us(Program([], []), load_arch("n150"))
    1.57
    """
    dispatch, spread = arch.timing.dispatch, spread or Spread.of(program)
    microseconds = dispatch.launch_us + dispatch.group_us * max(0, spread.groups - 1)
    if spread.cores_with_arguments > 1:
        words = sum(sum(map(len, kernel.runtime_args.values())) for kernel in program.kernels)
        extra_kib = (words - spread.lists_of_arguments) * 4 / 1024
        return (
            microseconds
            + dispatch.argument_core_us * spread.cores_with_arguments
            + dispatch.argument_kib_us * extra_kib
        )
    if spread.lists_of_arguments or _is_configured(program):
        microseconds += dispatch.config_us if spread.cores > 1 else dispatch.config_one_core_us
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
