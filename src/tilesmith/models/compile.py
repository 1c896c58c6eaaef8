"""`tilesmith.compile`: kernels and models through one name. Compiling a kernel does not import torch."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from tilesmith.arch import Arch
from tilesmith.compiler.compile import CompiledKernel, compile_kernel
from tilesmith.errors import BadCallError, SettingsError
from tilesmith.extras import naming_extras
from tilesmith.garbage import without_collections

if TYPE_CHECKING:
    import torch

    from tilesmith.models.compiled_model import CompiledModel

__all__ = ["compile"]


@overload
def compile(  # noqa: A001 - the name users look for
    kernel: torch.nn.Module, target: str | None = None, **options: Any
) -> CompiledModel: ...


@overload
def compile(  # noqa: A001
    kernel: Any,
    target: str | Arch | None = None,
    *,
    formats: Mapping[str, str] | None = None,
    out_idx: Sequence[int] | int | None = None,
    fidelity: str = "HiFi4",
) -> CompiledKernel: ...


def compile(  # noqa: A001
    kernel: Any,
    target: str | Arch | None = None,
    *,
    formats: Mapping[str, str] | None = None,
    out_idx: Sequence[int] | int | None = None,
    fidelity: str = "HiFi4",
    **options: Any,
) -> CompiledKernel | CompiledModel:
    """Compile a TileLang prim_func, or a module of the tile dialect, for a chip; or a PyTorch model.

    `target` is "wormhole", "blackhole", a product such as "p150", or an Arch; left out, the settings decide.
    `formats` gives parameters another format than their type's: {"B": "Bfp8_b"}. `out_idx` says which
    parameters are outputs; left out, those that are written and never read. The options of models, `backend`
    and `optimization_level` first, are those of `tilesmith.models.compiled_model.compile_model`.

    >>> import torch
    >>> model = torch.nn.Linear(8, 4).eval()
    >>> compiled = compile(model, backend="cpu")
    >>> torch.allclose(compiled(torch.ones(2, 8)), model(torch.ones(2, 8)), atol=1e-6)
    True

    A TileLang kernel is compiled the same way, `compile(prim_func)(x, y)`; docs/compiler.md shows one.
    """
    if target is not None and not isinstance(target, str | Arch):
        raise BadCallError(
            f"the target is {type(target).__name__}, and not the name of a chip",
            where="compile(model, target)",
            remedy="inputs come with the call: compile(model)(*inputs); a target is wormhole or n150",
        )
    if is_model(kernel):
        return _compile_model(kernel, target, fidelity, options)
    if options:
        raise SettingsError(
            f"{next(iter(options))} is an option for models, and this is a kernel",
            where="compile(...)",
            remedy="kernels take target, formats, out_idx and fidelity",
        )
    compiled = compile_kernel(kernel, target, formats=formats, out_idx=out_idx, fidelity=fidelity)
    compiled.warn()
    return compiled


def is_model(value: Any) -> bool:
    """Whether something is a PyTorch model. Asking does not import torch.

    >>> is_model(42)
    False
    """
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def _compile_model(
    model: Any, target: str | Arch | None, fidelity: str, options: dict[str, Any]
) -> CompiledModel:
    with naming_extras(), without_collections():
        from tilesmith.models.compiled_model import compile_model

    chip = target.name if isinstance(target, Arch) else target or ""
    return compile_model(model, target=chip, fidelity=fidelity, **options)
