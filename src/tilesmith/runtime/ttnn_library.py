"""The vendor's Python package: imported when first needed, with a clear word when it is not there."""

from __future__ import annotations

import os
import platform
import sys
from importlib import import_module, metadata
from typing import Any

from tilesmith.errors import DeviceError

PYTHON_WITH_WHEELS = (3, 12)
# The vendor's variable: a file that describes chips that are not there.
MOCK = "TT_METAL_MOCK_CLUSTER_DESC_PATH"


def load_ttnn() -> Any:
    """The module `ttnn`. It has no type stubs, so its things are Any here."""
    try:
        return import_module("ttnn")
    except ImportError as problem:
        here = f"Python {platform.python_version()}"
        raise DeviceError(
            f"ttnn cannot be imported in {here}: {problem}", where=sys.executable, remedy=how_to_install()
        ) from problem


def ttnn_version() -> str:
    """The version installed, as the package index names it; empty when there is none."""
    try:
        return metadata.version("ttnn")
    except metadata.PackageNotFoundError:
        return ""


def runs_nothing() -> bool:
    """Whether the environment makes ttnn open a mock cluster: programs are taken there, and not run."""
    return bool(os.environ.get(MOCK))


def vendor_message(problem: BaseException) -> str:
    """What an exception of the vendor's says, without its stack of addresses.

    >>> vendor_message(RuntimeError("TT_FATAL @ a.cpp:1: x\\ninfo:\\nno room\\nbacktrace:\\n --- f"))
    'no room'
    """
    text = str(problem).partition("\nbacktrace:")[0]
    _, found, said = text.partition("\ninfo:\n")
    return (said if found else text.partition("\nLocation:")[0]).strip()


def how_to_install() -> str:
    """What to do in this Python to have ttnn."""
    wanted = ".".join(map(str, PYTHON_WITH_WHEELS))
    if sys.version_info[:2] == PYTHON_WITH_WHEELS:
        return "pip install 'tilesmith[ttnn]'"
    return f"use Python {wanted}, for which there are wheels: pip install 'tilesmith[ttnn]' there"
