"""Operations made of others, and integers, against torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tilesmith import ttnn
from tilesmith.errors import OperationError
from tilesmith.ops.elementwise.activation import Activation
from tilesmith.ttnn.operations.activations import get_golden_function_for_activation

INTEGERS = [ttnn.int32, ttnn.uint32, ttnn.uint16, ttnn.uint8]


def tiles(values: torch.Tensor, dtype: Any, device: ttnn.MeshDevice) -> ttnn.Tensor:
    made: ttnn.Tensor = ttnn.from_torch(values, dtype, layout=ttnn.TILE_LAYOUT, device=device)
    return made


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).bfloat16()


THREE: list[tuple[str, dict[str, float], Callable[..., torch.Tensor]]] = [
    ("addcmul", {"value": 0.3}, lambda a, b, c: a + 0.3 * b * c),
    ("addcdiv", {"value": 2.0}, lambda a, b, c: a + 2 * b / c),
    ("lerp", {}, lambda a, b, c: a + c * (b - a)),
    ("mac", {}, lambda a, b, c: a * b + c),
]


@pytest.mark.parametrize(("name", "options", "expected"), THREE, ids=[row[0] for row in THREE])
def test_three_operands_are_rounded_once(
    device: ttnn.MeshDevice, name: str, options: dict[str, float], expected: Callable[..., torch.Tensor]
) -> None:
    a, b, c = draw(40, 40), draw(40, 40, seed=1), draw(1, 40, seed=2).abs() + 0.5
    result = ttnn.to_torch(
        getattr(ttnn, name)(*(tiles(one, ttnn.bfloat16, device) for one in (a, b, c)), **options)
    )
    exact = expected(a.double(), b.double(), c.double())
    torch.testing.assert_close(result.double(), exact, rtol=2.0**-8, atol=1e-6)


def test_addcmul_of_integers(device: ttnn.MeshDevice) -> None:
    a, b, c = (torch.arange(12, dtype=torch.int32).reshape(3, 4) + shift for shift in (100001, -5, 70000))
    result = ttnn.addcmul(*(tiles(one, ttnn.int32, device) for one in (a, b, c)), value=3)
    assert torch.equal(ttnn.to_torch(result), a + 3 * b * c)
    with pytest.raises(OperationError, match="tilesmith: addcmul of integers takes a whole value"):
        ttnn.addcmul(*(tiles(one, ttnn.int32, device) for one in (a, b, c)), value=0.5)


def test_alpha(device: ttnn.MeshDevice) -> None:
    a, b = draw(32, 40), draw(32, 40, seed=1)
    both = tiles(a, ttnn.bfloat16, device), tiles(b, ttnn.bfloat16, device)
    for name, sign in (("addalpha", 1), ("subalpha", -1)):
        exact = a.double() + sign * 1.7 * b.double()
        result = ttnn.to_torch(getattr(ttnn, name)(*both, 1.7)).double()
        torch.testing.assert_close(result, exact, rtol=2.0**-8, atol=1e-6)


@pytest.mark.parametrize("dtype", [ttnn.float32, ttnn.bfloat16])
@pytest.mark.parametrize("equal_nan", [False, True])
def test_isclose(device: ttnn.MeshDevice, equal_nan: bool, dtype: ttnn.DataType) -> None:
    inf, nan = float("inf"), float("nan")
    a = torch.tensor([[1.0, 1.0, 0.0, inf, inf, nan, nan, inf, 2.0]])
    b = torch.tensor([[1.0, 1.1, 1e-9, inf, -inf, nan, 1.0, nan, 2.00001]])
    close = ttnn.isclose(tiles(a, dtype, device), tiles(b, dtype, device), equal_nan=equal_nan)
    a, b = (one.bfloat16().float() if dtype == ttnn.bfloat16 else one for one in (a, b))
    assert torch.equal(ttnn.to_torch(close).bool(), a.isclose(b, equal_nan=equal_nan))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((40,), (33,)),
        ((1,), (1,)),
        ((1, 1, 1, 40), (1, 1, 1, 33)),
        ((4, 2, 32), (1, 2, 32)),
        ((2, 3, 32), (33,)),
    ],
)
def test_outer(device: ttnn.MeshDevice, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a, b = draw(*left), draw(*right, seed=1)
    product = ttnn.outer(tiles(a, ttnn.bfloat16, device), tiles(b, ttnn.bfloat16, device))
    assert torch.equal(ttnn.to_torch(product), torch.einsum("...i,...j->...ij", a, b))
    with pytest.raises(OperationError, match="same dtype"):
        ttnn.outer(tiles(a, ttnn.bfloat16, device), tiles(b, ttnn.float32, device))


def test_fill_assign(device: ttnn.MeshDevice) -> None:
    whole = torch.zeros(1, 2, dtype=torch.int32)
    wanted = ttnn.get_golden_function(ttnn.fill)(whole, 15.5)
    assert wanted.tolist() == [[15, 15]]
    assert torch.equal(ttnn.to_torch(ttnn.fill(tiles(whole, ttnn.int32, device), 15.5)), wanted)
    a = draw(1, 1, 1, 40)
    left = tiles(a, ttnn.bfloat16, device)
    assert torch.equal(ttnn.to_torch(ttnn.fill(left, 3.5)), torch.full_like(a, 3.5))
    assert torch.equal(ttnn.to_torch(ttnn.assign(left, dtype=ttnn.float32)), a.float())


@pytest.mark.parametrize("name", ["glu", "reglu", "geglu", "swiglu"])
def test_gated_activations(device: ttnn.MeshDevice, name: str) -> None:
    values = draw(2, 128)
    operation = getattr(ttnn, name)
    expected = ttnn.get_golden_function(operation)(values.float(), -1, device=device)
    result = ttnn.to_torch(operation(tiles(values, ttnn.bfloat16, device), -1)).float()
    torch.testing.assert_close(result, expected, rtol=0.02, atol=0.02)
    with pytest.raises(OperationError, match="Only last dim"):
        operation(tiles(values, ttnn.bfloat16, device), 0)


@pytest.mark.parametrize("dim", [-1, -2, 0, None])
@pytest.mark.parametrize("name", ["var", "std"])
def test_variance(device: ttnn.MeshDevice, name: str, dim: int | None) -> None:
    values = draw(2, 40, 40) + 100  # a large mean: the difference of two means would lose it
    tensor = tiles(values, ttnn.bfloat16, device)
    for correction in (True, False):
        axes = tuple(range(3)) if dim is None else dim
        exact = getattr(values.double(), name)(axes, correction=int(correction))
        result = ttnn.to_torch(getattr(ttnn, name)(tensor, dim, correction=correction)).double()
        torch.testing.assert_close(result, exact, rtol=0.01, atol=1e-4)


@pytest.mark.parametrize("dim", [-1, 0, None])
def test_products(device: ttnn.MeshDevice, dim: int | None) -> None:
    values = (draw(3, 7, 5) * 0.3 + 1).bfloat16()
    exact = values.double().prod() if dim is None else values.double().prod(dim)
    result = ttnn.to_torch(ttnn.prod(tiles(values, ttnn.bfloat16, device), dim)).double()
    torch.testing.assert_close(result, exact, rtol=2.0**-7, atol=1e-6)


@pytest.mark.parametrize("dim", [-1, 0, None])
def test_argmax(device: ttnn.MeshDevice, dim: int | None) -> None:
    values = (
        torch.randperm(3 * 40 * 33, generator=torch.Generator().manual_seed(1)).reshape(3, 40, 33).float()
    )
    index = ttnn.argmax(tiles(values, ttnn.float32, device), dim)
    assert index.dtype is ttnn.uint32
    assert torch.equal(ttnn.to_torch(index).long(), values.argmax(dim))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_where_ttnn_takes_them(device: ttnn.MeshDevice, dtype: Any) -> None:
    signed = dtype is ttnn.int32
    values = torch.tensor([[-5 if signed else 5, 0, 7, 200, 3]], dtype=torch.int32)
    other = torch.tensor([[2, 0, -7 if signed else 7, 100, 250]], dtype=torch.int32)
    a, b = tiles(values, dtype, device), tiles(other, dtype, device)
    cases = {
        "relu": (ttnn.relu(a), values.relu()),
        "clamp": (ttnn.clamp(a, 1, 6), values.clamp(1, 6)),
        "maximum": (ttnn.maximum(a, b), torch.maximum(values, other)),
        "minimum": (ttnn.minimum(a, b), torch.minimum(values, other)),
        "eq": (ttnn.eq(a, b), (values == other).int()),
        "lt": (ttnn.lt(a, b), (values < other).int()),
        "and": (ttnn.logical_and(a, b), torch.logical_and(values, other).int()),
        "or": (ttnn.logical_or(a, b), torch.logical_or(values, other).int()),
        "xor": (ttnn.logical_xor(a, b), torch.logical_xor(values, other).int()),
    }
    if dtype is not ttnn.uint8:
        cases["square"] = (ttnn.square(a), values.square())
        cases["squared difference"] = (ttnn.squared_difference(a, b), (values - other).square())
        cases["mac"] = (ttnn.mac(a, b, a), values * other + values)
    for name, (result, expected) in cases.items():
        assert result.dtype is dtype, name
        assert torch.equal(ttnn.to_torch(result).int(), expected), name


def test_large_unsigned_numbers_are_not_negative(device: ttnn.MeshDevice) -> None:
    a = tiles(torch.tensor([[2**31 + 5, 3]]), ttnn.uint32, device)
    b = tiles(torch.tensor([[7, 2**32 - 1]]), ttnn.uint32, device)
    assert ttnn.to_torch(ttnn.maximum(a, b)).tolist() == [[2**31 + 5, 2**32 - 1]]
    assert ttnn.to_torch(ttnn.clamp(a, 4, 2**31)).tolist() == [[2**31, 4]]


def test_tensors_on_the_host(device: ttnn.MeshDevice) -> None:
    values = draw(4, 6).float() * 10
    host = ttnn.from_torch(values, ttnn.float32)
    assert torch.equal(ttnn.to_torch(ttnn.typecast(host, ttnn.bfloat16)), values.bfloat16())
    assert torch.equal(ttnn.to_torch(ttnn.to_dtype(host, ttnn.int32)), values.int())
    assert torch.equal(ttnn.to_torch(host[1:3, -1]), values[1:3, -1])
    assert not ttnn.is_tensor_storage_on_device(host)
    assert torch.equal(
        ttnn.to_torch(ttnn.from_torch(torch.tensor([-1, 70000]), ttnn.uint16)).int(),
        torch.tensor([65535, 4464]).int(),
    )
    made = ttnn.Tensor(values, ttnn.bfloat16).to(ttnn.TILE_LAYOUT).to(device)
    assert torch.equal(ttnn.to_torch(made), values.bfloat16())


def test_tile_padding_holds_what_is_asked(device: ttnn.MeshDevice) -> None:
    tensor = tiles(torch.zeros(3, 5), ttnn.bfloat16, device)
    filled = ttnn.fill_implicit_tile_padding(tensor, 42.0)
    assert filled.shape == [3, 5]
    pages = filled.cpu().on_host
    assert pages is not None
    stored = pages.pages.view("uint16").reshape(-1)
    assert (stored == 0).sum() == 15
    assert (stored == 0x4228).sum() == 1024 - 15  # 42.0
    assert torch.equal(ttnn.to_torch(filled), torch.zeros(3, 5).bfloat16())
    row = ttnn.fill_implicit_tile_padding(tiles(torch.ones(5), ttnn.bfloat16, device), 7.0)
    assert torch.equal(ttnn.to_torch(row), torch.ones(5).bfloat16())


def test_queue_id_is_taken_by_every_operation(device: ttnn.MeshDevice) -> None:
    ones = ttnn.ones([2, 2], layout=ttnn.TILE_LAYOUT, device=device, queue_id=0)
    assert ttnn.pearson_correlation_coefficient(ttnn.add(ones, ones, queue_id=1), ones * 2) == 1.0


def test_nothing_in_a_tensor(device: ttnn.MeshDevice) -> None:
    empty = tiles(torch.zeros(0, 4), ttnn.bfloat16, device)
    assert ttnn.to_torch(ttnn.add(empty, 3.0)).shape == (0, 4)


@pytest.mark.parametrize("largest", [True, False])
def test_topk(device: ttnn.MeshDevice, largest: bool) -> None:
    values = draw(3, 40).float()
    values[0, :39] = float("-inf")  # fewer numbers than are asked for
    values[1, :] = 2.0
    found, places = ttnn.topk(tiles(values, ttnn.float32, device), 4, -1, largest)
    expected, _ = values.topk(4, -1, largest)
    assert torch.equal(ttnn.to_torch(found), expected)
    index = ttnn.to_torch(places).long()
    assert places.dtype is ttnn.uint16
    assert torch.equal(values.gather(-1, index), expected)
    assert all(len(set(row)) == 4 for row in index.tolist())
    with pytest.raises(OperationError, match="K cannot be larger"):
        ttnn.topk(tiles(values, ttnn.float32, device), 41)


@pytest.mark.parametrize("dim", [0, -1])
def test_cumsum(device: ttnn.MeshDevice, dim: int) -> None:
    values = torch.arange(3 * 37, dtype=torch.int32).reshape(3, 37) * 1000
    assert torch.equal(
        ttnn.to_torch(ttnn.cumsum(tiles(values, ttnn.int32, device), dim)), values.cumsum(dim).int()
    )
    real = draw(3, 37)
    result = ttnn.to_torch(ttnn.cumsum(tiles(real, ttnn.bfloat16, device), dim, dtype=ttnn.float32))
    torch.testing.assert_close(result, real.float().cumsum(dim), rtol=1e-5, atol=1e-5)
    backwards = ttnn.to_torch(ttnn.cumsum(tiles(values, ttnn.int32, device), dim, reverse_order=True))
    assert torch.equal(backwards, values.flip(dim).cumsum(dim).flip(dim).int())


def test_moves(device: ttnn.MeshDevice) -> None:
    values = draw(3, 5, 40)
    tensor = tiles(values, ttnn.bfloat16, device)
    assert torch.equal(ttnn.to_torch(ttnn.narrow(tensor, 1, 1, 3)), values.narrow(1, 1, 3))
    assert torch.equal(ttnn.to_torch(ttnn.roll(tensor, [1, -7], [0, 2])), values.roll([1, -7], [0, 2]))
    assert torch.equal(ttnn.to_torch(ttnn.roll(tensor, 11)), values.roll(11))
    assert torch.equal(ttnn.to_torch(ttnn.repeat_interleave(tensor, 3, 1)), values.repeat_interleave(3, 1))
    assert torch.equal(ttnn.to_torch(ttnn.tril(tensor, 1)), values.tril(1))
    assert torch.equal(ttnn.to_torch(ttnn.triu(tensor, -1)), values.triu(-1))
    twice = ttnn.concat([tensor, tensor + 1.0], 2, groups=4)
    golden = ttnn.get_golden_function(ttnn.concat)([values, values + 1.0], 2, 4)
    assert torch.equal(ttnn.to_torch(twice), golden)
    with pytest.raises(OperationError, match="exceeds dimension size"):
        ttnn.narrow(tensor, 1, 3, 3)


def test_softmax_with_scale_and_mask(device: ttnn.MeshDevice) -> None:
    values, mask = (
        draw(2, 1, 32, 64),
        torch.where(draw(2, 1, 1, 64, seed=1) > 0, 0.0, float("-inf")).bfloat16(),
    )
    tensor, hidden = tiles(values, ttnn.bfloat16, device), tiles(mask, ttnn.bfloat16, device)
    expected = (0.3 * values.float() + mask.float()).softmax(-1)
    result = ttnn.scale_mask_softmax(tensor, 0.3, hidden)
    torch.testing.assert_close(ttnn.to_torch(result).float(), expected, rtol=0.02, atol=1e-3)
    written = ttnn.scale_mask_softmax_in_place(tensor, 0.3, hidden)
    assert written is tensor
    torch.testing.assert_close(ttnn.to_torch(tensor).float(), expected, rtol=0.02, atol=1e-3)


def test_gelu_with_tanh(device: ttnn.MeshDevice) -> None:
    values = draw(32, 32).float() * 2
    tensor = tiles(values, ttnn.float32, device)
    result = ttnn.to_torch(ttnn.gelu(tensor, variant=ttnn.GeluVariant.Tanh))
    torch.testing.assert_close(
        result, torch.nn.functional.gelu(values, approximate="tanh"), rtol=1e-4, atol=1e-5
    )


def test_tensors_in_files(device: ttnn.MeshDevice, tmp_path: Any) -> None:
    values = draw(3, 40)
    ttnn.dump_tensor(tmp_path / "kept", tiles(values, ttnn.bfloat8_b, device))
    loaded = ttnn.load_tensor(tmp_path / "kept", device=device)
    assert loaded.memory_config() == ttnn.DRAM_MEMORY_CONFIG
    assert loaded.dtype is ttnn.bfloat8_b
    torch.testing.assert_close(ttnn.to_torch(loaded).float(), values.float(), rtol=0.05, atol=0.05)
    options = {"layout": ttnn.TILE_LAYOUT, "cache_file_name": tmp_path / "cached"}
    first = ttnn.as_tensor(values, ttnn.bfloat16, **options)
    again = ttnn.as_tensor(torch.zeros(3, 40), ttnn.bfloat16, **options)
    assert torch.equal(ttnn.to_torch(first), ttnn.to_torch(again))
    room = ttnn.empty([3, 40], ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
    ttnn.copy_host_to_device_tensor(first, room)
    assert torch.equal(ttnn.to_torch(ttnn.get_device_tensors(room)[0]), values)


def test_shards_that_nobody_named(device: ttnn.MeshDevice) -> None:
    values = draw(2, 64, 64)
    tensor = tiles(values, ttnn.bfloat16, device)
    for memory in (ttnn.L1_HEIGHT_SHARDED_MEMORY_CONFIG, ttnn.L1_WIDTH_SHARDED_MEMORY_CONFIG):
        result = ttnn.add(tensor, 1.0, memory_config=memory)
        assert result.memory_config().memory_layout is memory.memory_layout
        assert torch.equal(ttnn.to_torch(result), values + 1.0)


def test_a_spec_as_ttnn_writes_it(device: ttnn.MeshDevice) -> None:
    spec = ttnn.TensorSpec([3, 40], ttnn.float32, ttnn.TILE_LAYOUT, buffer_type=ttnn.BufferType.L1)
    tensor = ttnn.from_torch(draw(3, 40).float(), spec=spec, device=device)
    assert tensor.spec == spec
    assert tensor.memory_config().buffer_type is ttnn.BufferType.L1


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_scans_of_rank_0(device: ttnn.MeshDevice, name: str) -> None:
    result = getattr(ttnn, name)(tiles(torch.tensor(-2.5), ttnn.float32, device), 0)
    assert ttnn.to_torch(result).item() == -2.5


def test_tensors_of_rank_0_are_stacked_not_concatenated(device: ttnn.MeshDevice) -> None:
    one = tiles(torch.tensor(2), ttnn.int32, device)
    assert ttnn.to_torch(ttnn.stack([one, one], 0)).tolist() == [2, 2]
    with pytest.raises(OperationError, match="have no dimension to concatenate"):
        ttnn.concat([one, one], 0)


def test_sort_and_cumprod(device: ttnn.MeshDevice) -> None:
    values = draw(2, 9)
    ordered, places = ttnn.sort(tiles(values, ttnn.bfloat16, device), -1, True)
    expected, index = values.sort(dim=-1, descending=True, stable=True)
    assert torch.equal(ttnn.to_torch(ordered), expected)
    assert torch.equal(ttnn.to_torch(places).long(), index)
    product = ttnn.to_torch(ttnn.cumprod(tiles(values, ttnn.bfloat16, device), -1, dtype=ttnn.float32))
    torch.testing.assert_close(product, values.float().cumprod(-1), rtol=1e-5, atol=1e-6)


def test_shards_of_rows(device: ttnn.MeshDevice) -> None:
    values = draw(8, 48)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange((0, 0), (3, 0))])
    memory = ttnn.MemoryConfig(
        ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, ttnn.ShardSpec(cores, (2, 48))
    )
    tensor = ttnn.from_torch(values, ttnn.bfloat16, device=device, memory_config=memory)
    result = ttnn.relu(tensor)
    assert result.memory_config() == memory
    assert torch.equal(ttnn.to_torch(result), values.relu())


def test_reallocate_closes_gaps(device: ttnn.MeshDevice) -> None:
    first, second = (tiles(draw(64, 64, seed=seed), ttnn.bfloat16, device) for seed in (0, 1))
    before = second.buffer_address()
    first.deallocate()
    again = ttnn.reallocate(second)
    assert again.buffer_address() <= before
    assert torch.equal(ttnn.to_torch(again), draw(64, 64, seed=1))


@pytest.mark.parametrize("name", ["var", "std"])
def test_one_element_has_no_variance(device: ttnn.MeshDevice, name: str) -> None:
    x = tiles(torch.randn(1, 32, 32), ttnn.bfloat16, device)
    assert ttnn.to_torch(getattr(ttnn, name)(x, 0)).isnan().all()
    assert not ttnn.to_torch(getattr(ttnn, name)(x, 0, correction=False)).any()


def test_sort_of_integers_and_of_equal_elements(device: ttnn.MeshDevice) -> None:
    values = torch.randint(0, 4, (2, 40), dtype=torch.int32)
    found, places = ttnn.sort(tiles(values, ttnn.int32, device), -1)
    wanted, index = values.sort(dim=-1, stable=True)
    assert torch.equal(ttnn.to_torch(found), wanted)
    assert torch.equal(ttnn.to_torch(places).long(), index)


@pytest.mark.parametrize("layout", [ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT])
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 4)])
def test_reductions_of_nothing(device: ttnn.MeshDevice, shape: tuple[int, ...], layout: ttnn.Layout) -> None:
    values = torch.zeros(shape)
    tensor = ttnn.from_torch(values, ttnn.float32, layout=layout, device=device)
    for name in ("sum", "mean", "prod", "var", "std"):
        options: dict[str, Any] = {"correction": False} if name in ("var", "std") else {}
        for dim in (None, -1):
            made = ttnn.to_torch(getattr(ttnn, name)(tensor, dim, **options))
            wanted = (
                getattr(values, name)(**options) if dim is None else getattr(values, name)(dim, **options)
            )
            torch.testing.assert_close(made, wanted, equal_nan=True)


def test_addmm_without_its_tensor_ignores_what_it_holds(device: ttnn.MeshDevice) -> None:
    a, b = draw(8, 16), draw(16, 8, seed=1)
    nan = tiles(torch.full((8, 8), float("nan")), ttnn.bfloat16, device)
    made = ttnn.addmm(nan, *(tiles(one, ttnn.bfloat16, device) for one in (a, b)), alpha=2.0, beta=0.0)
    torch.testing.assert_close(ttnn.to_torch(made).float(), 2 * a.float() @ b.float(), rtol=1e-2, atol=0.1)


@pytest.mark.parametrize(
    "activation",
    [
        *("gelu_approx", "gelu_tanh", "sigmoid_approx", "relu6"),
        Activation("gelu", True),
        Activation("gelu_tanh", 1.0),
        Activation("sigmoid", 4.0, 0.0),
        Activation("hardtanh", -0.5, 0.25),
    ],
    ids=str,
)
def test_activations_that_say_how_they_are_computed(device: ttnn.MeshDevice, activation: Any) -> None:
    a, b = draw(32, 32), draw(32, 32, seed=1)
    made = ttnn.linear(*(tiles(one, ttnn.bfloat16, device) for one in (a, b)), activation=activation)
    golden = get_golden_function_for_activation(activation)
    assert golden is not None
    torch.testing.assert_close(
        ttnn.to_torch(made).float(), golden(a.float() @ b.float()), rtol=2e-2, atol=3e-2
    )


def test_an_activation_without_a_golden_function_is_refused() -> None:
    with pytest.raises(OperationError, match="Unsupported activation: nothing"):
        get_golden_function_for_activation("nothing")


def test_softplus_with_a_beta_of_zero(device: ttnn.MeshDevice) -> None:
    x = draw(4, 8)
    made = ttnn.to_torch(ttnn.softplus(tiles(x, ttnn.float32, device), beta=0.0))
    assert torch.equal(made, torch.nn.functional.softplus(x.float(), beta=0.0))
