"""Reductions of integers are exact: no element passes through a float."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from itertools import product
from typing import Any

import pytest
import tilelang.language as T
import torch

import tilesmith

ROWS, COLUMNS = 32, 64
TYPES = ("int32", "uint32", "int16", "uint16", "int8", "uint8")
COMBINE: dict[str, Callable[..., Any]] = {
    "sum": torch.add,
    "abssum": torch.add,
    "max": torch.maximum,
    "absmax": torch.maximum,
    "min": torch.minimum,
    "bitand": torch.bitwise_and,
    "bitor": torch.bitwise_or,
    "bitxor": torch.bitwise_xor,
}


def reduction(kind: str, dtype: str, dim: int, clear: bool) -> Any:
    length = ROWS if dim == 1 else COLUMNS
    call = getattr(T, f"reduce_{kind}")

    @T.prim_func
    def main(A: T.Tensor((ROWS, COLUMNS), dtype), B: T.Tensor((length,), dtype)):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((ROWS, COLUMNS), dtype)
            b = T.alloc_fragment((length,), dtype)
            T.copy(A, a)
            if clear:
                call(a, b, dim=dim)
            else:
                T.copy(B, b)
                call(a, b, dim=dim, clear=False)
            T.copy(b, B)

    return main


def random_integers(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    limits = torch.iinfo(dtype)
    generator = torch.Generator().manual_seed(3)
    return torch.randint(limits.min, limits.max + 1, shape, generator=generator).to(dtype)


def check(kind: str, name: str, dim: int, clear: bool) -> None:
    dtype = getattr(torch, name)
    values = random_integers(dtype, ROWS, COLUMNS)
    out = random_integers(dtype, ROWS if dim == 1 else COLUMNS)
    operands = values.abs() if kind.startswith("abs") and dtype.is_signed else values
    parts = [*([] if clear else [out.to(torch.int64)]), *operands.to(torch.int64).unbind(dim)]
    expected = reduce(COMBINE[kind], parts).to(dtype)
    tilesmith.compile(reduction(kind, name, dim, clear))(values, out)
    assert torch.equal(out.to(torch.int64), expected.to(torch.int64))


@pytest.mark.parametrize(
    ("kind", "dtype", "dim", "clear"),
    [
        ("max", "int32", 1, True),
        ("sum", "int32", 1, True),
        ("sum", "int32", 0, False),
        ("min", "uint32", 1, False),
        ("absmax", "int8", 0, True),
        ("bitxor", "int16", 1, False),
        ("abssum", "uint8", 1, True),
    ],
)
def test_reduction(kind: str, dtype: str, dim: int, clear: bool) -> None:
    check(kind, dtype, dim, clear)


def every_case() -> Iterator[Any]:
    """Every function with every type in one way, another each time; in all ways with `--sweeps`."""
    for (row, kind), (column, dtype) in product(enumerate(COMBINE), enumerate(TYPES)):
        # TileLang's abssum always starts anew.
        ways = [way for way in product((0, 1), (True, False)) if way[1] or kind != "abssum"]
        for at, (dim, clear) in enumerate(ways):
            marks = () if at == (row + column) % len(ways) else (pytest.mark.sweep,)
            yield pytest.param(kind, dtype, dim, clear, marks=marks)


@pytest.mark.parametrize(("kind", "dtype", "dim", "clear"), list(every_case()))
def test_every_reduction(kind: str, dtype: str, dim: int, clear: bool) -> None:
    check(kind, dtype, dim, clear)
