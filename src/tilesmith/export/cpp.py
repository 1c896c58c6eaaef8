"""Pieces of C++ for the host program: the values of a plan as initialisers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tilesmith.export.plan import ExportedTensor, Word
from tilesmith.program import (
    ComputeConfig,
    CoreCoord,
    CoreRangeSet,
    KernelConfig,
    ReaderConfig,
    WriterConfig,
)
from tilesmith.runtime import Layout


def cores(value: CoreRangeSet) -> str:
    """
    >>> cores(CoreRangeSet.of(CoreCoord(1, 2)))
    'metal::CoreRangeSet(std::vector<metal::CoreRange>{metal::CoreRange({1, 2}, {1, 2})})'
    """
    boxes = ", ".join(f"metal::CoreRange({core(one.start)}, {core(one.end)})" for one in value.ranges)
    return f"metal::CoreRangeSet(std::vector<metal::CoreRange>{{{boxes}}})"


def core(value: CoreCoord) -> str:
    return f"{{{value.x}, {value.y}}}"


def word(value: Word) -> str:
    """
    >>> word(Word(64, tensor=2)), word(Word(7))
    ('address(tensors[2]) + 64', '7')
    """
    if value.tensor is None:
        return str(value.value)
    offset = f" + {value.value}" if value.value else ""
    return f"address(tensors[{value.tensor}]){offset}"


def words(values: Iterable[Word]) -> str:
    return ", ".join(map(word, values))


def numbers(values: Iterable[int]) -> str:
    return ", ".join(map(str, values))


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def config(value: KernelConfig) -> str:
    """Statements that give `kernel` its configuration."""
    if isinstance(value, ComputeConfig):
        return _compute(value)
    if value == ReaderConfig():
        return "kernel.config = ReaderConfigDescriptor{};"
    if value == WriterConfig():
        return "kernel.config = WriterConfigDescriptor{};"
    return (
        "kernel.config = DataMovementConfigDescriptor{"
        f".processor = DataMovementProcessor::RISCV_{int(value.processor)}, .noc = NOC::NOC_{value.noc}}};"
    )


def _compute(value: ComputeConfig) -> str:
    lines = [
        "ComputeConfigDescriptor config;",
        f"config.math_fidelity = metal::MathFidelity::{value.math_fidelity.name};",
    ]
    flags = ("fp32_dest_acc_en", "dst_full_sync_en", "bfp8_pack_precise", "math_approx_mode")
    lines += [f"config.{flag} = true;" for flag in flags if getattr(value, flag)]
    if value.unpack_to_dest_fp32:
        lines.append(
            "config.unpack_to_dest_mode.assign(NUM_CIRCULAR_BUFFERS, metal::UnpackToDestMode::Default);"
        )
        lines += [
            f"config.unpack_to_dest_mode[{index}] = metal::UnpackToDestMode::UnpackToDestFp32;"
            for index in value.unpack_to_dest_fp32
        ]
    return "\n        ".join([*lines, "kernel.config = config;"])


def memory(tensor: ExportedTensor) -> str:
    """The arguments of `make_tensor` after the device."""
    spec = tensor.spec
    place = spec.memory_config.buffer_type.name
    head = f"{spec.num_pages}, {spec.page_size}, BufferType::{place}"
    shards = spec.memory_config.shard_spec
    if shards is None:
        return head
    layout = f"TensorMemoryLayout::{spec.memory_config.memory_layout.name}"
    break_line = ",\n            "
    return f"{head}, BufferShardingArgs({break_line.join((_distribution(tensor), _shards(tensor), layout))})"


def _page_shape(tensor: ExportedTensor) -> tuple[int, int]:
    spec = tensor.spec
    if spec.layout is Layout.TILE:
        return spec.tile.rows, spec.tile.cols
    return 1, spec.height_width[1] // spec.page_grid[1]


def _distribution(tensor: ExportedTensor) -> str:
    spec = tensor.spec
    shards = spec.memory_config.shard_spec
    assert shards is not None
    return (
        "BufferDistributionSpec("
        f"Shape({{{numbers(spec.page_grid)}}}), Shape({{{numbers(spec.shard_grid)}}}), {cores(shards.grid)}, "
        f"ShardOrientation::{shards.orientation.name})"
    )


def _shards(tensor: ExportedTensor) -> str:
    spec = tensor.spec
    shards = spec.memory_config.shard_spec
    assert shards is not None
    return (
        f"ShardSpecBuffer({cores(shards.grid)}, {{{numbers(shards.shape)}}}, "
        f"ShardOrientation::{shards.orientation.name}, {{{numbers(_page_shape(tensor))}}}, "
        f"{{{numbers(spec.page_grid)}}})"
    )


def tile(value: Any) -> str:
    return f"TileDescriptor({value.rows}, {value.cols}, false)"


def pairs(values: Sequence[tuple[str, object]]) -> str:
    def shown(value: object) -> str:
        return quoted(value) if isinstance(value, str) else str(value)

    return ", ".join(f"{{{quoted(name)}, {shown(value)}}}" for name, value in values)


FILTERS: Mapping[str, Callable[..., str]] = {
    "cores": cores,
    "core": core,
    "words": words,
    "numbers": numbers,
    "quoted": quoted,
    "config": config,
    "memory": memory,
    "tile": tile,
    "pairs": pairs,
}
