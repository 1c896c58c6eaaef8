"""Bytes that nothing has written may be moved and computed with, if no element of a tensor depends on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from tests.findings.programs import BF16_TILE, COMPUTE, DATAFLOW

import tilesmith
from tilesmith.errors import KernelFindings
from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
    WriterConfig,
)
from tilesmith.runtime import Device, Tensor, TensorAccessorArgs, cb_from_sharded_tensor, height_sharded

CORE = CoreCoord(0, 0)
UPPER = BF16_TILE // 2  # the two upper faces of a tile: rows 0 to 15

# The reader fills the first bytes of a page, and leaves the rest as it is.
READER = f"""{DATAFLOW}
void kernel_main() {{
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    noc_async_read(tensor.get_noc_addr(0), get_write_ptr(0), get_arg_val<uint32_t>(2));
    noc_async_read_barrier();
    cb_push_back(0, 1);
}}
"""
WRITER = f"""{DATAFLOW}
void kernel_main() {{
    const auto tensor = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(1));
    cb_wait_front(16, 1);
    noc_async_write_page(0, tensor, get_read_ptr(16));
    noc_async_write_barrier();
    cb_pop_front(16, 1);
}}
"""
HEADERS = f"""{COMPUTE}
#include "api/compute/bcast.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/where.h"
#include "api/compute/matmul.h"
#include "api/compute/reduce.h"
#include "api/compute/transpose_wh.h"
"""


def compute(init: str, tile: str, end: str = "") -> str:
    return f"""{HEADERS}
