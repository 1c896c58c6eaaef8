"""What the three compute passes make of the samples, and what they refuse."""

from __future__ import annotations

import pytest
from tests.compiler.passes.conftest import Golden
from tests.compiler.passes.samples import module
from tests.compiler.passes.steps import after
from tests.compiler.passes.tile_kernels import Buffer, kernel
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.context import compiler_context, parse
from tilesmith.compiler.lowering.insert_dst_management_tt import InsertDSTManagementTT
from tilesmith.errors import InternalFault, UnsupportedKernelError

SAMPLES = ["add", "gemm", "softmax"]


def compute_kernel(lowered: ModuleOp) -> tt.KernelOp:
    return next(op for op in lowered.walk() if isinstance(op, tt.KernelOp) and op.role.data == "compute")


def source(lowered: ModuleOp) -> str:
    text = compute_kernel(lowered).source
    assert text is not None
    return text.data


@pytest.mark.parametrize("name", SAMPLES)
def test_stages(name: str, golden: Golden) -> None:
    lowered = after("lower-tt-tile-intrinsics", module(name))
    left = {type(op) for op in lowered.walk()} & {tile.GemmOp, tile.MapOp, tile.ReduceOp, tile.FillOp}
    assert not left
    golden(str(lowered))


@pytest.mark.parametrize("name", SAMPLES)
def test_set_up(name: str, golden: Golden) -> None:
    golden(str(compute_kernel(after("insert-compute-init-tt", module(name)))))


@pytest.mark.parametrize("name", SAMPLES)
def test_text_of_stages_can_be_read_back(name: str) -> None:
    lowered = after("insert-dst-management-tt", module(name))
    assert str(parse(str(lowered))) == str(lowered)


def test_set_up_that_does_not_change_is_outside_the_loop() -> None:
    kernel_op = compute_kernel(after("insert-compute-init-tt", module("add")))
    init = next(op for op in kernel_op.walk() if isinstance(op, ttc.InitEltwiseOp))
    assert init.parent_op() is kernel_op


def test_dst_is_wide_only_where_it_must_be() -> None:
    wide = {
        name: "fp32_dest_acc_en" in compute_kernel(after("insert-compute-init-tt", module(name))).attributes
        for name in SAMPLES
    }
    assert wide == {"add": False, "gemm": True, "softmax": True}


def test_a_buffer_of_the_matrix_unit_is_not_unpacked_whole() -> None:
    buffers = [Buffer("A", (32, 32)), Buffer("B", (32, 32)), Buffer("C", (32, 32), is_result=True)]
    work = "tile.fill %C, %zero : {C}, f32\ntile.gemm %A, %B, %C transposed[false, false] : {A}, {B}, {C}"
    lowered = after("insert-compute-init-tt", kernel(buffers, work))
    whole = str(compute_kernel(lowered).attributes["unpack_to_dest_fp32"])
    assert whole == '["C"]'


def test_the_first_product_needs_no_zeros() -> None:
    text = source(after("codegen-tt", module("gemm")))
    assert "fill_tile" not in text
    assert "pack_reconfig_l1_acc(ko != 0);" in text


def test_too_many_slots_are_refused() -> None:
    one = parse("""builtin.module {
        "tt_compute.dst"() <{slots = 5 : i64, wide = true}> ({ ^bb0: }, { ^bb1: }) : () -> ()
    }""")
    with pytest.raises(InternalFault, match="uses 5 slots, and there are 4"):
        InsertDSTManagementTT().apply(compiler_context(), one)


def test_a_function_the_vector_unit_lacks_is_named() -> None:
    buffers = [Buffer("X", (32, 32)), Buffer("Y", (32, 32), is_result=True)]
    work = """tile.map(%X) -> %Y dims [[0, 1]] : ({X}) -> {Y} {
      ^bb0(%x: f32, %i: index, %j: index):
        %0 = tile.fn "popcount"(%x) : (f32) -> f32
        tile.yield %0 : f32
    }"""
    with pytest.raises(UnsupportedKernelError, match="popcount has no form on whole tiles"):
        after("lower-tt-tile-intrinsics", kernel(buffers, work))
