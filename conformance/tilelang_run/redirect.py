"""Makes TileLang compile with tilesmith, and nothing be timed; counts what ran and what was compared."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch
from conformance.tilelang_run.distance import distance
from tilelang import language, profiler
from tilelang.autotuner import AutoTuner, tuner
from tilelang.carver.arch import driver
from tilelang.contrib import nvcc
from tilelang.jit import JITKernel
from tilelang.transform import PassConfigKey
from tilelang.utils import device, tensor

from tilesmith.arch import load_arch
from tilesmith.compiler import tilelang_kernel
from tilesmith.compiler.compile import CompiledKernel
from tilesmith.compiler.tilelang_backend import redirect_tilelang

made: list[str] = []
"""One entry per kernel that was compiled."""
ran: list[str] = []
"""One entry per run of a kernel."""
compared: list[str] = []
"""One entry per comparison the example made, by the function that made it."""
apart: list[str] = []
"""How far tensors were apart, for each comparison that failed."""


def install(target: str) -> None:
    """For the whole process, before an example is imported."""
    ExitStack().enter_context(redirect_tilelang(target))
    device.get_current_device = lambda: torch.device("cpu")
    driver.get_num_sms = lambda *_: load_arch(target).num_cores
    nvcc.get_target_compute_version = lambda *_: "9.0"
    language.gemm = _without_k_pack(language.gemm)
    PassConfigKey.TL_DISABLE_FAST_MATH = "tl.disable_fast_math"  # of an earlier release
    _stop_timing()
    _stop_tuning()
    CompiledKernel.__init__ = _noted(made, CompiledKernel.__init__)  # type: ignore[method-assign]
    once = _once(CompiledKernel.__call__)
    CompiledKernel.__call__ = _noted(ran, once)  # type: ignore[method-assign]
    torch.testing.assert_close = _measured(torch.testing.assert_close)
    torch.allclose = _measured(torch.allclose)
    torch.Tensor.allclose = _measured(torch.Tensor.allclose)  # type: ignore[method-assign]
    torch.equal = _measured(torch.equal)
    close = _measured(tensor.torch_assert_close)
    tensor.torch_assert_close = profiler.torch_assert_close = close


def _noted(where: list[str], function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*args: Any, **named: Any) -> Any:
        result = function(*args, **named)
        where.append(function.__name__)
        return result

    return wrapper


def _measured(function: Callable[..., Any]) -> Callable[..., Any]:
    """A comparison; one that fails leaves behind how far its tensors are apart."""

    def wrapper(*args: Any, **named: Any) -> Any:
        try:
            result = function(*args, **named)
        except AssertionError:
            apart.append(distance((*args, *named.values())))
            raise
        if result is False:
            apart.append(distance((*args, *named.values())))
        compared.append(function.__name__)
        return result

    return wrapper


def _without_k_pack(gemm: Callable[..., Any]) -> Callable[..., Any]:
    """How AMD's matrix units are to be fed is a hint, and packages for other GPUs do not take it."""

    @functools.wraps(gemm)
    def wrapper(*args: Any, k_pack: int = 1, **named: Any) -> Any:
        del k_pack
        return gemm(*args, **named)

    return wrapper


def _once(call: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel called again with what it was called with last gives what it gave: examples time by hand."""

    @functools.wraps(call)
    def wrapper(self: Any, *args: Any, **named: Any) -> Any:
        given = (*args, *named.values())
        state = [(id(one), getattr(one, "_version", one)) for one in given]
        adds = any(one.is_read and one.is_written for one in self.signature.tensors.values())
        last = getattr(self, "last_call", None)
        if adds or last is None or last[0] != state:
            self.last_call = last = (state, call(self, *args, **named), given)
        return last[1]

    return wrapper


def _stop_timing() -> None:
    """A timing would run the kernel some hundred times."""

    def untimed(*_: Any, **__: Any) -> float:
        return 1.0

    profiler.do_bench = profiler.bench.do_bench = untimed
    profiler.Profiler.do_bench = untimed
    tilelang_kernel._Profiler.do_bench = untimed  # type: ignore[method-assign]


def _stop_tuning() -> None:
    """The first configuration wins."""

    def tuned(self: Any, *args: Any, **named: Any) -> Any:
        wants_kernel = named.pop("__return_kernel", False)
        configs = self.configs(*args, **named) if callable(self.configs) else self.configs
        settings = {**_plain(configs[0]), **named}
        made = self.jit_impl.compile(*args, **settings) if wants_kernel else self.jit_impl(*args, **settings)
        if isinstance(made, JITKernel):
            made.config, made.latency, made.ref_latency = configs[0], 1.0, 1.0
        return made

    def run(self: Any, *_: Any, **__: Any) -> Any:
        compile_one, _elaborate = self._ensure_jit_functions()
        kernel = compile_one(**_plain(self.configs[0]))
        return tuner.AutotuneResult(
            latency=1.0, config=self.configs[0], ref_latency=1.0, libcode="", func=None, kernel=kernel
        )

    tuner.AutoTuneImpl.__call__ = tuned
    AutoTuner.run = run


def _plain(config: dict[str, Any]) -> dict[str, Any]:
    """Without what only TileLang's own compiler reads."""
    return {
        name: value for name, value in config.items() if not name.startswith("_") and name != "pass_configs"
    }
