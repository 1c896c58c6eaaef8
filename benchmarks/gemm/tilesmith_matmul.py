"""Our side of emulator_gemm.py: a bf16 matmul on an 8 x 8 grid of emulated cores. Prints one JSON line.

`--kernel tiles` moves and multiplies one tile per step, `--kernel blocks` a strip of tiles per step.
Time is that of the processor for one thread and of the wall for several.
"""

import argparse
import json
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tilesmith as ts

KERNELS = Path(__file__).parent / "kernels"
GRID = 8
TILE = 32
TILE_BYTES = 2048
K_STEP = 4
A_CB, B_CB, Y_CB = 0, 1, 16
CORES = ts.CoreRange(ts.CoreCoord(0, 0), ts.CoreCoord(GRID - 1, GRID - 1))


def buffer(index: int, pages: int) -> ts.CircularBuffer:
    return ts.CircularBuffer(pages * TILE_BYTES, CORES, ts.CBFormat(index, ts.bfloat16, TILE_BYTES))


def per_core(args: Callable[[int, int], tuple[int, ...]]) -> dict[ts.CoreCoord, tuple[int, ...]]:
    return {ts.CoreCoord(x, y): args(x, y) for y in range(GRID) for x in range(GRID)}


def words(*tensors: ts.Tensor) -> tuple[int, ...]:
    return tuple(w for tensor in tensors for w in ts.TensorAccessorArgs(tensor).get_compile_time_args())


def tile_program(a: ts.Tensor, b: ts.Tensor, y: ts.Tensor, rows: int, cols: int) -> ts.Program:
    """One-tile steps; a core's share is rows x cols output tiles, a runtime argument: 0 costs no compile."""
    k_tiles, n_tiles = a.shape[1] // TILE, b.shape[1] // TILE
    share_m, share_n = a.shape[0] // TILE // GRID, n_tiles // GRID
    reader = ts.Kernel(
        KERNELS / "read_tiles.cpp", CORES, ts.ReaderConfig(),
        compile_time_args=(k_tiles, n_tiles, *words(a, b)),
        runtime_args=per_core(lambda x, row: (a.address, b.address, row * share_m, rows, x * share_n, cols)),
    )  # fmt: skip
    compute = ts.Kernel(
        KERNELS / "compute_tiles.cpp", CORES, ts.ComputeConfig(),
        compile_time_args=(k_tiles,), runtime_args=dict.fromkeys(CORES.cores(), (rows * cols,)),
    )  # fmt: skip
    writer = ts.Kernel(
        KERNELS / "write_tiles.cpp", CORES, ts.WriterConfig(),
        compile_time_args=(n_tiles, *words(y)),
        runtime_args=per_core(lambda x, row: (y.address, row * share_m, rows, x * share_n, cols)),
    )  # fmt: skip
    return ts.Program((reader, compute, writer), (buffer(A_CB, 2), buffer(B_CB, 2), buffer(Y_CB, 2)))


def block_program(a: ts.Tensor, b: ts.Tensor, y: ts.Tensor, rows: int, cols: int) -> ts.Program:
    """Each core keeps its rows x cols output tiles in DST and streams strips of K_STEP inner tiles."""
    k_tiles, n_tiles = a.shape[1] // TILE, b.shape[1] // TILE
    reader = ts.Kernel(
        KERNELS / "read_blocks.cpp", CORES, ts.ReaderConfig(),
        compile_time_args=(k_tiles, n_tiles, K_STEP, rows, cols, *words(a, b)),
        runtime_args=per_core(lambda x, row: (a.address, b.address, row * rows, x * cols)),
    )  # fmt: skip
    compute = ts.Kernel(
        KERNELS / "compute_blocks.cpp", CORES, ts.ComputeConfig(dst_full_sync_en=True),
        compile_time_args=(k_tiles, K_STEP, rows, cols),
    )  # fmt: skip
    writer = ts.Kernel(
        KERNELS / "write_block.cpp", CORES, ts.WriterConfig(),
        compile_time_args=(n_tiles, rows, cols, *words(y)),
        runtime_args=per_core(lambda x, row: (y.address, row * rows, x * cols)),
    )  # fmt: skip
    cbs = buffer(A_CB, 2 * rows * K_STEP), buffer(B_CB, 2 * K_STEP * cols), buffer(Y_CB, rows * cols)
    return ts.Program((reader, compute, writer), cbs)


def seconds(run: Callable[[], object], repeats: int, clock: Callable[[], float]) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        run()
        best = min(best, clock() - start)
    return best


def relative_error(result: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """Against torch, in float32, on the bf16 values the device was given; relative to the whole matrix."""
    import torch  # only now: importing it is no part of anything measured

    exact = torch.from_numpy(a).bfloat16().float() @ torch.from_numpy(b).bfloat16().float()
    return float((torch.from_numpy(result) - exact).norm() / exact.norm())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", choices=["tiles", "blocks"], default="tiles")
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--checks", choices=["on", "off"], default="off")
    parser.add_argument("--numbers", choices=["chip", "fast"], default="fast")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1, help="0: as many as there are cores")
    parser.add_argument("--wall", action="store_true", help="take the time of the wall for one thread too")
    parser.add_argument("--spawned-at", type=float, default=time.monotonic(), help="monotonic clock then")
    options = parser.parse_args()
    clock = time.perf_counter if options.wall or options.threads != 1 else time.process_time
    if hasattr(ts.settings.current(), "threads"):  # compare_commits.py times sources without the setting, too
        os.environ["TILESMITH_THREADS"] = str(options.threads)
    share = options.size // TILE // GRID
    build = tile_program if options.kernel == "tiles" else block_program
    generator = np.random.default_rng(0)
    a, b = (generator.standard_normal((options.size, options.size), dtype=np.float32) for _ in range(2))

    with ts.open_device("wormhole") as device:
        a_tiles = device.from_numpy(a, dtype=ts.bfloat16, layout=ts.TILE_LAYOUT)
        b_tiles = device.from_numpy(b, dtype=ts.bfloat16, layout=ts.TILE_LAYOUT)
        y = device.empty((options.size, options.size), ts.bfloat16, ts.TILE_LAYOUT)

        def run(program: ts.Program) -> None:
            device.run(program, checks=options.checks, numbers=options.numbers)

        program = build(a_tiles, b_tiles, y, share, share)
        run(program)
        result = y.to_numpy()
        cold_s = time.monotonic() - options.spawned_at
        best = seconds(lambda: run(program), options.repeats, clock)
        measured = {"seconds": best, "cold_s": cold_s}
        if options.kernel == "tiles":
            # The same program with nothing to multiply: what a warm call costs beyond the arithmetic.
            idle = build(a_tiles, b_tiles, y, 0, 0)
            measured["overhead_s"] = seconds(lambda: run(idle), max(options.repeats, 5), clock)
    measured["relative_error"] = relative_error(np.asarray(result, dtype=np.float32), a, b)
    measured["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
