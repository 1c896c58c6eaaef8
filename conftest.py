"""What every test shares: a cache of compiled code of their own, and none of the user's settings."""

from __future__ import annotations

import gc
import getpass
import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).resolve().parent

# Before any test module is imported. One cache for all workers and sessions: entries are found by content, so
# what a change touches is compiled again and the rest is not. A test that needs it empty uses `fresh_cache`.
# The compiler and the place of the vendor's wheel are facts about the computer: they change no results.
for _name in [
    name
    for name in os.environ
    if name.startswith("TILESMITH_") and name not in ("TILESMITH_CXX", "TILESMITH_TTNN_WHEEL")
]:
    del os.environ[_name]
os.environ["TILESMITH_CACHE_DIR"] = str(_ROOT / ".pytest_cache" / "tilesmith")
os.environ["TILESMITH_RUNS_DIR"] = str(_ROOT / ".pytest_cache" / "runs")
os.environ["TILESMITH_ADVICE_SECONDS"] = "0"  # every printed profile would try settings
os.environ["TILESMITH_THREADS"] = "1"  # the workers of pytest use the cores already
os.environ.setdefault("OMP_NUM_THREADS", "1")  # torch's threads would spin beside them
# Hundreds of tests start Python. Without bytecode, which containers like to switch off, each of them and each
# worker, would compile all of the package and of the tests again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# With torch and its kin loaded, a fifth of the time would go into looking for garbage among their modules.
gc.set_threshold(10_000, 10, 10)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files of the tests run")
    parser.addoption("--sweeps", action="store_true", help="every combination, where tests run a sample")
    parser.addoption("--tt-metal", metavar="CHECKOUT", help="read exported host programs with its headers")


@pytest.hookimpl(optionalhook=True)  # of xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object | None:
    """Neighbours run in one process, which has what they share: modules, fixtures, compiled kernels."""
    if config.getvalue("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Of the package only modules with examples are searched: to import the others takes long."""
    if collection_path.suffix != ".py" or _ROOT / "src" not in collection_path.parents:
        return None
    return None if ">>>" in collection_path.read_text(encoding="utf-8") else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sweeps run when they are asked for: `make sweeps`, and every night."""
    if not config.getoption("--sweeps"):
        left_out = [item for item in items if item.get_closest_marker("sweep")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("sweep")]


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for a test that looks into it."""
    monkeypatch.setenv("TILESMITH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def lasting_folder(request: pytest.FixtureRequest) -> Path:
    """An empty folder that lies at the same path in every run: the next finds kernels in it compiled."""
    return _emptied(request.node.nodeid)


@pytest.fixture(scope="module")
def lasting_folder_of_module(request: pytest.FixtureRequest) -> Path:
    """The same for all tests of a module."""
    return _emptied(request.node.nodeid)


def _emptied(node: str) -> Path:
    # Not in the checkout: a project that a test makes there would find ours around it.
    name = hashlib.sha256(f"{_ROOT} {node}".encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"tilesmith-tests-{getpass.getuser()}" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return _ROOT
