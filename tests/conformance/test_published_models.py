"""The models of published rates: the cheapest of them runs, and what is wrong is told."""

from __future__ import annotations

import pytest
from conformance.published_cases import CASES
from conformance.published_layers import layer_of
from conformance.published_models import is_right, rows

from tilesmith.errors import EmulatorGap
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable


def test_the_smallest_model_is_right_with_checks_on() -> None:
    (found,) = rows("mnist", ("layer",), 0, "O2")
    assert found["right"], found
    assert found["pcc"] > 0.999
    assert found["inputs"] == [[128, 784]]


def test_a_fault_is_told_in_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise EmulatorGap("no such thing")

    monkeypatch.setattr(TenstorrentExecutable, "run", refuses)
    (found,) = rows("mnist", ("layer",), 0, "O2")
    assert not found["right"]
    assert "no such thing" in found["error"]


@pytest.mark.parametrize(
    ("pcc", "recomputed", "right"),
    [(0.99, 0, True), (0.989, 0, False), (float("nan"), 0, False), (1.0, 1, False)],
)
def test_what_is_right(pcc: float, recomputed: int, right: bool) -> None:
    assert is_right({"pcc": pcc, "recomputed": recomputed}) == right


def test_every_model_has_a_layer() -> None:
    for case in CASES:
        if not case.name.startswith(("sd", "falcon")):  # hundreds of millions of weights
            model, inputs = layer_of(case.name)
            assert list(model.parameters())
            assert inputs
