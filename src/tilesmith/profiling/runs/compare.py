"""Two or more runs side by side: totals, and kernels matched by what they compute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilesmith.profiling.runs.figures import KernelFigures, RunFigures


@dataclass(frozen=True)
class KernelRow:
    """A kernel in each of the runs; None where a run has no such kernel."""

    name: str
    operands: str
    runs: tuple[KernelFigures | None, ...]

    @property
    def change_us(self) -> float:
        """From the first run to the last; a missing kernel takes no time."""
        first, last = self.runs[0], self.runs[-1]
        return (last.microseconds if last else 0.0) - (first.microseconds if first else 0.0)

    @property
    def bound_changed(self) -> bool:
        first, last = self.runs[0], self.runs[-1]
        return first is not None and last is not None and first.bound != last.bound


@dataclass(frozen=True)
class Total:
    """A figure of the whole run, in each of them."""

    name: str
    unit: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Comparison:
    """Runs by the names a user gave them; the first is what the others are compared with."""

    names: tuple[str, ...]
    runs: tuple[RunFigures, ...]
    totals: tuple[Total, ...]
    kernels: tuple[KernelRow, ...]
    remarks: tuple[str, ...]

    def ratio(self, index: int = -1) -> float:
        """Time of the first over the time of another: above 1 the other is faster."""
        other = self.runs[index].latency_us
        return self.runs[0].latency_us / other if other else 0.0

    def __str__(self) -> str:
        from tilesmith.profiling.runs.views import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from tilesmith.profiling.runs.views import tables_html

        return tables_html(self)


def compare(runs: Sequence[tuple[str, RunFigures]]) -> Comparison:
    """Compare runs, the first one with the others.

    Kernels are matched by name and operands first; what is left over, by name alone and order, since a level
    or a backend may store the same tensors in another format.
    """
    names, figures = tuple(name for name, _ in runs), tuple(one for _, one in runs)
    rows = sorted(_rows([list(one.kernels) for one in figures]), key=lambda row: -abs(row.change_us))
    return Comparison(names, figures, _totals(figures), tuple(rows), tuple(_remarks(figures)))


def _totals(runs: Sequence[RunFigures]) -> tuple[Total, ...]:
    def of(name: str, unit: str, attribute: str) -> Total:
        return Total(name, unit, tuple(float(getattr(one, attribute)) for one in runs))

    return (
        of("latency", "us", "latency_us"),
        of("kernels", "us", "kernel_us"),
        of("launches", "us", "launch_us"),
        of("DRAM moved", "bytes", "dram_bytes"),
        of("DRAM at its peak", "bytes", "peak_dram"),
        of("L1 at its peak", "bytes", "peak_l1"),
        of("power, estimated", "W", "watts"),
        of("energy, estimated", "uJ", "energy_uj"),
        of("findings", "", "findings"),
    )


def _remarks(runs: Sequence[RunFigures]) -> list[str]:
    """What a reader must know before trusting a ratio."""
    remarks = []
    if len({one.source for one in runs}) > 1:
        remarks.append(
            "predicted and measured times stand side by side: " + ", ".join(one.source for one in runs)
        )
    if len({one.chip for one in runs if one.chip}) > 1:
        remarks.append("the runs are of different chips: " + ", ".join(one.chip or "host" for one in runs))
    spread = max((one.spread for one in runs), default=0.0)
    if spread:
        remarks.append(f"measured times are medians; their middle half spreads over {spread:.0%}")
    return remarks


def _rows(runs: list[list[KernelFigures]]) -> list[KernelRow]:
    rows: list[list[KernelFigures | None]] = []
    for index, kernels in enumerate(runs):
        left = _placed(rows, index, kernels, by_operands=True)
        left = _placed(rows, index, left, by_operands=False)
        rows += [[None] * index + [kernel] for kernel in left]
        for row in rows:
            row += [None] * (index + 1 - len(row))
    return [_row(row) for row in rows]


def _placed(
    rows: list[list[KernelFigures | None]], index: int, kernels: list[KernelFigures], by_operands: bool
) -> list[KernelFigures]:
    """Put each kernel into the first row without one that fits; those that fit nowhere come back."""
    left = []
    for kernel in kernels:
        for row in rows:
            known = next(one for one in row if one is not None)
            fits = known.key == kernel.key if by_operands else known.name == kernel.name
            if len(row) == index and fits:
                row.append(kernel)
                break
        else:
            left.append(kernel)
    return left


def _row(row: list[KernelFigures | None]) -> KernelRow:
    known = next(one for one in row if one is not None)
    return KernelRow(known.name, known.operands, tuple(row))
