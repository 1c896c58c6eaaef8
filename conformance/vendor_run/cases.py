"""The vendor's operations that run here, a few shapes of each."""

from __future__ import annotations

from functools import partial

from conformance.vendor_run import (
    attention,
    cache,
    conv,
    decode,
    halo,
    matmul,
    matmul_dram,
    moves,
    pool,
    rotary,
    rows,
    sharded,
)
from conformance.vendor_run.attention import Attention
from conformance.vendor_run.bench import BF16, Case
from conformance.vendor_run.conv import Conv
from conformance.vendor_run.decode import Decode
from conformance.vendor_run.matmul import Product
from conformance.vendor_run.pool import Pool
from conformance.vendor_run.sliding import Window
from tilesmith.runtime.memory_config import Layout
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
# The last block is popped before the barrier at the end: nothing is put there any more.
POPPED = ("noc.source-reused@halo_gather.cpp:253",)
# Constants are written and pushed without having been reserved; what a page held before is looked at first.
POOLED = (
    "cb.push-without-reserve@reader_pool_2d.cpp",
    "cb.write-past-reserve@reader_pool_2d",
    "mem.uninitialised@reader_pool_2d",
)
# Results are packed onto the pages they were computed from, which are popped and reserved only then: a full
# buffer's write pointer stands at its front, and a tile is packed after it was unpacked.
IN_PLACE = (
    *(f"cb.write-past-reserve@compute_common.hpp:{line}" for line in (334, 526, 653, 1200)),
    "cb.pop-without-wait@compute_common.hpp:535",
    "cb.push-without-reserve@compute_common.hpp:1203",
)
# The reader ends while the keys it has handed on, and the flag behind them, are on their way.
HANDED_ON = tuple(f"noc.inflight-at-end@reader_interleaved.cpp:{line}" for line in (993, 1003))
# The last maximum is popped without a wait of its own: what was waited for before it was pushed later.
IN_PLACE_DECODE = (*IN_PLACE, "cb.pop-without-wait@sdpa_flash_decode.cpp:700")
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
    "halo": Case(
        "halo", partial(halo.halo, window=Window(1, 8, 8, 64, 3, 1, 1, 2), layout=Layout.ROW_MAJOR), EXACT
    ),
    "halo-tiled": Case(
        "halo",
        partial(halo.halo, window=Window(2, 16, 16, 64, 3, 1, 1, 4), layout=Layout.TILE),
        EXACT,
        POPPED,
    ),
    "pool-max": Case(
        "pool", partial(pool.pool, pool=Pool(Window(2, 8, 8, 64, 3, 2, 1, 3), average=False)), EXACT, POOLED
    ),
    "pool-max-wide": Case(
        "pool", partial(pool.pool, pool=Pool(Window(1, 8, 8, 288, 2, 2, 0, 2), average=False)), EXACT, POOLED
    ),
    "pool-average": Case(
        "pool",
        partial(pool.pool, pool=Pool(Window(2, 8, 8, 64, 3, 1, 1, 3), average=True)),
        Tolerance.of(BF16, 1),
        POOLED,
    ),
    "pool-average-edges": Case(
        "pool",
        partial(pool.pool, pool=Pool(Window(1, 8, 8, 32, 3, 2, 1, 2), average=True, counts_padding=False)),
        Tolerance.of(BF16, 1),
        POOLED,
    ),
    "conv": Case(
        "conv2d", partial(conv.conv, conv=Conv(Window(1, 8, 16, 32, 3, 1, 1, 2, 32), 64, 2, (1, 2))), PRODUCT
    ),
    "conv-bias-relu": Case(
        "conv2d",
        partial(
            conv.conv,
            conv=Conv(
                Window(2, 8, 8, 32, 3, 1, 1, 2, 64),
                64,
                1,
                (1, 2),
                bias=True,
                relu=True,
                accumulate_in_l1=True,
            ),
        ),
        PRODUCT,
    ),
    "conv-split-reader": Case(
        "conv2d",
        partial(
            conv.conv,
            conv=Conv(Window(1, 16, 16, 64, 3, 2, 1, 1, 64), 32, 2, (2, 1), bias=True, split=True, wide=True),
        ),
        PRODUCT,
    ),
    "attention": Case(
        "SDPA prefill",
        partial(attention.attention, attention=Attention(2, 1, 4, 4, 2, cores=2)),
        Tolerance.of(BF16, 3),
        IN_PLACE,
    ),
    "attention-causal": Case(
        "SDPA prefill",
        partial(attention.attention, attention=Attention(2, 2, 8, 8, 2, cores=2, causal=True)),
        Tolerance.of(BF16, 3),
        IN_PLACE,
    ),
    "attention-chain": Case(
        "SDPA prefill",
        partial(attention.attention, attention=Attention(1, 1, 6, 6, 1, cores=3, chain=True)),
        Tolerance.of(BF16, 3),
        IN_PLACE + HANDED_ON,
    ),
    "decode": Case(
        "SDPA decode",
        partial(decode.decode, decode=Decode((77, 127), keys=4, width=2, chunk=2, cores_each=1)),
        Tolerance.of(BF16, 3),
        IN_PLACE_DECODE,
    ),
    "decode-tree": Case(
        "SDPA decode",
        partial(decode.decode, decode=Decode((200,), keys=8, width=2, chunk=2, cores_each=3)),
        Tolerance.of(BF16, 3),
        IN_PLACE_DECODE,
    ),
}
