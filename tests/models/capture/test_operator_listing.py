"""Captures list the operators of PyTorch once, and leave PyTorch as it was."""

from __future__ import annotations

from unittest.mock import Mock

import pytest
import torch
import torch._export.utils as export_utils

from tilesmith.errors import CaptureError
from tilesmith.models.capture import composite_operators, operator_listing
from tilesmith.models.capture.fx import export


@pytest.fixture
def listing(monkeypatch: pytest.MonkeyPatch) -> Mock:
    counted = Mock(wraps=operator_listing._list_operators)
    monkeypatch.setattr(composite_operators, "_latest", None)
    monkeypatch.setattr(operator_listing, "_list_operators", counted)
    monkeypatch.setattr(export_utils, "_materialize_cpp_cia_ops", counted)
    return counted


def test_operators_are_listed_once_and_again_where_there_are_more(
    listing: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh())
    for _ in range(2):
        captured = export(model, (torch.ones(2, 4),))
        assert listing.call_count == 1
    more = [*torch._C._dispatch_get_all_op_names(), "later::operator"]
    monkeypatch.setattr(torch._C, "_dispatch_get_all_op_names", lambda: more)
    export(model, (torch.ones(2, 4),))
    assert listing.call_count == 2
    assert [node.name for node in captured.module.graph.nodes if node.op == "call_function"] == [
        "linear",
        "tanh",
    ]


def test_pytorch_is_left_as_it_was_when_a_model_cannot_be_captured(listing: Mock) -> None:
    class Refused(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x if x.sum() > 0 else -x

    with pytest.raises(CaptureError):
        export(Refused(), (torch.ones(2),))
    assert export_utils._materialize_cpp_cia_ops is listing
