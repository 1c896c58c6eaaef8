"""What no kernel can be written for, and what does not fit the chip."""

from __future__ import annotations

import pytest
from tests.compiler.passes import samples
from tests.compiler.passes.steps import after
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr

from tilesmith.compiler.analysis.kernel_signature import COMMON_ARGS, kernels_of
from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.dialects.reading import read
from tilesmith.compiler.lowering.verify_ttir import VerifyTTIR
from tilesmith.errors import CircularBufferError, InternalFault, KernelArgumentError, L1BudgetError

B = "!tt.cb_of<!tile.buffer<[{rows}, 256], f32, shared, tiled, Float32>>"


def verify(module: ModuleOp, arch: str = "wormhole") -> None:
    VerifyTTIR(arch=arch).apply(compiler_context(), module)


def buffers(*specs: tuple[str, int, int]) -> ModuleOp:
    """A kernel with these circular buffers: name, rows of 8 tiles each, depth."""
    lines = [
        f'%{name} = tt.cb "{name}" {{pages = {rows * 8} : i64, depth = {depth} : i64, page_size = 4096 : i64,'
        f' producer = "reader", consumer = "compute", index = {number} : i64}} : {B.format(rows=32 * rows)}'
        for number, (name, rows, depth) in enumerate(specs)
    ]
    return read("tt.kernel reader @k_reader() {\n" + "\n".join(lines) + "\n}", "kernel.py")


def test_lowered_samples_pass() -> None:
    for name in samples.names():
        verify(after("finalize-persistent-signature-tt", samples.module(name)))


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("split-device-kernel", "an accessor is bound to no argument"),
        ("configure-tensor-accessor-tt", "tile.load is still there after every lowering"),
    ],
)
def test_nothing_abstract_may_be_left(last: str, message: str) -> None:
    with pytest.raises(InternalFault, match=message):
        verify(after(last, samples.module("add")))


def test_fewer_stages_are_the_first_remedy() -> None:
    with pytest.raises(L1BudgetError) as caught:
        verify(buffers(("A_shared", 12, 3), ("B_shared", 4, 3), ("C_local", 4, 1)))
    error = caught.value
    wanted = (12 * 3 + 4 * 3 + 4) * 8 * 4096
    assert f"take {wanted} bytes" in error.what
    assert error.where == "kernel.py:2"
    saved = (12 + 4) * 8 * 4096
    assert error.remedy == f"num_stages 3 -> 2 saves {saved} bytes and fits"
    assert error.table.splitlines()[1].split() == [
        *("A_shared", "384", "x", "256", "Float32", "96", "x", "4096", "3"),
        *(str(12 * 3 * 8 * 4096), "kernel.py:2"),
    ]


def test_smaller_blocks_are_the_second() -> None:
    with pytest.raises(L1BudgetError) as caught:
        verify(buffers(("A_shared", 50, 1), ("B_shared", 4, 2)))
    assert "use smaller blocks: A_shared (1600 x 256) alone takes" in caught.value.remedy


def test_what_just_fits_fits() -> None:
    verify(buffers(("A_shared", 42, 1)))
    with pytest.raises(L1BudgetError):
        verify(buffers(("A_shared", 43, 1)))


def test_too_many_circular_buffers() -> None:
    module = buffers(*((f"b{number}", 1, 1) for number in range(33)))
    with pytest.raises(CircularBufferError, match="needs 33 circular buffers and n150 has 32: b0, b1"):
        verify(module)
    verify(module, "blackhole")


def test_too_many_arguments() -> None:
    module = after("finalize-persistent-signature-tt", samples.module("add"))
    kernels_of(module)[0].attributes[COMMON_ARGS] = ArrayAttr([StringAttr(f"n{i}") for i in range(400)])
    with pytest.raises(KernelArgumentError, match="needs 402 runtime arguments; a core takes 341"):
        verify(module)


@pytest.mark.parametrize(
    ("slot", "wide", "fits"), [(7, "", True), (8, "", False), (3, "f", True), (4, "f", False)]
)
def test_slots_of_dst(slot: int, wide: str, fits: bool) -> None:
    attributes = "attributes {fp32_dest_acc_en}" if wide else ""
    module = read(
        f"""tt.kernel compute @k_compute() {attributes} {{
          %end = arith.constant {slot + 1} : index
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          scf.for %i = %zero to %end step %one {{
            "tt_compute.vector"(%i) <{{fn = "exp", operandSegmentSizes = array<i32: 1, 0>}}> : (index) -> ()
          }}
        }}"""
    )
    if fits:
        verify(module)
    else:
        with pytest.raises(InternalFault, match=f"uses slot {slot} of DST, which has {slot}"):
            verify(module)
