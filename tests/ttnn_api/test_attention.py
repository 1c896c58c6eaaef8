"""Attention of ttnn over sequences, caches and pages, against torch's own attention, row by row."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn import functional

from tilesmith import ttnn
from tilesmith.errors import OperationError
from tilesmith.ops.device import MeshDevice

BATCH, HEADS, KV, SIZE, BLOCK, BLOCKS = 2, 4, 2, 32, 32, 2
LENGTH = BLOCK * BLOCKS
PAGES = torch.tensor([[3, 1], [0, 2]])  # the blocks of each user
AT = [37, 5]  # the position of each user's new row

sdpa: Any = functional.scaled_dot_product_attention
transformer: Any = ttnn.transformer
experimental: Any = ttnn.experimental
decode = transformer.scaled_dot_product_attention_decode
paged_decode = transformer.paged_scaled_dot_product_attention_decode


def tiles(device: MeshDevice, values: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(values, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)


def whole(device: MeshDevice, values: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(values, dtype=ttnn.int32, layout=ttnn.ROW_MAJOR_LAYOUT, device=device)


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def from_pages(pages: torch.Tensor) -> torch.Tensor:
    """The cache of each user, its blocks one after the other."""
    return torch.stack([torch.cat([pages[block] for block in row], 1) for row in PAGES.tolist()])


def shown(found: ttnn.Tensor) -> torch.Tensor:
    return ttnn.to_torch(found).float()


def one_by_one(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, seen: list[range]) -> torch.Tensor:
    """(1, batch, heads, size): torch's attention of each user over the places it may see."""
    rows = [
        sdpa(q[0, user, :, None], k[user][:, list(places)], v[user][:, list(places)], enable_gqa=True)
        for user, places in enumerate(seen)
    ]
    return torch.stack([row[:, 0] for row in rows])[None]


def test_a_part_of_a_sequence_over_pages(device: MeshDevice) -> None:
    q, pages_k, pages_v = drawn(BATCH, HEADS, 32, SIZE), drawn(4, KV, BLOCK, SIZE), drawn(4, KV, 32, SIZE) + 1
    first = 16
    mask = torch.arange(LENGTH)[None] <= torch.arange(32)[:, None] + first
    wanted = sdpa(q, from_pages(pages_k), from_pages(pages_v), mask, enable_gqa=True)
    inputs = [tiles(device, one) for one in (q, pages_k, pages_v)]
    table, start = whole(device, PAGES), whole(device, torch.tensor([first]))
    chunked = transformer.chunked_scaled_dot_product_attention
    torch.testing.assert_close(shown(chunked(*inputs, table, first)), wanted)
    torch.testing.assert_close(shown(chunked(*inputs, table, chunk_start_idx_tensor=start)), wanted)


def test_two_sequences_attend_to_both(device: MeshDevice) -> None:
    own = [drawn(1, HEADS, 64, SIZE) * factor for factor in (1, 2, 3)]
    joint = [drawn(1, HEADS, 32, SIZE) * factor for factor in (1, 2, 3)]
    inputs = [tiles(device, one) for one in (*own, *joint)]
    config = ttnn.SDPAProgramConfig(compute_with_storage_grid_size=(8, 8), q_chunk_size=32, k_chunk_size=32)
    both = transformer.joint_scaled_dot_product_attention
    first, second = both(*inputs, joint_strategy="rear", program_config=config)
    wanted = sdpa(*(torch.cat(pair, 2) for pair in zip(own, joint, strict=True)))
    torch.testing.assert_close(torch.cat([shown(first), shown(second)], 2), wanted)
    with pytest.raises(OperationError, match="Joint strategy must be 'rear'"):
        both(*inputs, joint_strategy="front", program_config=config)


def test_latent_attention_takes_values_from_the_keys(device: MeshDevice) -> None:
    q, k, v = drawn(1, HEADS, 64, 64), drawn(1, 1, 64, 64), drawn(1, HEADS, 64, SIZE)
    latent = transformer.flash_mla_prefill
    found = latent(tiles(device, q), tiles(device, k), SIZE)
    wanted = sdpa(q, k.expand(q.shape), k[..., :SIZE].expand(-1, HEADS, -1, -1), is_causal=True)
    torch.testing.assert_close(shown(found), wanted)
    mask = drawn(1, 1, 64, 64)
    found = latent(
        tiles(device, q), tiles(device, k), tiles(device, v), attn_mask=tiles(device, mask), is_causal=False
    )
    torch.testing.assert_close(shown(found), sdpa(q, k.expand(q.shape), v, mask))


