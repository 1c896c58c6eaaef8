"""Who sends which pages to whom in a collective: plain data, made for one line or ring of chips."""

from __future__ import annotations

from dataclasses import dataclass, replace

_NOWHERE = (0, 0)
_PAGES_TO_HALVE = 8  # fewer take less time than a second signal behind them


@dataclass(frozen=True)
class Run:
    """Page i is `base + i // run * stride + i % run`, from byte `offset` of it on."""

    base: int
    run: int
    stride: int
    offset: int = 0

    @property
    def words(self) -> tuple[int, ...]:
        return (self.base, self.run, self.stride, self.offset)


@dataclass(frozen=True)
class Message:
    """Pages from one tensor of a chip into another tensor of the chips it reaches.

    `forward` and `backward` are (first chip that keeps it, how many do), counted in hops. `first` pages are
    left out: another message has them.
    """

    pages: int
    source: Run
    target: Run
    here: bool = False
    forward: tuple[int, int] = _NOWHERE
    backward: tuple[int, int] = _NOWHERE
    first: int = 0

    def words(self, first: int, pages: int) -> tuple[int, ...]:
        """As the kernels read it, for a core that moves only some of the pages."""
        ends = (int(self.here), *self.forward, *self.backward)
        return (self.first + first, pages, *self.source.words, *self.target.words, *ends)


@dataclass(frozen=True)
class Line:
    """Chips one behind the other; a ring also joins the last to the first.

    >>> Line(4, ring=True).way(0, 3), Line(4, ring=False).way(0, 3)
    ((False, 1), (True, 3))
    """

    size: int
    ring: bool

    def way(self, sender: int, receiver: int) -> tuple[bool, int]:
        """Whether the shorter way is forward, and its hops."""
        ahead = (receiver - sender) % self.size
        if not self.ring:
            return receiver > sender, abs(receiver - sender)
        return (True, ahead) if ahead <= self.size // 2 else (False, self.size - ahead)

    def to_one(self, message: Message, sender: int, receiver: int) -> list[Message]:
        """To one chip; to the one opposite on a ring half of many pages go each way.

        >>> message = Message(8, Run(0, 8, 8), Run(0, 8, 8))
        >>> [(one.first, one.pages, one.forward, one.backward) for one in Line(4, True).to_one(message, 0, 2)]
        [(0, 4, (2, 1), (0, 0)), (4, 4, (0, 0), (2, 1))]
        """
        if sender == receiver:
            return [replace(message, here=True)]
        forward, hops = self.way(sender, receiver)
        if self.ring and 2 * hops == self.size and message.pages >= _PAGES_TO_HALVE:
            half = message.pages // 2
            rest = replace(message, first=half, pages=message.pages - half, backward=(hops, 1))
            return [replace(message, pages=half, forward=(hops, 1)), rest]
        return [replace(message, forward=(hops, 1)) if forward else replace(message, backward=(hops, 1))]

    def to_all(self, message: Message, sender: int) -> Message:
        """To every chip, its own included."""
        ahead = self.size // 2 if self.ring else self.size - 1 - sender
        behind = self.size - 1 - ahead
        return replace(
            message,
            here=True,
            forward=(1, ahead) if ahead else _NOWHERE,
            backward=(1, behind) if behind else _NOWHERE,
        )


def gather(line: Line, chip: int, pages: int, target: Run) -> list[Message]:
    """All pages of a chip to all chips."""
    return [line.to_all(Message(pages, Run(0, pages, pages), target), chip)]


def exchange(line: Line, chip: int, pages: int, source: Run, target: Run) -> list[Message]:
    """Part j of a chip's pages to chip j; `source` is part 0, and part j + 1 lies `run` pages behind j.

    Far chips come first: their packets are longest under way.
    """
    order = sorted(range(line.size), key=lambda other: -line.way(chip, other)[1])
    return [
        message
        for other in order
        for message in line.to_one(
            Message(pages, replace(source, base=other * source.run), target), chip, other
        )
    ]
