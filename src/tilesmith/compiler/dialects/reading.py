"""Textual IR with positions: every operation knows the line it was read from."""

from __future__ import annotations

import sys
from bisect import bisect_right
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, UnknownLoc
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.dialects.tile import location_of
from tilesmith.compiler.dialects.walk import walk
from tilesmith.errors import IRError


class LocatedParser(Parser):
    """A parser that gives operations without `loc(...)` the place they stand at."""

    def __init__(self, context: Context, text: str, name: str) -> None:
        super().__init__(context, text, name)
        self._file = StringAttr(name)
        self._line_ends = [at for at, character in enumerate(text) if character == "\n"]

    def parse_optional_operation(self) -> Operation | None:
        start = self.pos
        op = super().parse_optional_operation()
        if op is not None and isinstance(op.location, UnknownLoc):
            line = bisect_right(self._line_ends, start - 1) + 1
            op.location = FileLineColLoc(self._file, IntAttr(line), IntAttr(0))
        return op


def read(text: str, name: str = "<text>") -> ModuleOp:
    """A verified module from its textual form; mistakes in it are IRErrors with file and line.

    >>> read("builtin.module {}").name
    'builtin.module'
    """
    try:
        module = LocatedParser(compiler_context(), text, name).parse_module()
    except ParseError as error:
        place, *lines = str(error).rstrip().splitlines()
        raise IRError("\n".join(["this cannot be read as IR:", *lines]), where=place) from None
    check(module)
    return module


def read_file(source: str) -> ModuleOp:
    """The module in a file; "-" is standard input."""
    try:
        text = Path(source).read_text(encoding="utf-8") if source != "-" else _standard_input()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise IRError(
            f"cannot read {source}: {reason}", remedy="give a .mlir file, or - for standard input"
        ) from None
    return read(text, source if source != "-" else "<stdin>")


def _standard_input() -> str:
    return sys.stdin.read() if sys.stdin is not None else ""  # none: it was closed


def check(module: ModuleOp) -> None:
    """Verify a module; the error names the line of the operation that is wrong."""
    try:
        module.verify()
    except VerifyException as error:
        wrong = next((op for op in walk(module) if not _is_valid(op)), module)
        raise IRError(f"{wrong.name} is wrong: {_reason(error)}", where=location_of(wrong)) from None


def _is_valid(op: Operation) -> bool:
    try:
        op.verify(verify_nested_ops=False)
    except VerifyException:
        return False
    return True


def _reason(error: VerifyException) -> str:
    """The last sentence: what stands before it is the IR around the place, printed."""
    lines = [line.strip(" ^") for line in str(error).splitlines() if line.strip(" ^")]
    return lines[-1] if lines else "it does not verify"
