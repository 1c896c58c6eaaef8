# mypy: ignore-errors
"""The peer's side of emulator_gemm.py: the same one-tile matmul for tt-lang-sim, run inside that simulator.

Prints one JSON line with the best time of a whole call and the error against torch.
"""

import argparse
import json
import time

import torch
import ttl
import ttnn

TILE = 32
GRID = (8, 8)


@ttl.operation(grid=GRID)
def matmul(a: ttnn.Tensor, b: ttnn.Tensor, y: ttnn.Tensor) -> None:
    m_per_core = a.shape[0] // TILE // GRID[0]
    n_per_core = b.shape[1] // TILE // GRID[1]
    k_tiles = a.shape[1] // TILE
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(1, 1), block_count=2)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1), block_count=2)

    @ttl.datamovement()
    def read():
        x, row = ttl.node(dims=2)
        for m in range(row * m_per_core, (row + 1) * m_per_core):
            for n in range(x * n_per_core, (x + 1) * n_per_core):
                for k in range(k_tiles):
                    with a_dfb.reserve() as a_block, b_dfb.reserve() as b_block:
                        a_copy = ttl.copy(a[m, k], a_block)
                        b_copy = ttl.copy(b[k, n], b_block)
                        a_copy.wait()
                        b_copy.wait()

    @ttl.compute()
    def compute():
        for _ in range(m_per_core * n_per_core):
            with y_dfb.reserve() as y_block:
                total = ttl.block.fill(0, shape=y_block.shape)
                for _ in range(k_tiles):
                    with a_dfb.wait() as a_block, b_dfb.wait() as b_block:
                        total += a_block @ b_block
                y_block.store(total)

    @ttl.datamovement()
    def write():
        x, row = ttl.node(dims=2)
        for m in range(row * m_per_core, (row + 1) * m_per_core):
            for n in range(x * n_per_core, (x + 1) * n_per_core):
                with y_dfb.wait() as y_block:
                    ttl.copy(y_block, y[m, n]).wait()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    a, b = (torch.randn(options.size, options.size, dtype=torch.bfloat16) for _ in range(2))
    device = ttnn.open_device(device_id=0)
    on_device = [
        ttnn.from_torch(t, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
        for t in (a, b, torch.zeros(options.size, options.size, dtype=torch.bfloat16))
    ]
    best = float("inf")
    for _ in range(options.repeats):
        start = time.perf_counter()
        matmul(*on_device)
        best = min(best, time.perf_counter() - start)
    exact = a.float() @ b.float()
    error = ((ttnn.to_torch(on_device[2]).float() - exact).norm() / exact.norm()).item()
    print(json.dumps({"seconds": best, "relative_error": error}))


main()
