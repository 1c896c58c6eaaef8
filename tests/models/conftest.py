"""What the tests of models share."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tilesmith.models.executable_cache import collect_reports
from tilesmith.models.report import Report


@pytest.fixture
def reports() -> Iterator[list[Report]]:
    """The reports of what a test compiles, the latest last."""
    with collect_reports() as found:
        yield found


@pytest.fixture(autouse=True)
def nothing_seen_before() -> None:
    """Where dynamo has met other sizes at the same lines it compiles for any: five times the work."""
    if (dynamo := sys.modules.get("torch._dynamo")) is not None:
        dynamo.reset()
