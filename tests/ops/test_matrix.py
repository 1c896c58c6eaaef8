"""A sample of the matrix of all operations; `python -m conformance.op_matrix` runs the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from conformance.op_matrix.case import Case
from conformance.op_matrix.cases import all_cases
from conformance.op_matrix.run import run_case

from tilesmith import ttnn

# Few kernels: the operations whose cases share theirs are tried more often.
EVERY = {"movement": 29, "creation": 24, "embedding": 13, "product": 17, "reduction": 57, "rows": 49}
OPERATIONS = {"unary": ("relu", "typecast"), "binary": ("add",), "ternary": ("where",)}


def _sample() -> list[Case]:
    cases = all_cases()
    chosen = []
    for family, step in EVERY.items():
        chosen += [case for case in cases if case.family == family][::step]
    for family, names in OPERATIONS.items():
        chosen += [case for case in cases if case.family == family and case.operation in names][::11]
    return chosen


@pytest.fixture(scope="module")
def device() -> Iterator[ttnn.MeshDevice]:
    with ttnn.manage_device(device_id=0) as opened:
        yield opened


@pytest.mark.parametrize("case", _sample(), ids=lambda case: case.name)
def test_an_operation_equals_torch(case: Case, device: ttnn.MeshDevice) -> None:
    assert run_case(case, device).problem == ""


def test_the_matrix_has_every_family_and_enough_cases() -> None:
    cases = all_cases()
    assert len(cases) >= 2000
    assert set(Counter(case.family for case in cases)) == {*EVERY, *OPERATIONS}
    assert len({case.name for case in cases}) == len(cases)
