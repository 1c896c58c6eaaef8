"""Device: one chip. It owns memory and the program cache, and hands checked programs to its executor."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from tilesmith import settings
from tilesmith.arch import Arch, load_arch
from tilesmith.errors import DeviceClosedError, DeviceError
from tilesmith.formats import DataFormat, TileShape
from tilesmith.notebook import html_fields
from tilesmith.program import CoreCoord, Program, check_program
from tilesmith.program.budget import L1Claim, check_l1_budget
from tilesmith.program.checks import check_runtime_values
from tilesmith.program.executor import Executor, LiveBuffer, RunOptions, RunReport
from tilesmith.program.l1 import Placement, rebind
from tilesmith.program.site import declaration_site
from tilesmith.runtime.allocator import Allocation, BankAllocator
from tilesmith.runtime.buffer import Buffer, PlacedBuffer, SharedBuffer
from tilesmith.runtime.finding_errors import error_of
from tilesmith.runtime.memory_config import DRAM_MEMORY_CONFIG, Layout, MemoryConfig
from tilesmith.runtime.observers import observers, trace_wanted
from tilesmith.runtime.program_cache import ProgramCache
from tilesmith.runtime.tensor import Tensor
from tilesmith.runtime.tensor_spec import TensorSpec
from tilesmith.runtime.torch_bridge import default_format, numpy_from_torch
from tilesmith.runtime.ttnn_arch import TTNN
from tilesmith.runtime.undefined_elements import elements_depend_on
from tilesmith.units import readable

if TYPE_CHECKING:
    import torch


class Device:
    """An open chip. Use it as a context manager, or call `close`.

    `can_place` says whether tensors may lie at addresses that their owner chooses.

    >>> import numpy as np
    >>> with open_device("wormhole") as device:
    ...     x = device.from_numpy(np.ones((32, 32), np.float32))
    ...     print(device.arch.name, x.num_pages, x.to_numpy().sum())
    wormhole 1 1024.0
    """

    can_place: ClassVar[bool] = True

    def __init__(self, arch: Arch, executor: Executor, suppress: Sequence[str] = ()) -> None:
        self.arch = arch
        self.suppress = (suppress,) if isinstance(suppress, str) else tuple(suppress)
        self.executor = executor
        self.program_cache = ProgramCache()
        align = arch.dram_alignment
        self._dram = BankAllocator("DRAM", arch.dram_reserved, arch.dram_bank_size, align, top_down=False)
        self._l1 = BankAllocator("L1", arch.l1_unreserved_base, arch.l1_size, align, top_down=True)
        self._allocations: tuple[LiveBuffer, ...] | None = None
        self._given_back: deque[tuple[bool, int]] = deque()
        self._held_for_now: tuple[Allocation, ...] = ()
        self._buffers: WeakValueDictionary[int, Buffer] = WeakValueDictionary()
        self._numbers = count()
        self._lock = RLock()
        self._closed = False

    def __enter__(self) -> Device:
        self._check_open()
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Device({self.arch.product}{', closed' if self._closed else ''})"

    def _repr_html_(self) -> str:
        held = self.buffers() if not self._closed else []
        return html_fields(
            repr(self),
            {
                "cores": f"{self.arch.grid.x} x {self.arch.grid.y} at {self.arch.clock_ghz} GHz",
                "L1 of a core": readable(self.arch.l1_size),
                "DRAM": f"{self.arch.num_dram_banks} banks of {readable(self.arch.dram_bank_size)}",
                "tensors": len(held),
            },
        )

    @property
    def is_closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Give everything back. Tensors of this device can no longer be used. Closing twice does no harm."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self.program_cache.clear()
                self.executor.close()

    # ---- tensors ----

    def empty(
        self,
        shape: Sequence[int],
        dtype: DataFormat = DataFormat.Float16_b,
        layout: Layout = Layout.TILE,
        memory_config: MemoryConfig = DRAM_MEMORY_CONFIG,
        tile: TileShape | None = None,
    ) -> Tensor:
        """Room for a tensor, not yet written: kernels that read it before writing it get a finding."""
        spec = TensorSpec(tuple(map(int, shape)), dtype, layout, memory_config, tile or TileShape())
        return Tensor(self._allocate(spec))

    def from_numpy(
        self,
        values: NDArray[Any],
        dtype: DataFormat | None = None,
        layout: Layout = Layout.TILE,
        memory_config: MemoryConfig = DRAM_MEMORY_CONFIG,
        tile: TileShape | None = None,
    ) -> Tensor:
        """A copy of an array on the device, rounded as the vendor's host code rounds."""
        values = np.asarray(values)
        chosen = default_format(values.dtype.name) if dtype is None else dtype
        tensor = self.empty(values.shape, chosen, layout, memory_config, tile)
        tensor.copy_from_numpy(values)
        return tensor

    def from_torch(
        self,
        values: torch.Tensor,
        dtype: DataFormat | None = None,
        layout: Layout = Layout.TILE,
        memory_config: MemoryConfig = DRAM_MEMORY_CONFIG,
        tile: TileShape | None = None,
    ) -> Tensor:
        """A copy of a torch tensor on the device, rounded as the vendor's host code rounds."""
        # Float32 is number 0: `or` would take it for none.
        chosen = default_format(str(values.dtype)) if dtype is None else dtype
        return self.from_numpy(numpy_from_torch(values), chosen, layout, memory_config, tile)

    def placed(
        self,
        shape: Sequence[int],
        dtype: DataFormat,
        layout: Layout,
        memory_config: MemoryConfig,
        address: int,
    ) -> Tensor:
        """A tensor at an address of L1 that is only taken while `holding` it: others may use it meanwhile."""
        spec = TensorSpec(tuple(map(int, shape)), dtype, layout, memory_config, TileShape())
        size, pages = spec.bytes_per_bank(self.arch), spec.num_pages
        name = f"tensor {list(spec.shape)} {spec.dtype.name}"
        page_size = spec.aligned_page_size(self.arch)
        return Tensor(
            PlacedBuffer(self, spec, Allocation(address, size, name, declaration_site(), page_size, pages))
        )

    def seen_as(self, tensor: Tensor, shape: Sequence[int], layout: Layout) -> Tensor:
        """The memory of a tensor in another shape and layout, whose pages are as many and as long."""
        spec = TensorSpec(tuple(map(int, shape)), tensor.dtype, layout, tensor.memory_config, TileShape())
        return Tensor(SharedBuffer(tensor.buffer, spec))

    @contextmanager
    def holding(self, tensors: Iterable[Tensor]) -> Iterator[None]:
        """Programs that run inside leave the memory of these placed tensors alone."""
        held = tuple(one.buffer.allocation for one in tensors if isinstance(one.buffer, PlacedBuffer))
        with self._lock:
            before, self._held_for_now = self._held_for_now, held
            self._allocations = None if held or before else self._allocations
            try:
                yield
            finally:
                self._held_for_now = before
                self._allocations = None if held or before else self._allocations

    def holds(self, allocation: Allocation) -> bool:
        """Whether the memory of a placed tensor is kept for it now."""
        return any(one is allocation for one in self._held_for_now)

    @property
    def l1_lowest(self) -> int:
        """The lowest address of L1 that a tensor has for itself; the end when none has."""
        with self._lock:
            self._take_back()
            return self._l1.lowest

    # ---- programs ----

    def run(
        self,
        program: Program,
        checks: Literal["on", "off"] | None = None,
        numbers: Literal["chip", "fast", "none"] | None = None,
        seed: int | None = None,
        trace: bool = False,
    ) -> RunReport:
        """Run a program to its end. Raises KernelFindings when the kernels broke a rule.

        If the tile compiler wrote them, that is a GeneratedCodeFault.

        What is left out comes from the settings. The first call with a structure checks, places and compiles;
        later ones only pass runtime arguments. With `trace` the report says who waited when and for what.
        """
        with self._lock:
            placement, options = self.ready(program, checks, numbers, seed, trace)
            report = self._execute(program, placement, options)
            self.ran(program, placement, options, report)
        if report.findings:
            raise error_of(report, program)
        return report

    def begin(self) -> None:
        """Start what all programs need with the settings of now, beside what the caller goes on to do."""
        chosen = settings.current()
        self.executor.begin(RunOptions(checks=chosen.checks, numbers=chosen.numbers))

    def build(self, programs: Sequence[Program]) -> None:
        """Compile the kernels of programs that are about to run with the settings of now, side by side."""
        self._check_open()
        chosen = settings.current()
        self.executor.build(programs, RunOptions(checks=chosen.checks, numbers=chosen.numbers))

    def ready(
        self,
        program: Program,
        checks: Literal["on", "off"] | None = None,
        numbers: Literal["chip", "fast", "none"] | None = None,
        seed: int | None = None,
        trace: bool = False,
    ) -> tuple[Placement, RunOptions]:
        """What the executor is handed with a program: it is checked and placed, and nothing has run."""
        self._check_open()
        chosen = settings.current()
        with self._lock:
            chosen_checks = checks or chosen.checks
            options = RunOptions(
                checks=chosen_checks,
                numbers=numbers or chosen.numbers,
                seed=chosen.seed if seed is None else seed,
                allocations=self._live_buffers(chosen_checks),
                trace=trace or trace_wanted(),
                suppress=(*chosen.suppress, *self.suppress),
                is_element=partial(elements_depend_on, self),
            )
            placement = self._placement(program)
            for observer in observers():
                observer.running(self, program)
            return placement, options

    def ran(self, program: Program, placement: Placement, options: RunOptions, report: RunReport) -> None:
        """The executor has run the program: note what was written, and tell those who watch."""
        with self._lock:
            if options.checks == "off":  # nobody counted what was written
                self._dram.note_written()
            for observer in observers():
                observer.ran(self, program, placement, report)

    def _execute(self, program: Program, placement: Placement, options: RunOptions) -> RunReport:
        try:
            return self.executor.run(program, placement, options)
        except (OverflowError, TypeError, ValueError):
            # Looking at every argument of every core on each call would cost more than the call:
            # they are looked at only when the executor could not take them.
            check_runtime_values(program)
            raise

    def _placement(self, program: Program) -> Placement:
        for cb in program.cbs:
            if isinstance(cb.owner, Buffer):
                cb.owner._check_usable()
        placement = self.program_cache.find(program.structure)
        if placement is None:
            placement = check_program(program, self.arch, self._l1_claims())
            check_runtime_values(program)
            self.program_cache.add(program.structure, placement)
        elif placement.top > min((self._l1.lowest, *(one.address for one in self._held_for_now))):
            check_l1_budget(program, self.arch, placement, self._l1_claims())
        return rebind(placement, program)

    # ---- memory ----

    def memory_table(self, memory: Literal["dram", "l1"] = "l1") -> str:
        """Who holds which bytes, as text."""
        with self._lock:
            self._take_back()
            return (self._dram if memory == "dram" else self._l1).table()

    def buffers(self) -> list[Buffer]:
        """The memory of every tensor that is alive, in the order in which they were made."""
        return [buffer for buffer in list(self._buffers.values()) if buffer.is_allocated]

    def _allocate(self, spec: TensorSpec) -> Buffer:
        return self._allocate_in_step(spec)

    def _allocate_in_step(
        self, spec: TensorSpec, also_free_on: Sequence[Device] = (), at: int | None = None
    ) -> Buffer:
        """Room at an address that is free here and on other devices, or `at` one found so."""
        self._check_open()
        self._check_cores(spec)
        size = spec.bytes_per_bank(self.arch)
        if size == 0:
            return Buffer(self, spec, None)
        name = f"tensor {list(spec.shape)} {spec.dtype.name}"
        with self._lock:
            self._take_back()
            self._allocations = None
            allocator = self._allocator(spec.memory_config.in_dram)
            pages = 0 if spec.memory_config.is_sharded else spec.num_pages
            page_size = spec.aligned_page_size(self.arch)
            others = [device._allocator(spec.memory_config.in_dram) for device in also_free_on]
            allocation = allocator.allocate(size, name, declaration_site(), page_size, pages, others, at)
            for observer in observers():
                observer.allocated(self, spec, allocation)
            return Buffer(self, spec, allocation)

    def _note_buffer(self, buffer: Buffer) -> None:
        self._buffers[next(self._numbers)] = buffer

    def _allocator(self, in_dram: bool) -> BankAllocator:
        with self._lock:
            self._take_back()
            return self._dram if in_dram else self._l1

    def _free(self, in_dram: bool, address: int) -> None:
        """Note memory as free. The garbage collector calls this at any time, on any thread: never wait."""
        self._given_back.append((in_dram, address))

    def _take_back(self) -> None:
        """Free what was given back. Called with the lock held, before anyone looks at what is allocated."""
        while self._given_back:
            in_dram, address = self._given_back.popleft()
            self._allocations = None
            (self._dram if in_dram else self._l1).free(address)
            for observer in observers():
                observer.freed(self, in_dram, address)

    def _check_cores(self, spec: TensorSpec) -> None:
        if spec.memory_config.is_sharded:
            _check_shard_cores(spec, self.arch)

    def _live_buffers(self, checks: str) -> tuple[LiveBuffer, ...]:
        """What is allocated, for the checks: nobody else asks where tensors begin and end."""
        self._take_back()
        if checks == "off":
            return ()
        if self._allocations is None:
            self._allocations = tuple(
                _live(allocation, allocator is self._dram)
                for allocator in (self._dram, self._l1)
                for allocation in (*allocator.held, *(self._held_for_now if allocator is self._l1 else ()))
            )
        return self._allocations

    def _l1_claims(self) -> list[L1Claim]:
        held = (*self._l1.held, *self._held_for_now)
        return [L1Claim(one.name, one.address, one.size, one.declared_at) for one in held]

    def _banks(self, in_dram: bool) -> Sequence[int | CoreCoord]:
        """The banks interleaved pages go round; L1 banks are cores, row by row."""
        return range(self.arch.num_dram_banks) if in_dram else self.arch.l1_banks

    def _memory(self, bank: int | CoreCoord) -> NDArray[np.uint8]:
        return self.executor.l1(bank) if isinstance(bank, CoreCoord) else self.executor.dram(bank)

    def _check_open(self) -> None:
        if self._closed:
            raise DeviceClosedError(f"this {self.arch.product} device was closed")


