"""What the first plan of the compiler asked for: three kernels, their protocols, and the whole pipeline."""

from __future__ import annotations

from functools import cache

import pytest
from tests.compiler.passes.samples import module
from tests.compiler.passes.steps import after
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.context import parse
from tilesmith.compiler.pipeline import Choices, lower

GEMM_256 = "gemm"
PLANNED = [
    "infer-tt-layout",
    "propagate-tt-layout",
    "attach-tensor-accessor-tt",
    "layout-aware-work-partition-tt",
    "grid-to-core-grid",
    "lower-shared-to-cb",
    "lower-tt-tile-intrinsics",
    "build-tile-dfg-tt",
    "split-device-kernel",
    "configure-tensor-accessor-tt",
    "lower-cb-intrinsics",
    "insert-compute-init-tt",
    "insert-dst-management-tt",
    "validate-split-kernels",
    "finalize-persistent-signature-tt",
    "verify-ttir",
    "codegen-tt",
]


def gemm(size: int) -> ModuleOp:
    """The sample of 256 on each side, or the same kernel for another size."""
    text = str(module(GEMM_256))
    text = text.replace("tensor<[256, 256]", f"tensor<[{size}, {size}]")
    text = text.replace("constant 4 : index", f"constant {size // 64} : index")
    return parse(text.replace("constant 8 : index", f"constant {size // 32} : index"))


def kernels(split: ModuleOp) -> dict[str, tt.KernelOp]:
    return {op.role.data: op for op in split.ops if isinstance(op, tt.KernelOp)}


@cache
def sources(size: int) -> dict[str, str]:
    compiled = gemm(size)
    lower(compiled, Choices())
    found = {}
    for role, kernel in kernels(compiled).items():
        assert kernel.source is not None
        found[role] = kernel.source.data.partition("void kernel_main()")[2]
    return found


def test_a_kernel_is_split_into_three() -> None:
    split = list(after("split-device-kernel", module("gemm")).ops)
    assert len(split) == 3
    assert [op.role.data for op in split if isinstance(op, tt.KernelOp)] == ["reader", "compute", "writer"]
    assert [op.sym_name.data for op in split if isinstance(op, tt.KernelOp)] == [
        "gemm_reader",
        "gemm_compute",
        "gemm_writer",
    ]


@pytest.mark.parametrize("size", [256, 512])
def test_readers_speak_the_protocol_of_the_noc(size: int) -> None:
    # Rows of cores share A and columns B, over a NoC each: the writer brings A.
    for role, buffer in (("reader", "B_shared"), ("writer", "A_shared")):
        steps = (
            f"cb_reserve_back(cb_{buffer}",
            "noc_async_read",
            "read_barrier()",
            f"cb_push_back(cb_{buffer}",
        )
        order = [sources(size)[role].index(step) for step in steps]
        assert order == sorted(order)


@pytest.mark.parametrize("size", [256, 512])
def test_the_compute_kernel_speaks_the_protocol_of_dst(size: int) -> None:
    compute = sources(size)["compute"]
    rounds = [compute.count(f"tile_regs_{step}()") for step in ("acquire", "commit", "wait", "release")]
    assert rounds[0] > 0
    assert len(set(rounds)) == 1
    assert compute.index("tile_regs_acquire()") < compute.index("tile_regs_release()")
    assert "matmul" in compute


@pytest.mark.parametrize("size", [256, 512])
def test_the_writer_waits_writes_and_pops(size: int) -> None:
    writer = sources(size)["writer"]
    steps = (
        "cb_wait_front",
        "noc_async_write",
        "noc_async_writes_flushed",
        "cb_pop_front",
        "noc_async_write_barrier",
    )
    order = [writer.index(step) for step in steps]
    assert order == sorted(order)


@pytest.mark.parametrize("arch", ["wormhole", "blackhole"])
def test_the_whole_pipeline_on_an_elementwise_sum(arch: str) -> None:
    compiled = module("add")
    seen: list[str] = []
    lower(compiled, Choices(arch=arch), lambda name, _: seen.append(name))
    assert [name for name in seen if name in PLANNED] == PLANNED
    assert set(kernels(compiled)) == set(tt.ROLES)
    assert all(
        kernel.source is not None and "kernel_main" in kernel.source.data
        for kernel in kernels(compiled).values()
    )
