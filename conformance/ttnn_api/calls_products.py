"""Calls of matrix products, and of embedding, which looks rows up."""

from __future__ import annotations

from collections.abc import Callable

from conformance.ttnn_api.call import Call, Fact, Kit, calls_of

_MATMUL: dict[str, Callable[[Kit], Fact]] = {
    "matrices": lambda k: k.call(k.t(64, 96), k.t(96, 128)),
    "batches": lambda k: k.call(k.t(2, 3, 64, 96), k.t(2, 3, 96, 32)),
    "one matrix for all": lambda k: k.call(k.t(2, 3, 64, 96), k.t(1, 1, 96, 32)),
    "awkward sizes": lambda k: k.call(k.t(31, 33), k.t(33, 65)),
    "float32": lambda k: k.call(k.t(64, 64, dtype="float32"), k.t(64, 64, dtype="float32")),
    "bfloat8_b": lambda k: k.call(k.t(64, 64, dtype="bfloat8_b"), k.t(64, 64, dtype="bfloat8_b")),
    "two types": lambda k: k.call(k.t(64, 64), k.t(64, 64, dtype="bfloat8_b")),
    "transposed": lambda k: k.call(k.t(64, 96), k.t(128, 96), transpose_b=True),
    "dtype asked for": lambda k: k.call(k.t(64, 64), k.t(64, 64), dtype=k.lib.float32),
    "to L1": lambda k: k.call(k.t(64, 64), k.t(64, 64), memory_config=k.l1),
    "activation": lambda k: k.call(k.t(64, 64), k.t(64, 64), activation="relu"),
    "inner sizes that differ": lambda k: k.call(k.t(64, 96), k.t(64, 96)),
    "batches that differ": lambda k: k.call(k.t(2, 64, 64), k.t(3, 64, 64)),
    "row major": lambda k: k.call(k.rows(64, 64), k.rows(64, 64)),
    "row major weights": lambda k: k.call(k.t(64, 64), k.rows(64, 64)),
    "integers": lambda k: k.call(k.t(64, 64, dtype="uint16"), k.t(64, 64, dtype="uint16")),
    "a vector": lambda k: k.call(k.t(64, 96), k.t(96)),
}

PRODUCTS: list[Call] = [
    *calls_of("matmul", _MATMUL),
    *calls_of(
        "linear",
        {
            "without bias": lambda k: k.call(k.t(64, 96), k.t(96, 128)),
            "bias": lambda k: k.call(k.t(64, 96), k.t(96, 128), bias=k.t(1, 128)),
            "bias and activation": lambda k: k.call(
                k.t(64, 96), k.t(96, 128), bias=k.t(1, 128), activation="gelu"
            ),
            "bias of another width": lambda k: k.call(k.t(64, 96), k.t(96, 128), bias=k.t(1, 64)),
            "inner sizes that differ": lambda k: k.call(k.t(64, 96), k.t(64, 128)),
        },
    ),
    *calls_of(
        "addmm",
        {
            "matrices": lambda k: k.call(k.t(64, 128), k.t(64, 96), k.t(96, 128)),
            "alpha and beta": lambda k: k.call(k.t(64, 128), k.t(64, 96), k.t(96, 128), alpha=2.0, beta=0.5),
            "another shape": lambda k: k.call(k.t(32, 128), k.t(64, 96), k.t(96, 128)),
            "inner sizes that differ": lambda k: k.call(k.t(64, 128), k.t(64, 96), k.t(64, 128)),
        },
    ),
    *calls_of(
        "embedding",
        {
            "row major": lambda k: k.call(k.rows(2, 32, dtype="uint32"), k.rows(100, 64)),
            "to tiles": lambda k: k.call(
                k.rows(2, 32, dtype="uint32"), k.rows(100, 64), layout=k.lib.TILE_LAYOUT
            ),
            "float32 indices": lambda k: k.call(k.rows(2, 32, dtype="float32"), k.rows(100, 64)),
            "float32 weights": lambda k: k.call(
                k.rows(2, 32, dtype="uint32"), k.rows(100, 64, dtype="float32")
            ),
            "weights in tiles": lambda k: k.call(k.rows(2, 32, dtype="uint32"), k.t(128, 64)),
        },
    ),
]
