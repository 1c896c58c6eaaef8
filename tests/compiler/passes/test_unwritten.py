"""Which reads of buffers nobody has written are refused, and which keep what a buffer had."""

from __future__ import annotations

import pytest
from tests.compiler.dialects.modules import Kernel, index, module_of, number, region
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, ModuleOp, f32
from xdsl.ir import SSAValue

from tilesmith.compiler.analysis.uninitialized import check_written
from tilesmith.compiler.dialects import tile
from tilesmith.errors import KernelError

INDEX = IndexType()


def _module(keep: bool) -> ModuleOp:
    def body(k: Kernel) -> None:
        buffer = k.buffer("half", [4])

        def new(old: SSAValue, i: SSAValue) -> SSAValue:
            inside = arith.CmpiOp(i, index(2), "slt").result
            other = old if keep else arith.AddfOp(old, number(1.0)).result
            return arith.SelectOp(inside, number(2.0), other).result

        tile.MapOp([buffer], buffer, [[0]], region([f32, INDEX], new))
        k.store(buffer, "A")

    return module_of({"A": ([4], f32)}, body)


def _check(module: ModuleOp) -> None:
    (func,) = (op for op in module.ops if isinstance(op, tile.FuncOp))
    check_written(func)


def test_a_map_that_computes_with_the_old_value_is_refused() -> None:
    with pytest.raises(KernelError, match="half is read before anything is written to it"):
        _check(_module(keep=False))


def test_a_map_that_keeps_the_old_value_where_it_writes_none_is_not() -> None:
    module = _module(keep=True)
    _check(module)
    assert any(isinstance(op, tile.MapOp) for op in module.walk())
