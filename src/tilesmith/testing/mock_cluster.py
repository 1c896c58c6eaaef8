"""An environment in which ttnn opens a chip that is not there: it checks and builds, and runs nothing.

ttnn reads the environment when it is imported, so the environment is made first:

    os.environ.update(mock_environment("wormhole", directory))
    device = tilesmith.open_device("ttnn")
"""

from __future__ import annotations

import stat
import sys
from importlib.util import find_spec
from pathlib import Path

from tilesmith.errors import DeviceError
from tilesmith.runtime.ttnn_library import load_ttnn
from tilesmith.testing import stand_in_compiler

BOARDS = {"wormhole": ("wormhole_b0", "n150", 32, 0, 0), "blackhole": ("blackhole", "p150", 0, 288, 2)}


def mock_environment(family: str, directory: Path) -> dict[str, str]:
    """Variables for ttnn. What they point to is put into `directory`, which must outlive the process."""
    directory.mkdir(parents=True, exist_ok=True)
    description = directory / f"{family}.yaml"
    description.write_text(cluster_description(family), encoding="utf-8")
    root = directory / "root"
    if not root.exists():
        _make_root(root)
    return {
        "TT_METAL_MOCK_CLUSTER_DESC_PATH": str(description),
        "TT_METAL_RUNTIME_ROOT": str(root),
        "TT_METAL_CACHE": f"{directory / 'cache'}/",
        "TT_METAL_LOGS_PATH": str(directory),
        "TT_METAL_LOGGER_LEVEL": "FATAL",
        stand_in_compiler.LOG: str(directory / "compiled.jsonl"),
    }


def cluster_description(family: str) -> str:
    """One card, in the form in which the vendor's driver describes what it found.

    >>> "board_type: n150" in cluster_description("wormhole")
    True
    """
    if family not in BOARDS:
        raise DeviceError(f"no mock of {family!r}", remedy=f"choose one of: {', '.join(BOARDS)}")
    arch, board, workers, ethernet, pcie = BOARDS[family]
    return f"""arch:
  0: {arch}
chips:
  0: [0, 0, 0, 0]
chip_unique_ids:
  0: 1
ethernet_connections: []
ethernet_connections_to_remote_devices: []
chips_with_mmio:
  - 0: 0
harvesting:
  0:
    noc_translation: true
    harvest_mask: {workers}
    dram_harvesting_mask: 0
    eth_harvesting_mask: {ethernet}
    pcie_harvesting_mask: {pcie}
    l2cpu_harvesting_mask: 0
boards:
  -
    - board_id: {_board_id(board)}
    - board_type: {board}
    - chips:
        - 0
"""


def _board_id(board: str) -> int:
    """The upper bits of a serial number say which board it is."""
    return {"n150": 0x18, "p150": 0x40}[board] << 36 | 1


def _make_root(root: Path) -> None:
    """The installed package's files by links, with a compiler among them."""
    compiler = root / "runtime" / "sfpi" / "compiler" / "bin" / "riscv-tt-elf-g++"
    compiler.parent.mkdir(parents=True)
    script = Path(stand_in_compiler.__file__).read_text(encoding="utf-8")
    compiler.write_text(f"#!{sys.executable} -IS\n{script}", encoding="utf-8")
    compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
    package = _package()
    for place, target in ((root, package), (root / "runtime", package / "runtime")):
        for entry in target.iterdir():
            if not (place / entry.name).exists():
                (place / entry.name).symlink_to(entry)


def _package() -> Path:
    """Where ttnn is installed; found without importing it, which would read the environment too early."""
    found = find_spec("ttnn")
    if found is None or found.origin is None:
        load_ttnn()
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent
