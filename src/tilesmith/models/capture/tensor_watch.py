"""Whether tensors were written to or moved, whether anybody holds storages, and aliases: many at once.

The C++ behind it is compiled with the headers of the torch that is there, beside the first run of a model.
Until it is there, and where it cannot be compiled, Python asks each tensor.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from threading import Thread
from typing import Any

import torch

from tilesmith.errors import TilesmithError
from tilesmith.toolchain import compile_shared

_SOURCE = Path(__file__).with_suffix(".cpp")
_VERSION = attrgetter("_version")
# Where the Python object of a tensor may have its pointer, as PyTorch's versions have it.
_OFFSETS = (16, 24)

_Check = Callable[[], bool]
_library: list[ctypes.PyDLL] = []


class TensorWatch:
    """Tells whether tensors have the versions and places that they had."""

    def __init__(self, tensors: Sequence[torch.Tensor]) -> None:
        self._tensors = list(tensors)  # kept: C++ looks at their Python objects
        self._state = self._now()
        self._native: _Check | None = None

    def unchanged(self) -> bool:
        if self._native is None and _library:
            self._native = self._bound(_library[0])
        return self._native() if self._native is not None else self._now() == self._state

    def _now(self) -> tuple[list[int], list[int]]:
        return list(map(_VERSION, self._tensors)), list(map(torch.Tensor.data_ptr, self._tensors))

    def _bound(self, library: ctypes.PyDLL) -> _Check:
        versions, places = self._state
        count = len(self._tensors)
        offset = _offset()
        if offset is None or any(one < 0 for one in versions):
            return lambda: self._now() == self._state
        objects = (ctypes.c_void_p * count)(*map(id, self._tensors))
        asked = (
            *(ctypes.addressof(objects), offset, (ctypes.c_uint32 * count)(*versions)),
            *((ctypes.c_void_p * count)(*places), count),
        )
        function = library.first_changed

        def check() -> bool:
            assert objects is not None  # kept, as only its address is handed over
            return bool(function(*asked) < 0)

        return check


def library() -> ctypes.PyDLL | None:
    """The C++, where it is there by now."""
    return _library[0] if _library else None


class StorageWatch:
    """Tells whether storages are held by as many as they were."""

    def __init__(self, tensors: Sequence[torch.Tensor]) -> None:
        pointers = dict.fromkeys(one.untyped_storage()._cdata for one in tensors)
        self._counts = [(pointer, torch._C._storage_Use_Count(pointer)) for pointer in pointers]
        self._native: _Check | None = None

    def unchanged(self) -> bool:
        if self._native is None and _library:
            self._native = self._bound(_library[0])
        if self._native is not None:
            return self._native()
        return all(torch._C._storage_Use_Count(pointer) == count for pointer, count in self._counts)

    def _bound(self, library: ctypes.PyDLL) -> _Check:
        number = len(self._counts)
        pointers = (ctypes.c_void_p * number)(*(pointer for pointer, _ in self._counts))
        counts = (ctypes.c_uint64 * number)(*(count for _, count in self._counts))
        function = library.first_held
        return lambda: bool(function(pointers, counts, number) < 0)


class Aliases:
    """Other tensors with the same memory, without history: `detach` of many at once."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = list(values)
        self._native: Callable[[], list[Any]] | None = None

    def __call__(self) -> list[Any]:
        if self._native is None and _library:
            self._native = self._bound(_library[0])
        return self._native() if self._native is not None else self._one_by_one()

    def _one_by_one(self) -> list[Any]:
        return [one.detach() if isinstance(one, torch.Tensor) else one for one in self._values]

    def _bound(self, library: ctypes.PyDLL) -> Callable[[], list[Any]]:
        offset, wrap, count = _offset(), _wrap(), len(self._values)
        if offset is None or wrap is None or not all(type(one) is torch.Tensor for one in self._values):
            return self._one_by_one
        objects = (ctypes.c_void_p * count)(*map(id, self._values))
        function, at = library.aliases, ctypes.addressof(objects)

        def make() -> list[Any]:
            assert objects is not None  # kept, as only its address is handed over
            tensors: list[Any] = function(at, offset, count, wrap)
            return tensors

        return make


# The function of torch that makes a Python object of a tensor, as its versions have it.
_WRAPS = ("_Z16THPVariable_WrapRKN2at10TensorBaseE", "_Z16THPVariable_WrapN2at10TensorBaseE")


@lru_cache(maxsize=1)
def _wrap() -> int | None:
    path = Path(torch.__file__).parent / "lib" / "libtorch_python.so"
    if not path.exists():
        return None
    library = ctypes.CDLL(str(path))
    found = [getattr(library, name) for name in _WRAPS if hasattr(library, name)]
    return ctypes.cast(found[0], ctypes.c_void_p).value if found else None


@lru_cache(maxsize=1)
def _offset() -> int | None:
    """Where the Python object of a tensor has the pointer to it: seen, not known."""
    samples = [torch.zeros(1), torch.nn.Parameter(torch.zeros(1))]
    for offset in _OFFSETS:
        if all(ctypes.c_void_p.from_address(id(one) + offset).value == one._cdata for one in samples):
            return offset
    return None


@lru_cache(maxsize=1)
def start() -> Thread:
    """Compile the C++, or find it in the cache, beside everything else."""
    thread = Thread(target=_load, name="tensor_watch", daemon=True)
    thread.start()
    return thread


def _load() -> None:
    root = Path(torch.__file__).parent
    try:
        path = compile_shared([_SOURCE], [root / "include"], ["-O2"], [f"-L{root / 'lib'}", "-lc10"])
        library = ctypes.PyDLL(str(path))
        for name in ("first_changed", "first_held", "first_written"):
            function: Any = getattr(library, name)
            function.restype = ctypes.c_int64
        library.first_changed.argtypes = [
            *(ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
        ]
        library.aliases.restype = ctypes.py_object
        library.aliases.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
        for name in ("first_written", "versions_of"):
            asked: Any = getattr(library, name)
            asked.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64]
        library.versions_of.restype = None
        library.first_held.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
    except (TilesmithError, OSError):  # no compiler, or other headers than the library's
        return
    _library.append(library)
