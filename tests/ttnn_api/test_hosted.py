"""Operations computed on the host: against torch, stored as the chip stores them."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
import torch
from torch.nn import functional

from tilesmith import ttnn
from tilesmith.errors import OperationError
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.hosted.attention_reference import attend


def _on(device: MeshDevice | None, values: torch.Tensor, dtype: ttnn.DataType = ttnn.float32) -> ttnn.Tensor:
    return ttnn.from_torch(values, dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device)


def _rows(device: MeshDevice, values: torch.Tensor, dtype: ttnn.DataType) -> ttnn.Tensor:
    return ttnn.from_torch(values, dtype=dtype, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)


def test_gather_and_scatter(device: MeshDevice) -> None:
    x, index = torch.randn(4, 40), torch.randint(0, 40, (4, 10))
    found = ttnn.gather(_on(device, x), 1, _rows(device, index, ttnn.uint32))
    assert torch.equal(ttnn.to_torch(found), x.gather(1, index))
    source = torch.randn(4, 10)
    added = ttnn.scatter_add(_on(device, x), 1, _rows(device, index, ttnn.uint32), _on(device, source))
    assert torch.equal(ttnn.to_torch(added), x.scatter_add(1, index, source))


@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize(("groups", "padding"), [(1, (1, 1)), (2, (0, 1, 2, 0))])
def test_conv2d(device: MeshDevice, prepared: bool, groups: int, padding: tuple[int, ...]) -> None:
    image, weight, bias = torch.randn(2, 4, 9, 7), torch.randn(6, 4 // groups, 3, 3), torch.randn(6)
    config = ttnn.Conv2dConfig(weights_dtype=ttnn.float32, activation="relu")
    flat = image.permute(0, 2, 3, 1).reshape(1, 1, -1, 4)
    options: dict[str, Any] = {
        "input_tensor": _rows(device, flat, ttnn.float32),
        "weight_tensor": ttnn.from_torch(weight),
        "bias_tensor": ttnn.from_torch(bias.reshape(1, 1, 1, -1)),
        "device": device,
        "in_channels": 4,
        "out_channels": 6,
        "batch_size": 2,
        "input_height": 9,
        "input_width": 7,
        "kernel_size": (3, 3),
        "stride": (2, 1),
        "padding": padding,
        "groups": groups,
        "conv_config": config,
    }
    if prepared:
        _, [w, b] = ttnn.conv2d(**options, return_weights_and_bias=True)
        options |= {"weight_tensor": w, "bias_tensor": b}
    result, [height, width] = ttnn.conv2d(**options, return_output_dim=True)
    top, bottom, left, right = padding if len(padding) == 4 else (1, 1, 1, 1)
    wanted = functional.conv2d(
        functional.pad(image, (left, right, top, bottom)), weight, bias, (2, 1), groups=groups
    ).relu()
    assert (height, width) == tuple(wanted.shape[-2:])
    shown = ttnn.to_torch(result).reshape(2, height, width, 6).permute(0, 3, 1, 2)
    torch.testing.assert_close(shown, wanted)


def test_max_pool2d_with_indices(device: MeshDevice) -> None:
    image = torch.randn(1, 8, 6, 6).bfloat16()
    flat = image.permute(0, 2, 3, 1).reshape(1, 1, 36, 8)
    found, places = ttnn.max_pool2d(
        _rows(device, flat, ttnn.bfloat16), 1, 6, 6, 8, [2, 2], [2, 2], [0, 0], [1, 1], return_indices=True
    )
    values, index = functional.max_pool2d(image.float(), 2, return_indices=True)
    assert torch.equal(ttnn.to_torch(found).float(), values.permute(0, 2, 3, 1).reshape(1, 1, 9, 8))
    assert torch.equal(ttnn.to_torch(places).long(), index.permute(0, 2, 3, 1).reshape(1, 1, 9, 8))


@pytest.mark.parametrize("causal", [True, False])
def test_attention_with_fewer_heads_of_keys(device: MeshDevice, causal: bool) -> None:
    q, k, v = torch.randn(2, 4, 32, 32), torch.randn(2, 2, 32, 32), torch.randn(2, 2, 32, 32)
    found = ttnn.transformer.scaled_dot_product_attention(
        *(_on(device, one) for one in (q, k, v)), is_causal=causal
    )
    wanted = functional.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=True)
    torch.testing.assert_close(ttnn.to_torch(found), wanted, atol=1e-5, rtol=1e-5)


def test_nan_is_not_taken_for_a_row_that_looks_nowhere() -> None:
    q = k = v = torch.ones(1, 1, 2, 4)
    nowhere = torch.tensor([[[[0.0, 0.0], [float("-inf"), float("-inf")]]]])
    assert attend(q, k, v, nowhere).tolist() == [[[[1.0] * 4, [0.0] * 4]]]
    broken = q.clone()
    broken[0, 0, 0, 0] = float("nan")
    assert attend(broken, k, v)[0, 0].isnan().any(-1).tolist() == [True, False]


def test_decode_looks_at_positions_up_to_its_own(device: MeshDevice) -> None:
    q, k, v = torch.randn(1, 2, 4, 32), torch.randn(2, 1, 64, 32), torch.randn(2, 1, 64, 32)
    found = ttnn.to_torch(
        ttnn.transformer.scaled_dot_product_attention_decode(
            *(_on(device, one) for one in (q, k, v)), cur_pos=[5, 40]
        )
    )
    for user, position in enumerate((5, 40)):
        own = slice(0, position + 1)
        wanted = functional.scaled_dot_product_attention(
            q[0, user].unsqueeze(1), k[user, :, own].expand(4, -1, -1), v[user, :, own].expand(4, -1, -1)
        )
        torch.testing.assert_close(found[0, user], wanted[:, 0], atol=1e-5, rtol=1e-5)


def test_caches_in_pages(device: MeshDevice) -> None:
    cache = _on(device, torch.zeros(4, 1, 32, 32))
    table = _rows(device, torch.tensor([[2, 0], [3, 1]]), ttnn.int32)
    values = torch.randn(1, 1, 40, 32)
    ttnn.experimental.paged_fill_cache(cache, _on(device, values), table, batch_idx=1)
    row = torch.randn(1, 2, 1, 32)
    ttnn.experimental.paged_update_cache(
        cache,
        _on(device, row),
        update_idxs_tensor=_rows(device, torch.tensor([33, -1]), ttnn.int32),
        page_table=table,
    )
    held = ttnn.to_torch(cache)
    assert torch.equal(held[3, 0], values[0, 0, :32])
    assert torch.equal(held[1, 0, :8], values[0, 0, 32:])
    assert torch.equal(held[0, 0, 1], row[0, 0, 0])
    assert not held[2].any()


@pytest.mark.parametrize("transpose", [True, False])
def test_heads_are_taken_apart_and_put_together(device: MeshDevice, transpose: bool) -> None:
    x = torch.randn(2, 32, 3 * 64).bfloat16()
    golden = ttnn.get_golden_function(ttnn.transformer.split_query_key_value_and_split_heads)
    split = ttnn.transformer.split_query_key_value_and_split_heads(
        _on(device, x, ttnn.bfloat16), num_heads=2, transpose_key=transpose
    )
    for found, wanted in zip(split, golden(x, num_heads=2, transpose_key=transpose), strict=True):
        assert torch.equal(ttnn.to_torch(found), wanted)
    whole = ttnn.transformer.concatenate_heads(split[0])
    assert torch.equal(ttnn.to_torch(whole), x[..., :64])


def test_batch_norm_renews_its_statistics_in_training(device: MeshDevice) -> None:
    x = torch.randn(2, 3, 8, 8)
    mean, var = torch.zeros(1, 3, 1, 1), torch.ones(1, 3, 1, 1)
    held = [_on(device, one) for one in (mean, var)]
    found = ttnn.batch_norm(_on(device, x), running_mean=held[0], running_var=held[1], training=True)
    flat = (mean.flatten(), var.flatten())
    wanted = functional.batch_norm(x, flat[0], flat[1], training=True)
    torch.testing.assert_close(ttnn.to_torch(found), wanted)
    for tensor, values in zip(held, flat, strict=True):
        torch.testing.assert_close(ttnn.to_torch(tensor).flatten(), values)


def test_group_norm_takes_padded_weights(device: MeshDevice) -> None:
    x, weight = torch.randn(1, 1, 64, 96), torch.randn(96)
    rows = ttnn.create_group_norm_weight_bias_rm(weight, 96, 2)
    assert rows.shape == (1, 1, 4, 32)
    found = ttnn.group_norm(
        _on(device, x), num_groups=4, epsilon=1e-5, weight=_rows(device, rows, ttnn.float32)
    )
    wanted = functional.group_norm(x[:, 0].transpose(1, 2), 4, weight).transpose(1, 2)
    torch.testing.assert_close(ttnn.to_torch(found)[:, 0], wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("a_is_sparse", [False, True])
def test_sparse_matmul(device: MeshDevice, a_is_sparse: bool) -> None:
    a, b = torch.randn(1, 3 if a_is_sparse else 2, 4, 5), torch.randn(1, 3, 5, 6)
    kept = torch.tensor([1, 0, 1] if a_is_sparse else [1, 0, 1, 0, 0, 1]).reshape(1, 1, 1, -1)
    kept_on = _rows(device, kept.float(), ttnn.bfloat16)
    options: dict[str, Any] = {"is_input_a_sparse": a_is_sparse, "nnz": int(kept.sum())}
    whole = (a @ b) if a_is_sparse else (a[:, :, None, None] @ b)
    a[0, 1] = float("nan")  # only products that nobody asks for, or that are NaN anyway, have it
    made = ttnn.to_torch(ttnn.sparse_matmul(_on(device, a), _on(device, b), sparsity=kept_on, **options))
    assert made.shape == whole.shape
    chosen = made.reshape(-1, 4, 6)[kept.flatten() == 0]
    assert not chosen.any()
    clean = whole.reshape(-1, 4, 6)[:3:2]
    torch.testing.assert_close(made.reshape(-1, 4, 6)[:3:2], clean, rtol=1e-5, atol=1e-5)
    with pytest.raises(OperationError, match="is not the number of non-zeros"):
        ttnn.sparse_matmul(_on(device, a), _on(device, b), sparsity=kept_on, **{**options, "nnz": 1})


def test_sparse_matmul_by_index(device: MeshDevice) -> None:
    a, b, chosen = torch.randn(1, 2, 4, 5), torch.randn(1, 7, 5, 6), torch.tensor([[[[6, 1]]]])
    kept = _rows(device, torch.ones(1, 1, 1, 7), ttnn.bfloat16)
    indices = _rows(device, chosen, ttnn.uint16)
    both: dict[str, Any] = {"is_input_a_sparse": True, "is_input_b_sparse": True}
    made = ttnn.sparse_matmul(_on(device, a), _on(device, b), sparsity=kept, indices=indices, **both)
    torch.testing.assert_close(ttnn.to_torch(made), a @ b[:, [6, 1]], rtol=1e-5, atol=1e-5)
    with pytest.raises(OperationError, match="must not be supplied together with indices"):
        ttnn.sparse_matmul(_on(device, a), _on(device, b), sparsity=kept, indices=indices, nnz=2, **both)
    with pytest.raises(OperationError, match="requires at least one of is_input_a_sparse"):
        ttnn.sparse_matmul(_on(device, a), _on(device, b), sparsity=kept, is_input_b_sparse=False)


def test_a_paged_cache_seen_in_another_geometry(device: MeshDevice) -> None:
    """Blocks of 2 heads x 32 rows are filled as 1 head x 64 rows: tiles keep their order in memory."""
    cache = _on(device, torch.zeros(2, 2, 32, 64))
    table = _rows(device, torch.tensor([[1]]), ttnn.int32)
    values = torch.randn(1, 1, 64, 64)
    ttnn.experimental.paged_fill_cache(cache, _on(device, values), table, block_size=64)
    made = ttnn.to_torch(cache)
    assert not made[0].any()
    assert torch.equal(made[1], values[0, 0].reshape(2, 32, 64))
    row = torch.randn(1, 1, 1, 64)
    at = _rows(device, torch.tensor([40]), ttnn.int32)
    options: dict[str, Any] = {"update_idxs_tensor": at, "page_table": table, "num_kv_heads": 1}
    ttnn.experimental.paged_update_cache(cache, _on(device, row), block_size=64, **options)
    assert torch.equal(ttnn.to_torch(cache)[1, 1, 8], row.flatten())
    with pytest.raises(OperationError, match="paged_update_cache geometry mismatch"):
        ttnn.experimental.paged_update_cache(cache, _on(device, row), block_size=32, **options)
    with pytest.raises(OperationError, match="only supported in paged mode"):
        ttnn.experimental.paged_update_cache(cache, _on(device, row), update_idxs=[0], block_size=32)


@pytest.mark.parametrize("name", ["tanh", "gelu", "sigmoid", "sqrt"])
def test_gradients(device: MeshDevice, name: str) -> None:
    x, grad = torch.rand(32, 32) + 0.1, torch.randn(32, 32)
    (found,) = getattr(ttnn, f"{name}_bw")(_on(device, grad), _on(device, x))
    leaf = x.clone().requires_grad_()
    (functional.gelu if name == "gelu" else getattr(torch, name))(leaf).backward(grad)
    torch.testing.assert_close(ttnn.to_torch(found), leaf.grad, atol=1e-5, rtol=1e-5)


def test_results_are_rounded_as_the_chip_stores_them(device: MeshDevice) -> None:
    x = torch.rand(32, 32).bfloat16() + 1
    found = ttnn.to_torch(ttnn.lgamma(_on(device, x, ttnn.bfloat16)))
    assert torch.equal(found, torch.lgamma(x.float()).bfloat16())


def test_names_that_do_not_exist_are_refused(device: MeshDevice) -> None:
    with pytest.raises(TypeError, match="unexpected keyword"):
        ttnn.lgamma(_on(device, torch.ones(32, 32)), beta=2)
    with pytest.raises(AttributeError, match=r"ttnn\.experimental has no 'nothing'"):
        _ = ttnn.experimental.nothing  # type: ignore[attr-defined]  # that is the test


def test_attention_with_more_heads_of_values_than_of_keys() -> None:
    q, k, v = torch.randn(1, 4, 3, 8), torch.randn(1, 1, 5, 8), torch.randn(1, 4, 5, 6)
    wanted = functional.scaled_dot_product_attention(q, k.expand(1, 4, 5, 8), v)
    torch.testing.assert_close(attend(q, k, v), wanted)


def test_conv3d_of_groups_takes_the_weights_prepared_for_it(device: MeshDevice) -> None:
    generator = torch.Generator().manual_seed(7)
    x = torch.randn(1, 3, 5, 6, 64, generator=generator).bfloat16()
    w = torch.randn(32, 16, 3, 3, 3, generator=generator).bfloat16()
    given = ttnn.from_torch(x, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    for block in (32, 0):
        prepared = ttnn.experimental.prepare_conv3d_weights(
            weight_tensor=ttnn.from_torch(w), groups=4, C_in_block=block, device=device
        )
        made = ttnn.experimental.conv3d(
            input_tensor=given,
            weight_tensor=prepared,
            output_channels=32,
            kernel_size=(3, 3, 3),
            groups=4,
            config=ttnn.Conv3dConfig(C_in_block=block),
        )
        wanted = torch.nn.functional.conv3d(x.float().movedim(-1, 1), w.float(), groups=4).movedim(1, -1)
        torch.testing.assert_close(ttnn.to_torch(made).float(), wanted, rtol=2**-7, atol=2**-6)


def test_conv3d_of_a_part_of_an_image_sees_zero_beyond_it(device: MeshDevice) -> None:
    generator = torch.Generator().manual_seed(8)
    x = torch.randn(1, 3, 6, 7, 32, generator=generator).bfloat16()
    w = torch.randn(32, 32, 1, 3, 3, generator=generator).bfloat16()
    options: dict[str, Any] = {"output_channels": 32, "kernel_size": (1, 3, 3), "padding": (0, 1, 1)}
    given = ttnn.from_torch(x, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)
    prepared = ttnn.experimental.prepare_conv3d_weights(weight_tensor=ttnn.from_torch(w), device=device)
    made = ttnn.experimental.conv3d(
        input_tensor=given,
        weight_tensor=prepared,
        logical_h_mask=8,
        logical_w_mask=6,
        pad_offset_tensor=ttnn.from_torch(torch.tensor([[4, 0]], dtype=torch.int32), device=device),
        **options,
    )
    cut = x.float().movedim(-1, 1)
    cut[:, :, :, 4:], cut[..., 6:] = 0, 0
    wanted = functional.conv3d(cut, w.float(), padding=(0, 1, 1)).movedim(1, -1)
    torch.testing.assert_close(ttnn.to_torch(made).float(), wanted, rtol=2**-7, atol=2**-5)
    with pytest.raises(RuntimeError, match="halo"):
        ttnn.experimental.conv3d(input_tensor=given, weight_tensor=prepared, halo_buffer=given, **options)


def test_conv1d_has_no_height_to_cut(device: MeshDevice) -> None:
    with pytest.raises(RuntimeError, match="DRAM_HEIGHT"):
        ttnn.conv1d(
            input_tensor=_on(device, torch.zeros(1, 1, 32, 32)),
            weight_tensor=ttnn.from_torch(torch.zeros(32, 32, 3)),
            device=device,
            in_channels=32,
            out_channels=32,
            batch_size=1,
            input_length=32,
            kernel_size=3,
            slice_config=ttnn.Conv2dSliceConfig(slice_type=ttnn.Conv2dDRAMSliceHeight, num_slices=2),
        )


def test_rings_of_paged_caches_are_whole_blocks_of_one_known_length(device: MeshDevice) -> None:
    cache, values = _on(device, torch.zeros(4, 1, 32, 64)), _on(device, torch.zeros(1, 1, 64, 64))
    table = ttnn.from_torch(torch.arange(4, dtype=torch.int32).view(1, 4), device=device)
    lengths = ttnn.from_torch(torch.tensor([32, 64], dtype=torch.int32), device=device)
    fill = ttnn.experimental.paged_fill_cache
    with pytest.raises(RuntimeError, match="positive multiple of effective block_size"):
        fill(cache, values, table, cache_position_modulo=33)
    with pytest.raises(RuntimeError, match="positive multiple of effective block_size"):
        ttnn.experimental.paged_update_cache(
            cache, values, update_idxs=[0], page_table=table, cache_position_modulo=0
        )
    with pytest.raises(RuntimeError, match="exactly 1 element"):
        fill(cache, values, table, cache_position_modulo=64, valid_seq_len_tensor=lengths)


def test_a_layout_on_the_host_is_padded_with_the_value_given() -> None:
    rows = ttnn.from_torch(torch.arange(6, dtype=torch.int8).reshape(2, 3), dtype=ttnn.int8)
    whole = ttnn.to_layout(rows, ttnn.TILE_LAYOUT, pad_value=-2).to_torch_with_padded_shape()
    assert whole.shape == (32, 32)
    assert whole[0, :4].tolist() == [0, 1, 2, -2]
    assert bool((whole[2:] == -2).all())


def test_adaptive_pools_of_block_floats_are_bfloat16_rows(device: MeshDevice) -> None:
    image = torch.randn(1, 1, 64, 32).bfloat16()
    given = _on(device, image, ttnn.bfloat8_b)
    made = ttnn.adaptive_max_pool2d(given, 1, 8, 8, 32, (4, 4))
    assert (made.dtype, made.layout) == (ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT)
    stored = ttnn.to_torch(given).bfloat16().reshape(1, 8, 8, 32).permute(0, 3, 1, 2)
    wanted = functional.adaptive_max_pool2d(stored, (4, 4)).permute(0, 2, 3, 1).reshape(1, 1, 16, 32)
    assert torch.equal(ttnn.to_torch(made), wanted)


def test_names_that_the_vendors_tests_take() -> None:
    grid = ttnn.CoreGrid(x=8, y=8)
    shares = ttnn.create_group_norm_reciprocals(1, 320, 32, 32, 16, grid)
    assert shares.shape[0] == 64
    assert shares[3, :2].tolist() == [1, 0.5]
    x = torch.tensor([[-2.0, 4.0]])
    assert ttnn.get_golden_function(ttnn.prelu)(x, [0.5]).tolist() == [[-1.0, 4.0]]
    assert ttnn.get_num_pcie_devices() == 1
    assert ttnn._ttnn.operations.ccl.Topology is ttnn.Topology
    tracking = importlib.import_module("tilesmith.ttnn.trace_allocation_config")
    assert not tracking.TRACE_ALLOC_DIAGNOSTICS
    assert not ttnn.TRACE_ALLOC_TRACKING


def test_untilize_under_its_two_other_names(device: MeshDevice) -> None:
    x = torch.randn(32, 64).bfloat16()
    moving = ttnn._ttnn.operations.data_movement
    for name in ("untilize_force_native", "untilize_force_codegen"):
        rows = getattr(moving, name)(_on(device, x, ttnn.bfloat16))
        assert rows.layout == ttnn.ROW_MAJOR_LAYOUT
        assert torch.equal(ttnn.to_torch(rows), x)


def test_refusals_of_the_cache_and_of_snake_beta(device: MeshDevice) -> None:
    line = _on(device, torch.zeros(32), ttnn.bfloat16)
    with pytest.raises(OperationError, match="input rank >= 2"):
        ttnn.snake_beta(line, line, line)
    cache = _on(device, torch.zeros(2, 1, 64, 32), ttnn.bfloat16)
    new = _on(device, torch.zeros(1, 2, 32, 32), ttnn.bfloat16)
    with pytest.raises(OperationError, match="cache_position_modulo is only supported in paged mode"):
        ttnn.experimental.paged_update_cache(cache, new, update_idxs=[0, 1], cache_position_modulo=32)
