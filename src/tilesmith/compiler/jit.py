"""`@tilesmith.jit`: compile a TileLang function when it is first called with given arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from typing import Any, overload

from tilesmith.arch import Arch
from tilesmith.compiler.compile import CompiledKernel, compile_kernel
from tilesmith.compiler.kernel_trial import Maker

__all__ = ["JitKernel", "jit"]


class JitKernel:
    """A function that makes kernels.

    If it returns a prim_func, calling it gives the CompiledKernel. If it is written in TileLang's eager
    style, with its tensors as parameters, calling it runs the kernel and gives its outputs. Either way a call
    with arguments seen before compiles nothing.
    """

    def __init__(self, function: Any, options: Mapping[str, Any]) -> None:
        self._options = dict(options)
        self._tilelang = _as_tilelang_jit(function)
        self._compiled: dict[Any, CompiledKernel] = {}
        update_wrapper(self, getattr(self._tilelang.func, "orig_func", function))

    def __call__(self, *args: Any, **named: Any) -> Any:
        mode = self._tilelang.initialize_jit_mode(*args, **named)
        key, tensors = self._tilelang.func.parse_args(*args, **named)
        kernel = self._compiled.get(key)
        if kernel is None:
            kernel = self._compiled[key] = self.compile(*args, **named)
        return kernel(*tensors.values()) if mode == "eager" else kernel

    def compile(self, *args: Any, **named: Any) -> CompiledKernel:
        """The kernel for these arguments, compiled and not run."""
        kernel: CompiledKernel = compile_kernel(self._tilelang.get_tir(*args, **named), **self._options)
        kernel.maker = self._maker(args, named)
        kernel.warn()
        return kernel

    def _maker(self, args: Sequence[Any], named: Mapping[str, Any]) -> Maker | None:
        """How the same kernel is made with other arguments; None if some of them cannot be named."""
        bound = inspect.signature(self).bind(*args, **named)
        bound.apply_defaults()
        rest = (
            inspect.Parameter.VAR_POSITIONAL,
            inspect.Parameter.VAR_KEYWORD,
            inspect.Parameter.POSITIONAL_ONLY,
        )
        if any(parameter.kind in rest for parameter in bound.signature.parameters.values()):
            return None
        return Maker(self._tilelang.get_tir, bound.arguments)


def _as_tilelang_jit(function: Any) -> Any:
    import tilelang
    from tilelang.jit import JITImpl

    return function if isinstance(function, JITImpl) else tilelang.jit(function)


@overload
def jit(function: Callable[..., Any]) -> JitKernel: ...


@overload
def jit(
    *,
    target: str | Arch | None = None,
    formats: Mapping[str, str] | None = None,
    out_idx: Sequence[int] | int | None = None,
    fidelity: str = "HiFi4",
) -> Callable[[Callable[..., Any]], JitKernel]: ...


def jit(
    function: Callable[..., Any] | None = None,
    *,
    target: str | Arch | None = None,
    formats: Mapping[str, str] | None = None,
    out_idx: Sequence[int] | int | None = None,
    fidelity: str = "HiFi4",
) -> JitKernel | Callable[[Callable[..., Any]], JitKernel]:
    """Decorate a function that returns a prim_func, or an eager one; options as in `compile`.

    >>> @jit(target="wormhole")
    ... def maker(rows): ...
    >>> type(maker).__name__
    'JitKernel'
    """
    options = {"target": target, "formats": formats, "out_idx": out_idx, "fidelity": fidelity}
    if function is not None:
        return JitKernel(function, options)
    return lambda decorated: JitKernel(decorated, options)
