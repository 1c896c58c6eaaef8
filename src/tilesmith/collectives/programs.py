"""The programs of a collective: one for every chip, with a core for each link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tilesmith.collectives.messages import Message
from tilesmith.formats import DataFormat
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRange,
    Kernel,
    Program,
    ReaderConfig,
    WriterConfig,
)
from tilesmith.runtime import MeshTensor, TensorAccessorArgs

_KERNELS = Path(__file__).with_name("kernels")
_SENT, _SUMMED, _RESULT = 0, 1, 2
_PAGES_AHEAD = 4
_PACKET = 4096


@dataclass(frozen=True)
class Tensors:
    """What a collective reads, where pages arrive, and where their sum goes (or the same tensor again)."""

    source: MeshTensor
    gathered: MeshTensor
    result: MeshTensor
    arrived: MeshTensor


@dataclass(frozen=True)
class ChipPlan:
    """What one chip does. `expected` messages reach it; `summands` blocks of `block` pages are summed."""

    messages: Sequence[Message]
    expected: int
    forward: int | None
    backward: int | None
    summands: int = 0
    block: int = 0


@dataclass(frozen=True)
class _Core:
    core: CoreCoord
    link: int
    of: int

    def share(self, pages: int) -> tuple[int, int]:
        first, last = (pages * index // self.of for index in (self.link, self.link + 1))
        return first, last - first


def build(plan: ChipPlan, tensors: Tensors, bytes_moved: int, links: int, channels: int) -> Program:
    """The program of one chip. `channels` is how many links every direction has."""
    cores = [_Core(CoreCoord(link, 0), link, links) for link in range(links)]
    where = CoreRange((0, 0), (links - 1, 0))
    local = tensors.source.local
    summed = [_sum_kernel(plan, tensors, cores, where)] if plan.summands else []
    page = -(-bytes_moved // local.device.arch.dram_alignment) * local.device.arch.dram_alignment
    indices = (_SENT, _SUMMED, _RESULT) if plan.summands else (_SENT,)
    ahead = {_SUMMED: 2 * plan.summands}
    cbs = [
        CircularBuffer(ahead.get(index, _PAGES_AHEAD) * page, where, CBFormat(index, local.dtype, page))
        for index in indices
    ]
    reader = _reader(plan, tensors, bytes_moved, cores, where)
    sender = _sender(plan, tensors, bytes_moved, cores, where, channels)
    return Program((reader, sender, *summed), cbs)


def _messages(plan: ChipPlan, core: _Core) -> list[int]:
    shares = [(message, *core.share(message.pages)) for message in plan.messages]
    return [word for message, first, count in shares for word in message.words(first, count)]


def _accessor(tensor: MeshTensor) -> list[int]:
    return list(TensorAccessorArgs(tensor.local).get_compile_time_args())


def _reader(
    plan: ChipPlan, tensors: Tensors, bytes_moved: int, cores: Sequence[_Core], where: CoreRange
) -> Kernel:
    head = [tensors.source.local.address, tensors.gathered.local.address, tensors.arrived.local.address]
    arguments = {
        core.core: [
            *head,
            plan.expected,
            *core.share(plan.block),
            plan.block,
            len(plan.messages),
            *_messages(plan, core),
        ]
        for core in cores
    }
    constants = [bytes_moved, plan.summands, *_accessor(tensors.source), *_accessor(tensors.gathered)]
    return Kernel(
        _KERNELS / "reader.cpp",
        where,
        ReaderConfig(),
        compile_time_args=constants,
        runtime_args=arguments,
        compiler_include_paths=(_KERNELS,),
        name="collective reader",
    )


def _sender(
    plan: ChipPlan,
    tensors: Tensors,
    bytes_moved: int,
    cores: Sequence[_Core],
    where: CoreRange,
    channels: int,
) -> Kernel:
    head = [tensors.gathered.local.address, tensors.result.local.address, tensors.arrived.local.address]
    arguments = {
        core.core: [
            *head,
            plan.expected,
            *core.share(plan.block),
            len(plan.messages),
            *_messages(plan, core),
            *_connection(plan.forward, core.link, channels),
            *_connection(plan.backward, core.link, channels),
        ]
        for core in cores
    }
    sums = int(plan.summands > 0)
    constants = [bytes_moved, _PACKET, sums, *_accessor(tensors.gathered), *_accessor(tensors.result)]
    return Kernel(
        _KERNELS / "sender.cpp",
        where,
        WriterConfig(),
        compile_time_args=constants,
        runtime_args=arguments,
        compiler_include_paths=(_KERNELS,),
        name="collective sender",
    )


def _connection(direction: int | None, link: int, channels: int) -> tuple[int, ...]:
    """As the vendor's connections are passed: whether there is one, its channel, and two semaphores."""
    return (0,) if direction is None else (1, direction * channels + link, 0, 0)


def _sum_kernel(plan: ChipPlan, tensors: Tensors, cores: Sequence[_Core], where: CoreRange) -> Kernel:
    dtype = tensors.source.local.dtype
    whole = dtype is DataFormat.Int32
    exact = (_SUMMED,) if dtype in (DataFormat.Float32, DataFormat.Int32) else ()
    return Kernel(
        _KERNELS / "sum.cpp",
        where,
        ComputeConfig(fp32_dest_acc_en=True, unpack_to_dest_fp32=exact),
        compile_time_args=[plan.summands, int(whole), int(dtype is DataFormat.Float16_b)],
        runtime_args={core.core: [core.share(plan.block)[1]] for core in cores},
        name="collective sum",
    )
