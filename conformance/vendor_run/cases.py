"""The vendor's operations that run here, a few shapes of each."""

from __future__ import annotations

from functools import partial

from conformance.vendor_run import cache, matmul, matmul_dram, moves, rotary, rows, sharded
from conformance.vendor_run.bench import BF16, Case
from conformance.vendor_run.matmul import Product
from tilesmith.testing import Tolerance

PRODUCT = Tolerance.of(BF16, 2)
EXACT = Tolerance(0.0, 0.0, 1.0)
# A page of a buffer that nobody else fills is written and pushed without having been reserved.
PUSHED = (
    "cb.push-without-reserve@writer_unary_interleaved_start_id_blocked_sm.cpp",
    "cb.write-past-reserve@writer_unary_interleaved_start_id_blocked_sm.cpp",
    "cb.write-past-reserve@pad_tile.hpp",
)
# Receivers reserve the rows of one worker after another; the sender writes all, and the buffer has room.
WRITTEN = ("cb.write-past-reserve@reader_mcast_sender_unary_sharded_ln.cpp",)
CASES: dict[str, Case] = {
    "softmax": Case("softmax", partial(rows.softmax, width=96, stable=False), Tolerance.of(BF16, 2)),
    "softmax-stable": Case("softmax", partial(rows.softmax, width=128, stable=True), Tolerance.of(BF16, 2)),
    "softmax-padded": Case(
        "softmax", partial(rows.softmax, width=80, stable=False), Tolerance.of(BF16, 2), PUSHED
    ),
    "reduce-sum-w": Case(
        "reduce", partial(rows.reduction, operation="SUM", dim="ROW"), Tolerance.of(BF16, 1)
    ),
    "reduce-max-w": Case("reduce", partial(rows.reduction, operation="MAX", dim="ROW"), Tolerance.of(BF16)),
    "reduce-sum-hw": Case(
        "reduce", partial(rows.reduction, operation="SUM", dim="SCALAR"), Tolerance.of(BF16, 1)
    ),
    "layer-norm": Case(
        "layer norm", partial(rows.layer_norm, width=128, block=2, rms=False), Tolerance.of(BF16, 3)
    ),
    "layer-norm-ragged": Case(
        "layer norm", partial(rows.layer_norm, width=80, block=3, rms=False), Tolerance.of(BF16, 3)
    ),
    "rms-norm": Case(
        "layer norm", partial(rows.layer_norm, width=96, block=3, rms=True), Tolerance.of(BF16, 3)
    ),
    "tilize": Case("tilize", partial(moves.tilize, width=96), EXACT),
    "untilize": Case("untilize", partial(moves.untilize, width=96), EXACT),
    "embedding": Case("embedding", partial(moves.embedding, width=64, padded=False), EXACT),
    "embedding-padded": Case("embedding", partial(moves.embedding, width=64, padded=True), EXACT),
    "concat-heads": Case("concat heads", partial(moves.concat_heads, heads=3), EXACT),
    "rotary-llama": Case("rotary", partial(rotary.llama, reload=False), Tolerance.of(BF16, 3)),
    "rotary-llama-reload": Case("rotary", partial(rotary.llama, reload=True), Tolerance.of(BF16, 3)),
    "matmul-2d": Case(
        "matmul 2-D", partial(matmul.product, sizes=Product(4, 4, 6, (3, 2), (2, 2), (1, 2), 2)), PRODUCT
    ),
    "matmul-2d-ragged": Case(
        "matmul 2-D", partial(matmul.product, sizes=Product(3, 4, 5, (2, 2), (2, 4), (2, 2), 2)), PRODUCT
    ),
    "matmul-2d-bias": Case(
        "matmul 2-D",
        partial(
            matmul.product,
            sizes=Product(4, 6, 4, (2, 2), (2, 2), (1, 2), 2, bias=True, accumulate_in_l1=True),
        ),
        PRODUCT,
    ),
    "matmul-1d-in0": Case(
        "matmul 1-D",
        partial(matmul.product, sizes=Product(2, 4, 6, (3, 1), (2, 2), (2, 2), 1, "in0")),
        PRODUCT,
    ),
    "matmul-1d-in0-bias": Case(
        "matmul 1-D",
        partial(matmul.product, sizes=Product(1, 4, 8, (2, 2), (1, 2), (1, 2), 2, "in0", bias=True)),
        PRODUCT,
    ),
    "matmul-1d-in1": Case(
        "matmul 1-D",
        partial(matmul.product, sizes=Product(6, 4, 2, (1, 3), (2, 2), (1, 2), 2, "in1", bias=True)),
        PRODUCT,
    ),
    "layer-norm-sharded": Case(
        "layer norm sharded",
        partial(sharded.layer_norm, cores=2, height=2, width=2),
        Tolerance.of(BF16, 3),
        WRITTEN,
    ),
    "layer-norm-sharded-row": Case(
        "layer norm sharded",
        partial(sharded.layer_norm, cores=3, height=3, width=1),
        Tolerance.of(BF16, 3),
        WRITTEN,
    ),
    "paged-update": Case(
        "paged cache update", partial(cache.paged_update, heads=2, positions=(5, 70, 127)), EXACT
    ),
    "paged-update-skipped": Case(
        "paged cache update", partial(cache.paged_update, heads=1, positions=(33, -1)), EXACT
    ),
    "matmul-dram-sharded": Case(
        "matmul DRAM-sharded", partial(matmul_dram.product, k=4, k_block=1, columns=2), PRODUCT
    ),
    "matmul-dram-sharded-wide": Case(
        "matmul DRAM-sharded", partial(matmul_dram.product, k=4, k_block=2, columns=1), PRODUCT
    ),
}
