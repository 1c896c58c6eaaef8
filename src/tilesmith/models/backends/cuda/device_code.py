"""Device code of TileLang kernels by NVRTC, which reads TileLang's headers once for all kernels of a process.

nvcc reads them again for each kernel, nine tenths of its time. What NVRTC refuses is left to nvcc.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

_CALLBACK = "tilelang_callback_cuda_compile"
# Precompiled headers came with CUDA 12.8.
_FIRST_VERSION = (12, 8)
# What TileLang puts before the code of a kernel for this compiler.
_BEFORE = "#include <tl_templates/cuda/nvrtc_std.h>\n"


@contextmanager
def compiled_by_nvrtc() -> Iterator[None]:
    """Meanwhile TileLang asks NVRTC for device code, where torch has brought it along."""
    import tvm_ffi

    library, usual = nvrtc_library(), tvm_ffi.get_global_func(_CALLBACK, allow_missing=True)
    if library is None or usual is None:
        yield
        return

    def compiled(code: str, target: Any, pass_config: Mapping[str, Any] | None = None) -> Any:
        found = None
        if not any((pass_config or {}).values()):  # flags are for nvcc
            found = device_code(library, code, nvrtc_options(str(target.attrs["arch"]), version(library)))
        return usual(code, target, pass_config) if found is None else bytearray(found)

    tvm_ffi.register_global_func(_CALLBACK, compiled, override=True)
    try:
        yield
    finally:
        tvm_ffi.register_global_func(_CALLBACK, usual, override=True)


@cache
def nvrtc_library() -> ctypes.CDLL | None:
    """The library of the CUDA that torch was built for, if it can precompile headers."""
    import torch

    if torch.version.cuda is None:
        return None
    for name in (f"libnvrtc.so.{torch.version.cuda.split('.')[0]}", "libnvrtc.so"):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        return library if version(library) >= _FIRST_VERSION else None
    return None


def version(library: ctypes.CDLL) -> tuple[int, int]:
    major, minor = ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


def nvrtc_options(arch: str, of: tuple[int, int]) -> list[str]:
    from tilelang import env
    from tilelang.jit.adapter.nvrtc.include_paths import discover_cuda_include_paths

    folders = [env.TILELANG_TEMPLATE_PATH, env.CUTLASS_INCLUDE_DIR]
    folders += discover_cuda_include_paths(env.CUDA_HOME or "/usr/local/cuda")
    flags = ["-pch", "-default-device", "-std=c++20", f"--gpu-architecture={arch}"]
    return [*flags, f"-D__CUDACC_VER_MAJOR__={of[0]}", *(f"-I{folder}" for folder in folders)]


def device_code(library: ctypes.CDLL, code: str, options: Sequence[str]) -> bytes | None:
    """The cubin of CUDA code; nothing if it is refused. Other threads of Python run meanwhile."""
    program = ctypes.c_void_p()
    source = (_BEFORE + code).encode()
    if library.nvrtcCreateProgram(ctypes.byref(program), source, b"kernels.cu", 0, None, None):
        return None
    try:
        given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        size = ctypes.c_size_t()
        if library.nvrtcCompileProgram(program, len(options), given):
            return None
        if library.nvrtcGetCUBINSize(program, ctypes.byref(size)) or not size.value:
            return None
        cubin = ctypes.create_string_buffer(size.value)
        return None if library.nvrtcGetCUBIN(program, cubin) else cubin.raw
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))
