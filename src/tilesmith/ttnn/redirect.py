"""`import ttnn` means tilesmith's, with its submodules; and what the vendor's tests need of their own tree.

The vendor's unit tests live in a large repository. Small modules of it that many of them import are given
here when a checkout has only the tests: a counter of program cache entries, comparisons (which are those of
models.common.utility_functions under an older path), and the tilizing functions of tt_lib.utils.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilesmith.ops.device import MeshDevice

_COUNTER = "tests.tests_common.cache_entries_counter"
_UTILS = "tt_lib.utils"
_COMPARISONS = "tests.tt_eager.python_api_testing.sweep_tests.comparison_funcs"


class CacheEntriesCounter:
    """Program cache entries made inside `measure()` blocks."""

    def __init__(self, device: MeshDevice) -> None:
        self.device = device
        self.total = 0

    def reset(self) -> None:
        self.total = 0

    @contextmanager
    def measure(self) -> Iterator[None]:
        before = self.device.num_program_cache_entries()
        yield
        self.total += self.device.num_program_cache_entries() - before


class _Alias(importlib.abc.Loader):
    """A module that is another one."""

    def __init__(self, target: str) -> None:
        self.target = target

    def create_module(self, spec: ModuleSpec) -> ModuleType:  # noqa: ARG002 - the interface
        return importlib.import_module(self.target)

    def exec_module(self, module: ModuleType) -> None:
        """It is there already."""


class _Redirect(importlib.abc.MetaPathFinder):
    """ttnn.x is tilesmith.ttnn.x."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the interface
        target: ModuleType | None = None,  # noqa: ARG002 - the interface
    ) -> ModuleSpec | None:
        if fullname.startswith("ttnn."):
            ours = f"tilesmith.{fullname}"
            return importlib.util.spec_from_loader(fullname, _Alias(ours)) if _exists(ours) else None
        return None


class _Missing(importlib.abc.MetaPathFinder):
    """Comes last: modules of the vendor's tree that a checkout may lack."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - the interface
        target: ModuleType | None = None,  # noqa: ARG002 - the interface
    ) -> ModuleSpec | None:
        if fullname == _COUNTER:
            return importlib.util.spec_from_loader(fullname, _Alias(__name__))
        if fullname == _COMPARISONS:
            return importlib.util.spec_from_loader(fullname, _Alias("models.common.utility_functions"))
        if fullname == _UTILS:
            return importlib.util.spec_from_loader(fullname, _Alias("tilesmith.ttnn.tt_lib_utils"))
        if any(whole.startswith(f"{fullname}.") for whole in (_COUNTER, _COMPARISONS, _UTILS)):
            return ModuleSpec(fullname, None, is_package=True)
        return None


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def redirect() -> None:
    """Point `import ttnn` here, for all that is imported from now on."""
    from tilesmith import ttnn

    sys.modules["ttnn"] = ttnn
    if not any(isinstance(one, _Redirect) for one in sys.meta_path):
        sys.meta_path.insert(0, _Redirect())
        sys.meta_path.append(_Missing())
