"""Host code of kernels: the library that TileLang saves is the one that calls run."""
# Kernels carry no types of Python.
# mypy: disable-error-code="valid-type, untyped-decorator"

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tilelang
import tilelang.language as T  # noqa: N812
import tvm_ffi
from tilelang.cache.kernel_cache import KernelCache
from tvm.runtime import Executable

from tilesmith.models.backends.cuda.host_code import called_as_saved

CALLBACK = "tilelang_callback_cuda_compile"


@pytest.fixture
def no_device_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Kernels compile without CUDA: what is not run need not be right."""
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path))
    usual = tvm_ffi.get_global_func(CALLBACK)
    tvm_ffi.register_global_func(CALLBACK, lambda *_: bytearray(b"cubin"), override=True)
    yield
    tvm_ffi.register_global_func(CALLBACK, usual, override=True)


def doubled(count: int) -> Any:
    @T.prim_func
    def kernel(x: T.Tensor((count,), "float32"), y: T.Tensor((count,), "float32")) -> None:
        with T.Kernel(1, threads=count):
            for i in T.Parallel(count):
                y[i] = x[i] * 2

    return kernel


@pytest.mark.usefixtures("no_device_code")
def test_host_code_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    exported: list[str] = []
    usual, saves = Executable.export_library, vars(KernelCache)["_safe_write_executable"]

    def counted(executable: Executable, path: str, **options: Any) -> Any:
        exported.append(path)
        return usual(executable, path, **options)

    monkeypatch.setattr(Executable, "export_library", counted)
    with called_as_saved():
        kernel = tilelang.compile(doubled(96), target={"kind": "cuda", "arch": "sm_90a"})
    assert kernel.adapter.get_exportable_executable().jit() is not None
    assert len(exported) == 1
    assert vars(KernelCache)["_safe_write_executable"] is saves
