"""TileLang kernels for NVIDIA GPUs: one for each template and set of sizes, compiled in parallel.

Compiled kernels are kept on disk by TileLang, so that another process finds them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

from tilesmith.kernels.authoring import fixed_sizes, for_gpu
from tilesmith.models.backends.cuda.device_code import compiled_by_nvrtc
from tilesmith.models.backends.cuda.host_code import called_as_saved
from tilesmith.models.planning.steps import Launch

USUAL_ARCH = "sm_90a"

_compiled: dict[tuple[Any, str], Any] = {}
_lock = Lock()


def _cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def prim_func_of(step: Launch) -> Any:
    """The kernel of a launch, for its sizes: a GPU's compiler is better off knowing them."""
    sizes = {f"{name}_rows": storage.rows for name, storage in step.storages.items()}
    sizes |= {f"{name}_cols": storage.cols for name, storage in step.storages.items()}
    with fixed_sizes({**sizes, **step.numbers}), for_gpu():
        return step.template.prim_func()


def cuda_source(step: Launch, arch: str = USUAL_ARCH) -> str:
    """The CUDA code of a launch."""
    import tilelang
    from tvm.target import Target

    target = Target({"kind": "cuda", "arch": arch})
    with target:
        source: str = tilelang.lower(prim_func_of(step), target=target).kernel_source
    return source


def key_of(step: Launch) -> Any:
    """What makes two launches the same kernel: the template and all sizes."""
    shapes = tuple((name, one.rows, one.cols) for name, one in sorted(step.storages.items()))
    return step.template, shapes, tuple(sorted(step.numbers.items()))


def compile_all(steps: Iterable[Launch], arch: str) -> Mapping[Any, Any]:
    """The kernels of launches by their key; one that the compiler refuses is the error it gave.

    They are written one after the other, since TileLang's builder is not for threads, and compiled together.
    """
    import tilelang

    with _lock:
        wanted = {key_of(step): step for step in steps}
        missing = {key: step for key, step in wanted.items() if (key, arch) not in _compiled}
        target = {"kind": "cuda", "arch": arch}

        def build(function: Any) -> Any:
            try:
                return tilelang.compile(function, target=target)
            except Exception as error:
                return error

        threads = max(1, min(len(missing), _cores()))
        with compiled_by_nvrtc(), called_as_saved(), ThreadPoolExecutor(threads) as pool:
            waiting = {}
            for key, step in missing.items():
                try:
                    waiting[key] = pool.submit(build, prim_func_of(step))
                except Exception as error:
                    _compiled[key, arch] = error
            for key, found in waiting.items():
                _compiled[key, arch] = found.result()
        return {key: _compiled[key, arch] for key in wanted}
