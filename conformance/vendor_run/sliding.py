"""Windows that slide over height-sharded images: which padded sticks each core needs, and who has them.

A stick is one pixel's channels. Sticks of the padded images are counted one after another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from conformance.vendor_run.bench import Bench, rectangle
from tilesmith.formats import DataFormat
from tilesmith.program import CoreCoord, CoreRange
from tilesmith.runtime import Tensor
from tilesmith.runtime.memory_config import Layout, height_sharded

PADDING = -1
BLOCK = 32  # sticks that compute hands to one of the two movers at once


@dataclass(frozen=True)
class Shard:
    """What one core makes, and the padded sticks it needs for that; both from first to last, inclusive."""

    outputs: tuple[int, int]
    sticks: tuple[int, int]


@dataclass(frozen=True)
class Transfer:
    """Sticks that lie side by side in the shards of a source and of a destination."""

    source: int
    destination: int
    at: int
    to: int
    count: int


@dataclass(frozen=True)
class Window:
    """SlidingWindowConfig with the same stride and padding along both axes, on a row of cores."""

    batch: int
    height: int
    width: int
    channels: int
    kernel: int
    stride: int
    pad: int
    cores: int
    out_multiple: int = 1
    in_multiple: int = 1

    @property
    def padded(self) -> tuple[int, int]:
        return self.height + 2 * self.pad, self.width + 2 * self.pad

    @property
    def out_size(self) -> tuple[int, int]:
        down, across = self.padded
        return (down - self.kernel) // self.stride + 1, (across - self.kernel) // self.stride + 1

    @property
    def outputs(self) -> int:
        return self.batch * self.out_size[0] * self.out_size[1]

    @property
    def out_height(self) -> int:
        """Outputs of one core."""
        return _share(self.outputs, self.cores, self.out_multiple)

    @property
    def in_height(self) -> int:
        """Sticks of the unpadded images on one core."""
        return _share(self.batch * self.height * self.width, self.cores, self.in_multiple)

    @property
    def grid(self) -> CoreRange:
        return rectangle(self.cores, 1)

    @property
    def line(self) -> list[CoreCoord]:
        return list(self.grid.cores())

    @cached_property
    def trace(self) -> list[int]:
        """For each output the padded stick in the top left of its window."""
        down, across = self.padded
        return [
            n * down * across + h * self.stride * across + w * self.stride
            for n in range(self.batch)
            for h in range(self.out_size[0])
            for w in range(self.out_size[1])
        ]

    @cached_property
    def shards(self) -> list[Shard]:
        reach = (self.kernel - 1) * self.padded[1] + self.kernel - 1
        found = []
        for first in range(0, self.cores * self.out_height, self.out_height):
            last = min(first + self.out_height, self.outputs) - 1
            found.append(Shard((first, last), (self.trace[first], self.trace[last] + reach)))
        return found

    @property
    def halo_height(self) -> int:
        """Padded sticks on one core, at most."""
        return max(shard.sticks[1] - shard.sticks[0] + 1 for shard in self.shards)

    @cached_property
    def owners(self) -> list[tuple[int, int]]:
        """For each padded stick the core that has it, and where there; (PADDING, 0) for padding."""
        down, across = self.padded
        found, number = [], 0
        for stick in range(self.batch * down * across):
            y, x = stick // across % down - self.pad, stick % across - self.pad
            if 0 <= y < self.height and 0 <= x < self.width:
                found.append(divmod(number, self.in_height))
                number += 1
            else:
                found.append((PADDING, 0))
        return found

    def transfers(self) -> list[Transfer]:
        """What goes where, by source and destination; padding has the source PADDING."""
        runs: dict[tuple[int, int], list[Transfer]] = {}
        for core, shard in enumerate(self.shards):
            for to, stick in enumerate(range(shard.sticks[0], shard.sticks[1] + 1)):
                source, at = self.owners[stick]
                route = runs.setdefault((source, core), [])
                last = route[-1] if route else None
                if last and to == last.to + last.count and (source == PADDING or at == last.at + last.count):
                    route[-1] = Transfer(source, core, last.at, last.to, last.count + 1)
                else:
                    route.append(Transfer(source, core, at, to, 1))
        return [one for key in sorted(runs) for one in runs[key]]

    def segments(self, shard: Shard, first: int, count: int) -> list[int]:
        """Top left sticks of `count` outputs from `first` on, as ends of runs, behind their number."""
        start, stop = shard.outputs
        chosen = self.trace[start : stop + 1][first : first + count]
        pairs: list[list[int]] = []
        for stick in (one - shard.sticks[0] for one in chosen):
            if pairs and stick == pairs[-1][1] + self.stride:
                pairs[-1][1] = stick
            else:
                pairs.append([stick, stick])
        return [len(pairs), 0, *(end for pair in pairs for end in pair)]


def gather_words(bench: Bench, window: Window, transfers: Sequence[Transfer]) -> list[int]:
    """The routes of one mover of one core: neighbours with the same destination share a header."""
    routes: list[list[Transfer]] = []
    for one in transfers:
        if routes and routes[-1][0].destination == one.destination:
            routes[-1].append(one)
        else:
            routes.append([one])
    found = [len(routes)]
    for route in routes:
        found += [*bench.device.arch.worker_noc_xy(window.line[route[0].destination]), len(route)]
        found += [word for one in route for word in (one.at, one.to, one.count)]
    return found


def by_blocks(transfers: Sequence[Transfer]) -> Iterator[Transfer]:
    """Split where a block of the source ends, and in the order of the source."""
    pieces = []
    for one in transfers:
        done = 0
        while done < one.count:
            size = min(one.count - done, BLOCK - (one.at + done) % BLOCK)
            pieces.append(Transfer(one.source, one.destination, one.at + done, one.to + done, size))
            done += size
    return iter(sorted(pieces, key=lambda one: (one.at, one.destination)))


def config_tensor(bench: Bench, window: Window, rows: Sequence[Sequence[int]]) -> Tensor:
    """One row of 16-bit words on each core, padded with zeros to the longest and to whole 32 bytes."""
    length = _up(max(len(row) for row in rows), 16)
    words = torch.zeros(window.cores, length, dtype=torch.int32)
    for number, row in enumerate(rows):
        words[number, : len(row)] = torch.tensor(row, dtype=torch.int32)
    memory = height_sharded(window.grid, (1, length))
    return bench.put(words, DataFormat.UInt16, Layout.ROW_MAJOR, memory)


def _share(total: int, parts: int, multiple: int) -> int:
    return _up(-(-total // parts), multiple)


def _up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
