"""What is known of single examples: smaller sizes, another chip, why one cannot pass."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FACTS = Path(__file__).with_name("facts.toml")


@dataclass(frozen=True)
class Facts:
    """`sizes`: arguments by function, values of globals, and `argv` for a command line."""

    sizes: Mapping[str, Any]
    as_script: bool = False
    target: str = ""
    note: str = ""
    is_known: bool = False


def facts_of(name: str) -> Facts:
    """Of the example of this path under `examples/`.

    >>> facts_of("convolution/example_convolution.py").sizes
    {'argv': ['--n', '4']}
    """
    entry = dict(_all().get(name, {}))
    as_script = entry.pop("as_script", "argv" in entry)
    return Facts(entry, as_script, entry.pop("target", ""), entry.pop("note", ""), name in _all())


@cache
def _all() -> dict[str, dict[str, Any]]:
    return tomllib.loads(_FACTS.read_text(encoding="utf-8"))
