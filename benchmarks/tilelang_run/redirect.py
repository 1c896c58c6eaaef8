"""Makes `tilelang.compile` and `tilelang.jit` compile with tilesmith, and nothing be timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tilelang
import torch
from tilelang import autotuner, profiler
from tilelang.engine.param import KernelParam
from tilelang.utils import tensor as tensor_utils

import tilesmith

ran: list[str] = []
"""The kernels that ran, by name."""
compared: list[str] = []
"""The comparisons the example made, by the function that made them."""


class Redirected:
    """A compiled kernel with the methods of TileLang's own that examples call."""

    def __init__(self, func: Any, out_idx: Sequence[int] | int | None, target: str) -> None:
        self.prim_func = func
        self.params = [_parameter(func, parameter) for parameter in func.params]
        self.out_idx = _resolved(func, out_idx, len(self.params))
        self.compiled = tilesmith.compile(func, target=target, out_idx=self.out_idx or None)
        self.adapter = self
        self.config: dict[str, Any] = {}
        self.latency = self.ref_latency = 1.0

    def __call__(self, *args: Any, **named: Any) -> Any:
        result = self.compiled(*args, **named)
        ran.append(str(self.compiled.signature.kernel))
        return result if self.out_idx else None

    def get_profiler(self, tensor_supply_type: Any = tilelang.TensorSupplyType.Auto) -> Any:
        return profiler.Profiler(self.params, self.out_idx, tensor_supply_type).with_default_adapter(self)  # type: ignore[arg-type]

    def get_kernel_source(self, *_: Any) -> str:
        return "\n".join(self.compiled.sources().values())

    get_host_source = print_source_code = show_source = get_kernel_source
    kernel_source = property(get_kernel_source)


def _parameter(func: Any, parameter: Any) -> KernelParam:
    if parameter in func.buffer_map:
        return KernelParam.from_buffer(func.buffer_map[parameter])
    return KernelParam.from_var(parameter)


def _resolved(func: Any, out_idx: Sequence[int] | int | None, count: int) -> list[int]:
    if func.attrs and "tilelang_out_idx" in func.attrs:
        out_idx = [int(index) for index in func.attrs["tilelang_out_idx"]]
    if out_idx is None:
        return []
    return [index % count for index in ([out_idx] if isinstance(out_idx, int) else out_idx)]


def _first_configuration(configs: Any, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    chosen = configs(*args, **named) if callable(configs) else configs
    return dict(chosen[0])


def install(target: str) -> None:
    """For the whole process, before an example is imported."""

    def compile_here(func: Any = None, out_idx: Any = None, **_: Any) -> Redirected:
        return Redirected(func, out_idx, target)

    def compile_all(funcs: Any, out_idx: Any = None, **_: Any) -> list[Redirected]:
        return [compile_here(func, out_idx) for func in funcs]

    def tuned(self: Any, *args: Any, **named: Any) -> Any:
        return_kernel = named.pop("__return_kernel", False)
        settings = {**_first_configuration(self.configs, (), {}), **named}
        return self.jit_impl.compile(*args, **settings) if return_kernel else self.jit_impl(*args, **settings)

    def tune(self: Any, *_: Any, **__: Any) -> Any:
        kernel = Redirected(self.fn(**_first_configuration(self.configs, (), {})), self.compile_args.out_idx, target)
        kernel.config = _first_configuration(self.configs, (), {})
        return kernel

    jit = __import__("tilelang.jit", fromlist=["compile"])
    jit.compile = tilelang.compile = compile_here
    jit.par_compile = tilelang.par_compile = compile_all
    autotuner.tuner.AutoTuneImpl.__call__ = tuned
    autotuner.AutoTuner.run = tune
    _stop_timing()
    _watch_comparisons()


def _stop_timing() -> None:
    def untimed(*_: Any, **__: Any) -> float:
        return 1.0

    profiler.do_bench = profiler.bench.do_bench = untimed
    profiler.Profiler.do_bench = untimed
    tensor_utils_device = __import__("tilelang.utils.device", fromlist=["get_current_device"])
    tensor_utils_device.get_current_device = lambda: torch.device("cpu")


def _watch_comparisons() -> None:
    def watched(name: str, compare: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **named: Any) -> Any:
            compared.append(name)
            return compare(*args, **named)

        return wrapper

    torch.testing.assert_close = watched("assert_close", torch.testing.assert_close)
    torch.allclose = watched("allclose", torch.allclose)
    torch.Tensor.allclose = watched("allclose", torch.Tensor.allclose)  # type: ignore[method-assign]
    torch.equal = watched("equal", torch.equal)
    close = watched("torch_assert_close", tensor_utils.torch_assert_close)
    tensor_utils.torch_assert_close = profiler.torch_assert_close = close