def _live(held: Allocation, in_dram: bool) -> LiveBuffer:
    written = 0 if held.written is None else held.written.ctypes.data
    return LiveBuffer(in_dram, held.address, held.size, held.page_size, held.pages, written)


def _check_shard_cores(spec: TensorSpec, arch: Arch) -> None:
    in_dram = spec.memory_config.in_dram
    for core in spec.shard_cores:
        inside = (core.y == 0 and core.x < arch.num_dram_banks) if in_dram else arch.has_core(core)
        if not inside:
            limit = f"{arch.num_dram_banks} DRAM banks" if in_dram else f"{arch.grid.x} x {arch.grid.y} cores"
            raise DeviceError(f"a shard is placed on {core}, but {arch.product} has {limit}")


def open_device(
    arch: str | Arch | None = None,
    *,
    executor: Callable[[Arch], Executor] | None = None,
    suppress: Sequence[str] = (),
) -> Device:
    """Open a chip: a family ("wormhole", "blackhole") or a product ("n150", "n300", "p100a", "p150").

    It runs on the built-in emulator unless `executor` makes another one. "ttnn" is the chip that the vendor's
    runtime finds: a card, or its simulator. `suppress` names findings that are listed and not raised: a
    check, or one file or line of it ("cb.left-at-end@reader.cpp:12").

    >>> with open_device("wormhole") as device:
    ...     device.arch.product
    'n150'
    """
    name = settings.current().arch if arch is None else arch
    if executor is None and (name.name if isinstance(name, Arch) else name) == TTNN:
        from tilesmith.runtime.ttnn_executor import open_ttnn_device

        return open_ttnn_device()
    chip = name if isinstance(name, Arch) else load_arch(name)
    if executor is None:
        from tilesmith.emulator.executor import EmulatorExecutor
        from tilesmith.emulator.suppress import parse_rules

        device = Device(chip, EmulatorExecutor(chip), suppress)
        parse_rules(device.suppress)  # a name that does not exist is told now
        return device
    return Device(chip, executor(chip), suppress)
