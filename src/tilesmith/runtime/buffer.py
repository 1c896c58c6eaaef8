"""Buffer: a tensor's pages on the banks of a device, and copies of whole page arrays to and from them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tilesmith import settings
from tilesmith.errors import DeviceError, UnwrittenPagesError
from tilesmith.program import CoreCoord, CoreRangeSet
from tilesmith.runtime.allocator import Allocation
from tilesmith.runtime.tensor_spec import TensorSpec

if TYPE_CHECKING:
    from tilesmith.runtime.device import Device

Bytes = NDArray[np.uint8]


class Buffer:
    """Memory of one tensor. It is given back when the last reference goes, or by `deallocate`.

    `times_written` counts the host's writes.
    """

    def __init__(self, device: Device, spec: TensorSpec, allocation: Allocation | None) -> None:
        self.device = device
        self.spec = spec
        self.page_size = spec.page_size
        self.aligned_page_size = spec.aligned_page_size(device.arch)
        self.num_pages = spec.num_pages
        self.size_per_bank = spec.bytes_per_bank(device.arch)
        self.times_written = 0
        self._allocation = allocation
        self._freed = False
        device._note_buffer(self)

    @property
    def declared_at(self) -> str:
        """Where it was allocated."""
        return self._allocation.declared_at if self._allocation is not None else ""

    @property
    def address(self) -> int:
        """The same on every bank. A tensor without elements has none, and says 0."""
        self._check_usable()
        return self._allocation.address if self._allocation is not None else 0

    @property
    def accessor_words(self) -> tuple[int, ...] | None:
        """The words for a kernel's TensorAccessor, where whoever allocated the memory gives them."""
        return None

    @property
    def in_dram(self) -> bool:
        return self.spec.memory_config.in_dram

    @property
    def is_sharded(self) -> bool:
        return self.spec.memory_config.is_sharded

    @property
    def is_allocated(self) -> bool:
        return not self._freed and not self.device.is_closed

    @property
    def cores(self) -> CoreRangeSet:
        """The cores whose L1 holds shards: what a circular buffer can stand on."""
        if self.in_dram or not self.is_sharded:
            raise DeviceError(
                "only an L1-sharded tensor can stand under a circular buffer",
                remedy="shard the tensor in L1, or leave buffer= out",
            )
        return CoreRangeSet.from_cores(self.spec.shard_cores)

    def write(self, pages: Bytes) -> None:
        """`pages` is [num_pages, page_size]."""
        self.times_written += 1
        if self._allocation is not None:
            self._allocation.note_written()
        for bank, target, source in self._pieces(pages):
            target[...] = source
            self._note(bank)

    def write_banks(self, pages: Bytes, banks: Collection[int | CoreCoord]) -> None:
        """Write only the pages that lie in some banks."""
        self.times_written += 1
        for bank, target, source in self._pieces(pages):
            if bank in banks:
                target[...] = source
                self._note(bank)

    def read(self) -> Bytes:
        """All pages, [num_pages, page_size]."""
        self._check_written()
        return self.stored()

    def stored(self) -> Bytes:
        """The same, also of pages that nothing has written."""
        pages = np.empty((self.num_pages, self.page_size), np.uint8)
        for _, source, target in self._pieces(pages):
            target[...] = source
        return pages

    def deallocate(self) -> None:
        if not self._freed:
            self._freed = True
            if self._allocation is not None:
                self.device._free(self.in_dram, self._allocation.address)

    def __del__(self) -> None:
        # A constructor that raised leaves nothing to free.
        if not getattr(self, "_freed", True):
            self.deallocate()

    def _check_usable(self) -> None:
        self.device._check_open()
        if self._freed:
            raise DeviceError(
                "this tensor was deallocated",
                remedy="make it again, or do not call deallocate() while it is in use",
            )

    def _check_written(self) -> None:
        missing = self._allocation.unwritten if self._allocation is not None else []
        if missing and "mem.page-never-written" not in (*settings.current().suppress, *self.device.suppress):
            assert self._allocation is not None
            raise UnwrittenPagesError(
                self._allocation.name, self._allocation.declared_at, missing, self.num_pages
            )

    def _pieces(self, pages: Bytes) -> Iterator[tuple[int | CoreCoord, NDArray[Any], NDArray[Any]]]:
        """(bank, strided view of the bank's pages, strided view of the same pages in `pages`)."""
        self._check_usable()
        if self.num_pages == 0:
            return iter(())
        if self.spec.memory_config.is_nd_sharded:
            return self._nd_sharded_pieces(pages)
        return self._sharded_pieces(pages) if self.is_sharded else self._interleaved_pieces(pages)

    def _interleaved_pieces(self, pages: Bytes) -> Iterator[tuple[int | CoreCoord, Bytes, Bytes]]:
        banks = self.device._banks(self.in_dram)
        for index, bank in enumerate(banks[: self.num_pages]):
            mine = pages[index :: len(banks)]
            there = self._bank_bytes(bank, len(mine)).reshape(len(mine), self.aligned_page_size)
            yield bank, there[:, : self.page_size], mine

    def _nd_sharded_pieces(self, pages: Bytes) -> Iterator[tuple[int | CoreCoord, Bytes, Bytes]]:
        shards = self.spec.nd
        whole = pages.reshape(*shards.tensor, self.page_size)
        per_shard = math.prod(shards.shard)
        for core, place, box in shards.places():
            mine = whole[box]
            bank: int | CoreCoord = core.x if self.in_dram else core
            there = self._bank_bytes(bank, per_shard * shards.shards_per_core)
            shard = there.reshape(-1, *shards.shard, self.aligned_page_size)[place]
            yield bank, shard[(*(slice(size) for size in mine.shape[:-1]), slice(self.page_size))], mine

    def _sharded_pieces(self, pages: Bytes) -> Iterator[tuple[int | CoreCoord, Bytes, Bytes]]:
        rows, cols = self.spec.shard_grid
        down, across = self.spec.shard_count
        grid = pages.reshape(*self.spec.page_grid, self.page_size)
        for number in range(down * across):
            i, j = divmod(number, across)
            mine = grid[i * rows : (i + 1) * rows, j * cols : (j + 1) * cols]
            core = self.spec.shard_cores[number]
            bank: int | CoreCoord = core.x if self.in_dram else core
            shard = self._bank_bytes(bank, rows * cols).reshape(rows, cols, self.aligned_page_size)
            yield bank, shard[: mine.shape[0], : mine.shape[1], : self.page_size], mine

    def _bank_bytes(self, bank: int | CoreCoord, pages: int) -> Bytes:
        memory = self.device._memory(bank)
        return memory[self.address : self.address + pages * self.aligned_page_size]

    def _note(self, bank: int | CoreCoord) -> None:
        memory: Literal["dram", "l1"] = "dram" if self.in_dram else "l1"
        self.device.executor.note_host_write(memory, bank, self.address, self.size_per_bank)


class PlacedBuffer(Buffer):
    """Memory at an address that its owner chose, and that the device keeps for it only while asked to."""

    def __init__(self, device: Device, spec: TensorSpec, allocation: Allocation) -> None:
        super().__init__(device, spec, allocation)
        self.allocation = allocation

    @property
    def is_allocated(self) -> bool:
        return super().is_allocated and self.device.holds(self.allocation)

    def deallocate(self) -> None:
        self._freed = True


class SharedBuffer(Buffer):
    """The memory of another buffer, whose pages are as many and as long. It lives as long as that does."""

    def __init__(self, whole: Buffer, spec: TensorSpec) -> None:
        super().__init__(whole.device, spec, whole._allocation)
        pages = (self.aligned_page_size, self.num_pages)
        if pages != (whole.aligned_page_size, whole.num_pages) or whole.is_sharded:
            shapes = f"{list(whole.spec.shape)} cannot be seen as {list(spec.shape)}"
            raise DeviceError(
                f"a tensor {shapes}: its pages are others",
                remedy="choose a shape and a layout with as many pages of the same size, interleaved",
            )
        self.whole = whole

    @property
    def is_allocated(self) -> bool:
        return self.whole.is_allocated

    def deallocate(self) -> None:
        self._freed = True
