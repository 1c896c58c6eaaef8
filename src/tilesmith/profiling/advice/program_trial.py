"""What the author of a metal program can set: room in circular buffers, and the fields of ComputeConfig."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from tilesmith.arch import Arch
from tilesmith.profiling.advice.trial import Candidate, Trial
from tilesmith.program import CircularBuffer, ComputeConfig, Kernel, MathFidelity, Program
from tilesmith.runtime.device import open_device

_ROUNDS = "fewer passes see fewer bits of the operands: compare the results"
_CHEAPER = {MathFidelity.HiFi4: "HiFi2", MathFidelity.HiFi3: "HiFi2", MathFidelity.HiFi2: "LoFi"}


class ProgramTrial(Trial):
    """A program as it ran. It is tried on a chip of its own, so that the user's memory stays as it is."""

    reader: ClassVar[str] = "metal"

    def __init__(self, name: str, arch: Arch, program: Program, cycles: int) -> None:
        self.subject = name
        self._arch = arch
        self._program = program
        self._cycles = cycles

    @property
    def key(self) -> Hashable:
        return self._arch.product, self._program.structure

    def predicted_us(self) -> float:
        """0 where the time depends on what lies in memory: then nothing can be tried without it."""
        cycles = _cycles(self._arch, self._program)
        return self._arch.microseconds(cycles) if cycles == self._cycles else 0.0

    def candidates(self) -> Iterator[Candidate]:
        rooms = {str(cb.indices[0]): 2 * cb.num_pages for cb in self._program.cbs if cb.is_allocated}
        yield from self._compute_candidates()
        if len(rooms) > 1:
            yield self._candidate("twice the pages in every circular buffer", {"pages": rooms})
        for index, pages in rooms.items():
            yield self._candidate(
                f"CB {index}: {pages} pages instead of {pages // 2}", {"pages": {index: pages}}
            )

    def _compute_candidates(self) -> Iterator[Candidate]:
        configs = [
            kernel.config for kernel in self._program.kernels if isinstance(kernel.config, ComputeConfig)
        ]
        if not configs:
            return
        cheaper = _CHEAPER.get(max(config.math_fidelity for config in configs), "")
        if cheaper:
            code = f"ComputeConfig(math_fidelity=MathFidelity.{cheaper})"
            yield self._candidate(code, {"math_fidelity": cheaper}, _ROUNDS)
        if not all(config.math_approx_mode for config in configs):
            caution = "functions become less exact: compare the results"
            yield self._candidate("ComputeConfig(math_approx_mode=True)", {"math_approx_mode": True}, caution)
        if any(config.dst_full_sync_en for config in configs):
            yield self._candidate("ComputeConfig(dst_full_sync_en=False)", {"dst_full_sync_en": False})

    def _candidate(self, code: str, settings: dict[str, Any], caution: str = "") -> Candidate:
        def predicted() -> float:
            return self._arch.microseconds(_cycles(self._arch, with_settings(self._program, settings)))

        return Candidate(code, settings, predicted, caution)


def _cycles(arch: Arch, program: Program) -> int:
    with open_device(arch) as device:
        return device.run(program, numbers="none").cycles


def with_settings(program: Program, settings: Mapping[str, Any]) -> Program:
    """The program with the settings of an advice.

    `pages` has the room of circular buffers by their first index; the others are fields of ComputeConfig.

    >>> from tilesmith.formats import DataFormat
    >>> from tilesmith.program import CBFormat, CoreCoord
    >>> cb = CircularBuffer(4096, CoreCoord(0, 0), CBFormat(3, DataFormat.Float16_b, 2048))
    >>> with_settings(Program(cbs=[cb]), {"pages": {"3": 8}}).cbs[0].num_pages
    8
    """
    pages: Mapping[str, int] = settings.get("pages", {})
    fields = {name: value for name, value in settings.items() if name != "pages"}
    if "math_fidelity" in fields:
        fields["math_fidelity"] = MathFidelity[fields["math_fidelity"]]
    return replace(
        program,
        kernels=tuple(_configured(kernel, fields) for kernel in program.kernels),
        cbs=tuple(_roomier(cb, pages.get(str(cb.indices[0]), 0)) for cb in program.cbs),
    )


def _roomier(cb: CircularBuffer, pages: int) -> CircularBuffer:
    size = pages * cb.format_descriptors[0].page_size or cb.total_size
    return CircularBuffer(
        size, cb.core_ranges, cb.format_descriptors, cb.buffer, cb.address_offset, cb.declared_at
    )


def _configured(kernel: Kernel, fields: Mapping[str, Any]) -> Kernel:
    if not fields or not isinstance(kernel.config, ComputeConfig):
        return kernel
    return replace(kernel, config=replace(kernel.config, **fields))
