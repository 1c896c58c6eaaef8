"""The verifier sees the module after the last pass, too; after each in `passes/test_pass_calls.py`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="package")
def verified_after_the_last_pass() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILESMITH_VERIFY_IR", "ends")
        yield
