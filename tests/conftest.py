"""What every test shares: a cache of compiled code of their own, and none of the user's settings."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

# Set before any test module is imported, and by the first process only: workers of pytest-xdist inherit it,
# so that a kernel many tests use is compiled once.
_OWNS_CACHE = "PYTEST_TILESMITH_CACHE" not in os.environ
if _OWNS_CACHE:
    os.environ["PYTEST_TILESMITH_CACHE"] = tempfile.mkdtemp(prefix="tilesmith-tests-")
for _name in [name for name in os.environ if name.startswith("TILESMITH_")]:
    del os.environ[_name]
os.environ["TILESMITH_CACHE_DIR"] = os.environ["PYTEST_TILESMITH_CACHE"]


def pytest_unconfigure(config: pytest.Config) -> None:
    if _OWNS_CACHE and not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["PYTEST_TILESMITH_CACHE"], ignore_errors=True)


@pytest.fixture
def fresh_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for a test that looks into it."""
    monkeypatch.setenv("TILESMITH_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return Path(__file__).resolve().parent.parent
