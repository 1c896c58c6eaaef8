"""Heads split off and joined again by ttnn, against reshapes of torch."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tilesmith import ttnn
from tilesmith.errors import OperationError
from tilesmith.ops.device import MeshDevice

HEADS, KV, SIZE, LENGTH = 4, 2, 32, 32
experimental: Any = ttnn.experimental


def tiles(device: MeshDevice, values: torch.Tensor) -> ttnn.Tensor:
    return ttnn.from_torch(values, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)


def numbered(*shape: int) -> torch.Tensor:
    """Every element another whole number, which float32 holds exactly."""
    return torch.arange(torch.Size(shape).numel(), dtype=torch.float32).reshape(shape)


def same(found: tuple[ttnn.Tensor, ...], wanted: list[torch.Tensor]) -> None:
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert torch.equal(ttnn.to_torch(one), other)


def by_head(rows: torch.Tensor, heads: int) -> torch.Tensor:
    """(batch, 1, length, heads x size) as (batch, heads, length, size)."""
    split: torch.Tensor = rows[:, 0].unflatten(-1, (heads, -1)).transpose(1, 2)
    return split


def test_queries_then_keys_then_values(device: MeshDevice) -> None:
    x = numbered(1, 1, LENGTH, (HEADS + 2 * KV) * SIZE)
    q, k, v = x.split([HEADS * SIZE, KV * SIZE, KV * SIZE], -1)
    wanted = [by_head(q, HEADS), by_head(k, KV).mT, by_head(v, KV)]
    same(experimental.nlp_create_qkv_heads(tiles(device, x), num_heads=HEADS, num_kv_heads=KV), wanted)
    kv = torch.cat([k, v], -1)
    found = experimental.nlp_create_qkv_heads(
        tiles(device, q), tiles(device, kv), num_heads=HEADS, num_kv_heads=KV, transpose_k_heads=False
    )
    same(found, [wanted[0], wanted[1].mT, wanted[2]])
    with pytest.raises(OperationError, match="kv_tied"):
        experimental.nlp_create_qkv_heads(tiles(device, x), num_heads=HEADS, kv_tied=True)


def test_heads_of_known_models(device: MeshDevice) -> None:
    x = numbered(1, 1, 32, 3 * 12 * 64)
    wanted = [by_head(part, 12) for part in x.split(12 * 64, -1)]
    same(experimental.nlp_create_qkv_heads_vit(tiles(device, x)), wanted)
    x = numbered(1, 1, 32, 3 * 32)
    same((experimental.nlp_create_qkv_heads_segformer(tiles(device, x)),), [by_head(x, 3)])
    x = numbered(1, 1, 32, 73 * 64)
    q, k, v = x.split([71 * 64, 64, 64], -1)
    found = experimental.nlp_create_qkv_heads_falcon7b(tiles(device, x))
    same(found, [by_head(q, 71), by_head(k, 1).mT, by_head(v, 1)])


def test_keys_and_values_beside_their_queries(device: MeshDevice) -> None:
    x = numbered(1, 1, LENGTH, (HEADS + 2 * KV) * SIZE)
    groups = x.reshape(1, LENGTH, KV, HEADS // KV + 2, SIZE)  # q q k v, q q k v
    q = groups[:, :, :, :-2].reshape(1, LENGTH, HEADS, SIZE).transpose(1, 2)
    k, v = (groups[:, :, :, at].transpose(1, 2) for at in (-2, -1))
    found = experimental.create_qkv_heads(tiles(device, x), num_heads=HEADS, num_kv_heads=KV)
    same(found, [q, k.mT, v])

    rows, pairs = numbered(1, 1, LENGTH, HEADS * SIZE), numbered(1, 1, LENGTH, 2 * KV * SIZE)
    k, v = (pairs.reshape(1, LENGTH, KV, 2, SIZE)[:, :, :, at].transpose(1, 2) for at in (0, 1))
    found = experimental.create_qkv_heads_from_separate_tensors(
        tiles(device, rows), tiles(device, pairs), num_heads=HEADS, num_kv_heads=KV
    )
    same(found, [by_head(rows, HEADS), k.mT, v])


def test_heads_of_one_position_for_each_of_a_batch(device: MeshDevice) -> None:
    batch = 32
    x = numbered(1, 1, batch, (HEADS + 2 * KV) * SIZE)
    wanted = list(x.reshape(1, batch, -1, SIZE).split([HEADS, KV, KV], 2))
    options = {"num_heads": HEADS, "num_kv_heads": KV}
    same(experimental.nlp_create_qkv_heads_decode(tiles(device, x), **options), wanted)
    offset = ttnn.from_torch(torch.tensor([8]), dtype=ttnn.int32, device=device)
    found = experimental.nlp_create_qkv_heads_decode(
        tiles(device, x), **options, batch_offset=offset, slice_size=8
    )
    same(found, [one[:, 8:16] for one in wanted])

    padded = numbered(1, batch, 32, SIZE)  # heads fill a tile of rows
    joined = experimental.nlp_concat_heads_decode(tiles(device, padded), num_heads=HEADS)
    same((joined,), [padded[:, :, :HEADS].reshape(1, 1, batch, -1)])


def test_heads_are_joined(device: MeshDevice) -> None:
    x = numbered(1, HEADS, LENGTH, SIZE)
    wanted = x.transpose(1, 2).reshape(1, 1, LENGTH, -1)
    same((experimental.concatenate_heads(tiles(device, x)),), [wanted])
    room = tiles(device, torch.zeros(wanted.shape))
    same((experimental.concatenate_heads(tiles(device, x), output_tensor=room), room), [wanted, wanted])
