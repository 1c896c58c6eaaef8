"""The program cache as ttnn counts it: one entry per operation, attributes and tensor specs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from tilesmith.errors import OperationError
from tilesmith.ops.framework.binding import Bindings
from tilesmith.program import Program
from tilesmith.runtime import Device
from tilesmith.runtime.tensor_spec import TensorSpec


@dataclass
class CachedProgram:
    """A program, the numbers it was last given, and where in it they are (None: make it anew each time)."""

    program: Program
    bindings: Bindings | None
    numbers: tuple[int, ...]
    specs: tuple[TensorSpec, ...] = ()  # of the outputs


@dataclass
class OperationCache:
    """Programs of a device's operations. `hits` and `misses` count launches."""

    enabled: bool = True
    misses_allowed: bool = True
    hits: int = 0
    misses: int = 0
    _entries: dict[Hashable, CachedProgram] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._entries)

    def peek(self, key: Hashable) -> CachedProgram | None:
        return self._entries.get(key)

    def hit(self) -> None:
        self.hits += 1

    def missed(self) -> None:
        """Count a miss, unless there must be none."""
        self.misses += 1
        if not self.misses_allowed:
            raise OperationError(
                "Device operation: program cache miss occurred, but cache misses are forbidden",
                remedy="call device.set_program_cache_misses_allowed(True), or warm the cache up first",
            )

    def add(self, key: Hashable, entry: CachedProgram) -> None:
        if self.enabled:
            self._entries[key] = entry

    def clear(self) -> None:
        self._entries.clear()

    def disable_and_clear(self) -> None:
        self.enabled = False
        self.clear()


_caches: WeakKeyDictionary[Device, OperationCache] = WeakKeyDictionary()


def operation_cache(device: Device) -> OperationCache:
    """The cache of a device; it goes with the device.

    >>> from tilesmith.runtime import open_device
    >>> with open_device("n150") as device:
    ...     len(operation_cache(device))
    0
    """
    cache = _caches.get(device)
    if cache is None:
        cache = _caches[device] = OperationCache()
    return cache
