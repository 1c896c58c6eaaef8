"""What the tests of models share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tilesmith.models.executable_cache import collect_reports
from tilesmith.models.report import Report


@pytest.fixture
def reports() -> Iterator[list[Report]]:
    """The reports of what a test compiles, the latest last."""
    with collect_reports() as found:
        yield found
