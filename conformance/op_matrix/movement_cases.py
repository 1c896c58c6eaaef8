"""Cases of operations that move data."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.op_matrix.case import Case, Input, Shape
from conformance.op_matrix.shapes import ALIGNED, AWKWARD, SHARDED, turns

_KINDS = (
    ("bfloat16", "tile"),
    ("bfloat16", "row_major"),
    ("float32", "tile"),
    ("float32", "row_major"),
    ("bfloat8_b", "tile"),
    ("int32", "row_major"),
    ("uint16", "tile"),
    ("uint8", "row_major"),
)


def movement_cases() -> Iterator[Case]:
    memories = turns("dram", "l1", "dram")
    for dtype, layout in _KINDS:
        for shape in AWKWARD:
            one = Input(shape, dtype, layout, next(memories), low=0 if "u" in dtype else -9, high=9)
            yield from _of(one)
    yield from _sharded()
    yield from _creation()


def _of(one: Input) -> Iterator[Case]:
    shape, rank = one.shape, len(one.shape)
    yield Case("movement", "permute", (one,), (tuple(reversed(range(rank))),))
    yield Case("movement", "transpose", (one,), (-2, -1))
    yield Case("movement", "reshape", (one,), ((-1,),))
    yield Case("movement", "reshape", (one,), ((*shape[1:], shape[0]),))
    yield Case("movement", "pad", (one,), (tuple((1, 2) for _ in shape), 3.0))
    yield Case("movement", "pad", (one,), (((0, 33),), 0.0) if rank == 1 else (((0, 1), (0, 31)), 0.0))
    yield Case("movement", "slice", (one,), _slice(shape))
    yield Case("movement", "repeat", (one,), ((2,) * rank,))
    yield Case("movement", "unsqueeze", (one,), (0,))
    yield Case("movement", "squeeze", (one,))
    yield Case("movement", "split", (one,), (max(shape[-1] // 2, 1), -1))
    for axis in (0, -1):
        yield Case("movement", "concat", (one, one), (axis,), listed=True)
    yield Case("movement", "concat", (one, one, one), (-2,), listed=True)
    yield Case("movement", "stack", (one, one), (0,), listed=True)
    if one.dtype != "bfloat8_b":
        other = "row_major" if one.layout == "tile" else "tile"
        yield Case("movement", "to_layout", (one,), options=(("layout", other),))
    yield Case("movement", "to_memory_config", (one,), options=(("memory_config", "l1"),))
    yield Case("movement", "clone", (one,))


def _slice(shape: Shape) -> tuple[Shape, Shape, Shape]:
    starts = tuple(size // 3 for size in shape)
    return starts, shape, tuple(2 if size > 4 else 1 for size in shape)


def _sharded() -> Iterator[Case]:
    for shape in ALIGNED:
        for dtype, layout in _KINDS[:4]:
            for memory in SHARDED:
                one = Input(shape, dtype, layout, memory)
                yield Case("movement", "to_memory_config", (one,), options=(("memory_config", "dram"),))
                there = Input(shape, dtype, layout)
                yield Case("movement", "to_memory_config", (there,), options=(("memory_config", memory),))
                yield Case("movement", "transpose", (one,), (-2, -1))
                other = "row_major" if layout == "tile" else "tile"
                yield Case("movement", "to_layout", (one,), options=(("layout", other),))


def _creation() -> Iterator[Case]:
    for shape in AWKWARD:
        for dtype in ("bfloat16", "float32", "int32"):
            for layout in ("tile", "row_major"):
                one = Input(shape, dtype, layout)
                yield Case("creation", "zeros_like", (one,))
                yield Case("creation", "full_like", (one,), (7,))
