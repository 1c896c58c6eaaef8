"""Launches as files: a Program and the tensors on its device, written by one process and read by another.

Kernels written with torch or TileLang need packages that the Python with ttnn does not have.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilesmith.formats import DataFormat, TileShape
from tilesmith.program import CoreRange, CoreRangeSet, Program
from tilesmith.runtime import (
    BufferType,
    Layout,
    MemoryConfig,
    ShardOrientation,
    ShardSpec,
    TensorMemoryLayout,
)
from tilesmith.runtime.tensor_spec import TensorSpec


@dataclass(frozen=True)
class Placed:
    """A tensor and where it was."""

    spec: TensorSpec
    address: int


@dataclass(frozen=True)
class LaunchFile:
    """`group` is where the kernels come from; `title` what was run."""

    group: str
    title: str
    family: str
    tensors: tuple[Placed, ...]
    program: Program

    def write(self, path: Path) -> None:
        document = {
            "group": self.group,
            "title": self.title,
            "family": self.family,
            "tensors": [{**_spec_out(one.spec), "address": one.address} for one in self.tensors],
            "program": json.loads(self.program.to_json()),
        }
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")

    @staticmethod
    def read(path: Path) -> LaunchFile:
        document = json.loads(path.read_text(encoding="utf-8"))
        return LaunchFile(
            document["group"],
            document["title"],
            document["family"],
            tuple(Placed(_spec_in(item), item["address"]) for item in document["tensors"]),
            Program.from_json(json.dumps(document["program"])),
        )


def _spec_out(spec: TensorSpec) -> dict[str, Any]:
    memory = spec.memory_config
    return {
        "shape": spec.shape,
        "dtype": spec.dtype.name,
        "layout": spec.layout.value,
        "tile": [spec.tile.rows, spec.tile.cols],
        "memory": [memory.memory_layout.value, memory.buffer_type.value],
        "shards": memory.shard_spec and _shards_out(memory.shard_spec),
    }


def _spec_in(item: dict[str, Any]) -> TensorSpec:
    kind, place = item["memory"]
    shards = item["shards"] and _shards_in(*item["shards"])
    memory = MemoryConfig(TensorMemoryLayout(kind), BufferType(place), shards)
    shape, tile = tuple(item["shape"]), TileShape(*item["tile"])
    return TensorSpec(shape, DataFormat[item["dtype"]], Layout(item["layout"]), memory, tile)


def _shards_out(shards: ShardSpec) -> list[Any]:
    boxes = [[*one.start, *one.end] for one in shards.grid.ranges]
    return [boxes, shards.shape, shards.orientation.value]


def _shards_in(boxes: Sequence[Sequence[int]], shape: Sequence[int], orientation: str) -> ShardSpec:
    grid = CoreRangeSet([CoreRange((a, b), (c, d)) for a, b, c, d in boxes])
    return ShardSpec(grid, shape, ShardOrientation(orientation))
