"""Runs snippets of compute code on one core: all input tiles are there, each snippet makes an output tile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tilesmith.formats import DataFormat, TileShape, tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRange,
    CoreRangeSet,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
    WriterConfig,
)
from tilesmith.runtime import Device, RunReport, TensorAccessorArgs

CORE = CoreCoord(0, 0)
CORES = CoreRangeSet([CoreRange(CORE, CORE)])
OUT = 16

INCLUDES = "".join(
    f'#include "api/compute/{name}.h"\n'
    for name in (
        "common",
        "matmul",
        "eltwise_binary",
        "bcast",
        "reduce",
        "tile_move_copy",
        "transpose",
        "transpose_dest",
        "eltwise_unary/eltwise_unary",
    )
)


@dataclass(frozen=True)
class Input:
    """The tiles of one input circular buffer; buffers are numbered in the order given."""

    values: NDArray[Any]
    data_format: DataFormat = DataFormat.Float16_b
    tile: TileShape = TileShape()

    @property
    def tiles(self) -> int:
        return self.values.size // (self.tile.rows * self.tile.cols)


def run_snippets(
    device: Device,
    inputs: Sequence[Input],
    snippets: Sequence[str],
    out_format: DataFormat = DataFormat.Float16_b,
    config: ComputeConfig | None = None,
    numbers: Literal["chip", "fast"] = "chip",
    start: str = "compute_kernel_hw_startup(0, 0, 16);",
    tile: TileShape | None = None,
) -> NDArray[Any]:
    """The output tiles, one per snippet, as [snippets, rows, cols]."""
    return run_timed(device, inputs, snippets, out_format, config, numbers, start, tile)[0]


def run_timed(
    device: Device,
    inputs: Sequence[Input],
    snippets: Sequence[str],
    out_format: DataFormat = DataFormat.Float16_b,
    config: ComputeConfig | None = None,
    numbers: Literal["chip", "fast"] = "chip",
    start: str = "compute_kernel_hw_startup(0, 0, 16);",
    tile: TileShape | None = None,
) -> tuple[NDArray[Any], RunReport]:
    """The output tiles, and what the run took."""
    shape = tile or TileShape()
    tensors = [device.from_numpy(one.values, one.data_format, tile=one.tile) for one in inputs]
    out = device.empty((len(snippets), shape.rows, shape.cols), out_format, tile=shape)
    page = tile_bytes(out_format, shape)
    program = Program(
        kernels=(
            Kernel(
                _reader(inputs),
                CORES,
                ReaderConfig(),
                SourceType.SOURCE_CODE,
                tuple(
                    word for tensor in tensors for word in TensorAccessorArgs(tensor).get_compile_time_args()
                ),
                runtime_args={CORE: tuple(tensor.address for tensor in tensors)},
            ),
            Kernel(
                _compute(inputs, snippets, start), CORES, config or ComputeConfig(), SourceType.SOURCE_CODE
            ),
            Kernel(
                _writer(len(snippets)),
                CORES,
                WriterConfig(),
                SourceType.SOURCE_CODE,
                tuple(TensorAccessorArgs(out).get_compile_time_args()),
                runtime_args={CORE: (out.address,)},
            ),
        ),
        cbs=(*(_buffer(cb, one) for cb, one in enumerate(inputs)), _output(page, out_format, shape)),
    )
    report = device.run(program, numbers=numbers)
    return np.asarray(out.to_numpy()), report


def _reader(inputs: Sequence[Input]) -> str:
    reads = "".join(_read(cb, one.tiles) for cb, one in enumerate(inputs))
    body = _accessors(len(inputs)) + reads
    return f'#include "api/dataflow/dataflow_api.h"\nvoid kernel_main() {{\n{body}}}\n'


def _accessors(count: int) -> str:
    lines = ["    constexpr auto args0 = TensorAccessorArgs<0>();\n"]
    for cb in range(1, count):
        offset = f"args{cb - 1}.next_compile_time_args_offset()"
        lines.append(f"    constexpr auto args{cb} = TensorAccessorArgs<{offset}>();\n")
    return "".join(lines)


def _read(cb: int, tiles: int) -> str:
    return f"""
    const auto in{cb} = TensorAccessor(args{cb}, get_arg_val<uint32_t>({cb}));
    cb_reserve_back({cb}, {tiles});
    for (uint32_t i = 0; i < {tiles}; ++i) {{
        noc_async_read_page(i, in{cb}, get_write_ptr({cb}) + i * get_tile_size({cb}));
    }}
    noc_async_read_barrier();
    cb_push_back({cb}, {tiles});
"""


def _compute(inputs: Sequence[Input], snippets: Sequence[str], start: str) -> str:
    waits = "".join(f"    cb_wait_front({cb}, {one.tiles});\n" for cb, one in enumerate(inputs))
    pops = "".join(f"    cb_pop_front({cb}, {one.tiles});\n" for cb, one in enumerate(inputs))
    steps = "".join(
        f"""
    cb_reserve_back({OUT}, 1);
    tile_regs_acquire();
    {snippet}
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, {OUT});
    tile_regs_release();
    cb_push_back({OUT}, 1);
"""
        for snippet in snippets
    )
    return f"{INCLUDES}void kernel_main() {{\n    {start}\n{waits}{steps}{pops}}}\n"


def _writer(tiles: int) -> str:
    return f"""
#include "api/dataflow/dataflow_api.h"
void kernel_main() {{
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0));
    for (uint32_t i = 0; i < {tiles}; ++i) {{
        cb_wait_front({OUT}, 1);
        noc_async_write_page(i, out, get_read_ptr({OUT}));
        noc_async_write_barrier();
        cb_pop_front({OUT}, 1);
    }}
}}
"""


def _buffer(cb: int, one: Input) -> CircularBuffer:
    page = tile_bytes(one.data_format, one.tile)
    return CircularBuffer(one.tiles * page, CORES, (CBFormat(cb, one.data_format, page, one.tile),))


def _output(page: int, data_format: DataFormat, shape: TileShape) -> CircularBuffer:
    return CircularBuffer(2 * page, CORES, (CBFormat(OUT, data_format, page, shape),))
