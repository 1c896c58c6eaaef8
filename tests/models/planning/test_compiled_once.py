"""The passes of a level write the code of a graph once, at their end."""

from __future__ import annotations

from unittest.mock import patch

import pytest
import torch
from tests.models.planning.capturing import captured
from torch.fx import GraphModule

from tilesmith.models.options import ModelOptions
from tilesmith.models.passes.edit import compiled_once, tidy
from tilesmith.models.passes.pipeline import optimise

X = torch.randn(2, 8, 64)


def test_a_level_writes_code_once_and_calls_follow_the_graph() -> None:
    module = captured(lambda x: (x.clone().contiguous() * 1 + 1).detach().exp(), X)
    wanted, written = module(X), []

    def noted(self: GraphModule) -> object:
        written.append(self)
        return write(self)

    write = GraphModule.recompile
    with patch.object(GraphModule, "recompile", noted):
        optimise(module, ModelOptions())
    assert [one for one in written if one is module] == [module]
    assert "clone" not in module.code
    torch.testing.assert_close(module(X), wanted)


def test_other_graphs_are_written_at_once() -> None:
    outer, inner = (captured(lambda x: x + 1, X) for _ in range(2))
    add = next(node for node in inner.graph.nodes if node.op == "call_function")
    with compiled_once(outer):
        add.args = (add.args[0], 2)
        tidy(inner)
        assert torch.equal(inner(X)[0], X + 2)


def test_calls_follow_the_graph_after_an_error_too() -> None:
    module = captured(lambda x: x + 1, X)
    add = next(node for node in module.graph.nodes if node.op == "call_function")

    def fail() -> None:
        add.args = (add.args[0], 2)
        tidy(module)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"), compiled_once(module):
        fail()
    assert torch.equal(module(X)[0], X + 2)
