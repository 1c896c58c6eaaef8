"""Passes are verified one by one here; in other tests the verifier sees the first module and the last."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def verified_after_each_pass() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILESMITH_VERIFY_IR", "each")
        yield
