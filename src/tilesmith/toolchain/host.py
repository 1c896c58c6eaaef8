"""Which computer code is compiled for."""

from __future__ import annotations

import platform
import re
from functools import lru_cache


@lru_cache(maxsize=1)
def host_cpu() -> str:
    """What -march=native depends on: a cache on a shared disk may serve different machines."""
    described = _first_cpu()
    if not described:
        return f"{platform.machine()} {platform.processor()}"
    wanted = ("flags", "Features", "model name", "cpu family", "model\t", "CPU part", "isa")
    return "\n".join([platform.machine(), *(line for line in described if line.startswith(wanted))])


@lru_cache(maxsize=1)
def host_features() -> frozenset[str]:
    """What the CPU can do, in the kernel's words (avx2, asimd), and its architecture."""
    lists = (
        line.partition(":")[2].split() for line in _first_cpu() if line.startswith(("flags", "Features"))
    )
    return frozenset([platform.machine(), *(name for names in lists for name in names)])


# x86-64-v3 is every x86 server and desktop since 2015; ARM's first 64-bit architecture is every one.
_PORTABLE = {
    "x86_64": ("x86-64-v3", ("x86_64", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe")),
    "aarch64": ("armv8-a", ("aarch64", "asimd")),
}


def portable_cpu() -> tuple[str, tuple[str, ...]]:
    """What a wheel for this kind of computer is compiled for, and which features a CPU needs to run it."""
    return _PORTABLE[platform.machine()]


def loaded_libc() -> list[str]:
    """The files of the C library and of its loader that this process runs with."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            paths = {line.split(maxsplit=5)[-1].strip() for line in file if "/" in line}
    except OSError:
        return []
    return sorted(path for path in paths if _LIBC.fullmatch(path.rpartition("/")[2]))


_LIBC = re.compile(r"(lib(c|dl|m|pthread|rt)|ld-linux[\w-]*)\.so\.\d+")


def _first_cpu() -> list[str]:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            return file.read(8192).split("\n\n")[0].splitlines()
    except OSError:
        return []
