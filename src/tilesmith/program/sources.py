"""Finding the file a kernel names."""

from __future__ import annotations

from pathlib import Path

from tilesmith.errors import KernelSourceMissingError
from tilesmith.program.kernel import Kernel, SourceType


def kernel_path(kernel: Kernel) -> Path | None:
    """The kernel's file; None for inline source. Raises when there is no such file.

    A relative path is looked for in the working directory, then beside the Python file that declared it.
    """
    if kernel.source_type is SourceType.SOURCE_CODE:
        return None
    searched = [base / kernel.kernel_source for base in _bases(kernel)]
    for path in searched:
        if path.is_file():
            return path
    places = ", ".join(map(str, searched))
    raise KernelSourceMissingError(
        f"kernel file {kernel.kernel_source!r} is not there",
        where=kernel.declared_at,
        remedy=f"looked for {places}; for inline text pass SourceType.SOURCE_CODE",
    )


def kernel_text(kernel: Kernel) -> str:
    """The kernel's C++ text, from its file or inline."""
    path = kernel_path(kernel)
    return kernel.kernel_source if path is None else path.read_text(encoding="utf-8")


def _bases(kernel: Kernel) -> list[Path]:
    if Path(kernel.kernel_source).is_absolute():
        return [Path()]
    declared_in = kernel.declared_at.rpartition(":")[0]
    return [Path.cwd(), Path(declared_in).parent] if declared_in else [Path.cwd()]
