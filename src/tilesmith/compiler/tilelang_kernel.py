"""A kernel compiled by tilesmith that looks to its caller like one of TileLang's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from tilelang.backend.module import BackendContext
from tilelang.engine.lower import extrac_params
from tilelang.jit.adapter import BaseKernelAdapter
from tilelang.jit.kernel import JITKernel
from tilelang.profiler import Profiler, TensorSupplyType
from tvm.tirx import PrimFunc

from tilesmith.compiler.compile import CompiledKernel, compile_kernel
from tilesmith.profiling import RunSummary
from tilesmith.runtime.torch_bridge import torch_like


class TileLangKernel(JITKernel):  # type: ignore[misc]
    """TileLang's JITKernel around a CompiledKernel, which is its `compiled`."""

    def __init__(
        self,
        func: PrimFunc,
        out_idx: Any,
        chip: str,
        context: BackendContext,
        pass_configs: Mapping[str, Any] | None,
    ) -> None:
        super().__init__(func, from_database=True, backend_context=context, pass_configs=pass_configs)
        self.adapter = _Adapter(func, out_idx, chip)
        self.torch_function = self.adapter.func

    @property
    def compiled(self) -> CompiledKernel:
        kernel: CompiledKernel = self.adapter.compiled
        return kernel

    def get_profiler(self, tensor_supply_type: TensorSupplyType = TensorSupplyType.Auto) -> Profiler:
        return _Profiler(self.params, self.out_idx, tensor_supply_type).with_default_adapter(self.adapter)

    def get_kernel_source(self, kernel_only: bool = True) -> str:  # noqa: ARG002 - as in the base
        return "\n".join(f"// {name}\n{text}" for name, text in self.compiled.sources().items())

    def get_host_source(self) -> str:
        return self.compiled.program.to_json(indent=2)


class _Adapter(BaseKernelAdapter):  # type: ignore[misc]
    """Calls as TileLang does: outputs are the parameters of `out_idx`; without one nothing is returned."""

    def __init__(self, func: PrimFunc, out_idx: Any, chip: str) -> None:
        params = extrac_params(func)
        self.params = params
        outputs = self._legalize_result_idx(out_idx)
        self.compiled: CompiledKernel = compile_kernel(func, chip, out_idx=outputs)
        self.compiled.warn()
        super().__init__(None, params, outputs)

    def _convert_torch_func(self) -> Callable[..., Any]:
        if self.result_idx:
            return self._results

        def in_place(*args: Any, **named: Any) -> None:
            self.compiled(*args, **named)

        return in_place

    def _results(self, *args: Any, **named: Any) -> Any:
        """Tensors, as TileLang gives them, unless arrays are given: numbers or nothing tell neither."""
        results = self.compiled(*args, **named)
        if any(isinstance(value, np.ndarray) for value in (*args, *named.values())):
            return results
        return tuple(map(_as_tensor, results)) if isinstance(results, tuple) else _as_tensor(results)

    def get_kernel_source(self, kernel_only: bool = True) -> str:  # noqa: ARG002 - as in the base
        return "\n".join(self.compiled.sources().values())


def _as_tensor(result: Any) -> Any:
    return torch_like(result) if isinstance(result, np.ndarray) else result


class _Profiler(Profiler):  # type: ignore[misc]
    """TileLang's profiler where there is no CUDA: nothing to wait for, and times are those of the model."""

    def assert_allclose(self, *args: Any, **named: Any) -> None:
        with _nothing_to_wait_for():
            super().assert_allclose(*args, **named)

    def manual_assert_close(self, *args: Any, **named: Any) -> None:
        with _nothing_to_wait_for():
            super().manual_assert_close(*args, **named)

    def do_bench(self, func: Callable[..., Any] | None = None, *args: Any, **named: Any) -> float:
        """Milliseconds the chip would take; a function of another kind is timed on this computer."""
        if func is not None:
            named |= {"backend": "wall", "device": "cpu"}
            milliseconds: float = super().do_bench(func, *args, **named)
            return milliseconds
        inputs = named.get("input_tensors")
        if inputs is None:
            inputs = self._get_inputs(dynamic_symbolic_constraints=named.get("dynamic_symbolic_constraints"))
        assert isinstance(self.adapter, _Adapter)
        summary: RunSummary = self.adapter.compiled.summary(*inputs)
        return summary.microseconds / 1e3


@contextmanager
def _nothing_to_wait_for() -> Iterator[None]:
    """Profilers wait for the CUDA stream before they compare; without CUDA that is an error."""
    if torch.cuda.is_available():
        yield
        return
    wait = torch.cuda.synchronize
    torch.cuda.synchronize = lambda *_, **__: None
    try:
        yield
    finally:
        torch.cuda.synchronize = wait
