"""Compiled kernels: every way of calling them, and everything they tell about themselves."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import tilelang.language as T
import torch
from tests.compiler import kernels

import tilesmith
from tilesmith import CompiledKernel
from tilesmith.compiler.launch import shared_device
from tilesmith.compiler.signature import packed
from tilesmith.errors import (
    BadCallError,
    DeviceError,
    KernelError,
    L1BudgetError,
    SettingsError,
    TilesmithWarning,
    UnknownPassError,
    UnsupportedKernelError,
)

SHAPE = (40, 70)


@pytest.fixture(scope="module")
def scaled() -> CompiledKernel:
    kernel: CompiledKernel = tilesmith.compile(kernels.scaled(*SHAPE), target="wormhole")
    return kernel


@pytest.fixture(scope="module")
def dynamic() -> CompiledKernel:
    kernel: CompiledKernel = tilesmith.compile(kernels.dynamic_scaled(SHAPE[1]), target="wormhole")
    return kernel


@pytest.fixture
def a() -> torch.Tensor:
    return torch.randn(SHAPE, generator=torch.Generator().manual_seed(1)).bfloat16().float()


def test_outputs_left_out_are_made(scaled: CompiledKernel, a: torch.Tensor) -> None:
    result = scaled(a)
    assert isinstance(result, torch.Tensor)
    assert result.dtype is torch.float32
    assert torch.equal(result, 2 * a)


def _half_written() -> Any:
    @T.prim_func
    def main(A: T.Tensor((64, 32), "float32"), B: T.Tensor((64, 32), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((32, 32), "float32")
            T.copy(A[32, 0], a)
            T.copy(a, B[32, 0])

    return main


def test_an_output_may_be_written_in_part() -> None:
    """As on a GPU, where the rest of a tensor the call makes is anything."""
    kernel, a = tilesmith.compile(_half_written()), torch.randn(64, 32)
    with pytest.warns(TilesmithWarning, match="writes B in part"):
        made = kernel(a)
    assert torch.equal(made[32:], a[32:])
    b = torch.ones(64, 32)
    kernel(a, b)
    assert torch.equal(b, torch.cat([torch.ones(32, 32), a[32:]]))


def test_outputs_given_are_written_and_returned(scaled: CompiledKernel, a: torch.Tensor) -> None:
    b = torch.full(SHAPE, float("nan"))
    assert scaled(a, b) is b
    assert torch.equal(b, 2 * a)


def test_arguments_by_name_and_numpy(scaled: CompiledKernel, a: torch.Tensor) -> None:
    b = np.zeros(SHAPE, np.float32)
    assert scaled(B=b, A=a.numpy()) is b
    assert (b == 2 * a.numpy()).all()
    assert isinstance(scaled(A=a.numpy()), np.ndarray)


def test_strided_tensors_and_those_with_gradients(scaled: CompiledKernel, a: torch.Tensor) -> None:
    transposed = a.T.contiguous().T
    b = torch.zeros(SHAPE[::-1]).T
    scaled(transposed.requires_grad_(), b)
    assert torch.equal(b, 2 * a)


def test_two_outputs_are_a_tuple(a: torch.Tensor) -> None:
    kernel = tilesmith.compile(kernels.sum_and_difference(*SHAPE))
    total, difference = kernel(a, 3 * a)
    assert torch.allclose(total, 4 * a, rtol=1e-3)
    assert torch.allclose(difference, -2 * a, rtol=1e-3, atol=1e-3)


def test_what_is_read_and_written_is_updated_in_place(a: torch.Tensor) -> None:
    kernel = tilesmith.compile(kernels.accumulated(*SHAPE))
    b = torch.ones(SHAPE)
    assert kernel.signature.outputs == ()
    assert kernel(a, b) is b
    assert torch.allclose(b, 1 + a, rtol=1e-2, atol=1e-2)


def test_out_idx_makes_what_is_read_start_at_zero(a: torch.Tensor) -> None:
    kernel = tilesmith.compile(kernels.accumulated(*SHAPE), out_idx=-1)
    assert torch.allclose(kernel(a), a, rtol=1e-2)


@pytest.mark.parametrize(("kind", "factors"), [("int32", (3, -7)), ("float32", (0.5, -2.0))])
def test_numbers_are_parameters_too(kind: str, factors: tuple[float, float], a: torch.Tensor) -> None:
    kernel = tilesmith.compile(kernels.scaled_by(kind))
    for factor in factors:
        assert torch.allclose(kernel(a, factor, torch.zeros(3)), factor * a, rtol=1e-3)


def test_grids_of_one_kernel_run_in_order(a: torch.Tensor) -> None:
    kernel = tilesmith.compile(kernels.two_grids(*SHAPE))
    assert kernel.signature.order == ("A", "total")
    for given in (a, 3 * a):
        assert torch.allclose(kernel(given), 2 * given.sum(1), rtol=1e-2, atol=1e-2)
    assert len(kernel.programs) == len(kernel.plans) == 2
    assert len(kernel.sources()) == 6
    assert len(kernel.profile().kernels) == 10
    assert kernel.ir("import").count("tile.grid") == 2


def test_blocks_that_wait_for_all_others_are_two_grids() -> None:
    values = torch.randn(64, 32)
    kernel = tilesmith.compile(kernels.synced(), "wormhole")
    between = torch.zeros(64, 32)
    found = torch.zeros(64, 32)
    kernel(values, between, found)
    assert len(kernel.programs) == 2
    assert torch.equal(between, values)
    assert torch.equal(found, torch.cat([values[32:], values[:32]]))


def test_only_tensors_outlive_a_wait_for_all_blocks() -> None:
    with pytest.raises(UnsupportedKernelError, match="first is used on both sides of sync_grid"):
        tilesmith.compile(kernels.synced(kept=True), "wormhole")


def test_no_rows_are_no_work(dynamic: CompiledKernel) -> None:
    assert dynamic(torch.zeros(0, SHAPE[1])).shape == (0, SHAPE[1])


def test_wrong_calls_say_what_is_wrong(scaled: CompiledKernel, a: torch.Tensor) -> None:
    with pytest.raises(BadCallError, match=r"takes 2 arguments \(1 without outputs\), got 3"):
        scaled(a, a, a)
    with pytest.raises(BadCallError, match="has no parameter C"):
        scaled(a, C=a)
    with pytest.raises(BadCallError, match="got A twice"):
        scaled(a, A=a)
    with pytest.raises(BadCallError, match=r"argument A has shape \[1, 70\]"):
        scaled(a[:1])


def test_one_kernel_serves_every_number_of_rows(dynamic: CompiledKernel) -> None:
    sources = dynamic.sources()
    for rows in (1, 31, 64, 100):
        values = torch.arange(rows * SHAPE[1]).reshape(rows, SHAPE[1]).float() % 128
        assert torch.equal(dynamic(values), 2 * values)
    assert dynamic.sources() == sources


def test_sizes_computed_from_symbols() -> None:
    kernel = tilesmith.compile(kernels.grouped_rows(), "wormhole")
    for rows in (3, 40):
        values, sums = torch.randn(rows * 2, 64), torch.zeros(rows, 64)
        kernel(values, sums)
        torch.testing.assert_close(sums, values.view(rows, 2, 64).sum(1), rtol=1e-2, atol=1e-2)


def test_a_symbol_that_is_only_part_of_a_size() -> None:
    values, first = torch.randn(6, 64), torch.zeros(1, 64)
    tilesmith.compile(kernels.grouped_rows(alone=True), "wormhole")(values, first)
    torch.testing.assert_close(first, values[:2].sum(0, keepdim=True), rtol=1e-2, atol=1e-2)
    with pytest.raises(BadCallError, match=r"dimension 0 of argument A is 7"):
        tilesmith.compile(kernels.grouped_rows(alone=True), "wormhole")(torch.randn(7, 64), first)


def test_only_the_last_shapes_keep_their_tensors(dynamic: CompiledKernel) -> None:
    for rows in range(1, 8):
        dynamic(torch.zeros(rows, SHAPE[1]))
    assert len(dynamic._launches) == 4


def test_a_repeated_call_uses_the_same_program(scaled: CompiledKernel, a: torch.Tensor) -> None:
    scaled(a)
    program = scaled.program
    assert torch.equal(scaled(4 * a), 8 * a)
    assert scaled.program is program


def test_kernels_share_a_device_which_opens_again(scaled: CompiledKernel, a: torch.Tensor) -> None:
    device = shared_device(scaled.arch)
    assert device is shared_device(tilesmith.load_arch("wormhole"))
    scaled(a)
    device.close()
    assert torch.equal(scaled(a), 2 * a)
    assert shared_device(scaled.arch) is not device


def test_sources_are_reader_compute_and_writer(scaled: CompiledKernel) -> None:
    sources = scaled.sources()
    assert [name.rsplit("_", 1)[1] for name in sources] == ["reader", "compute", "writer"]
    assert all("void kernel_main()" in text for text in sources.values())


def test_the_program_exists_before_the_first_call() -> None:
    kernel = tilesmith.compile(kernels.scaled(*SHAPE), target="blackhole")
    assert len(kernel.program.kernels) == 3
    assert kernel.plan["kernels"]


def test_the_program_of_a_dynamic_kernel_needs_a_call() -> None:
    kernel = tilesmith.compile(kernels.dynamic_scaled(SHAPE[1]))
    with pytest.raises(BadCallError, match="depends on m"):
        _ = kernel.program


def test_ir_after_each_pass(scaled: CompiledKernel) -> None:
    assert "tile.grid" in scaled.ir("import")
    assert "tile.grid" not in scaled.ir(after="grid-to-core-grid")
    assert scaled.ir() == scaled.ir(after="codegen-tt")
    with pytest.raises(UnknownPassError, match="there is no pass 'fuse'") as caught:
        scaled.ir(after="fuse")
    assert "infer-tt-layout" in str(caught.value)


def test_profile_of_the_last_run(a: torch.Tensor) -> None:
    kernel = tilesmith.compile(kernels.scaled(*SHAPE))
    with pytest.raises(BadCallError, match="has not run yet"):
        kernel.profile()
    summary = kernel.profile(a)
    assert summary.cycles > 0
    assert {one.role for one in summary.kernels} >= {"reader", "writer", "math"}
    assert summary.dram_bytes >= 2 * a.nbytes
    assert "scaled_kernel on n150" in str(summary)
    assert "DRAM in" in str(summary)


def test_repr_shows_the_signature(scaled: CompiledKernel) -> None:
    assert repr(scaled) == (
        "CompiledKernel(scaled_kernel(A: [40, 70] float32, B: [40, 70] float32) for n150)"
    )


def test_targets() -> None:
    kernel = kernels.scaled(*SHAPE)
    assert tilesmith.compile(kernel).arch.product == "n150"
    assert tilesmith.compile(kernel, "p100a").arch.product == "p100a"
    assert tilesmith.compile(kernel, tilesmith.load_arch("n300")).arch.product == "n300"
    with pytest.raises(DeviceError, match="unknown chip 'cuda'"):
        tilesmith.compile(kernel, "cuda")


def test_options_that_mean_nothing() -> None:
    with pytest.raises(SettingsError, match="there is no fidelity 'HiFi9'") as caught:
        tilesmith.compile(kernels.scaled(*SHAPE), fidelity="HiFi9")
    assert "LoFi, HiFi2, HiFi3, HiFi4" in str(caught.value)
    with pytest.raises(KernelError, match="got a function"):
        tilesmith.compile(lambda x: x)
    with pytest.raises(BadCallError, match="out_idx 2 is no parameter of scaled_kernel"):
        tilesmith.compile(kernels.scaled(*SHAPE), out_idx=[2])


def test_blocks_beyond_l1_are_refused_with_a_size_that_fits() -> None:
    with pytest.raises(L1BudgetError, match="too many") as caught:
        tilesmith.compile(kernels.scaled(1024, 1024, block=1024))
    smaller = re.search(r"with (\d+) in place of 1024", caught.value.remedy)
    assert smaller is not None
    assert "tile " in caught.value.table
    assert tilesmith.compile(kernels.scaled(1024, 1024, block=int(smaller[1])))


def test_modules_of_the_tile_dialect_are_compiled_and_kept(scaled: CompiledKernel, a: torch.Tensor) -> None:
    from tilesmith.compiler.dialects.context import parse

    module = parse(scaled.ir("import"))
    text = str(module)
    assert torch.equal(tilesmith.compile(module)(a), 2 * a)
    assert str(module) == text


DTYPES: list[tuple[str, Any, list[float]]] = [
    ("float32", torch.float32, [0.5, -1.25, 3e30]),
    ("bfloat16", torch.bfloat16, [0.5, -1.25, 3e30]),
    ("float16", torch.float16, [0.5, -1.25, 65504.0]),
    ("float8_e4m3fn", torch.float8_e4m3fn, [0.5, -1.25, 448.0]),
    ("float8_e5m2", torch.float8_e5m2, [0.5, -1.25, 57344.0]),
    ("int32", torch.int32, [-(2.0**31), 7, 2.0**31 - 128]),
    ("int8", torch.int8, [-128, -1, 127]),
    ("uint8", torch.uint8, [0, 128, 255]),
    ("bool", torch.bool, [0, 1, 1]),
]


@pytest.mark.parametrize(("name", "dtype", "values"), DTYPES, ids=[entry[0] for entry in DTYPES])
def test_elements_come_back_as_they_went(name: str, dtype: torch.dtype, values: list[float]) -> None:
    kernel = tilesmith.compile(kernels.copied(*SHAPE, name))
    pattern = torch.tensor(values * (SHAPE[0] * SHAPE[1] // len(values) + 1), dtype=torch.float64)
    given = pattern[: SHAPE[0] * SHAPE[1]].reshape(SHAPE).to(dtype)
    result = kernel(given)
    assert result.dtype is dtype
    assert torch.equal(result.contiguous().view(torch.uint8), given.contiguous().view(torch.uint8))


def test_a_parameter_in_another_format(a: torch.Tensor) -> None:
    kernel = tilesmith.compile(kernels.scaled(64, 64, "bfloat16"), formats={"A": "Bfp8_b"})
    given = torch.randn(64, 64, generator=torch.Generator().manual_seed(2)).bfloat16()
    result = kernel(given)
    exact = tilesmith.compile(kernels.scaled(64, 64, "bfloat16"))(given)
    assert not torch.equal(result, exact)
    assert torch.allclose(result.float(), exact.float(), atol=0.1)


def test_integers_of_four_bits_and_an_output_nobody_writes() -> None:
    values = np.random.default_rng(0).integers(-7, 8, (32, 64), dtype=np.int8)
    found, untouched = tilesmith.compile(kernels.negated_int4(), "wormhole", out_idx=[1, 2])(
        torch.from_numpy(packed(values))
    )
    assert torch.equal(found, torch.from_numpy(packed(-values)))
    assert torch.equal(untouched, torch.zeros(8, dtype=torch.int32))


def test_elements_of_tfloat32_are_floats() -> None:
    values = torch.randn(32, 64)
    found = tilesmith.compile(kernels.shifted_tfloat32(), "wormhole")(values)
    assert torch.equal(found[:, :60], values[:, 4:])
    assert not found[:, 60:].any()


def test_a_variable_is_cleared_where_it_says() -> None:
    values = torch.randn(4, 3)
    found = tilesmith.compile(kernels.cleared_each_time(), "wormhole")(values)
    torch.testing.assert_close(found, values.sum(1))


def test_reader_and_writer_have_semaphores_of_their_own() -> None:
    sources = tilesmith.compile(kernels.shared_twice(), "wormhole").sources()
    used = [
        set(re.findall(r"get_semaphore\(\d+\)", sources[f"kernel_{role}"])) for role in ("reader", "writer")
    ]
    assert len(used[0]) == len(used[1]) == 2
    assert not used[0] & used[1]
