"""What a chip is: typed figures read from wormhole.toml and blackhole.toml, where each has its source."""

from tilesmith.arch.boards import Board, board_names, find_board
from tilesmith.arch.model import Arch, add_arch, add_finder, arch_names, load_arch
from tilesmith.arch.timing import Timing

__all__ = [
    "Arch",
    "Board",
    "Timing",
    "add_arch",
    "add_finder",
    "arch_names",
    "board_names",
    "find_board",
    "load_arch",
]
