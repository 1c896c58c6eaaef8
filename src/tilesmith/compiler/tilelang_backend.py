"""Tilesmith as a backend of TileLang: `tilelang.compile(f, target="wormhole")`, `@tilelang.jit(target=...)`.

TileLang's registry takes target names, the backend's manifest and its execution backends from outside. Which
cache, and through it which adapter, belongs to an execution backend is a table inside TileLang: one entry is
added there. Kernels come here before TileLang lowers them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import tilelang.cache
from tilelang.backend.device_codegen import DeviceCodegen
from tilelang.backend.execution_backend import ExecutionBackendSpec
from tilelang.backend.module import BackendContext, BackendModule, create_backend_context, register_backend
from tilelang.backend.pass_pipeline import PassPipeline
from tilelang.backend.target import register_target_normalizer
from tvm import IRModule
from tvm.target import Target
from tvm.tirx import PrimFunc

from tilesmith import settings
from tilesmith.arch import load_arch
from tilesmith.arch.model import ANY_CHIP, arch_names
from tilesmith.compiler.tilelang_kernel import TileLangKernel
from tilesmith.errors import UnsupportedKernelError

__all__ = ["redirect_tilelang", "register_tilelang_backend"]

_NAME = "tilesmith"
# TVM's kind for devices it does not know itself; its attribute `device` names the chip.
_KIND = "ext_dev"


@cache
def register_tilelang_backend() -> BackendModule:
    """Let TileLang compile for Tenstorrent chips: "wormhole", "p150", ... become targets it knows.

    "tenstorrent" and "tt" mean the chip of the settings.

    >>> register_tilelang_backend() is register_tilelang_backend()
    True
    """
    register_target_normalizer(_NAME, _as_target)
    tilelang.cache._dispatch_map[_NAME] = _Kernels()
    return register_backend(
        BackendModule(
            name=_NAME,
            target_kinds=(_KIND,),
            supports_target=_is_ours,
            pipelines={_KIND: PassPipeline(_KIND, _refuse_to_lower)},
            device_codegens={_KIND: DeviceCodegen(_NAME, _refuse_to_lower, _refuse_to_lower)},
            execution_backends=(ExecutionBackendSpec(_NAME),),
        )
    )


class redirect_tilelang:  # noqa: N801 - used as a function
    """Within the block every tilelang.compile and tilelang.jit compiles for `target`, whichever they name.

    For kernels written for another device: examples and tests run as they are.

    >>> block = redirect_tilelang("wormhole")
    >>> hasattr(block, "__enter__")
    True
    """

    def __init__(self, target: str | None = None) -> None:
        register_tilelang_backend()
        self._target = load_arch(target or settings.current().arch).name
        # `tilelang.jit` is a function: the module of that name is found here.
        self._entry: Any = sys.modules["tilelang.jit"]

    def __enter__(self) -> None:
        self._usual = self._entry.cached
        self._entry.cached = self._cached

    def __exit__(self, *_: object) -> None:
        self._entry.cached = self._usual

    def _cached(self, func: PrimFunc, out_idx: Any = None, *args: Any, **options: Any) -> TileLangKernel:
        options |= {"target": self._target, "target_host": None, "execution_backend": _NAME}
        kernel: TileLangKernel = self._usual(func, out_idx, *args, **options)
        return kernel


class _Kernels:
    """What TileLang asks for kernels of this execution backend."""

    def __init__(self) -> None:
        self._compiled: dict[tuple[str, str, str], TileLangKernel] = {}

    def cached(
        self,
        func: PrimFunc,
        out_idx: Any = None,
        *_: Any,
        backend_context: BackendContext | None = None,
        pass_configs: Mapping[str, Any] | None = None,
        **__: Any,
    ) -> TileLangKernel:
        context = backend_context or create_backend_context(settings.current().arch)
        key = (func.script(show_meta=True), repr(out_idx), str(context.target))
        if key not in self._compiled:
            chip = str(context.target.attrs["device"])
            self._compiled[key] = TileLangKernel(func, out_idx, chip, context, pass_configs)
        return self._compiled[key]


def _as_target(target: Any) -> Any:
    """A chip's name as TileLang's target; None for everything that is not ours."""
    name = target.strip() if isinstance(target, str) else ""
    if name in ANY_CHIP:
        name = settings.current().arch
    return {"kind": _KIND, "device": name} if name in arch_names() else None


def _is_ours(target: Target) -> bool:
    return str(target.attrs.get("device", "")) in arch_names()


def _refuse_to_lower(_: IRModule, target: Target) -> IRModule:
    raise UnsupportedKernelError(
        "tilesmith takes kernels as they are written, before TileLang lowers them",
        where=f"target {target.attrs['device']}",
        remedy="use tilelang.compile or @tilelang.jit with this target",
    )
