"""`tilesmith compile`: a kernel from a Python file to C++ files and a plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tilesmith.compiler.compile import CompiledKernel, compile_kernel
from tilesmith.compiler.dialects.reading import read_file
from tilesmith.compiler.kernel_reference import kernel_from, parsed


def compiled(text: str, arch: str, formats: str, fidelity: str) -> CompiledKernel:
    """The kernel a user names, in a Python file or as textual IR, compiled."""
    if text.endswith(".mlir"):
        kernel: Any = read_file(text)
    else:
        kernel = kernel_from(parsed(text))
    requested = dict(pair.split("=", 1) for pair in formats.split(",") if "=" in pair)
    return compile_kernel(kernel, arch, formats=requested, fidelity=fidelity)


def write(kernel: CompiledKernel, folder: Path) -> list[Path]:
    """One .cpp file per kernel, and one plan per grid (plan.json) unless sizes are left to the call."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {f"{name}.cpp": source for name, source in kernel.sources().items()}
    if not kernel.signature.symbols:
        for number, plan in enumerate(kernel.plans):
            texts[f"plan{number + 1 if number else ''}.json"] = json.dumps(plan, indent=2) + "\n"
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]
