"""A finding in code that we generated says so, with the line of the kernel it was generated from."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

import inspect
from typing import Any

import pytest
import tilelang.language as T
import torch
from xdsl.dialects.builtin import StringAttr

import tilesmith
from tilesmith.compiler.codegen.kernel import line_behind
from tilesmith.compiler.dialects import tt
from tilesmith.errors import GeneratedCodeFault, KernelFindings
from tilesmith.program import CoreCoord, Kernel, Program, ReaderConfig, SourceType


def plus_one() -> Any:
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float32"), B: T.Tensor((32, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((32, 64), "float32")
            T.copy(A, a)  # load
            for i, j in T.Parallel(32, 64):
                a[i, j] = a[i, j] + 1.0  # compute
            T.copy(a, B)  # store

    return main


def line_of(mark: str) -> str:
    lines, first = inspect.getsourcelines(plus_one)
    number = next(n for n, line in enumerate(lines, first) if line.rstrip().endswith(f"# {mark}"))
    return f"{__file__}:{number}"


def kernels(compiled: tilesmith.CompiledKernel) -> dict[str, tt.KernelOp]:
    found = [op for module in compiled.modules for op in module.walk() if isinstance(op, tt.KernelOp)]
    return {op.sym_name.data: op for op in found}


def spoiled(name: str, call: str) -> tilesmith.CompiledKernel:
    """The kernel without one call of its C++; an empty line stands in its place."""
    compiled: tilesmith.CompiledKernel = tilesmith.compile(plus_one())
    op = kernels(compiled)[name]
    assert op.source is not None
    assert call in op.source.data
    op.source = StringAttr(op.source.data.replace(call, ";", 1))
    return compiled


@pytest.mark.parametrize(
    ("name", "call", "check", "mark"),
    [
        ("main_reader", "noc_async_read_barrier();", "noc.use-before-barrier", "load"),
        ("main_compute", "cb_wait_front(cb_a, 2);", "cb.pop-without-wait", "compute"),
        ("main_writer", "noc_async_writes_flushed();", "noc.source-reused", "store"),
    ],
)
def test_our_fault_with_the_line_of_the_kernel(name: str, call: str, check: str, mark: str) -> None:
    with pytest.raises(GeneratedCodeFault) as caught:
        spoiled(name, call)(torch.zeros(32, 64))
    error = caught.value
    assert check in {one.check for one in error.findings}
    assert error.where == line_of(mark)
    assert "tilesmith generated this code; this is a fault of tilesmith, please report it" in str(error)
    assert f"from: {line_of(mark)}" in str(error)


def test_every_line_of_the_body_has_a_line_of_the_kernel() -> None:
    compiled = tilesmith.compile(plus_one())
    for name, mark in (("main_reader", "load"), ("main_compute", "compute"), ("main_writer", "store")):
        op = kernels(compiled)[name]
        assert op.source is not None
        lines = op.source.data.splitlines()
        number = next(n for n, line in enumerate(lines, 1) if "cb_reserve_back" in line or "cb_wait" in line)
        assert line_behind(op, number) == line_of(mark)
        assert line_behind(op, 1).startswith(__file__)
        assert line_behind(op, len(lines) + 7).startswith(__file__)


def test_a_kernel_of_the_user_is_the_users() -> None:
    text = '#include "api/dataflow/dataflow_api.h"\nvoid kernel_main() { cb_push_back(0, 1); }'
    reader = Kernel(text, CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE, name="own")
    with tilesmith.open_device("wormhole") as device, pytest.raises(KernelFindings) as caught:
        device.run(Program([reader]))
    assert "generated" not in str(caught.value)
    assert not caught.value.findings[0].written_for
