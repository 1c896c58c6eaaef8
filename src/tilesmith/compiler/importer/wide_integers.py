"""64-bit integers are computed in 32 bits: notes on what may leave them."""

from __future__ import annotations

from collections.abc import Iterator

from tilesmith.compiler.importer import source as s

_NOTE = (
    "64-bit integers are computed in 32 bits: what is beyond -2147483648 to 2147483647 wraps; use float32, or"
    " scale what is multiplied"
)
_WIDE = ("int64", "uint64")
_GROWING = ("mul", "shl")
_SUMS = ("sum", "abssum")


def wide_integer_notes(body: tuple[s.Statement, ...]) -> Iterator[str]:
    """A sentence for each statement that multiplies or shifts elements as 64-bit integers, or sums them up.

    Indices are left out: a tensor has no more than 2^31 elements.
    """
    for statement in s.walk_statements(body):
        if _grows(statement):
            yield f"{statement.at}: {_NOTE}"


def _grows(statement: s.Statement) -> bool:
    match statement:
        case s.Store():
            return any(_multiplies(one) for one in s.walk(statement.value))
        case s.TileOp():
            written = {memory.dtype for memory in s.writes_of(statement)}
            sums = statement.name == "cumsum" or statement.options.get("reduction") in _SUMS
            return sums and bool(written & set(_WIDE))
    return False


def _multiplies(expr: s.Expr) -> bool:
    wide = isinstance(expr, s.Binary) and expr.op in _GROWING and expr.dtype in _WIDE
    return wide and any(True for _ in s.loads_of(expr))
