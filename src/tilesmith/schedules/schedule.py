"""A schedule says how a kernel is carried out: blocks, the cores that share operands, who takes which rows.

What the kernel computes is another matter: a template is both, and `schedule_of` takes the schedule out.
Schedules are plain data, so that they can be printed, kept and given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeVar

from tilesmith.schedules.cores import Cores, Mesh, Rectangle, Stationary

Template = TypeVar("Template")
"""A kernel's template: a dataclass, some of whose fields are choices that a schedule names."""

_CORES: dict[str, type[Cores]] = {shape.__name__: shape for shape in (Mesh, Rectangle, Stationary)}


@dataclass(frozen=True)
class Schedule:
    """How a kernel is carried out. What its template has no choice of is None.

    >>> print(Schedule("Linear", block=(128, 64, 32), mesh=Mesh(8, 1, 4)))
    Linear block=128x64x32 mesh=Mesh(columns=8, rows=1, down=4)
    """

    template: str
    block: tuple[int, ...] | None = None
    """Rows and columns of the result that a core makes at once, and how deep operands are for it."""
    mesh: Cores | None = None
    """The rectangle of cores, and what is read once for a row or a column of them."""
    whole: bool | None = None
    """Of attention: whether keys end where a block of them does."""
    at_once: bool | None = None
    """Of attention: whether the scores of all keys are held."""
    rows: int | None = None
    """Of attention: how many blocks of queries a core takes of one head."""
    tail: int | None = None
    """Of attention: how many keys the last block has, if it is smaller than the others."""
    chunk: int | None = None
    """Of norms: how many columns of a row a core has."""
    share: int | None = None
    """Of norms: how many blocks of rows there are, if cores send their statistics to each other."""

    def __str__(self) -> str:
        told = ((field.name, getattr(self, field.name)) for field in fields(self)[1:])
        return " ".join(
            (self.template, *(f"{name}={_text(value)}" for name, value in told if value is not None))
        )

    def to_json(self) -> dict[str, Any]:
        """
        >>> Schedule("Linear", block=(64, 64, 32), mesh=Stationary(8, 8, 2)).to_json()["mesh"]
        {'columns': 8, 'rows': 8, 'turns': 2, 'shape': 'Stationary'}
        """
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        plain = {name: value for name, value in given.items() if value is not None}
        if self.mesh is not None:
            plain["mesh"] = {**asdict(self.mesh), "shape": type(self.mesh).__name__}
        if self.block is not None:
            plain["block"] = list(self.block)
        return plain

    @staticmethod
    def of_json(plain: Mapping[str, Any]) -> Schedule:
        """The schedule that `to_json` wrote; KeyError, TypeError or ValueError if it did not.

        >>> made = Schedule("Linear", block=(64, 64, 32), mesh=Mesh(8, 1, 4))
        >>> Schedule.of_json(made.to_json()) == made
        True
        """
        given = dict(plain)
        if "at_once" in given:
            given.setdefault("tail", 0)
        if "mesh" in given:
            cores = dict(given["mesh"])
            given["mesh"] = _CORES[cores.pop("shape")](**cores)
        if "block" in given:
            given["block"] = tuple(int(size) for size in given["block"])
        return Schedule(**given)


CHOICES = frozenset(field.name for field in fields(Schedule)) - {"template"}
"""Fields of templates that say how, not what."""


def schedule_of(template: object) -> Schedule:
    """The choices that a template holds."""
    return Schedule(
        type(template).__name__,
        **{name: getattr(template, name) for name in sorted(CHOICES & fields_of(template))},
    )


def find_schedule(wanted: Schedule, candidates: Sequence[Template]) -> Template | None:
    """The candidate that is carried out so. What is not among them may not fit, and is never made."""
    return next((template for template in candidates if schedule_of(template) == wanted), None)


def fields_of(template: object) -> set[str]:
    return {field.name for field in fields(template)}  # type: ignore[arg-type]  # templates are dataclasses


def _text(value: Any) -> str:
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)
