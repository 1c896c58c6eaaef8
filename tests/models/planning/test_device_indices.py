"""Places that a kernel finds, and rows gathered by them, stay on the device."""

from __future__ import annotations

import pytest
import torch
from tests.models.planning.capturing import Applied
from torch import Tensor

import tilesmith
from tilesmith.models.planning.integers import ranges_of

aten = torch.ops.aten


class TopRows(torch.nn.Module):
    """The rows of a table that the largest of each line name."""

    def __init__(self, rows: int) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(rows, 40, generator=torch.Generator().manual_seed(1)))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        values, places = (x * 2).topk(3, -1)
        return values, self.table[places]


def test_rows_are_gathered_by_places_that_stay() -> None:
    model = TopRows(9)
    x = torch.randn(5, 9, generator=torch.Generator().manual_seed(0))
    run = tilesmith.compile(model, precision="float32", checks="on")
    with torch.no_grad():
        for found, wanted in zip(run(x), model(x), strict=True):
            torch.testing.assert_close(found, wanted, atol=0, rtol=0)
    assert run.report.host == ()


def test_places_that_may_be_beyond_are_checked() -> None:
    run = tilesmith.compile(TopRows(8), precision="float32")
    assert run(torch.arange(8.0, -1.0, -1.0)[None])[1].shape == (1, 3, 40)
    assert [line.op for line in run.report.host] == ["tilesmith::in_bounds"]
    with pytest.raises(tilesmith.errors.TilesmithError, match="out of bounds"):
        run(torch.arange(9.0)[None])


def test_the_largest_are_handed_on_as_they_are() -> None:
    x = torch.tensor([[3e38, -1e-30, 1.0000001, -2.5, 0.0], [-5.0, -4.0, -3.0, -2.0, -1.0]])
    for largest in (True, False):
        model = Applied(lambda x, largest=largest: (x * 1).topk(4, -1, largest))
        run = tilesmith.compile(model, precision="float32")
        for found, wanted in zip(run(x), x.topk(4, -1, largest), strict=True):
            assert torch.equal(found, wanted)


@pytest.mark.parametrize(
    ("limits", "wanted"), [((None, 1), (0, 1)), ((2, None), (2, 3)), ((1, 2), (1, 2)), ((5, 7), (5, 5))]
)
def test_a_limit_narrows_a_range(limits: tuple[int | None, int | None], wanted: tuple[int, int]) -> None:
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    x.meta["val"] = torch.zeros(2, 3, dtype=torch.bool)
    total = graph.call_function(aten.sum.dim_IntList, (x, [1]))
    limited = graph.call_function(aten.clamp.default, (total, *limits))
    for node in (total, limited):
        node.meta["val"] = torch.zeros(2, dtype=torch.int64)
    assert ranges_of(graph, {})[limited] == wanted
