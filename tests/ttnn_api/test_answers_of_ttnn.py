"""tilesmith.ttnn answers as ttnn 0.81.1 answered on its mock device, or a reason is given why not.

All calls that ttnn refuses, and a sample of the others; conformance/compare_ttnn.py makes all of them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest
from conformance.ttnn_api.call import Call, Kit
from conformance.ttnn_api.calls import all_calls
from conformance.ttnn_api.compare import REASONS, RECORDED, fields, read, reason_for
from conformance.ttnn_api.record import answer, emulator_kit

_ANSWERS = read(RECORDED)
_REASONS = tomllib.loads(REASONS.read_text(encoding="utf-8"))
_REFUSED = [call for call in all_calls() if "error" in _ANSWERS[call.key]]
_TAKEN = [call for call in all_calls() if "error" not in _ANSWERS[call.key]][::16]


@pytest.fixture(scope="module")
def kit() -> Iterator[Kit]:
    with emulator_kit() as made:
        yield made


@pytest.mark.parametrize("call", [*_REFUSED, *_TAKEN], ids=lambda call: call.key)
def test_answers_as_ttnn(call: Call, kit: Kit) -> None:
    differing = fields(_ANSWERS[call.key], answer(kit, call))
    assert [one for one in differing if not reason_for(_REASONS, call.key, one[0])] == []


def test_every_call_was_answered_by_ttnn() -> None:
    assert {call.key for call in all_calls()} == set(_ANSWERS)


def test_reasons_are_for_calls_that_exist() -> None:
    known = {call.key for call in all_calls()} | {call.name for call in all_calls()}
    assert set(_REASONS) <= known
