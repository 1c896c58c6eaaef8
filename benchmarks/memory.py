"""Memory of a process that runs many programs once each, with many kernels.

    python -m benchmarks.memory --json [--programs 500] [--kernels 200]

Nobody holds a program after it ran. `growth_mb` is what the process gains after the first 50.
"""

from __future__ import annotations

import argparse
import gc
import json
from pathlib import Path

from tilesmith.formats import DataFormat
from tilesmith.program import CBFormat, CircularBuffer, CoreRange, Kernel, Program, ReaderConfig, SourceType
from tilesmith.runtime import open_device
from tilesmith.settings import using

_FIRST = 50
_SOURCE = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    volatile uint32_t sum = %d;
    for (uint32_t i = 0; i < get_arg_val<uint32_t>(0); ++i) sum = sum + i;
}
"""


def program(number: int, kernels: int) -> Program:
    """A program that differs from all others: in its kernel, or in the size of its circular buffer."""
    cores = CoreRange((0, 0), (7, 7))
    args = dict.fromkeys(cores.cores(), (3,))
    kernel = Kernel(
        _SOURCE % (number % kernels), cores, ReaderConfig(), SourceType.SOURCE_CODE, runtime_args=args
    )
    pages = 8 - number // kernels % 8
    return Program([kernel], [CircularBuffer(2048 * pages, cores, CBFormat(0, DataFormat.Float16_b, 2048))])


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--kernels", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    after: dict[int, float] = {}
    with using(checks="on"), open_device() as device:
        for number in range(options.programs):
            device.run(program(number, options.kernels))
            if (number + 1) % _FIRST == 0:
                gc.collect()
                after[number + 1] = round(resident_mb(), 1)
                if not options.json:
                    print(number + 1, after[number + 1], flush=True)
    if options.json:
        values = list(after.values())
        print(json.dumps({"resident_mb": after, "growth_mb": round(values[-1] - values[0], 1)}))


if __name__ == "__main__":
    main()
