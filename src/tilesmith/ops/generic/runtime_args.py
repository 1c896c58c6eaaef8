"""RuntimeArgs: arguments per core, given as `args[x][y] = [...]` or with `append`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tilesmith.program import CoreCoord


class _Column:
    """The cores of one column."""

    def __init__(self, owner: RuntimeArgs, x: int) -> None:
        self._owner, self._x = owner, x

    def __getitem__(self, y: int) -> list[int]:
        return self._owner.get(CoreCoord(self._x, y))

    def __setitem__(self, y: int, values: Iterable[int]) -> None:
        self._owner.append(CoreCoord(self._x, y), values)


class RuntimeArgs:
    """Arguments of a kernel, per core.

    >>> args = RuntimeArgs()
    >>> args[1][0] = [4096, 8]
    >>> args.to_list()
    [(CoreCoord(x=1, y=0), [4096, 8])]
    """

    def __init__(self) -> None:
        self._values: dict[CoreCoord, list[int]] = {}

    def __getitem__(self, x: int) -> _Column:
        return _Column(self, x)

    def __len__(self) -> int:
        return len(self._values)

    def append(self, core: CoreCoord, values: Iterable[int]) -> None:
        """Set a core's arguments."""
        self._values[CoreCoord(*core)] = list(values)

    def get(self, core: CoreCoord) -> list[int]:
        return self._values.setdefault(CoreCoord(*core), [])

    def clear(self) -> None:
        self._values.clear()

    def to_list(self) -> list[tuple[CoreCoord, list[int]]]:
        return list(self._values.items())


def as_mapping(
    values: RuntimeArgs | Iterable[tuple[CoreCoord, Sequence[int]]],
) -> dict[CoreCoord, tuple[int, ...]]:
    """Arguments by core, from either form that ttnn takes."""
    pairs = values.to_list() if isinstance(values, RuntimeArgs) else list(values)
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], tuple)):
            raise TypeError(
                "runtime_args is a RuntimeArgs or a list of (CoreCoord, values); ttnn answers others with"
                f" std::bad_cast, got an entry {pair!r}"
            )
    return {CoreCoord(*core): tuple(words) for core, words in pairs}
