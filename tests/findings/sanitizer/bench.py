"""Data-movement kernels given as the body of kernel_main: what the vendor's sanitizer is tried on.

The cases beside this file are those of tt-metal's tests/tt_metal/tt_metal/api/emule, written anew. Kernels
fill what they read, end with their barriers and balance their circular buffers, but for what a case is about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from tilesmith import settings
from tilesmith.errors import KernelFindings
from tilesmith.formats import DataFormat
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    CoreCoord,
    CoreRange,
    Kernel,
    Program,
    ReaderConfig,
    Semaphore,
    SourceType,
    WriterConfig,
)
from tilesmith.runtime import Device, Layout, RunReport, Tensor, TensorAccessorArgs, height_sharded

CORE = CoreCoord(0, 0)
PAGE = 1024
INCLUDES = """
#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/noc_semaphore.h"
#include "api/debug/assert.h"
using Words = volatile tt_l1_ptr uint32_t*;
Words words_at(uint32_t address) { return reinterpret_cast<Words>(address); }
"""


def run(
    device: Device,
    body: str | Mapping[str, str],
    args: Sequence[int] = (),
    *,
    pages: int = 2,
    cbs: Sequence[CircularBuffer] = (),
    semaphores: int = 0,
    accessor: Tensor | None = None,
    checks: str | None = None,
) -> RunReport:
    """Run a body as the reader, or bodies by role ("reader", "writer", "receiver" on the next core)."""
    bodies = {"reader": body} if isinstance(body, str) else body
    place = {"reader": CORE, "writer": CORE, "receiver": CoreCoord(1, 0)}
    kernels = [
        Kernel(
            f"{INCLUDES}void kernel_main() {{\n{text}\n}}\n",
            place[role],
            WriterConfig() if role == "writer" else ReaderConfig(),
            SourceType.SOURCE_CODE,
            compile_time_args=TensorAccessorArgs(accessor).get_compile_time_args() if accessor else (),
            runtime_args={place[role]: tuple(args)},
            name=role,
        )
        for role, text in bodies.items()
    ]
    cores = CoreRange(CORE, CoreCoord(1, 0))
    if pages:
        cbs = [*cbs, CircularBuffer(pages * PAGE, cores, CBFormat(0, DataFormat.Float16_b, PAGE))]
    program = Program(
        kernels=kernels, cbs=cbs, semaphores=[Semaphore(number, cores) for number in range(semaphores)]
    )
    with settings.using(checks=checks or settings.current().checks):
        return device.run(program)


def finds(
    device: Device, check: str, body: str | Mapping[str, str], args: Sequence[int] = (), **how: object
) -> None:
    """The run names this check, at a line of the kernel."""
    with pytest.raises(KernelFindings) as caught:
        run(device, body, args, **how)  # type: ignore[arg-type]
    named = [finding for finding in caught.value.findings if finding.check == check]
    assert named, [str(finding) for finding in caught.value.findings]
    assert named[0].line > 0


def l1_tensor(device: Device, size: int = PAGE) -> Tensor:
    """Bytes in the L1 of core (0, 0), zero."""
    words = np.zeros((1, size // 4), np.uint32)
    memory = height_sharded(CORE, words.shape)
    return device.from_numpy(words, layout=Layout.ROW_MAJOR, memory_config=memory)


def dram_tensor(device: Device, size: int = PAGE) -> Tensor:
    """One page in DRAM, zero."""
    return device.from_numpy(np.zeros((1, size // 4), np.uint32), layout=Layout.ROW_MAJOR)
