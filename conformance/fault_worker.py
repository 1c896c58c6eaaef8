"""One process of the fault test: build and run something new for each SEED, and print its result."""

from __future__ import annotations

import ctypes
import sys

import numpy as np

import tilesmith
from tilesmith.errors import TilesmithError
from tilesmith.toolchain import compile_shared

KERNEL = """
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(args, get_arg_val<uint32_t>(0), 4096);
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(1), 4096);
    cb_reserve_back(0, 1);
    const uint32_t l1 = get_write_ptr(0);
    noc_async_read_page(0, in, l1);
    noc_async_read_barrier();
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1);
    for (uint32_t i = 0; i < 1024; i++) words[i] = words[i] * 2 + SEED;
    noc_async_write_page(0, out, l1);
    noc_async_write_barrier();
}
"""


LIBRARY = """
#include <cstdint>
#include <source_location>
PART
"""


def of_library(seed: int) -> int:
    """Two units, so that a kill can fall between compiling and linking."""
    parts = (
        f"int part(int i) {{ return 2 * i + {seed}; }}",
        'int part(int); extern "C" int sum() { int s = 0; for (int i = 1024; i--;) s += part(i); return s; }',
    )
    texts = [(f"part{i}.cpp", LIBRARY.replace("PART", part)) for i, part in enumerate(parts)]
    return int(ctypes.CDLL(str(compile_shared(texts))).sum())


def of_program(seed: int) -> int:
    """A whole program: the emulator's library and a kernel."""
    core = tilesmith.CoreCoord(0, 0)
    cores = tilesmith.CoreRangeSet([tilesmith.CoreRange(core, core)])
    with tilesmith.open_device() as device:
        given = device.from_numpy(np.arange(1024, dtype=np.uint32).reshape(32, 32), tilesmith.uint32)
        out = device.empty((32, 32), tilesmith.uint32)
        kernel = tilesmith.Kernel(
            KERNEL,
            cores,
            tilesmith.WriterConfig(),
            source_type=tilesmith.SourceType.SOURCE_CODE,
            compile_time_args=tuple(tilesmith.TensorAccessorArgs(given).get_compile_time_args()),
            defines=(("SEED", str(seed)),),
            runtime_args={core: (given.address, out.address)},
        )
        room = tilesmith.CircularBuffer(4096, cores, (tilesmith.CBFormat(0, tilesmith.uint32, 4096),))
        device.run(tilesmith.Program(kernels=(kernel,), cbs=(room,)))
        return int(out.to_numpy().sum())


if __name__ == "__main__":
    try:
        print({"library": of_library, "program": of_program}[sys.argv[1]](int(sys.argv[2])))
    except TilesmithError as error:
        sys.exit(f"{type(error).__name__}: {error}")