def test_latent_attention_of_a_part_over_pages(device: MeshDevice) -> None:
    q, pages = drawn(BATCH, HEADS, 32, 64), drawn(4, 1, BLOCK, 64)
    chunked = transformer.chunked_flash_mla_prefill
    found = chunked(tiles(device, q), tiles(device, pages), SIZE, whole(device, PAGES), 32)
    keys = from_pages(pages)
    mask = torch.arange(LENGTH)[None] <= torch.arange(32)[:, None] + 32
    wanted = sdpa(q, keys, keys[..., :SIZE], mask, enable_gqa=True)
    torch.testing.assert_close(shown(found), wanted)


@pytest.mark.parametrize("window", [None, 8])
def test_a_new_position_over_a_cache_and_over_pages(device: MeshDevice, window: int | None) -> None:
    q, pages_k, pages_v = drawn(1, BATCH, HEADS, SIZE), drawn(4, KV, BLOCK, SIZE), drawn(4, KV, 32, SIZE) + 1
    k, v = from_pages(pages_k), from_pages(pages_v)
    seen = [range(max(0, at + 1 - window) if window else 0, at + 1) for at in AT]
    wanted = one_by_one(q, k, v, seen)
    options = {"cur_pos_tensor": whole(device, torch.tensor(AT)), "sliding_window_size": window}
    found = decode(*(tiles(device, one) for one in (q, k, v)), **options)
    torch.testing.assert_close(shown(found), wanted)
    inputs = [tiles(device, one) for one in (q, pages_k, pages_v)]
    torch.testing.assert_close(shown(paged_decode(*inputs, whole(device, PAGES), **options)), wanted)


def test_a_cache_may_be_a_ring_and_a_user_may_be_absent(device: MeshDevice) -> None:
    q, pages_k, pages_v = drawn(1, BATCH, HEADS, SIZE), drawn(4, KV, BLOCK, SIZE), drawn(4, KV, 32, SIZE) + 1
    inputs = [tiles(device, one) for one in (q, pages_k, pages_v)]
    found = paged_decode(
        *inputs,
        whole(device, PAGES),
        cur_pos_tensor=whole(device, torch.tensor([100, -1])),
        cache_position_modulo=48,
    )
    k, v = from_pages(pages_k), from_pages(pages_v)
    wanted = one_by_one(q, k, v, [range(48), range(48)])
    torch.testing.assert_close(shown(found)[:, 0], wanted[:, 0])
    assert not shown(found)[:, 1].any()  # it looks at nothing


def test_a_mask_in_place_of_positions(device: MeshDevice) -> None:
    q, k, v = drawn(1, BATCH, HEADS, SIZE), drawn(BATCH, KV, LENGTH, SIZE), drawn(BATCH, KV, LENGTH, SIZE) + 1
    mask = torch.zeros(BATCH, 1, HEADS, LENGTH)
    mask[..., 50:] = float("-inf")
    found = decode(*(tiles(device, one) for one in (q, k, v)), is_causal=False, attn_mask=tiles(device, mask))
    torch.testing.assert_close(shown(found), one_by_one(q, k, v, [range(50)] * 2))


def test_latent_attention_of_a_new_position(device: MeshDevice) -> None:
    q, pages = drawn(1, BATCH, HEADS, 64), drawn(4, 1, BLOCK, 64)
    keys = from_pages(pages)
    wanted = one_by_one(q, keys, keys[..., :SIZE], [range(at + 1) for at in AT])
    latent = transformer.flash_multi_latent_attention_decode
    found = latent(tiles(device, q), tiles(device, keys), head_dim_v=SIZE, cur_pos=AT)
    torch.testing.assert_close(shown(found), wanted)
    positions = whole(device, torch.tensor(AT))
    found = transformer.paged_flash_multi_latent_attention_decode(
        tiles(device, q),
        tiles(device, pages),
        head_dim_v=SIZE,
        page_table_tensor=whole(device, PAGES),
        cur_pos_tensor=positions,
    )
    torch.testing.assert_close(shown(found), wanted)


