"""What a chip is: typed figures read from wormhole.toml and blackhole.toml, where each has its source."""

from tilesmith.arch.model import Arch, add_arch, add_finder, arch_names, load_arch
from tilesmith.arch.timing import Timing

__all__ = ["Arch", "Timing", "add_arch", "add_finder", "arch_names", "load_arch"]
