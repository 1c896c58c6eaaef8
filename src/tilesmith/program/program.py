"""Program: what a chip runs. Front ends make it, executors run it, and neither knows the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from html import escape

from tilesmith.arch.cores import CoreCoord, CoreRangeSet, Cores
from tilesmith.notebook import html_table
from tilesmith.program.circular_buffer import CircularBuffer
from tilesmith.program.kernel import Kernel
from tilesmith.program.site import declaration_site


@dataclass(frozen=True)
class Semaphore:
    """A 32-bit word in the L1 of each of its cores; kernels reach it with `get_semaphore(id)`.

    >>> Semaphore(0, CoreCoord(0, 0), initial_value=1).initial_value
    1
    """

    id: int
    core_ranges: CoreRangeSet
    initial_value: int = 0
    declared_at: str = field(default="", compare=False, repr=False)

    def __init__(self, id: int, core_ranges: Cores, initial_value: int = 0, declared_at: str = "") -> None:
        self.__dict__.update(
            id=id,
            core_ranges=CoreRangeSet.of(core_ranges),
            initial_value=initial_value,
            declared_at=declared_at or declaration_site(),
        )


class Structure(tuple[object, ...]):
    """A tuple that works out its hash once: every launch asks for it."""

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, repr=False)
class Program:
    """Kernels, the circular buffers between them, and semaphores.

    >>> from tilesmith.program import ReaderConfig, SourceType
    >>> idle = Kernel("void kernel_main() {}", CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE)
    >>> Program.from_json(Program([idle]).to_json()) == Program([idle])
    True
    """

    kernels: tuple[Kernel, ...] = ()
    cbs: tuple[CircularBuffer, ...] = ()
    semaphores: tuple[Semaphore, ...] = ()

    def __init__(
        self,
        kernels: Iterable[Kernel] = (),
        cbs: Iterable[CircularBuffer] = (),
        semaphores: Iterable[Semaphore] = (),
    ) -> None:
        self.__dict__.update(kernels=tuple(kernels), cbs=tuple(cbs), semaphores=tuple(semaphores))

    def __repr__(self) -> str:
        names = ", ".join(kernel.label for kernel in self.kernels)
        return f"Program({names or 'no kernels'}; {len(self.cbs)} CBs on {len(self.cores)} cores)"

    def _repr_html_(self) -> str:
        rows = [
            (kernel.label, type(kernel.config).__name__.removesuffix("Config"), str(kernel.core_ranges))
            for kernel in self.kernels
        ]
        return f"<b>{escape(repr(self))}</b>" + html_table(("kernel", "processor", "cores"), rows)

    @cached_property
    def cores(self) -> tuple[CoreCoord, ...]:
        """Every core that has a kernel, row by row over the chip."""
        members = {core for kernel in self.kernels for core in kernel.core_ranges.cores()}
        return tuple(sorted(members, key=lambda core: (core.y, core.x)))

    @cached_property
    def structure(self) -> tuple[object, ...]:
        """The program cache's key: two programs with equal structure differ in runtime values only."""
        return Structure((
            tuple(kernel.structure for kernel in self.kernels),
            tuple(cb.structure for cb in self.cbs),
            self.semaphores,
        ))  # fmt: skip

    def to_json(self, indent: int | None = None) -> str:
        from tilesmith.program.serial import program_to_json

        return program_to_json(self, indent)

    @staticmethod
    def from_json(text: str) -> Program:
        from tilesmith.program.serial import program_from_json

        return program_from_json(text)
