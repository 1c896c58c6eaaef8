"""`import tilesmith` is light, its names are the ones a user types, and their examples are true."""

from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import import_module

import pytest

import tilesmith

HEAVY = ("torch", "numpy", "tilesmith.emulator", "tilesmith.runtime")
WITH_EXAMPLES = [
    "tilesmith.arch.model",
    "tilesmith.program.checks",
    "tilesmith.program.circular_buffer",
    "tilesmith.arch.cores",
    "tilesmith.program.kernel",
    "tilesmith.program.l1",
    "tilesmith.program.program",
    "tilesmith.program.work_split",
    "tilesmith.runtime.accessor",
    "tilesmith.runtime.device",
    "tilesmith.runtime.memory_config",
    "tilesmith.runtime.sharded_cb",
    "tilesmith.runtime.tensor",
    "tilesmith.runtime.torch_bridge",
    "tilesmith.runtime.ttnn_library",
]


def test_import_loads_nothing_heavy() -> None:
    code = f"import sys, tilesmith; print([name for name in {HEAVY} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"


# Names for models, and what drives TileLang.
WITH_TORCH = (
    *(
        "Backend",
        "CompiledModel",
        "Compiler",
        "CompilerConfig",
        "compile_model",
        "fuse_ops",
        "optimize_layout",
    ),
    *(
        "OptimizationStrategy",
        "TenstorrentStrategy",
        "attention",
        "layer_norm",
        "matmul",
        "rms_norm",
        "softmax",
    ),
    *("redirect_tilelang", "register_tilelang_backend"),
)


def test_only_what_takes_models_or_drives_tilelang_needs_torch() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import tilesmith as ts\n"
        f"[getattr(ts, name) for name in ts.__all__ if name not in {WITH_TORCH}]\n"
        "print(ts.split_work_to_cores((8, 8), 3).num_cores)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "3"


def test_every_name_is_there() -> None:
    for name in tilesmith.__all__:
        assert getattr(tilesmith, name) is not None
    assert set(tilesmith.__all__) <= set(dir(tilesmith))
    with pytest.raises(AttributeError, match="no attribute 'opne_device'"):
        _ = tilesmith.opne_device


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.attempted > 0
    assert result.failed == 0
