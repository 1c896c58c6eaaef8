"""Copies between buffers of different element types give what torch's conversions give."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

import runpy
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement, islice
from pathlib import Path
from typing import Any

import pytest
import tilelang.language as T
import torch

import tilesmith

SIZE = 32
INTEGERS = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32")
FLOATS = ("float16", "bfloat16", "float32")
TYPES = (*INTEGERS, *FLOATS)


def two_copies(source: str, first: str, second: str) -> Any:
    @T.prim_func
    def main(
        A: T.Tensor((SIZE, SIZE), source), B: T.Tensor((SIZE, SIZE), first), C: T.Tensor((SIZE, SIZE), second)
    ):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((SIZE, SIZE), source)
            b = T.alloc_fragment((SIZE, SIZE), first)
            c = T.alloc_fragment((SIZE, SIZE), second)
            T.copy(A, a)
            T.copy(a, b)
            T.copy(a, c)
            T.copy(b, B)
            T.copy(c, C)

    return main


def converted_on_arrival(source: str, dest: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor((SIZE, SIZE), source), B: T.Tensor((SIZE, SIZE), dest)):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((SIZE, SIZE), dest)
            T.copy(A, a)
            T.copy(a, B)

    return main


def converted_on_leaving(source: str, dest: str) -> Any:
    @T.prim_func
    def main(A: T.Tensor((SIZE, SIZE), source), B: T.Tensor((SIZE, SIZE), dest)):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((SIZE, SIZE), source)
            T.copy(A, a)
            T.copy(a, B)

    return main


def values_of(name: str) -> torch.Tensor:
    """Values all over an integer type, or floats with quarters that all integer types have room for."""
    generator = torch.Generator().manual_seed(0)
    dtype = getattr(torch, name)
    if dtype == torch.bool:
        return torch.rand(SIZE, SIZE, generator=generator) < 0.5
    if dtype.is_floating_point:
        return (torch.rand(SIZE, SIZE, generator=generator) * 500).round() / 4
    limits = torch.iinfo(dtype)
    values = torch.randint(limits.min, limits.max + 1, (SIZE, SIZE), generator=generator)
    values[0, :4] = torch.tensor([limits.min, limits.max, 0, 1])
    return values.to(dtype)


def converted(values: torch.Tensor, name: str) -> torch.Tensor:
    """What torch makes of the values; it converts to and from wide unsigned types through int64 only."""
    dtype = getattr(torch, name)
    wide = values.to(torch.int64) if values.dtype in (torch.uint16, torch.uint32) else values
    return wide.to(torch.int64).to(dtype) if dtype in (torch.uint16, torch.uint32) else wide.to(dtype)


def assert_same(given: torch.Tensor, values: torch.Tensor, name: str) -> None:
    expected = converted(values, name)
    if name in ("uint16", "uint32"):
        given, expected = given.to(torch.int64), expected.to(torch.int64)
    if name == "bfloat16":  # the packer rounds what lies half way between two bfloat16 numbers away from zero
        wide = values.to(
            torch.int64 if values.dtype in (torch.uint16, torch.uint32) else values.dtype
        ).float()
        tie = (given.float() - wide).abs() == (expected.float() - wide).abs()
        given = torch.where(tie, expected, given)
    assert torch.equal(given, expected)


def check_two_copies(source: str, first: str, second: str) -> None:
    values = values_of(source).to(getattr(torch, source))
    outs = [torch.zeros(SIZE, SIZE).to(getattr(torch, name)) for name in (first, second)]
    tilesmith.compile(two_copies(source, first, second))(values, *outs)
    for out, name in zip(outs, (first, second), strict=True):
        assert_same(out, values, name)


@pytest.mark.parametrize(
    ("source", "first", "second"),
    [
        ("int32", "float32", "int32"),
        ("int32", "int32", "float16"),
        ("bool", "bfloat16", "int32"),
        ("int8", "float32", "uint8"),
        ("uint32", "float32", "uint32"),
        ("int32", "int8", "bool"),
        ("float32", "int16", "bool"),
    ],
)
def test_one_buffer_copied_to_two_types(source: str, first: str, second: str) -> None:
    check_two_copies(source, first, second)


def many_copies(source: str, pairs: Sequence[tuple[str, str]], folder: Path) -> Any:
    """As `two_copies`, for several pairs in one kernel, each with a buffer of its own."""
    tensors = [
        f"{letter}{at}: T.Tensor(({SIZE}, {SIZE}), '{name}')"
        for at, pair in enumerate(pairs)
        for letter, name in zip("BC", pair, strict=True)
    ]
    lines = [
        "import tilelang.language as T",
        "@T.prim_func",
        f"def main(A: T.Tensor(({SIZE}, {SIZE}), '{source}'), {', '.join(tensors)}):",
        "    with T.Kernel(1, threads=128) as _:",
    ]
    for at, (first, second) in enumerate(pairs):
        lines += [
            f"        a{at} = T.alloc_shared(({SIZE}, {SIZE}), '{source}')",
            f"        b{at} = T.alloc_fragment(({SIZE}, {SIZE}), '{first}')",
            f"        c{at} = T.alloc_fragment(({SIZE}, {SIZE}), '{second}')",
            *(
                f"        T.copy({line})"
                for line in (f"A, a{at}", f"a{at}, b{at}", f"a{at}, c{at}", f"b{at}, B{at}", f"c{at}, C{at}")
            ),
        ]
    path = folder / "many_copies.py"
    path.write_text("\n".join(lines), encoding="utf-8")
    return runpy.run_path(str(path))["main"]


def batched(pairs: Iterable[tuple[str, str]], size: int) -> Iterator[tuple[tuple[str, str], ...]]:
    """itertools.batched, which Python 3.12 brings."""
    left = iter(pairs)
    while batch := tuple(islice(left, size)):
        yield batch


@pytest.mark.parametrize("source", TYPES)
def test_types_a_buffer_is_copied_to_in_pairs(source: str, tmp_path: Path) -> None:
    """Each type with the one so many places after it, another distance for each source."""
    distance = TYPES.index(source) % (len(TYPES) // 2 + 1)
    pairs = [(first, TYPES[(at + distance) % len(TYPES)]) for at, first in enumerate(TYPES)]
    check_many_copies(source, pairs, 5, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("source", TYPES)
def test_every_pair_of_types_a_buffer_is_copied_to(source: str, tmp_path: Path) -> None:
    check_many_copies(source, combinations_with_replacement(TYPES, 2), 8, tmp_path)


def check_many_copies(source: str, every: Iterable[tuple[str, str]], at_once: int, folder: Path) -> None:
    values = values_of(source).to(getattr(torch, source))
    for pairs in batched(every, at_once):
        names = [name for pair in pairs for name in pair]
        outs = [torch.zeros(SIZE, SIZE).to(getattr(torch, name)) for name in names]
        tilesmith.compile(many_copies(source, pairs, folder))(values, *outs)
        for out, name in zip(outs, names, strict=True):
            assert_same(out, values, name)


@pytest.mark.parametrize("kernel", [converted_on_arrival, converted_on_leaving])
@pytest.mark.parametrize(
    ("source", "dest"), [("int32", "bool"), ("float32", "bool"), ("uint32", "float32"), ("int32", "int8")]
)
def test_transfers_that_change_the_type(kernel: Any, source: str, dest: str) -> None:
    values = values_of(source).to(getattr(torch, source))
    out = torch.zeros(SIZE, SIZE).to(getattr(torch, dest))
    tilesmith.compile(kernel(source, dest))(values, out)
    assert_same(out, values, dest)
