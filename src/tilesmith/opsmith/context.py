"""Finding sections and saying where a spec is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from tilesmith.errors import SpecError
from tilesmith.opsmith.expressions import (
    Expression,
    Names,
    NotAFormula,
    ShapePart,
    UnknownName,
    parse_expression,
    parse_shape,
)
from tilesmith.opsmith.markdown import Document, Row, Section, Table
from tilesmith.opsmith.model import Deviation, Place

Parsed = TypeVar("Parsed")


@dataclass
class Context:
    """The document being read, and what is to be told about it."""

    document: Document
    deviations: list[Deviation] = field(default_factory=list)

    def error(self, what: str, place: Place, remedy: str = "") -> SpecError:
        return SpecError(f"{place}: {what}", where=self.document.where(place.line), remedy=remedy)

    def place(self, section: Section, row: Row | None = None) -> Place:
        return Place(section.title, row.number if row else 0, row.line if row else section.line)

    def sections(self, *titles: str) -> list[Section]:
        return self.document.under(*titles)

    def required(self, *titles: str) -> list[Section]:
        found = self.sections(*titles)
        if not found:
            raise SpecError(
                f"the spec has no section {titles[0]!r}",
                where=str(self.document.path),
                remedy="add it; docs/opsmith.md lists the sections and their columns",
            )
        return found

    def table(self, columns: tuple[str, ...], *titles: str) -> tuple[Section, Table]:
        """The first table under one of the titles that has these columns."""
        found = self.required(*titles)
        for section in found:
            for table in section.tables:
                if table.has(*columns):
                    return section, table
        raise self.error(
            "there is no table here",
            self.place(found[0]),
            remedy=f"its columns must include: {', '.join(columns)}",
        )

    def formula(self, text: str, names: Names, place: Place) -> Expression:
        return self._parsed(parse_expression, text, names, place)

    def shape(self, text: str, names: Names, place: Place) -> tuple[ShapePart, ...]:
        return self._parsed(parse_shape, text, names, place)

    def _parsed(self, parse: Callable[[str, Names], Parsed], text: str, names: Names, place: Place) -> Parsed:
        try:
            return parse(text, names)
        except UnknownName as unknown:
            raise self.error(
                f"{unknown.name!r} in {text!r} is neither a size nor a parameter",
                place,
                remedy=f"add it to Parameters, or use: {names.known}",
            ) from None
        except NotAFormula:
            raise self.error(
                f"{text!r} is not a formula", place, remedy=f"it may use: {names.known}"
            ) from None
