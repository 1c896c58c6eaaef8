"""The programs of a collective: one for every chip, with a core for each link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tilesmith.collectives.messages import Message
from tilesmith.collectives.sums import Summing, sum_buffers, sum_kernels, summing_cores
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    CoreCoord,
    CoreRange,
    Kernel,
    Program,
    ReaderConfig,
    Semaphore,
    WriterConfig,
)
from tilesmith.runtime import MeshTensor, TensorAccessorArgs

_KERNELS = Path(__file__).with_name("kernels")
_SENT = 0
_BATCHES = 4
_BATCH_BYTES = 16384  # read at a time: enough to hide the latency of DRAM behind what the link takes
_PACKET = 4096
_PAGES_IN_PACKET = 4  # NOC_SCATTER_WRITE_MAX_CHUNKS


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
class Pages:
    """How pages travel: their bytes, where the next one lies, how many are read and sent together.

    Pages in a packet must lie one behind the other, without gaps.
    """

    size: int
    stride: int
    batch: int
    together: int


def pages_of(size: int, alignment: int, most: int) -> Pages:
    """Of so many bytes. No core sends more than `most` in a message: half is read while half is sent.

    >>> pages_of(2048, 32, 100), pages_of(2048, 32, 6)
    (Pages(size=2048, stride=2048, batch=8, together=2), Pages(size=2048, stride=2048, batch=4, together=2))
    >>> pages_of(100, 32, 3)
    Pages(size=100, stride=128, batch=2, together=1)
    """
    stride = -(-size // alignment) * alignment
    together = max(1, min(_PAGES_IN_PACKET, _PACKET // size)) if size == stride else 1
    packets = min(-(-most // (2 * together)), _BATCH_BYTES // (stride * together))
    return Pages(size, stride, max(1, packets) * together, together)


@dataclass(frozen=True)
class _Core:
    core: CoreCoord
    link: int
    of: int

    def share(self, pages: int) -> tuple[int, int]:
        first, last = (pages * index // self.of for index in (self.link, self.link + 1))
        return first, last - first


def build(plan: ChipPlan, tensors: Tensors, pages: Pages, links: int, channels: int) -> Program:
    """The program of one chip. `channels` is how many links every direction has."""
    cores = [_Core(CoreCoord(link, 0), link, links) for link in range(links)]
    where = CoreRange((0, 0), (links - 1, 0))
    local = tensors.source.local
    size = _BATCHES * pages.batch * pages.stride
    sent = CircularBuffer(size, where, CBFormat(_SENT, local.dtype, pages.stride))
    summing = None
    if plan.summands:
        by = summing_cores(tensors.source.mesh, plan.block)
        summing = Summing(plan.summands, plan.block, links, by, tensors.gathered, tensors.result)
    kernels = [_reader(plan, tensors, pages, cores, where)]
    kernels += [_sender(plan, tensors, pages, cores, where, channels, summing)]
    if summing is None:
        return Program(kernels, [sent])
    everyone = [*summing.cores.ranges, where]
    return Program(
        [*kernels, *sum_kernels(summing, _KERNELS)], [sent, *sum_buffers(summing)], [Semaphore(0, everyone)]
    )


def _messages(plan: ChipPlan, core: _Core) -> list[int]:
    shares = [(message, *core.share(message.pages)) for message in plan.messages]
    return [word for message, first, count in shares for word in message.words(first, count)]


def _accessor(tensor: MeshTensor) -> list[int]:
    return list(TensorAccessorArgs(tensor.local).get_compile_time_args())


def _reader(
    plan: ChipPlan, tensors: Tensors, pages: Pages, cores: Sequence[_Core], where: CoreRange
) -> Kernel:
    head = [tensors.source.local.address, pages.batch, len(plan.messages)]
    return Kernel(
        _KERNELS / "reader.cpp",
        where,
        ReaderConfig(),
        compile_time_args=[pages.size, pages.stride, *_accessor(tensors.source)],
        runtime_args={core.core: [*head, *_messages(plan, core)] for core in cores},
        compiler_include_paths=(_KERNELS,),
        name="collective reader",
    )


def _sender(
    plan: ChipPlan,
    tensors: Tensors,
    pages: Pages,
    cores: Sequence[_Core],
    where: CoreRange,
    channels: int,
    summing: Summing | None,
) -> Kernel:
    addresses = [tensors.gathered.local.address, tensors.arrived.local.address]
    head = [*addresses, plan.expected, pages.batch, len(plan.messages)]
    waiting = [len(summing.noc_words), *summing.noc_words] if summing else []
    arguments = {
        core.core: [
            *head,
            *_messages(plan, core),
            *_connection(plan.forward, core.link, channels),
            *_connection(plan.backward, core.link, channels),
            *waiting,
        ]
        for core in cores
    }
    sizes = [pages.size, pages.stride, _PACKET, pages.together, int(summing is not None)]
    return Kernel(
        _KERNELS / "sender.cpp",
        where,
        WriterConfig(),
        compile_time_args=[*sizes, *_accessor(tensors.gathered)],
        runtime_args=arguments,
        compiler_include_paths=(_KERNELS,),
        name="collective sender",
    )


def _connection(direction: int | None, link: int, channels: int) -> tuple[int, ...]:
    """As the vendor's connections are passed: whether there is one, its channel, and two semaphores."""
    return (0,) if direction is None else (1, direction * channels + link, 0, 0)
