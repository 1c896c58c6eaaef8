"""Modules under the names they had in 0.1: they import, with a DeprecationWarning. Goes with 0.3."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.machinery import ModuleSpec

# `import tilesmith` reads this file: what annotations need would take longer to import than all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
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
    "models.planning.schedule": "schedules.schedule",
    "models.planning.tuning_database": "schedules.tuning_database",
    "native": "toolchain",
}

_specs: dict[str, ModuleSpec | None] = {}


class _Redirect:
    """A finder and a loader, as importlib calls them."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the interface of importlib
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        package, _, name = fullname.partition(".")
        if package != "tilesmith" or name not in MOVED:
            return None
        return ModuleSpec(fullname, self)  # type: ignore[arg-type]  # a Loader by its methods

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
