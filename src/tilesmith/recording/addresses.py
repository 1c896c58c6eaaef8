"""Which numbers in a program are addresses of tensors: those that move when the tensors do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from tilesmith.errors import ProgramError
from tilesmith.ops.framework.binding import Bindings, Place
from tilesmith.program import CoreCoord, Kernel, Program

# A program, and for each tensor its address and how many bytes it takes on a bank.
Seen: TypeAlias = tuple[Program, Mapping[int, tuple[int, int]]]


def bindings_between(seen: Seen, other: Seen) -> Bindings:
    """Compare two runs of one launch whose tensors lay at different addresses."""
    places = [
        place
        for number, (kernel, moved) in enumerate(zip(seen[0].kernels, other[0].kernels, strict=True))
        for place in _places(number, kernel, moved, seen, other)
    ]
    buffers = [
        (number, _tensor_under(cb.buffer.address, moved.buffer.address, seen, other)[0])
        for number, (cb, moved) in enumerate(zip(seen[0].cbs, other[0].cbs, strict=True))
        if cb.buffer is not None and moved.buffer is not None
    ]
    return Bindings(tuple(places), tuple(buffers))


def _places(number: int, kernel: Kernel, moved: Kernel, seen: Seen, other: Seen) -> Iterator[Place]:
    if kernel.compile_time_args != moved.compile_time_args:
        raise ProgramError(
            f"{kernel.label} gets the address of a tensor as a compile-time argument",
            where=kernel.declared_at,
            remedy="pass addresses as runtime arguments: other tensors then need no other program",
        )
    for core, words in _lists(kernel):
        others = moved.common_runtime_args if core is None else moved.runtime_args[core]
        for position, (word, there) in enumerate(zip(words, others, strict=True)):
            if word != there:
                tensor, offset = _tensor_under(word, there, seen, other)
                yield Place(number, core, position, tensor, offset)


def _lists(kernel: Kernel) -> list[tuple[CoreCoord | None, Sequence[int]]]:
    return [(None, kernel.common_runtime_args), *kernel.runtime_args.items()]


def _tensor_under(word: int, there: int, seen: Seen, other: Seen) -> tuple[int, int]:
    """The tensor whose move explains that of the word, and how far into it the word points."""
    for number, (address, size) in seen[1].items():
        offset = word - address
        if 0 <= offset < size and there - other[1][number][0] == offset:
            return number, offset
    raise ProgramError(
        f"an argument is {word:#x} or {there:#x}, depending on where tensors lie, and points into none",
        remedy="pass addresses of tensors, or places in them, as whole arguments",
    )
