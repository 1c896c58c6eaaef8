"""ttnn.experimental, ttnn.transformer and the like: operations whose names have two parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tilesmith.ops.catalogue import load_operations
from tilesmith.ops.framework import registered_operations


def namespace(prefix: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a module that shows the operations named `prefix`.x.

    >>> get, names = namespace("ttnn.experimental")
    >>> "nlp_concat_heads" in names(), get("nlp_concat_heads").name
    (True, 'nlp_concat_heads')
    """
    load_operations()

    def get(name: str) -> Any:
        operation = registered_operations().get(f"{prefix}.{name}")
        if operation is None:
            raise AttributeError(f"tilesmith's {prefix} has no {name!r}; dir({prefix}) lists what it has")
        return operation

    def names() -> list[str]:
        start = f"{prefix}."
        found = [name.removeprefix(start) for name in registered_operations() if name.startswith(start)]
        return sorted(name for name in found if "." not in name)

    return get, names
