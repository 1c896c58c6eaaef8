"""Modules under the names they had in 0.1: they import, with a DeprecationWarning. Goes with 0.3."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "backends": "models.backends",
    "custom_ops": "models.custom_ops",
    "data_parallel": "compiler.data_parallel",
    "eager": "models.eager",
    "frontend": "compiler",
    "frontend.tilelang_backend": "compiler.tilelang_backend",
    "frontend.torch_backend": "models.torch_backend",
    "graph": "models",
    "graph.strategy": "models.strategy",
    "jit_kernel": "compiler.jit",
    "model": "models.compiled_model",
    "native": "toolchain",
}

_specs: dict[str, ModuleSpec | None] = {}


class _Redirect(MetaPathFinder, Loader):
    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the interface of importlib
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        package, _, name = fullname.partition(".")
        return ModuleSpec(fullname, self) if package == "tilesmith" and name in MOVED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        new = f"tilesmith.{MOVED[spec.name.partition('.')[2]]}"
        message = f"{spec.name} is {new} now; the old name goes with 0.3"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        module = import_module(new)
        _specs[module.__name__] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It has run under its own name; importlib has just given it the spec of the old one."""
        module.__spec__ = _specs[module.__name__]


def install() -> None:
    """Let the old names be found. First: a moved package would be searched for a second copy of its parts."""
    sys.meta_path.insert(0, _Redirect())
