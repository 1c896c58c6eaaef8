"""Compile PyTorch models and TileLang kernels into Tenstorrent programs, and run them on any computer."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Each name is imported when first used: `import tilesmith` is quick and needs neither numpy nor torch.
_HOMES = {
    "tilesmith.arch": ("Arch", "load_arch"),
    "tilesmith.formats": (
        "DataFormat",
        "TileShape",
        "bfloat2_b",
        "bfloat4_b",
        "bfloat8_b",
        "bfloat16",
        "float16",
        "float32",
        "int32",
        "tile_bytes",
        "uint8",
        "uint16",
        "uint32",
    ),
    "tilesmith.program": (
        "CBFormat",
        "CircularBuffer",
        "ComputeConfig",
        "CoreCoord",
        "CoreRange",
        "CoreRangeSet",
        "DataMovementConfig",
        "Kernel",
        "MathFidelity",
        "Processor",
        "Program",
        "ReaderConfig",
        "Semaphore",
        "SourceType",
        "WriterConfig",
        "check_program",
        "corerange_to_cores",
        "num_cores_to_corerangeset",
        "split_work_to_cores",
    ),
    "tilesmith.runtime": (
        "DRAM_MEMORY_CONFIG",
        "L1_MEMORY_CONFIG",
        "ROW_MAJOR_LAYOUT",
        "TILE_LAYOUT",
        "BufferType",
        "Device",
        "MemoryConfig",
        "RunReport",
        "ShardOrientation",
        "ShardSpec",
        "Tensor",
        "TensorAccessorArgs",
        "TensorMemoryLayout",
        "block_sharded",
        "cb_from_sharded_tensor",
        "height_sharded",
        "open_device",
        "width_sharded",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("arch", "emulator", "errors", "formats", "program", "runtime", "settings")

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    elif name in _MODULES:
        value = import_module(f"tilesmith.{name}")
    else:
        raise AttributeError(f"module 'tilesmith' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF, *_MODULES})
