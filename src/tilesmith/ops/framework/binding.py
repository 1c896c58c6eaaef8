"""Numbers of a call in a program, above all addresses: found when it is made, replaced on later calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import SupportsIndex

from tilesmith.program import BufferView, CircularBuffer, CoreCoord, Kernel, Program
from tilesmith.runtime import Buffer, Tensor


class BoundAddress(int):
    """The address of the operation's tensor number `index`, plus an offset. It is an int to everyone else.

    Numbers after those of the tensors stand for the values of a call: see DeviceOperation.call_values.

    >>> address = BoundAddress(4096, index=1)
    >>> (address + 64).index, (address + 64).offset, address + 64
    (1, 64, 4160)
    """

    index: int
    offset: int

    def __new__(cls, value: int, index: int, offset: int = 0) -> BoundAddress:
        address = super().__new__(cls, value)
        address.index, address.offset = index, offset
        return address

    def __add__(self, other: int) -> BoundAddress:
        return BoundAddress(int(self) + other, self.index, self.offset + other)

    __radd__ = __add__

    def __sub__(self, other: int) -> BoundAddress:
        return self + -other


class Operand(Tensor):
    """A tensor as a factory sees it: its address can be recognised in what the factory makes."""

    def __init__(self, buffer: Buffer, index: int) -> None:
        super().__init__(buffer)
        self.index = index

    @property
    def address(self) -> int:
        return BoundAddress(self.buffer.address, self.index)


@dataclass(frozen=True)
class Place:
    """An argument that changes between calls: of which kernel and core (None: common), where, and which."""

    kernel: int
    core: CoreCoord | None
    position: int
    number: int
    offset: int


@dataclass(frozen=True)
class Bindings:
    """Where a program has addresses of tensors, and which circular buffers stand on which tensor."""

    places: tuple[Place, ...]
    buffers: tuple[tuple[int, int], ...]  # circular buffer, tensor

    @property
    def any(self) -> bool:
        return bool(self.places or self.buffers)


def find_bindings(program: Program, operands: Sequence[Tensor]) -> Bindings | None:
    """None where a tensor under a circular buffer has two roles: which one is meant is unknown."""
    places = [
        Place(number, core, position, value.index, value.offset)
        for number, kernel in enumerate(program.kernels)
        for core, values in _argument_lists(kernel)
        for position, value in enumerate(values)
        if isinstance(value, BoundAddress)
    ]
    buffers = []
    for number, cb in enumerate(program.cbs):
        roles = [index for index, one in enumerate(operands) if one.buffer is cb.owner]
        if len(roles) > 1:
            return None
        buffers += [(number, index) for index in roles]
    return Bindings(tuple(places), tuple(buffers))


def _argument_lists(kernel: Kernel) -> list[tuple[CoreCoord | None, Sequence[SupportsIndex]]]:
    return [(None, kernel.common_runtime_args), *kernel.runtime_args.items()]


def without_owners(program: Program) -> Program:
    """The program, holding no tensor's memory: what a cache may keep."""
    if all(cb.buffer is None for cb in program.cbs):
        return program
    return replace_parts(program, program.kernels, tuple(map(_without_owner, program.cbs)))


def _without_owner(cb: CircularBuffer) -> CircularBuffer:
    return cb if cb.buffer is None else _moved(cb, cb.buffer)


def rebind(
    program: Program, bindings: Bindings, tensors: Sequence[Tensor], numbers: Sequence[int]
) -> Program:
    """The program with the numbers of another call: its tensors' addresses, then its values."""
    kernels = list(program.kernels)
    for number in sorted({place.kernel for place in bindings.places}):
        mine = [place for place in bindings.places if place.kernel == number]
        kernels[number] = _rebound_kernel(kernels[number], mine, numbers)
    cbs = list(program.cbs)
    for number, index in bindings.buffers:
        cbs[number] = _moved(cbs[number], BufferView.of(tensors[index].buffer))
    return replace_parts(program, tuple(kernels), tuple(cbs))


def _rebound_kernel(kernel: Kernel, places: Sequence[Place], numbers: Sequence[int]) -> Kernel:
    common = list(kernel.common_runtime_args)
    per_core: dict[CoreCoord, list[int]] = {}
    for place in places:
        address = numbers[place.number] + place.offset
        if place.core is None:
            common[place.position] = address
        else:
            words = per_core.setdefault(place.core, list(kernel.runtime_args[place.core]))
            words[place.position] = address
    args: Mapping[CoreCoord, Sequence[int]] = kernel.runtime_args
    if per_core:
        args = {core: tuple(per_core.get(core, words)) for core, words in kernel.runtime_args.items()}
    # A field-by-field copy: the constructor would look for the user's line again.
    copy: Kernel = object.__new__(Kernel)
    copy.__dict__.update(kernel.__dict__, common_runtime_args=tuple(common), runtime_args=args)
    return copy


def _moved(cb: CircularBuffer, buffer: BufferView) -> CircularBuffer:
    copy: CircularBuffer = object.__new__(CircularBuffer)
    copy.__dict__.update(cb.__dict__, buffer=buffer, owner=None)
    return copy


def replace_parts(program: Program, kernels: tuple[Kernel, ...], cbs: tuple[CircularBuffer, ...]) -> Program:
    """The program with other runtime values; its structure stays, and so does what is known of it."""
    copy: Program = object.__new__(Program)
    copy.__dict__.update(program.__dict__, kernels=kernels, cbs=cbs)
    return copy
