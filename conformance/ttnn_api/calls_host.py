"""Calls between host and device, of operations that make tensors, and of programs of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.ttnn_api.call import Call, Fact, Kit, calls_of

_SHAPE = [1, 8, 8, 32]

_PREPARE: dict[str, Callable[[Kit], Fact]] = {
    "bilinear": lambda k: k.call(k.host(2, 3, 5, 2), _SHAPE),
    "nearest": lambda k: k.call(k.host(2, 3, 5, 2), _SHAPE, mode="nearest"),
    "on a device": lambda k: k.call(k.rows(1, 2, 2, 2, dtype="float32"), _SHAPE),
    "three dimensions": lambda k: k.call(k.host(2, 2, 2), _SHAPE),
    "three values": lambda k: k.call(k.host(1, 2, 2, 3), _SHAPE),
    "a shape of three": lambda k: k.call(k.host(1, 2, 2, 2), [8, 8, 32]),
    "float32 asked for": lambda k: k.call(k.host(1, 2, 2, 2), _SHAPE, output_dtype=k.lib.float32),
    "bfloat16": lambda k: k.call(k.host(1, 2, 2, 2, dtype="bfloat16"), _SHAPE),
    "border": lambda k: k.call(k.host(1, 2, 2, 2), _SHAPE, padding_mode="border"),
    "an unknown mode": lambda k: k.call(k.host(1, 2, 2, 2), _SHAPE, mode="bicubic"),
}


def _generic(tensors: int, page_bytes: int = 2048, index: int = 0) -> Callable[[Kit], Fact]:
    """A program with an empty kernel and one circular buffer."""

    def make(kit: Kit) -> Fact:
        return kit.call([kit.t(32, 32) for _ in range(tensors)], _program(kit, page_bytes, index))

    return make


def _program(kit: Kit, page_bytes: int, index: int) -> Any:
    lib = kit.lib
    cores = lib.CoreRangeSet([lib.CoreRange(lib.CoreCoord(0, 0), lib.CoreCoord(0, 0))])
    kernel = lib.KernelDescriptor(
        kernel_source="void kernel_main() {}",
        source_type=lib.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores,
        compile_time_args=[],
        runtime_args=[],
        config=lib.ReaderConfigDescriptor(),
    )
    format_ = lib.CBFormatDescriptor(buffer_index=index, data_format=lib.bfloat16, page_size=page_bytes)
    buffer = lib.CBDescriptor(total_size=4096, core_ranges=cores, format_descriptors=[format_])
    return lib.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[buffer])


HOST: list[Call] = [
    *calls_of("to_device", {"host tensor": lambda k: k.call(k.host(2, 32), k.device)}),
    *calls_of(
        "from_device",
        {"tiles": lambda k: k.call(k.t(32, 64)), "row major": lambda k: k.call(k.rows(3, 5))},
    ),
    *calls_of(
        "empty",
        {
            "row major": lambda k: k.call([2, 3], k.lib.bfloat16, k.lib.ROW_MAJOR_LAYOUT, k.device),
            "tiles in L1": lambda k: k.call([2, 33], k.lib.float32, k.lib.TILE_LAYOUT, k.device, k.l1),
        },
    ),
    *calls_of(
        "rand",
        {
            "row major": lambda k: k.call([32, 32], k.device, layout=k.lib.ROW_MAJOR_LAYOUT),
            "tiles": lambda k: k.call([32, 64], k.device),
        },
    ),
    *calls_of("prepare_grid_sample_grid", _PREPARE),
    *calls_of(
        "generic_op",
        {
            "two tensors": _generic(2),
            "one tensor": _generic(1),
            "pages that do not divide": _generic(2, page_bytes=3000),
            "buffer 32": _generic(2, index=32),
        },
    ),
]
