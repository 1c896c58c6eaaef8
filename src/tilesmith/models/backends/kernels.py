"""Compiled templates: equal ones are compiled once, whatever model asks."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from weakref import WeakKeyDictionary

from tilesmith.arch import Arch
from tilesmith.compiler.analysis.l1_budget import circular_buffer_bytes
from tilesmith.compiler.compile import CompiledKernel, compile_kernel
from tilesmith.models.planning.steps import Template

_compiled: dict[tuple[Template, str, str, str, tuple[tuple[str, str], ...]], CompiledKernel] = {}
_buffer_bytes: WeakKeyDictionary[CompiledKernel, int] = WeakKeyDictionary()
_lock = Lock()


def compiled(
    template: Template,
    arch: Arch,
    fidelity: str,
    formats: Mapping[str, str] | None = None,
    approximate: str = "none",
) -> CompiledKernel:
    """The kernel of a template for a chip; `formats` of its tensors, if another than its own."""
    key = (template, arch.product, fidelity, approximate, tuple(sorted((formats or {}).items())))
    with _lock:
        if key not in _compiled:
            _compiled[key] = compile_kernel(
                template.prim_func(),
                arch,
                fidelity=fidelity,
                formats=formats,
                keeps_blocks=True,
                approximate=approximate,
            )
        return _compiled[key]


def buffer_bytes(kernel: CompiledKernel) -> int:
    """What the circular buffers of a kernel take of L1; the equal layers of a model ask once."""
    if kernel not in _buffer_bytes:
        (module,) = kernel.modules
        _buffer_bytes[kernel] = circular_buffer_bytes(module, kernel.arch)
    return _buffer_bytes[kernel]


def forget() -> None:
    """Forget all kernels compiled so far; what is on disk stays."""
    with _lock:
        _compiled.clear()
