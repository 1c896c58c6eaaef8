"""Host code of TileLang kernels, compiled once: what launches a kernel is C that gcc compiles.

TileLang compiles it for its cache on disk, and again when the kernel is first called, one kernel after the
other. Here the library that went to the cache is what calls run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

_SAVE = "_safe_write_executable"


@contextmanager
def called_as_saved() -> Iterator[None]:
    """Meanwhile a kernel that TileLang saves is loaded from there, where TileLang saves as we know it."""
    from tilelang.cache.kernel_cache import KernelCache

    usual = vars(KernelCache).get(_SAVE)
    if not isinstance(usual, staticmethod):
        yield
        return

    def saved(executable: Any, path: str, *args: Any, **kwargs: Any) -> None:
        usual.__func__(executable, path, *args, **kwargs)
        with suppress(Exception):  # then it is compiled again at its first call
            _load(executable, path)

    with patch.object(KernelCache, _SAVE, staticmethod(saved)):
        yield


def _load(executable: Any, path: str) -> None:
    """Give an executable the library it was saved to, which stays mapped when the file is moved."""
    from tvm import runtime

    if getattr(executable, "_jitted_mod", executable) is None and Path(path).exists():
        executable._jitted_mod = runtime.load_module(path)
