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

from tilesmith.runtime.ttnn_library import MOCK, load_ttnn
from tilesmith.testing import stand_in_compiler
from tilesmith.testing.clusters import cluster_description


def mock_environment(family: str, directory: Path, chips: int = 1) -> dict[str, str]:
    """Variables for ttnn. What they point to is put into `directory`, which must outlive the process."""
    # ttnn calls the compiler in directories of its own.
    directory = directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    description = directory / f"{family}-{chips}.yaml"
    description.write_text(cluster_description(family, chips), encoding="utf-8")
    root = directory / "root"
    if not root.exists():
        _make_root(root)
    return {
        MOCK: str(description),
        "TT_METAL_RUNTIME_ROOT": str(root),
        "TT_METAL_CACHE": f"{directory / 'cache'}/",
        "TT_METAL_LOGS_PATH": str(directory),
        "TT_METAL_LOGGER_LEVEL": "FATAL",
        stand_in_compiler.LOG: str(directory / "compiled.jsonl"),
    }


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