void kernel_main() {{
    compute_kernel_hw_startup(0, 0, 16);
    {init}
    cb_wait_front(0, 1);
    tile_regs_acquire();
    {tile}
    tile_regs_commit();
    cb_pop_front(0, 1);
    cb_reserve_back(16, 1);
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    {end}
}}
"""


# Each with the rows of its result that do not depend on rows 16 to 31 of its operand, if any.
OPERATIONS = {
    "copy": (compute("copy_tile_to_dst_init_short(0);", "copy_tile(0, 0, 0);"), 16),
    "square": (compute("mul_init(0, 0);", "mul_tiles(0, 0, 0, 0, 0);"), 16),
    "exp": (
        compute("copy_tile_to_dst_init_short(0); exp_tile_init();", "copy_tile(0, 0, 0); exp_tile(0);"),
        16,
    ),
    "two tiles on the vector unit": (
        compute(
            "copy_tile_to_dst_init_short(0); add_binary_tile_init();",
            "copy_tile(0, 0, 0); copy_tile(0, 0, 1); add_binary_tile(0, 1, 0);",
        ),
        16,
    ),
    "product": (compute("mm_init(0, 0, 16);", "matmul_tiles(0, 0, 0, 0, 0);"), 0),
    "transpose": (compute("transpose_wh_init(0, 16);", "transpose_wh_tile(0, 0, 0);"), 0),
}


@pytest.fixture(params=["wormhole", "blackhole"], scope="module")
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    with tilesmith.open_device(request.param) as opened:
        yield opened


def bf16(device: Device, values: torch.Tensor) -> Tensor:
    return device.from_torch(values, dtype=DataFormat.Float16_b)


def run(
    device: Device,
    out: Tensor,
    source: str = OPERATIONS["square"][0],
    read: int = UPPER,
    x: Tensor | None = None,
    out_format: DataFormat = DataFormat.Float16_b,
) -> None:
    x = x if x is not None else bf16(device, torch.ones(32, 32))
    args = {CORE: (x.address, out.address, read)}
    accessors = {"reader": x, "writer": out}
    texts = {"reader": READER, "writer": WRITER} if not out.buffer.is_sharded else {"reader": READER}
    kernels = [
        Kernel(
            text,
            CORE,
            ReaderConfig() if part == "reader" else WriterConfig(),
            SourceType.SOURCE_CODE,
            compile_time_args=TensorAccessorArgs(accessors[part]).get_compile_time_args(),
            runtime_args=args,
            name=part,
        )
        for part, text in texts.items()
    ]
    kernels.append(Kernel(source, CORE, ComputeConfig(), SourceType.SOURCE_CODE, name="compute"))
    cbs = [CircularBuffer(BF16_TILE, CORE, CBFormat(0, DataFormat.Float16_b, BF16_TILE))]
    if out.buffer.is_sharded:
        cbs.append(cb_from_sharded_tensor(16, out))
    else:
        cbs.append(
            CircularBuffer(tile_bytes(out_format), CORE, CBFormat(16, out_format, tile_bytes(out_format)))
        )
    device.run(Program(kernels=kernels, cbs=cbs))


def found(device: Device, out: Tensor, **how: object) -> KernelFindings:
    with pytest.raises(KernelFindings) as caught:
        run(device, out, **how)  # type: ignore[arg-type]
    assert {finding.check for finding in caught.value.findings} == {"mem.uninitialised"}
    return caught.value


@pytest.mark.parametrize("name", OPERATIONS)
def test_padding_may_hold_anything(device: Device, name: str) -> None:
    source, rows = OPERATIONS[name]
    if rows:
        out = device.empty((rows, 32))
        run(device, out, source)
        assert torch.isfinite(out.to_torch().float()).all()
    found(device, device.empty((rows + 1, 32)), source=source)


def test_the_finding_names_where_it_is_stored_and_where_it_was_read(device: Device) -> None:
    (finding,) = found(device, device.empty((32, 32))).findings
    assert finding.kernel == "writer"
    assert finding.line == WRITER[: WRITER.index("noc_async_write_page")].count("\n") + 1
    assert "first read at compute:" in finding.message


@pytest.mark.parametrize("block", [DataFormat.Bfp8_b, DataFormat.Bfp4_b, DataFormat.Float32])
def test_in_other_formats(device: Device, block: DataFormat) -> None:
    source = OPERATIONS["copy"][0]
    run(device, device.empty((16, 32), dtype=block), source, out_format=block)
    found(device, device.empty((17, 32), dtype=block), source=source, out_format=block)


def test_in_a_shard(device: Device) -> None:
    memory = height_sharded(CORE, (32, 32))
    run(device, device.empty((16, 32), memory_config=memory))
    found(device, device.empty((17, 32), memory_config=memory))


def test_it_stays_undefined_in_dram(device: Device) -> None:
    between = device.empty((16, 32))
    run(device, between)
    run(device, device.empty((16, 32)), x=between, read=BF16_TILE)
    found(device, device.empty((17, 32)), x=between, read=BF16_TILE)
    between.copy_from_numpy(torch.ones(16, 32).numpy())  # padding becomes zero
    run(device, device.empty((32, 32)), x=between, read=BF16_TILE)


def test_a_select_takes_only_what_it_chooses(device: Device) -> None:
    # Where x > 0 in the upper half; the condition is defined everywhere, and false below.
    source = compute(
        "copy_tile_to_dst_init_short(0); where_tile_init();",
        "copy_tile(0, 0, 0); copy_tile(1, 0, 1); copy_tile(2, 0, 2); where_tile(1, 0, 2, 0);",
        "cb_pop_front(1, 1); cb_pop_front(2, 1);",
    ).replace("cb_wait_front(0, 1);", "cb_wait_front(0, 1); cb_wait_front(1, 1); cb_wait_front(2, 1);")
    condition = torch.zeros(32, 32)
    condition[:16] = 1
    mask = bf16(device, condition)
    other = bf16(device, torch.full((32, 32), 2.0))
    x = bf16(device, torch.ones(32, 32))
    out = device.empty((32, 32))
    reader = READER.replace(
        "    cb_reserve_back(0, 1);",
        """    for (uint32_t i = 1; i < 3; ++i) {
        const auto more = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(2 + i));
        cb_reserve_back(i, 1);
        noc_async_read_page(0, more, get_write_ptr(i));
        noc_async_read_barrier();
        cb_push_back(i, 1);
    }
    cb_reserve_back(0, 1);""",
    )
    args = {CORE: (x.address, out.address, UPPER, mask.address, other.address)}
    words = TensorAccessorArgs(x).get_compile_time_args()
    kernels = [
        Kernel(
            reader, CORE, ReaderConfig(), SourceType.SOURCE_CODE, compile_time_args=words, runtime_args=args
        ),
        Kernel(
            WRITER, CORE, WriterConfig(), SourceType.SOURCE_CODE, compile_time_args=words, runtime_args=args
        ),
        Kernel(source, CORE, ComputeConfig(), SourceType.SOURCE_CODE),
    ]
    cbs = [
        CircularBuffer(BF16_TILE, CORE, CBFormat(i, DataFormat.Float16_b, BF16_TILE)) for i in (0, 1, 2, 16)
    ]
    device.run(Program(kernels=kernels, cbs=cbs))
    assert (out.to_torch() == torch.where(condition == 1, 1.0, 2.0)).all()


def test_a_risc_that_loads_it_is_told_at_once(device: Device) -> None:
    reader = READER.replace(
        "noc_async_read_barrier();",
        "noc_async_read_barrier();\n"
        "    ASSERT(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0))[500] != 1);",
    )
    x, out = bf16(device, torch.ones(32, 32)), device.empty((16, 32))
    kernel = Kernel(
        reader,
        CORE,
        ReaderConfig(),
        SourceType.SOURCE_CODE,
        compile_time_args=TensorAccessorArgs(x).get_compile_time_args(),
        runtime_args={CORE: (x.address, out.address, UPPER)},
        name="reader",
    )
    cbs = [CircularBuffer(BF16_TILE, CORE, CBFormat(0, DataFormat.Float16_b, BF16_TILE))]
    with pytest.raises(KernelFindings) as caught:
        device.run(Program(kernels=[kernel], cbs=cbs))
    assert [finding.check for finding in caught.value.findings] == ["mem.uninitialised"]
