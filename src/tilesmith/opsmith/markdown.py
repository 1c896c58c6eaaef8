"""A spec as headings, tables, bullets and fenced blocks, every piece with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tilesmith.errors import SpecError

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_RULE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_BULLET = re.compile(r"\s*[-*]\s+\*\*(.+?)\*\*\s*:?\s*(.*)$")
_LABEL = re.compile(r"\*\*(.+?)\*\*\s*:?\s*(.*)$")


@dataclass(frozen=True)
class Row:
    """One row of a table: its cells by column, and where it stands."""

    cells: dict[str, str]
    line: int
    number: int

    def get(self, *columns: str) -> str:
        """The cell of the first of these columns that the table has."""
        for column in columns:
            if column.lower() in self.cells:
                return self.cells[column.lower()]
        return ""


@dataclass(frozen=True)
class Table:
    """A table, with the bold label that stands before it where several share a section."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    line: int
    label: str = ""

    def has(self, *columns: str) -> bool:
        return all(column.lower() in self.columns for column in columns)


@dataclass(frozen=True)
class Bullet:
    """`- **Key**: value`."""

    key: str
    value: str
    line: int


@dataclass(frozen=True)
class Fence:
    """A fenced block."""

    language: str
    text: str
    line: int


@dataclass
class Section:
    """One heading and what stands below it, up to the next heading."""

    title: str
    level: int
    line: int
    path: tuple[str, ...]
    tables: list[Table] = field(default_factory=list)
    bullets: list[Bullet] = field(default_factory=list)
    fences: list[Fence] = field(default_factory=list)
    prose: list[tuple[int, str]] = field(default_factory=list)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Everything it says, line by line."""
        yield from self.prose
        for fence in self.fences:
            yield from enumerate(fence.text.splitlines(), fence.line + 1)
        for table in self.tables:
            for row in table.rows:
                yield row.line, " | ".join(row.cells.values())

    def bullet(self, *keys: str) -> Bullet | None:
        """The first bullet with one of these keys."""
        wanted = {key.lower() for key in keys}
        return next((one for one in self.bullets if one.key.lower() in wanted), None)


@dataclass(frozen=True)
class Document:
    """A spec file, read but not yet understood."""

    path: Path
    sections: tuple[Section, ...]

    def under(self, *titles: str) -> list[Section]:
        """Every section that has, or stands below one that has, such a title.

        >>> document = parse_markdown("# A\\n## Work Distribution\\n### Grid\\n## B", Path("a.md"))
        >>> [section.title for section in document.under("work distribution")]
        ['Work Distribution', 'Grid']
        """
        wanted = [title.lower() for title in titles]
        return [one for one in self.sections if any(_names(part, wanted) for part in one.path)]

    def where(self, line: int) -> str:
        return f"{self.path}:{line}"


def parse_markdown(text: str, path: Path) -> Document:
    """Read the structure of a spec; a table with a row of the wrong length is an error."""
    return Document(path, tuple(_Reader(text, path).sections()))


def _names(title: str, wanted: list[str]) -> bool:
    """Whether a heading is one of the titles; remarks in parentheses and numbering do not count."""
    plain = re.sub(r"\(.*?\)", "", title).lower()
    plain = re.sub(r"^(section|part)\s+\w+\s*:\s*", "", plain)
    return plain.strip().rstrip(":") in wanted


class _Reader:
    def __init__(self, text: str, path: Path) -> None:
        self.lines = text.splitlines()
        self.path = path
        self.at = 0

    def sections(self) -> Iterator[Section]:
        current = Section("", 0, 1, ())
        stack: list[Section] = []
        while self.at < len(self.lines):
            heading = _HEADING.match(self.lines[self.at])
            if heading is None:
                self._read_into(current)
                continue
            yield current
            level, title = len(heading[1]), heading[2]
            stack = [one for one in stack if one.level < level]
            path = (*(one.title for one in stack), title)
            current = Section(title, level, self.at + 1, path)
            stack.append(current)
            self.at += 1
        yield current

    def _read_into(self, section: Section) -> None:
        line = self.lines[self.at]
        if line.lstrip().startswith("```"):
            section.fences.append(self._fence())
        elif self._table_starts():
            section.tables.append(self._table(section))
        else:
            bullet = _BULLET.match(line)
            if bullet is not None:
                section.bullets.append(Bullet(bullet[1].strip().rstrip(":"), bullet[2].strip(), self.at + 1))
            section.prose.append((self.at + 1, line))
            self.at += 1

    def _fence(self) -> Fence:
        opened = self.at
        language = self.lines[opened].strip().strip("`").strip().lower()
        self.at += 1
        body: list[str] = []
        while self.at < len(self.lines) and not self.lines[self.at].lstrip().startswith("```"):
            body.append(self.lines[self.at])
            self.at += 1
        if self.at == len(self.lines):
            raise SpecError(
                "the block opened here never ends",
                where=f"{self.path}:{opened + 1}",
                remedy="close it with ```",
            )
        self.at += 1
        return Fence(language, "\n".join(body), opened + 1)

    def _table_starts(self) -> bool:
        here = self.lines[self.at].strip()
        after = self.lines[self.at + 1].strip() if self.at + 1 < len(self.lines) else ""
        return here.startswith("|") and bool(_RULE.match(after)) and "-" in after

    def _table(self, section: Section) -> Table:
        line, label = self.at + 1, self._label()
        columns = tuple(_plain(cell).lower() for cell in _cells(self.lines[self.at]))
        self.at += 2
        rows: list[Row] = []
        while self.at < len(self.lines) and self.lines[self.at].strip().startswith("|"):
            cells = _cells(self.lines[self.at])
            if len(cells) != len(columns):
                raise SpecError(
                    f"section {section.title!r}, row {len(rows) + 1}: "
                    f"{len(cells)} cells under {len(columns)} columns",
                    where=f"{self.path}:{self.at + 1}",
                    remedy=f"the columns are: {', '.join(columns)}; write a | inside a cell as \\|",
                )
            rows.append(Row(dict(zip(columns, cells, strict=True)), self.at + 1, len(rows) + 1))
            self.at += 1
        return Table(columns, tuple(rows), line, label)

    def _label(self) -> str:
        """The bold words above a table: which kernel, compile-time or runtime."""
        above = self.at - 1
        while above >= 0 and not self.lines[above].strip():
            above -= 1
        found = _LABEL.match(self.lines[above].strip()) if above >= 0 else None
        return f"{found[1]} {found[2]}".strip().rstrip(":") if found else ""


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inner)]


def _plain(cell: str) -> str:
    """A cell without emphasis.

    >>> _plain("**CB ID**")
    'CB ID'
    """
    return cell.strip().strip("*").strip()
