"""The examples under mutation, each with a shape that is small but passes every call site more than once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from examples.metal.broadcast import host as broadcast
from examples.metal.common.host import Result
from examples.metal.elementwise import host as elementwise
from examples.metal.int32_add import host as int32_add
from examples.metal.layernorm import host as layernorm
from examples.metal.matmul_bfp8 import host as matmul_bfp8
from examples.metal.matmul_multi import host as matmul_multi
from examples.metal.matmul_multicast import host as matmul_multicast
from examples.metal.matmul_single import host as matmul_single
from examples.metal.multicast import host as multicast
from examples.metal.ping_pong import host as ping_pong
from examples.metal.reduce import host as reduce
from examples.metal.sharded_add import host as sharded_add
from examples.metal.softmax import host as softmax
from examples.metal.tilize import host as tilize
from examples.metal.transpose import host as transpose
from examples.metal.untilize import host as untilize

from tilesmith.runtime import Device
from tilesmith.testing import Tolerance


@dataclass(frozen=True)
class Case:
    run: Callable[[Device], Result]
    tolerance: Tolerance


# Run on GRID: a few units of work more than cores, so that some cores repeat every loop and others do not.
GRID = (2, 2)
CASES: dict[str, Case] = {
    "elementwise": Case(partial(elementwise.run, shape=(64, 320), operation="sub"), elementwise.TOLERANCE),
    "elementwise-chain": Case(
        partial(elementwise.run, shape=(64, 320), operation="sigmoid"), elementwise.TOLERANCE
    ),
    "matmul_single": Case(partial(matmul_single.run, m=64, k=96, n=64), matmul_single.TOLERANCE),
    "matmul_multi": Case(partial(matmul_multi.run, m=96, k=192, n=96), matmul_multi.TOLERANCE),
    "matmul_multicast": Case(
        partial(matmul_multicast.run, m=192, k=192, n=160, grid=(3, 2)), matmul_multicast.TOLERANCE
    ),
    "reduce-row": Case(partial(reduce.run, shape=(2, 160, 96)), reduce.TOLERANCE),
    "reduce-column-max": Case(
        partial(reduce.run, shape=(2, 96, 160), operation="max", over="column"), reduce.TOLERANCE
    ),
    "broadcast": Case(partial(broadcast.run, shape=(2, 64, 160)), broadcast.TOLERANCE),
    "transpose": Case(partial(transpose.run, height=64, width=320), transpose.TOLERANCE),
    "softmax": Case(partial(softmax.run, height=320, width=96), softmax.TOLERANCE),
    "layernorm": Case(partial(layernorm.run, height=320, width=96), layernorm.TOLERANCE),
    "tilize": Case(partial(tilize.run, height=320, width=96), tilize.TOLERANCE),
    "untilize": Case(partial(untilize.run, height=320, width=256), untilize.TOLERANCE),
    "sharded_add": Case(partial(sharded_add.run, tile_rows=7, width=64), sharded_add.TOLERANCE),
    "ping_pong": Case(partial(ping_pong.run, pairs=2, words=16, hits=5), ping_pong.TOLERANCE),
    "multicast": Case(partial(multicast.run, grid=(3, 2), tiles=5), multicast.TOLERANCE),
    "int32_add": Case(partial(int32_add.run, shape=(64, 320)), int32_add.TOLERANCE),
    "matmul_bfp8": Case(partial(matmul_bfp8.run, m=96, k=192, n=96), matmul_bfp8.TOLERANCE),
}
