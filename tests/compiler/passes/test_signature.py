"""Accessors, arguments and circular buffers: numbered per kernel, the same for all who share them."""

from __future__ import annotations

from tests.compiler.passes import samples
from tests.compiler.passes.conftest import Golden
from tests.compiler.passes.steps import after

from tilesmith.compiler.analysis.kernel_signature import COMMON_ARGS, CORE_ARGS, circular_buffers, kernels_of
from tilesmith.compiler.codegen.program import names_in
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.context import compiler_context, parse
from tilesmith.compiler.lowering.configure_tensor_accessor_tt import ConfigureTensorAccessorTT
from tilesmith.compiler.lowering.finalize_persistent_signature_tt import FinalizePersistentSignatureTT

T = "!tile.tensor<[64, 64], bf16, tile, Float16_b>"
B = "!tt.cb_of<!tile.buffer<[32, 32], bf16, shared, tiled, Float16_b>>"
CB = '{pages = 1 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "reader", consumer = "reader"}'


def finalized(text: str) -> list[tt.KernelOp]:
    module = parse(text)
    for step in (ConfigureTensorAccessorTT(), FinalizePersistentSignatureTT()):
        step.apply(compiler_context(), module)
        module.verify()
    return kernels_of(module)


def test_accessors_are_numbered_and_unused_ones_go() -> None:
    (kernel,) = finalized(f"""
    tt.kernel reader @k_reader(%A: {T}, %B: {T}, %C: {T}) {{
      %a = tt.accessor %A : {T} -> !tt.accessor_of<{T}>
      %b = tt.accessor %B : {T} -> !tt.accessor_of<{T}>
      %c = tt.accessor %C : {T} -> !tt.accessor_of<{T}>
      %zero = arith.constant 0 : index
      %x = tile.read %A[%zero, %zero] : {T} -> f32
      %y = tile.read %C[%zero, %zero] : {T} -> f32
    }}""")
    accessors = [op for op in kernel.walk() if isinstance(op, tt.AccessorOp)]
    assert [(op.compile_time_offset, op.address) for op in accessors] == [
        (tt.number(0), tt.number(0)),
        (tt.number(2), tt.number(1)),
    ]
    assert names_in(kernel, COMMON_ARGS) == ["address_A", "address_C"]


def test_symbols_become_common_arguments_after_the_addresses() -> None:
    (kernel,) = finalized(f"""
    tt.kernel reader @k_reader(%A: {T}) symbols(%m, %n) {{
      %a = tt.accessor %A : {T} -> !tt.accessor_of<{T}>
      %first = tt.arg "core" "first"
      %idle = tt.arg "core" "idle"
      %zero = arith.constant 0 : index
      %x = tile.read %A[%first, %n] : {T} -> f32
    }}""")
    assert names_in(kernel, COMMON_ARGS) == ["address_A", "n"]
    assert names_in(kernel, CORE_ARGS) == ["first"]
    positions = {op.arg_name.data: op.position for op in kernel.walk() if isinstance(op, tt.ArgOp)}
    assert positions == {"n": tt.number(1), "first": tt.number(0)}


def test_a_circular_buffer_has_one_index_in_all_kernels() -> None:
    use = f"tt.cb_reserve_back {{}}, 1 : {B}"
    kernels = finalized(f"""
    tt.kernel reader @k_reader() {{
      %a = tt.cb "a" {CB} : {B}
      %b = tt.cb "b" {CB} : {B}
      %own = tt.cb "own" {CB} : {B}
      {use.format("%b")}
      {use.format("%own")}
    }}
    tt.kernel writer @k_writer() {{
      %a = tt.cb "a" {CB} : {B}
      %b = tt.cb "b" {CB} : {B}
      {use.format("%b")}
    }}""")
    assert [op.cb_name.data for op in circular_buffers(kernels)] == ["b", "own"]
    for kernel in kernels:
        indices = {op.cb_name.data: op.index for op in kernel.walk() if isinstance(op, tt.CBOp)}
        assert indices["b"] == tt.number(0)
        assert "a" not in indices


def test_kernels_of_add(golden: Golden) -> None:
    golden(str(after("finalize-persistent-signature-tt", samples.module("add"))))
