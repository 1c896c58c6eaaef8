"""The products of a layer of Llama-3.3-70B on a chip of a Galaxy, with the model's program configurations."""

from __future__ import annotations

from math import ceil

from conformance.timing.ops.products import Product, product
from tilesmith.runtime import Device

X, OUT = "bfp8_b", "bfp8_b"
SHORT = {  # up to 2048 rows: as many rows of cores as there are rows of tiles, up to eight
    "qkv": (64, 40, (1, 6), (1, 2), "bfp8_b", "HiFi2", True),
    "wo": (32, 64, (1, 10), (1, 2), "bfp8_b", "HiFi2", False),
    "ff1": (64, 112, (1, 16), (1, 4), "bfp4_b", "LoFi", False),
    "ff2": (112, 64, (1, 10), (1, 2), "bfp8_b", "HiFi2", False),
}
LONG = {  # 4096 rows, in batches for attention
    "qkv": Product(64, 64, 40, (8, 6), (8, 6), 8, (1, 2), (X, "bfp8_b", OUT), "HiFi2", 2, True),
    "wo": Product(32, 32, 64, (4, 10), (4, 10), 8, (1, 2), (X, "bfp8_b", OUT), "HiFi2", 4),
    "ff1": Product(128, 64, 112, (20, 16), (10, 16), 4, (1, 8), (X, "bfp4_b", OUT), "LoFi"),
    "ff2": Product(128, 112, 64, (20, 10), (20, 10), 4, (1, 5), (X, "bfp8_b", OUT), "HiFi2"),
}


def llama_product(device: Device, name: str, rows: int) -> float:
    """`rows` of tiles, 4 or 128: XQKV, WO, W1 and W3, or W2 of the prefill."""
    if rows == 128:
        return product(device, LONG[name])
    k, n, per_core, subblock, weight, fidelity, wide = SHORT[name]
    return product(
        device, Product(rows, k, n, per_core, per_core, 8, subblock, (X, weight, OUT), fidelity, 1, wide)
    )


def minimal_product(device: Device, m: int, k: int, n: int) -> float:
    """minimal_matmul on 8 by 8 cores: blocks of eight tiles, sub-blocks of two; multicasts for its chains."""
    rows, columns = (8 * ceil(ceil(size / 8) / 8) for size in (m, n))
    sizes = Product(m, k, n, (rows, columns), (8, 8), 8, (2, 2), ("bf16",) * 3, "HiFi2", 1, True)
    return product(device, sizes)
