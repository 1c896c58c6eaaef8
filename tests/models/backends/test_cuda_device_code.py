"""Device code by NVRTC: in the place of nvcc while kernels compile; nvcc takes what it refuses."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest
import tilelang  # noqa: F401  # registers what compiles device code
import tvm_ffi
from tvm.target import Target

from tilesmith.models.backends.cuda import device_code
from tilesmith.models.backends.cuda.device_code import compiled_by_nvrtc, nvrtc_options

CALLBACK = "tilelang_callback_cuda_compile"


@pytest.fixture
def nvcc(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A callback that says that it was asked, and a library that is there."""
    usual = tvm_ffi.get_global_func(CALLBACK)
    tvm_ffi.register_global_func(CALLBACK, lambda code, *_: f"nvcc: {code}", override=True)
    monkeypatch.setattr(device_code, "nvrtc_library", lambda: ctypes.CDLL(None))
    monkeypatch.setattr(device_code, "version", lambda _: (13, 0))
    yield
    tvm_ffi.register_global_func(CALLBACK, usual, override=True)


def compiled(code: str, config: dict[str, Any]) -> Any:
    return tvm_ffi.get_global_func(CALLBACK)(code, Target({"kind": "cuda", "arch": "sm_90a"}), config)


@pytest.mark.usefixtures("nvcc")
def test_nvrtc_is_asked_while_kernels_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def cubin(_: object, code: str, options: list[str]) -> bytes | None:
        asked.append(options)
        return None if "refused" in code else b"cubin"

    monkeypatch.setattr(device_code, "device_code", cubin)
    with compiled_by_nvrtc():
        assert bytes(compiled("kernel", {})) == b"cubin"
        assert compiled("refused", {}) == "nvcc: refused"
        assert compiled("kernel", {"tl.enable_fast_math": True}) == "nvcc: kernel"
    assert compiled("kernel", {}) == "nvcc: kernel"
    assert len(asked) == 2
    assert {"-pch", "--gpu-architecture=sm_90a"} <= set(asked[0])


@pytest.mark.usefixtures("nvcc")
def test_nvcc_is_asked_where_torch_has_no_nvrtc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_code, "nvrtc_library", lambda: None)
    with compiled_by_nvrtc():
        assert compiled("kernel", {}) == "nvcc: kernel"


def test_headers_of_tilelang_are_found() -> None:
    folders = [one[2:] for one in nvrtc_options("sm_90a", (13, 0)) if one.startswith("-I")]
    assert any(folder.endswith("cutlass/include") for folder in folders)
