"""Composite operators are decomposed as PyTorch decomposes them, and PyTorch is left as it was."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.export.exported_program as exported_program
from torch import Tensor
from torch.nn import functional

from tilesmith.errors import CaptureError
from tilesmith.models.capture import composite_operators
from tilesmith.models.capture.fx import export


class Function(torch.nn.Module):
    def __init__(self, function: Callable[[Tensor], object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> object:
        return self.function(x)


FUNCTIONS: dict[str, Callable[[Tensor], object]] = {
    "composites": lambda x: torch.einsum("ij,kj->ik", x, x.std(0, keepdim=True)).flatten().outer(x[0]).diff(),
    "kept whole": lambda x: functional.silu(functional.linear(x, x)).softmax(-1),
    "views": lambda x: torch.cat([*x.tensor_split(2), x.flatten(0).reshape_as(x).unflatten(0, (2, 2))[0]]),
    "attention": lambda x: functional.scaled_dot_product_attention(x[None], x[None], x[None]),
    "losses": lambda x: functional.cosine_embedding_loss(x, -x, x.mean(1).sign()) + functional.l1_loss(x, x),
    "recurrent": lambda x: functional.layer_norm(x, (4,)).addmv(x, x[0]).tile(2).index_select(0, x.argmax(1)),
    "resampled": lambda x: functional.interpolate(x[None, None], scale_factor=2.0, mode="nearest"),
}


def text(name: str) -> str:
    x = torch.arange(16.0).reshape(4, 4)
    module = export(Function(FUNCTIONS[name]), (x,)).module
    return module.code + repr([node.meta.get("val") for node in module.graph.nodes if node.op != "output"])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_graph_is_that_of_pytorch_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = text(name)
    monkeypatch.setattr(composite_operators, "_split", None)
    assert ours == text(name)


def test_few_operators_are_overridden() -> None:
    table = dict(torch.export.default_decompositions())
    composite, others = composite_operators._others(table)
    assert torch.ops.aten.einsum.default not in composite
    assert torch.ops.aten.upsample_nearest2d.vec in composite  # the table leaves it out: it stays whole
    assert len(composite) < 100
    assert torch.ops.aten.relu6.default not in others


def test_a_rule_of_somebody_else_is_kept() -> None:
    table = {**torch.export.default_decompositions(), torch.ops.aten.relu6.default: torch.relu}
    assert composite_operators._others(table)[0][torch.ops.aten.relu6.default] is torch.relu


def test_pytorch_is_left_as_it_was_when_a_model_cannot_be_captured() -> None:
    before = exported_program._split_decomp_table_to_cia_and_python_decomp
    with pytest.raises(CaptureError):
        export(Function(lambda x: x if x.sum() > 0 else -x), (torch.ones(2),))
    assert exported_program._split_decomp_table_to_cia_and_python_decomp is before
