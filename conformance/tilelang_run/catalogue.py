"""Finds the examples in a TileLang checkout, how each is called, and what in it only a GPU can do."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

# Files that measure, compare with Triton or plot; the kernels in them are in an example as well. A program
# for a debugger is wrong on purpose.
_NOT_EXAMPLES = re.compile(
    r"^(test_|regression_|benchmark_|conftest)|_triton|triton_|_utils\.py$|^plot_|_perf\.py$"
    r"|_buggy\.py$|_minimized_expected\.py$"
)
_KERNEL = re.compile(r"\bT\.(Kernel|Persistent)\(|@T\.prim_func|@tilelang\.jit")
# Instructions of one vendor's GPUs, addresses in their memory, source text in CUDA, and layouts of their
# matrix units' registers.
_GPU_ONLY = re.compile(
    r"\bT\.(tcgen05\w*|alloc_tmem|tma_\w+|mbarrier\w*|barrier_(?:wait|arrive)|alloc_(?:cluster_)?barrier"
    r"|wgmma\w*|wait_wgmma|warpgroup\w*|ptx_\w+|ws|call_extern|import_source|dp4a|gemm_sp\w*|cluster_\w+"
    r"|any_sync|mma_gemm_blockscaled|make_tensor|ptr|fence_proxy_async|rng_\w+)\b"
    r"|\b(tilelang\.rocm\.intrinsics|tilelang\.tools\.cuda|Analyzer|\w+IntrinEmitter)\b"
)


@dataclass(frozen=True)
class Example:
    """A file, the test functions of the checkout that run it, and the GPU-only names in it.

    Without tests the file is run as a script, with the sizes it has by default.
    """

    path: Path
    tests: tuple[tuple[Path, str], ...]
    gpu_only: tuple[str, ...]


def find_examples(checkout: Path) -> list[Example]:
    folder = checkout / "examples"
    found = []
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if _NOT_EXAMPLES.search(path.name) or not _KERNEL.search(text):
            continue
        found.append(Example(path, tuple(_tests_of(path)), gpu_only_names(path)))
    return found


def gpu_only_names(path: Path) -> tuple[str, ...]:
    matches = _GPU_ONLY.finditer(path.read_text(encoding="utf-8"))
    return tuple(sorted({match[0] for match in matches}))


def _tests_of(example: Path) -> list[tuple[Path, str]]:
    """Test functions beside the example that use its module."""
    found = []
    for path in sorted(example.parent.glob("test_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        everywhere = _names_from(tree, example.stem, shallow=True)
        for function in tree.body:
            if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
                names = everywhere | _names_from(function, example.stem, shallow=False)
                used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
                if names & used:
                    found.append((path, function.name))
    return found


def _names_from(tree: ast.Module | ast.FunctionDef, module: str, shallow: bool) -> set[str]:
    """What importing the module binds, at the top of a file or anywhere in a function."""
    names: set[str] = set()
    for node in tree.body if shallow else ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name for alias in node.names if alias.name == module}
        elif isinstance(node, ast.ImportFrom) and node.module == module:
            names |= {alias.asname or alias.name for alias in node.names}
    return names
