"""Every pattern as the tile dialect defines it: what the front end makes means what TileLang meant."""

from __future__ import annotations

import pytest
from tests.differential.harness import Case, check_by_interpreter
from tests.differential.patterns import PATTERNS


@pytest.mark.parametrize("case", PATTERNS, ids=str)
def test_the_imported_kernel_means_the_same(case: Case) -> None:
    check_by_interpreter(case)