def test_two_caches_are_written_at_once(device: MeshDevice) -> None:
    pages = [drawn(4, KV, BLOCK, SIZE), drawn(4, KV, BLOCK, SIZE) + 1]
    rows = [drawn(1, BATCH, KV, SIZE), drawn(1, BATCH, KV, SIZE) + 1]
    caches = [tiles(device, one) for one in pages]
    experimental.paged_fused_update_cache(
        caches[0],
        tiles(device, rows[0]),
        caches[1],
        tiles(device, rows[1]),
        update_idxs=AT,
        page_table=whole(device, PAGES),
    )
    for cache, before, row in zip(caches, pages, rows, strict=True):
        wanted = before.clone()
        for user, at in enumerate(AT):
            wanted[PAGES[user, at // BLOCK], :, at % BLOCK] = row[0, user]
        assert torch.equal(shown(cache), wanted)


def turning(length: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    angles = torch.arange(length)[:, None] * torch.arange(1, size + 1)[None] / 50
    return angles.cos()[None, None], angles.sin()[None, None]


def test_halves_of_rows_are_turned(device: MeshDevice) -> None:
    x, (cos, sin) = drawn(1, HEADS, 32, 64), turning(64, 64)
    inputs = [tiles(device, one) for one in (x, cos, sin)]
    swapped = torch.cat([-x[..., 32:], x[..., :32]], -1)
    assert torch.equal(shown(experimental.rotate_half(inputs[0])), swapped)
    wanted = x * cos[:, :, :32] + swapped * sin[:, :, :32]
    torch.testing.assert_close(shown(experimental.rotary_embedding(*inputs)), wanted)
    torch.testing.assert_close(shown(experimental.rotary_embedding_hf(*inputs)), wanted)
    found = experimental.rotary_embedding(*inputs, 7)
    torch.testing.assert_close(shown(found), x * cos[:, :, 7:8] + swapped * sin[:, :, 7:8])
    inputs[1:] = [tiles(device, one[:, :, 7:8]) for one in (cos, sin)]
    found = experimental.rotary_embedding_hf(*inputs, is_decode_mode=True)
    torch.testing.assert_close(shown(found), x * cos[:, :, 7:8] + swapped * sin[:, :, 7:8])


def test_pairs_of_neighbours_are_turned(device: MeshDevice) -> None:
    x, (cos, sin) = drawn(1, HEADS, 32, 64), turning(64, 64)
    turn = torch.zeros(1, 1, 32, 32)
    even = torch.arange(0, 32, 2)
    turn[0, 0, even, even + 1], turn[0, 0, even + 1, even] = 1.0, -1.0
    swapped = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
    inputs = [tiles(device, one) for one in (x, cos, sin, turn)]
    found = experimental.rotary_embedding_llama(*inputs)
    torch.testing.assert_close(shown(found), x * cos[:, :, :32] + swapped * sin[:, :, :32])

    # To decode, each of a batch has an angle of its own; those of the keys follow those of the queries.
    angles = [tiles(device, one[0, 0, : 2 * HEADS, None][None]) for one in (cos, sin)]
    q, k = experimental.rotary_embedding_llama_fused_qk(inputs[0], inputs[0], *angles, inputs[3])
    for found, first in ((q, 0), (k, HEADS)):
        c, s = (one[0, 0, first : first + HEADS, None] for one in (cos, sin))
        torch.testing.assert_close(shown(found), x * c + swapped * s)


def test_a_cache_is_read_in_the_geometry_that_is_asked_for(device: MeshDevice) -> None:
    """The tiles of a block keep their order; what they are rows of changes."""
    cache = drawn(2, 1, 32, 64).bfloat16().float()
    q = drawn(1, 2, 1, 32)
    table = whole(device, torch.tensor([[1], [0]]))
    turned = torch.stack([torch.cat(list(block[0].split(32, dim=-1)), 0) for block in cache])[:, None]
    options = {"cur_pos_tensor": whole(device, torch.tensor([63, 40]))}
    inputs = [tiles(device, one) for one in (q, cache, cache)]
    geometry = ttnn.PagedCacheGeometryOverride(block_size=64, num_kv_heads=1)
    found = paged_decode(*inputs, table, **options, paged_cache_geometry=geometry)
    wanted = one_by_one(q, turned[[1, 0]], turned[[1, 0]], [range(64), range(41)])
    torch.testing.assert_close(shown(found), wanted)
    for wrong, told in (((128, 1), "geometry mismatch"), ((0, 1), "block_size must be > 0")):
        override = ttnn.PagedCacheGeometryOverride(block_size=wrong[0], num_kv_heads=wrong[1])
        with pytest.raises(RuntimeError, match=told):
            paged_decode(*inputs, table, **options, paged_cache_geometry=override)
