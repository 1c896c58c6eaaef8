"""Kernels are verified after the last pass, too; drawn ones, which ask for it, after each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.compiler.conftest import verified_after_the_last_pass

__all__ = ["verified_after_the_last_pass"]


@pytest.fixture(scope="module")
def verified_after_each_pass() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILESMITH_VERIFY_IR", "each")
        yield
