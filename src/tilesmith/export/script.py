"""Pieces of Python for the ttnn script: the values of a plan as calls of ttnn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tilesmith.export.plan import CompileTimePart, ExportedTensor, Word
from tilesmith.program import (
    ComputeConfig,
    CoreCoord,
    CoreRangeSet,
    KernelConfig,
    ReaderConfig,
    WriterConfig,
)
from tilesmith.runtime import Layout
from tilesmith.runtime.ttnn_translate import dtype_name


def cores(value: CoreRangeSet) -> str:
    """
    >>> cores(CoreRangeSet.of(CoreCoord(1, 2)))
    'cores((1, 2, 1, 2))'
    """
    return f"cores({', '.join(str((*one.start, *one.end)) for one in value.ranges)})"


def core(value: CoreCoord) -> str:
    return f"ttnn.CoreCoord({value.x}, {value.y})"


def word(value: Word) -> str:
    if value.tensor is None:
        return str(value.value)
    offset = f" + {value.value}" if value.value else ""
    return f"tensors[{value.tensor}].buffer_address(){offset}"


def words(values: Iterable[Word]) -> str:
    return f"[{', '.join(map(word, values))}]"


def compile_time(parts: Iterable[CompileTimePart]) -> str:
    """
    >>> compile_time([CompileTimePart((1, 2)), CompileTimePart(tensor=0)])
    '[1, 2, *accessor(tensors[0])]'
    """
    pieces = [
        ", ".join(map(str, part.words)) if part.tensor is None else f"*accessor(tensors[{part.tensor}])"
        for part in parts
    ]
    return f"[{', '.join(pieces)}]"


def config(value: KernelConfig) -> str:
    if isinstance(value, ComputeConfig):
        return _compute(value)
    if value == ReaderConfig():
        return "ttnn.ReaderConfigDescriptor()"
    if value == WriterConfig():
        return "ttnn.WriterConfigDescriptor()"
    return (
        f"ttnn.DataMovementConfigDescriptor(processor=ttnn.DataMovementProcessor({int(value.processor)}),"
        f" noc=ttnn.NOC({value.noc}))"
    )


def _compute(value: ComputeConfig) -> str:
    flags = ("math_approx_mode", "fp32_dest_acc_en", "dst_full_sync_en", "bfp8_pack_precise")
    given = [f"math_fidelity=ttnn.MathFidelity.{value.math_fidelity.name}"]
    given += [f"{flag}=True" for flag in flags if getattr(value, flag)]
    result = f"ttnn.ComputeConfigDescriptor({', '.join(given)})"
    if not value.unpack_to_dest_fp32:
        return result
    return f"unpacked_to_dest({result}, {list(value.unpack_to_dest_fp32)})"


def spec(tensor: ExportedTensor) -> str:
    """The call of ttnn.TensorSpec for a tensor."""
    entry = tensor.spec
    memory = entry.memory_config
    layout = "TILE_LAYOUT" if entry.layout is Layout.TILE else "ROW_MAJOR_LAYOUT"
    given = [
        f"ttnn.Shape({list(entry.shape)})",
        f"ttnn.{dtype_name(entry.dtype)}",
        f"ttnn.{layout}",
    ]
    if memory.shard_spec is not None:
        shards = memory.shard_spec
        orientation = f"ttnn.ShardOrientation.{shards.orientation.name}"
        given += [
            f"memory_layout=ttnn.TensorMemoryLayout.{memory.memory_layout.name}",
            f"shard_spec=ttnn.ShardSpec({cores(shards.grid)}, {list(shards.shape)}, {orientation})",
        ]
    given += [
        f"buffer_type=ttnn.BufferType.{memory.buffer_type.name}",
        f"tile=ttnn.Tile(({entry.tile.rows}, {entry.tile.cols}))",
    ]
    return f"ttnn.TensorSpec({', '.join(given)})"


def form(value: Any) -> str:
    tile = f", ttnn.TileDescriptor({value.tile.rows}, {value.tile.cols})" if value.tile is not None else ""
    dtype = f"ttnn.{dtype_name(value.data_format)}"
    return f"ttnn.CBFormatDescriptor({value.buffer_index}, {dtype}, {value.page_size}{tile})"


def python(value: Any) -> str:
    return repr(value)


FILTERS: Mapping[str, Callable[..., str]] = {
    "cores": cores,
    "core": core,
    "words": words,
    "compile_time": compile_time,
    "config": config,
    "spec": spec,
    "form": form,
    "python": python,
}
