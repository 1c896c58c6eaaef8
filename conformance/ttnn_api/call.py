"""A call of an operation, written once for both libraries, and what is noted of its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Fact = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """Operation `name`, called by `make` with the help of a Kit; `label` tells it from its other calls."""

    name: str
    label: str
    make: Callable[[Kit], Fact]

    @property
    def key(self) -> str:
        return f"{self.name}: {self.label}"


def calls_of(name: str, makes: dict[str, Callable[[Kit], Fact]]) -> list[Call]:
    return [Call(name, label, make) for label, make in makes.items()]


class Kit:
    """A library and its device, and short ways to make tensors. `call` is the one call that is looked at."""

    def __init__(
        self, library: Any, device: Any, make_tensor: Callable[..., Any], make_host: Callable[..., Any]
    ) -> None:
        self.lib = library
        self.device = device
        self._make_tensor = make_tensor
        self._make_host = make_host
        self.name = ""

    def host(self, *shape: int, dtype: str = "float32") -> Any:
        """A row-major tensor on the host."""
        return self._make_host(shape, getattr(self.lib, dtype))

    def t(self, *shape: int, dtype: str = "bfloat16", layout: str = "TILE", memory: Any = None) -> Any:
        """A tensor on the device: in tiles, in DRAM, unless told otherwise."""
        layouts = {"TILE": self.lib.TILE_LAYOUT, "ROW": self.lib.ROW_MAJOR_LAYOUT}
        memory = memory or self.lib.DRAM_MEMORY_CONFIG
        return self._make_tensor(shape, getattr(self.lib, dtype), layouts[layout], self.device, memory)

    def rows(self, *shape: int, dtype: str = "bfloat16", memory: Any = None) -> Any:
        """A tensor in row-major order."""
        return self.t(*shape, dtype=dtype, layout="ROW", memory=memory)

    @property
    def l1(self) -> Any:
        return self.lib.L1_MEMORY_CONFIG

    def shards(self, kind: str, cores: tuple[int, int], shape: Sequence[int], by_column: bool = False) -> Any:
        """A memory config: `kind` is HEIGHT, WIDTH or BLOCK; cores is a rectangle from (0, 0) on."""
        lib = self.lib
        box = lib.CoreRange(lib.CoreCoord(0, 0), lib.CoreCoord(cores[0] - 1, cores[1] - 1))
        order = lib.ShardOrientation.COL_MAJOR if by_column else lib.ShardOrientation.ROW_MAJOR
        spec = lib.ShardSpec(lib.CoreRangeSet([box]), list(shape), order)
        layout = getattr(lib.TensorMemoryLayout, f"{kind}_SHARDED")
        return lib.MemoryConfig(layout, lib.BufferType.L1, spec)

    def call(self, *args: Any, **kwargs: Any) -> Fact:
        """The answer, and how many programs a first and a second call add to the cache."""
        operation = getattr(self.lib, self.name)
        self.device.clear_program_cache()
        answer = operation(*args, **kwargs)
        first = self.device.num_program_cache_entries()
        operation(*args, **kwargs)
        second = self.device.num_program_cache_entries()
        return {**described(answer), "programs": first, "programs_again": second - first}


def described(answer: Any) -> Fact:
    """Shape, type, layout and memory, of a tensor or of several."""
    tensors = list(answer) if isinstance(answer, (list, tuple)) else [answer]
    return {
        "shape": [[int(size) for size in one.shape] for one in tensors],
        "padded_shape": [[int(size) for size in one.padded_shape] for one in tensors],
        "dtype": [_name(one.dtype) for one in tensors],
        "layout": [_name(one.layout) for one in tensors],
        "memory": [_memory(one) for one in tensors],
    }


def _memory(tensor: Any) -> str:
    if _name(tensor.storage_type()) == "HOST":
        return "host"
    memory = tensor.memory_config()
    text = f"{_name(memory.memory_layout)} {_name(memory.buffer_type)}"
    spec = memory.shard_spec
    if spec is None:
        return text
    ranges = spec.grid.ranges
    boxes = sorted(
        (r.start.x, r.start.y, r.end.x, r.end.y) for r in (ranges() if callable(ranges) else ranges)
    )
    return f"{text} {boxes} {[int(size) for size in spec.shape]} {_name(spec.orientation)}"


def _name(member: Any) -> str:
    return str(member).rpartition(".")[2].rpartition("::")[2]


def failure(error: Exception) -> Fact:
    """The kind of an error and its sentence; ttnn's is between "info:" and "backtrace:"."""
    text = str(getattr(error, "what", error))
    if "info:" in text:
        text = text.partition("info:")[2].partition("backtrace:")[0]
    kind = "TypeError" if isinstance(error, TypeError) else "RuntimeError"
    # What the argument parser of the bindings says is its own affair.
    return {"error": kind, "text": "" if kind == "TypeError" else " ".join(text.split())}
