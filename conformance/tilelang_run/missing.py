"""Stands in for packages an example imports to compare itself with, when they are not installed."""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from conformance.tilelang_run.references import KNOWN

# Kernels in Triton are decorated when they are imported; the others are only ever called.
_DECORATING = "triton"
_PACKAGES = (
    _DECORATING,
    "flash_attn",
    "bitblas",
    "fla",
    "flash_mla",
    "deep_gemm",
    "flashinfer",
    "native_sparse_attention",
)


class _Missing:
    """Anything from a missing package. Decorators pass; a call that would compute says what is missing."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> _Missing:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Missing(f"{self._name}.{name}")

    def __call__(self, *args: Any, **named: Any) -> Any:
        if not self._name.startswith(_DECORATING):
            raise ModuleNotFoundError(
                f"needs the package {self._name.partition('.')[0]} ({self._name} is called)"
            )
        return args[0] if len(args) == 1 and callable(args[0]) and not named else self

    def __getitem__(self, _: Any) -> _Missing:
        return self


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        full = f"{self.__name__}.{name}"
        if full in KNOWN:
            return KNOWN[full]
        if name.startswith("__"):
            raise AttributeError(name)
        return _Missing(full)


def _asked_by_torch() -> bool:
    """Torch looks for Triton by itself, and must not find this."""
    frame = sys._getframe(2)
    while frame.f_back is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back
    return "/torch/" in frame.f_code.co_filename


class _Finder(MetaPathFinder, Loader):
    def __init__(self, packages: tuple[str, ...]) -> None:
        self._packages = packages

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        del path, target
        ours = fullname.partition(".")[0] in self._packages and not _asked_by_torch()
        return ModuleSpec(fullname, self, is_package=True) if ours else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = f"<{module.__name__}>"  # whoever looks through all modules expects one


def install() -> None:
    """Only for packages that really are missing, and after everything that looks for them."""
    sys.meta_path.append(_Finder(tuple(name for name in _PACKAGES if find_spec(name) is None)))
