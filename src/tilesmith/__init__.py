"""Compile PyTorch models and TileLang kernels into Tenstorrent programs, and run them on any computer."""

from __future__ import annotations

from importlib import import_module

from tilesmith import moved_modules
from tilesmith.version import __version__ as __version__

TYPE_CHECKING = False  # as mypy reads it; importing typing would take longer than all the rest of this file

if TYPE_CHECKING:
    from typing import Any

    from tilesmith.arch import (
        Arch,
        load_arch,
    )
    from tilesmith.compiler.compile import (
        CompiledKernel,
    )
    from tilesmith.compiler.jit import (
        jit,
    )
    from tilesmith.compiler.tilelang_backend import (
        redirect_tilelang,
        register_tilelang_backend,
    )
    from tilesmith.formats import (
        DataFormat,
        TileShape,
        bfloat2_b,
        bfloat4_b,
        bfloat8_b,
        bfloat16,
        float16,
        float32,
        int32,
        tile_bytes,
        uint8,
        uint16,
        uint32,
    )
    from tilesmith.models.backends import (
        Backend,
    )
    from tilesmith.models.compile import (
        compile,  # noqa: A004 - the name users look for
    )
    from tilesmith.models.compiled_model import (
        CompiledModel,
        Compiler,
        CompilerConfig,
        compile_model,
    )
    from tilesmith.models.custom_ops.attention import (
        attention,
    )
    from tilesmith.models.custom_ops.matmul import (
        matmul,
    )
    from tilesmith.models.custom_ops.norms import (
        layer_norm,
        rms_norm,
    )
    from tilesmith.models.custom_ops.softmax import (
        softmax,
    )
    from tilesmith.models.decorators import (
        fuse_ops,
        optimize_layout,
    )
    from tilesmith.models.profile import (
        profile,
    )
    from tilesmith.models.strategy import (
        OptimizationStrategy,
        TenstorrentStrategy,
    )
    from tilesmith.profiling import (
        MemoryProfiler,
        PerformanceMonitor,
        PerformanceProfiler,
        Profile,
    )
    from tilesmith.program import (
        CBFormat,
        CircularBuffer,
        ComputeConfig,
        CoreCoord,
        CoreRange,
        CoreRangeSet,
        DataMovementConfig,
        Kernel,
        MathFidelity,
        Processor,
        Program,
        ReaderConfig,
        Semaphore,
        SourceType,
        WriterConfig,
        check_program,
        corerange_to_cores,
        num_cores_to_corerangeset,
        split_work_to_cores,
    )
    from tilesmith.runtime import (
        DRAM_MEMORY_CONFIG,
        L1_MEMORY_CONFIG,
        ROW_MAJOR_LAYOUT,
        TILE_LAYOUT,
        BufferType,
        Device,
        MemoryConfig,
        Mesh,
        MeshTensor,
        RunReport,
        ShardOrientation,
        ShardSpec,
        Tensor,
        TensorAccessorArgs,
        TensorMemoryLayout,
        block_sharded,
        cb_from_sharded_tensor,
        height_sharded,
        open_device,
        open_mesh,
        width_sharded,
    )

__all__ = [
    "DRAM_MEMORY_CONFIG",
    "L1_MEMORY_CONFIG",
    "ROW_MAJOR_LAYOUT",
    "TILE_LAYOUT",
    "Arch",
    "Backend",
    "BufferType",
    "CBFormat",
    "CircularBuffer",
    "CompiledKernel",
    "CompiledModel",
    "Compiler",
    "CompilerConfig",
    "ComputeConfig",
    "CoreCoord",
    "CoreRange",
    "CoreRangeSet",
    "DataFormat",
    "DataMovementConfig",
    "Device",
    "Kernel",
    "MathFidelity",
    "MemoryConfig",
    "MemoryProfiler",
    "Mesh",
    "MeshTensor",
    "OptimizationStrategy",
    "PerformanceMonitor",
    "PerformanceProfiler",
    "Processor",
    "Profile",
    "Program",
    "ReaderConfig",
    "RunReport",
    "Semaphore",
    "ShardOrientation",
    "ShardSpec",
    "SourceType",
    "Tensor",
    "TensorAccessorArgs",
    "TensorMemoryLayout",
    "TenstorrentStrategy",
    "TileShape",
    "WriterConfig",
    "attention",
    "bfloat2_b",
    "bfloat4_b",
    "bfloat8_b",
    "bfloat16",
    "block_sharded",
    "cb_from_sharded_tensor",
    "check_program",
    "compile",
    "compile_model",
    "corerange_to_cores",
    "float16",
    "float32",
    "fuse_ops",
    "height_sharded",
    "int32",
    "jit",
    "layer_norm",
    "load_arch",
    "matmul",
    "num_cores_to_corerangeset",
    "open_device",
    "open_mesh",
    "optimize_layout",
    "profile",
    "redirect_tilelang",
    "register_tilelang_backend",
    "rms_norm",
    "softmax",
    "split_work_to_cores",
    "tile_bytes",
    "uint8",
    "uint16",
    "uint32",
    "width_sharded",
]

# Names are imported when first used: `import tilesmith` is quick and needs neither numpy nor torch.
# The compiler comes last: it needs xdsl, which those who write kernels by hand do not wait for.
_HOMES = (
    "arch",
    "formats",
    "program",
    "runtime",
    "profiling",
    "compiler.jit",
    "compiler.compile",
    "models.compile",
    "models.profile",
    "models.compiled_model",
    "models.decorators",
    "models.backends",
    "models.strategy",
    "models.custom_ops",
    "compiler.tilelang_backend",
)
_MODULES = (
    "arch",
    "formats",
    "program",
    "runtime",
    "profiling",
    "compiler",
    "dashboard",
    "emulator",
    "errors",
    "models",
    "settings",
    "testing",
    "ttnn",
)

moved_modules.install()


def __getattr__(name: str) -> Any:
    if name not in __all__ and name not in _MODULES and name not in moved_modules.MOVED:
        raise AttributeError(f"module 'tilesmith' has no attribute {name!r}")
    extras, garbage = (import_module(f"tilesmith.{used}") for used in ("extras", "garbage"))
    with extras.naming_extras(), garbage.without_collections():
        value = _public_name(name) if name in __all__ else import_module(f"tilesmith.{name}")
    globals()[name] = value
    return value


def _public_name(name: str) -> Any:
    homes = (import_module(f"tilesmith.{home}") for home in _HOMES)
    return next(getattr(home, name) for home in homes if name in home.__all__)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext tilesmith` in a notebook: the cell magic `%%tilesmith` profiles a cell."""
    import_module("tilesmith.profiling.magic").register(shell)


def __dir__() -> list[str]:
    """What people may use, and not what this file imports."""
    return sorted({*__all__, *_MODULES, "__version__", "load_ipython_extension"})
