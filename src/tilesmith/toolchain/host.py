"""Which computer code is compiled for."""

from __future__ import annotations

import platform
from functools import lru_cache


@lru_cache(maxsize=1)
def host_cpu() -> str:
    """What -march=native depends on: a cache on a shared disk may serve different machines."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            head = file.read(8192)
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    wanted = ("flags", "Features", "model name", "cpu family", "model\t", "CPU part", "isa")
    first_cpu = head.split("\n\n")[0].splitlines()
    return "\n".join([platform.machine(), *(line for line in first_cpu if line.startswith(wanted))])
