"""Keeping Python's garbage collector out of the way of what makes many objects that stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collections() -> Iterator[None]:
    """Collect no garbage inside the block.

    A kernel becomes a hundred thousand objects that all live until it is compiled, and a package as many that
    live for good. The collector would look through them, and through the modules of torch and transformers,
    again and again: a fifth of the time.

    >>> with without_collections():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    if not gc.isenabled():  # the user's choice, or a block around this one
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
