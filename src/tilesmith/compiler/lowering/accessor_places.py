"""Where the accessors of a kernel stand among its compile-time words and its common arguments."""

from __future__ import annotations

from xdsl.rewriter import Rewriter

from tilesmith.compiler.dialects import tt

INTERLEAVED_WORDS = 2
"""Compile-time words of the accessor of an interleaved tensor: configuration bits and page size."""


def place_accessors(kernel: tt.KernelOp) -> None:
    """Number the accessors that are used; the others go."""
    position = 0
    for accessor in [one for one in kernel.body.block.ops if isinstance(one, tt.AccessorOp)]:
        if accessor.tensor.uses.get_length() == 1 and not accessor.accessor.uses.get_length():
            Rewriter.erase_op(accessor)
            continue
        accessor.compile_time_offset = tt.number(INTERLEAVED_WORDS * position)
        accessor.address = tt.number(position)
        position += 1
