"""The other peer of emulator_gemm.py: torch's own float32 matmul on one thread. Prints one JSON line.

Time is that of the processor, so that other programs on the machine change little.
"""

import argparse
import json
import time

import torch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=50)
    options = parser.parse_args()
    torch.set_num_threads(1)
    a, b = (torch.randn(options.size, options.size) for _ in range(2))
    best = float("inf")
    for _ in range(options.repeats):
        start = time.process_time()
        torch.matmul(a, b)
        best = min(best, time.process_time() - start)
    print(json.dumps({"seconds": best}))


if __name__ == "__main__":
    main()
