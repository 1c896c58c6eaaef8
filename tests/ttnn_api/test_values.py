"""Values of operations against torch, where rounding, scalars and limits matter."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tilesmith import ttnn
from tilesmith.errors import OperationError

FLOATS = [(ttnn.bfloat16, torch.bfloat16), (ttnn.float32, torch.float32)]


def tiles(values: torch.Tensor, dtype: Any, device: ttnn.MeshDevice, **options: Any) -> ttnn.Tensor:
    made: ttnn.Tensor = ttnn.from_torch(values, dtype, layout=ttnn.TILE_LAYOUT, device=device, **options)
    return made


def draw(*shape: int, dtype: torch.dtype = torch.bfloat16, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@pytest.mark.parametrize("decimals", [-1, 0, 1, 2])
@pytest.mark.parametrize(("dtype", "own"), FLOATS)
def test_round_to_decimals(device: ttnn.MeshDevice, dtype: Any, own: torch.dtype, decimals: int) -> None:
    values = 10 * draw(32, 32, dtype=own)
    result = ttnn.to_torch(ttnn.round(tiles(values, dtype, device), decimals=decimals))
    torch.testing.assert_close(result, values.float().round(decimals=decimals).to(own), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
def test_arithmetic_of_bfloat16_is_rounded_to_nearest_even(device: ttnn.MeshDevice, name: str) -> None:
    a, b = draw(64, 64), draw(64, 64, seed=1)
    result = ttnn.to_torch(
        getattr(ttnn, name)(tiles(a, ttnn.bfloat16, device), tiles(b, ttnn.bfloat16, device))
    )
    assert torch.equal(result, {"add": a + b, "subtract": a - b, "multiply": a * b}[name])


def test_a_product_may_be_approximate_when_asked(device: ttnn.MeshDevice) -> None:
    a, b = draw(32, 32), draw(32, 32, seed=1)
    both = tiles(a, ttnn.bfloat16, device), tiles(b, ttnn.bfloat16, device)
    quick = ttnn.to_torch(ttnn.multiply(*both, fast_and_approximate_mode=True))
    assert not torch.equal(quick, a * b)
    torch.testing.assert_close(quick, a * b, rtol=0.01, atol=0.0)


@pytest.mark.parametrize("name", ["add", "multiply", "subtract", "eq", "lt", "remainder", "fmod"])
def test_a_number_as_torch_takes_it(device: ttnn.MeshDevice, name: str) -> None:
    values = torch.cat([draw(31, 32) * 4, torch.full((1, 32), 0.3, dtype=torch.bfloat16)])
    result = ttnn.to_torch(getattr(ttnn, name)(tiles(values, ttnn.bfloat16, device), 0.3))
    expected = getattr(torch, name)(values, 0.3).to(torch.bfloat16)
    assert torch.equal(result, expected)


def test_remainder_of_multiples_is_zero(device: ttnn.MeshDevice) -> None:
    values = torch.tensor([[14.8125, -14.8125, 7.40625, 1.0]]).bfloat16()
    result = ttnn.to_torch(ttnn.remainder(tiles(values, ttnn.bfloat16, device), -3.703125))
    assert torch.equal(result, torch.remainder(values, -3.703125))


@pytest.mark.parametrize(("dtype", "own"), FLOATS)
def test_powers(device: ttnn.MeshDevice, dtype: Any, own: torch.dtype) -> None:
    values = draw(32, 32, dtype=own).abs() * 4 + 0.1
    on_device = tiles(values, dtype, device)
    # Beyond rounding, the vector unit's functions are good to about 2^-21.
    bound = 2.0**-8 if own is torch.bfloat16 else 2.0**-20
    for exponent in (-3.56, 0.5, 2.0):
        expected = values.double() ** exponent
        got = ttnn.to_torch(ttnn.pow(on_device, exponent)).double()
        assert ((got - expected) / expected).abs().max() < bound
    for base in (7.0, 0.3):
        expected = base ** values.double()
        for power in (ttnn.rpow(on_device, base), ttnn.pow(base, on_device)):
            assert ((ttnn.to_torch(power).double() - expected) / expected).abs().max() < bound


@pytest.mark.parametrize(("dtype", "own"), FLOATS)
def test_i1(device: ttnn.MeshDevice, dtype: Any, own: torch.dtype) -> None:
    values = torch.linspace(0.01, 10, 1024).reshape(32, 32).to(own)
    expected = torch.special.i1(values.double())
    got = ttnn.to_torch(ttnn.i1(tiles(values, dtype, device))).double()
    assert ((got - expected) / expected).abs().max() < (2.0**-8 if own is torch.bfloat16 else 1e-6)


@pytest.mark.parametrize(("dtype", "own"), FLOATS)
def test_log2_of_powers_of_two_is_exact(device: ttnn.MeshDevice, dtype: Any, own: torch.dtype) -> None:
    values = torch.tensor([[2.0**power for power in range(-120, 121, 3)]]).to(own)
    assert torch.equal(ttnn.to_torch(ttnn.log2(tiles(values, dtype, device))), values.log2())
    awkward = tiles(torch.tensor([[3.0, 0.7, 0.0, float("inf")]]), ttnn.float32, device)
    torch.testing.assert_close(
        ttnn.to_torch(ttnn.log2(awkward)),
        torch.tensor([[3.0, 0.7, 0.0, float("inf")]]).log2(),
        rtol=1e-6,
        atol=0,
    )


def test_typecast_rounds_ties_to_even(device: ttnn.MeshDevice) -> None:
    values = torch.tensor([[1 + 2.0**-8, 1 + 3 * 2.0**-8, -1 - 2.0**-8, 257.0, 3.14159]])
    cast = ttnn.typecast(tiles(values, ttnn.float32, device), ttnn.bfloat16)
    assert torch.equal(ttnn.to_torch(cast), values.bfloat16())


@pytest.mark.parametrize("name", ["bitwise_left_shift", "bitwise_right_shift"])
def test_shifts_past_the_last_bit(device: ttnn.MeshDevice, name: str) -> None:
    values = torch.tensor([[5, -7, 100, -1, 2**31 - 1]], dtype=torch.int32)
    by = torch.tensor([[32, 32, 33, 31, 40]], dtype=torch.int32)
    operands = tiles(values, ttnn.int32, device), tiles(by, ttnn.int32, device)
    assert torch.equal(ttnn.to_torch(getattr(ttnn, name)(*operands)), getattr(torch, name)(values, by))


def test_an_unsigned_word_keeps_its_last_bit_in_right_shifts(device: ttnn.MeshDevice) -> None:
    words = torch.tensor([[1, 2**31 - 1, -(2**31), -2, -1]], dtype=torch.int32)
    for by in (4, 31, 32):
        shifted = ttnn.bitwise_right_shift(tiles(words, ttnn.uint32, device), by)
        assert torch.equal(ttnn.to_torch(shifted).int(), words >> by)


def test_a_softmax_of_float32_has_the_digits_of_float32(device: ttnn.MeshDevice) -> None:
    values = draw(31, 96)
    for axis in (-1, -2):
        made = ttnn.to_torch(ttnn.softmax(tiles(values, ttnn.float32, device), dim=axis))
        torch.testing.assert_close(made, values.float().softmax(axis), rtol=2**-20, atol=0)


@pytest.mark.parametrize("dtype", [ttnn.bfloat16, ttnn.float32, ttnn.bfloat8_b])
def test_one_limit_leaves_the_other_end_alone(device: ttnn.MeshDevice, dtype: ttnn.DataType) -> None:
    ends = [torch.inf, -torch.inf] if dtype != ttnn.bfloat8_b else [8.0, -8.0]
    values = torch.tensor([[*ends, -1.5, 0.5, 3.0]])
    x = tiles(values, dtype, device)
    for limits in ((-1, None), (None, 1)):
        assert torch.equal(ttnn.to_torch(ttnn.clamp(x, *limits)).float(), values.clamp(*limits))


def test_the_variance_of_a_vector_has_the_shape_of_its_sum(device: ttnn.MeshDevice) -> None:
    x = tiles(torch.tensor([1.0, 2.0, 4.0]), ttnn.float32, device)
    for keep in (True, False):
        for name in ("var", "std"):
            made = getattr(ttnn, name)(x, dim=0, keepdim=keep)
            assert made.shape == ttnn.sum(x, dim=0, keepdim=keep).shape
            wanted = getattr(torch, name)(torch.tensor([1.0, 2.0, 4.0]), dim=0, keepdim=keep)
            torch.testing.assert_close(ttnn.to_torch(made), wanted)


def test_where_between_numbers_of_an_integer_condition(device: ttnn.MeshDevice) -> None:
    condition = torch.tensor([[0, 1], [-5, 0]], dtype=torch.int32)
    chosen = ttnn.where(tiles(condition, ttnn.int32, device), 15.5, -11.33)
    assert chosen.dtype is ttnn.float32
    assert torch.equal(ttnn.to_torch(chosen), torch.where(condition != 0, 15.5, -11.33))
    whole = ttnn.where(tiles(condition, ttnn.int32, device), 3, -4)
    assert torch.equal(ttnn.to_torch(whole), torch.where(condition != 0, 3, -4).int())


@pytest.mark.parametrize("shape", [(1,), (8,), (1, 1), (4, 1), (1, 1, 8), (1, 1, 1, 1)])
def test_linear_adds_a_bias_of_any_shape_and_rank(device: ttnn.MeshDevice, shape: tuple[int, ...]) -> None:
    a, b, bias = draw(4, 32), draw(32, 8, seed=1), draw(*shape, seed=2)
    result = ttnn.to_torch(
        ttnn.linear(
            *(tiles(one, ttnn.bfloat16, device) for one in (a, b)), bias=tiles(bias, ttnn.bfloat16, device)
        )
    )
    expected = a.float() @ b.float() + bias.float()
    assert result.shape == expected.shape
    torch.testing.assert_close(result.float(), expected, rtol=0.02, atol=0.05)


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dim", [-1, -2, 0, None])
def test_extremes_are_scaled_before_they_are_compared(
    device: ttnn.MeshDevice, name: str, dim: int | None
) -> None:
    values = draw(3, 40, 40)
    if dim is None:
        values = values[0]
    result = ttnn.to_torch(getattr(ttnn, name)(tiles(values, ttnn.bfloat16, device), dim, scalar=-2.0))
    axes = (0, 1) if dim is None else dim
    assert torch.equal(result.squeeze(), getattr(-2.0 * values, f"a{name}")(axes).squeeze())


def test_sum_of_all_elements_is_rounded_once(device: ttnn.MeshDevice) -> None:
    values = torch.rand(8, 4, 40, 40, generator=torch.Generator().manual_seed(3)).bfloat16()
    dims: list[list[int] | None] = [None, []]
    for dim in dims:
        total = ttnn.to_torch(ttnn.sum(tiles(values, ttnn.bfloat16, device), dim=dim))
        assert total.item() == values.double().sum().bfloat16().item()


@pytest.mark.parametrize("keepdim", [True, False])
@pytest.mark.parametrize("dim", [-1, -2])
def test_a_mean_stays_in_shards(device: ttnn.MeshDevice, dim: int, keepdim: bool) -> None:
    values = draw(64, 64)
    for strategy in (ttnn.ShardStrategy.HEIGHT, ttnn.ShardStrategy.WIDTH):
        memory = ttnn.create_sharded_memory_config([64, 64], ttnn.CoreGrid(x=2, y=1), strategy)
        result = ttnn.mean(tiles(values, ttnn.bfloat16, device, memory_config=memory), dim, keepdim)
        assert result.memory_config().memory_layout is memory.memory_layout
        torch.testing.assert_close(ttnn.to_torch(result), values.mean(dim, keepdim), rtol=0.01, atol=1e-3)


def test_elements_of_four_bits_are_repeated_and_cut(device: ttnn.MeshDevice) -> None:
    values = torch.ones(64, 64)
    for shape in ((1, 64), (64, 1), (1, 1)):
        both = tiles(values, ttnn.bfloat4_b, device), tiles(torch.ones(shape), ttnn.bfloat4_b, device)
        assert torch.equal(ttnn.to_torch(ttnn.add(*both)).float(), values + 1)
    a, b = torch.ones(32, 40), torch.ones(40, 32)
    product = ttnn.matmul(
        tiles(a, ttnn.bfloat4_b, device), tiles(b, ttnn.bfloat4_b, device), dtype=ttnn.bfloat16
    )
    assert torch.equal(ttnn.to_torch(product).float(), a @ b)


def test_matmul_refuses_small_tiles(device: ttnn.MeshDevice) -> None:
    small = tiles(torch.ones(32, 64), ttnn.bfloat16, device, tile=ttnn.Tile(16, 32))
    with pytest.raises(OperationError, match="tilesmith: products are made of 32x32 tiles"):
        ttnn.matmul(small, tiles(torch.ones(64, 32), ttnn.bfloat16, device))


def test_a_program_config_brings_its_activation(device: ttnn.MeshDevice) -> None:
    a, b = draw(32, 32), draw(32, 32, seed=1)
    config = ttnn.MatmulMultiCoreReuseMultiCast1DProgramConfig(
        compute_with_storage_grid_size=(1, 1),
        in0_block_w=1,
        out_subblock_h=1,
        out_subblock_w=1,
        per_core_M=1,
        per_core_N=1,
        fuse_batch=True,
        fused_activation=ttnn.UnaryOpType["RELU"],
        mcast_in0=True,
    )
    both = tiles(a, ttnn.bfloat16, device), tiles(b, ttnn.bfloat16, device)
    result = ttnn.to_torch(ttnn.matmul(*both, program_config=config)).float()
    torch.testing.assert_close(result, (a.float() @ b.float()).relu(), rtol=0.02, atol=0.05)
    with pytest.raises(OperationError, match="both"):
        ttnn.matmul(*both, program_config=config, activation="relu")
    with pytest.raises(TypeError, match="cannot be a SoftmaxDefaultProgramConfig"):
        ttnn.matmul(*both, program_config=ttnn.SoftmaxDefaultProgramConfig())


def test_the_memory_of_a_spec_may_be_given_to_what_makes_tensors(device: ttnn.MeshDevice) -> None:
    spec = ttnn.TensorSpec([64, 64], ttnn.float32, ttnn.TILE_LAYOUT, buffer_type=ttnn.BufferType.L1)
    memory: Any = spec.memory_config  # the runtime's
    made = ttnn.full([64, 64], 2.5, ttnn.float32, ttnn.TILE_LAYOUT, device, memory)
    assert made.memory_config().buffer_type == ttnn.BufferType.L1
    assert bool((ttnn.to_torch(made) == 2.5).all())
    room = ttnn.empty([64, 64], ttnn.float32, ttnn.TILE_LAYOUT, device, memory)
    assert room.memory_config().buffer_type == ttnn.BufferType.L1


def test_slice_takes_tensors_of_numbers(device: ttnn.MeshDevice) -> None:
    x = torch.arange(4 * 64 * 64, dtype=torch.float32).reshape(4, 64, 64)
    given = ttnn.from_torch(x, layout=ttnn.TILE_LAYOUT, device=device)
    first, last = (ttnn.from_torch(torch.tensor(one), device=device) for one in ([2, 0, 0], [4, 64, 64]))
    assert torch.equal(ttnn.to_torch(ttnn.slice(given, first, last, slice_dim=0, num_devices=2)), x[2:])


def test_places_of_sorted_uint16_and_float32_are_uint32(device: ttnn.MeshDevice) -> None:
    x = torch.stack([torch.randperm(100) for _ in range(32)])
    for dtype in (ttnn.uint16, ttnn.float32):
        for layout in (ttnn.ROW_MAJOR_LAYOUT, ttnn.TILE_LAYOUT):
            values, places = ttnn.sort(ttnn.from_torch(x, dtype=dtype, layout=layout, device=device))
            assert places.dtype == ttnn.uint32
            assert torch.equal(ttnn.to_torch(places).long(), x.sort()[1])
            assert torch.equal(ttnn.to_torch(values).long(), x.sort()[0])
