"""`tilesmith compile`: a kernel from a Python file to C++ files and a plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tilesmith.cli.output import once_each
from tilesmith.compiler.compile import CompiledKernel, compile_kernel
from tilesmith.compiler.dialects.reading import read_file
from tilesmith.compiler.kernel_reference import kernel_from, parsed
from tilesmith.errors import BadCallError


def compiled(text: str, arch: str, formats: str, fidelity: str) -> CompiledKernel:
    """The kernel a user names, in a Python file or as textual IR, compiled."""
    if text.endswith(".mlir"):
        kernel: Any = read_file(text)
    else:
        kernel = kernel_from(parsed(text))
    return compile_kernel(kernel, arch, formats=formats_from(formats), fidelity=fidelity)


def formats_from(text: str) -> dict[str, str]:
    """
    >>> formats_from("B=Bfp8_b,C=Float32")
    {'B': 'Bfp8_b', 'C': 'Float32'}
    """
    pairs = [pair.partition("=") for pair in text.split(",") if pair.strip()]
    wrong = [name for name, _, asked in pairs if not (name.strip() and asked.strip())]
    if wrong:
        raise BadCallError(
            f"{text!r} gives no format for {wrong[0]!r}",
            where="--formats",
            remedy="write parameters and their formats: --formats B=Bfp8_b,C=Float32",
        )
    return once_each("--formats", [(name.strip(), asked.strip()) for name, _, asked in pairs])


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
