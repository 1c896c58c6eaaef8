"""Operations as they are called: captured graphs, traces of blocks, and hooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from tilesmith import ttnn
from tilesmith.errors import OperationError
from tilesmith.ops.device import MeshDevice


def called(device: MeshDevice) -> ttnn.Tensor:
    x = ttnn.from_torch(torch.ones(32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
    return ttnn.bias_gelu(x, x)


def test_a_graph_lists_operations_under_those_that_call_them(
    device: MeshDevice, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not ttnn.graph.is_graph_capture_active()
    ttnn.graph.begin_graph_capture(ttnn.graph.RunMode.NORMAL)
    assert ttnn.graph.is_graph_capture_active()
    called(device)
    nodes = ttnn.graph.end_graph_capture_to_file(tmp_path / "graph.json")
    assert json.loads((tmp_path / "graph.json").read_text()) == nodes
    names = ttnn.graph.extract_calltrace(nodes)
    assert names[-2:] == ["ttnn.bias_gelu", "ttnn.add"]
    ttnn.graph.pretty_print(nodes)
    assert capsys.readouterr().out.endswith("ttnn.bias_gelu\n    ttnn.add\n")
    outer = next(node for node in nodes if node["params"].get("name") == "ttnn.bias_gelu")
    assert nodes[outer["connections"][0]]["params"]["name"] == "ttnn.add"
    assert "DataType::BFLOAT16" in outer["arguments"][0]
    with pytest.raises(OperationError, match="no graph is being captured"):
        ttnn.graph.end_graph_capture()


def test_a_trace_ends_with_its_block(device: MeshDevice) -> None:
    with ttnn.tracer.trace():
        assert ttnn.tracer.is_tracing_enabled()
        called(device)
    assert not ttnn.tracer.is_tracing_enabled()
    assert "ttnn.add" in ttnn.graph.extract_calltrace(ttnn.tracer.get_graph())
    with pytest.raises(OperationError, match="not drawn here"):
        ttnn.tracer.visualize()


def test_hooks_see_what_goes_in_and_what_comes_out(device: MeshDevice) -> None:
    seen: list[tuple[str, Any]] = []

    def before(operation: Any, args: Any, kwargs: Any) -> None:
        seen.append(("before", operation.python_fully_qualified_name))

    def after(operation: Any, args: Any, kwargs: Any, result: Any) -> None:
        seen.append(("after", result))

    with ttnn.register_pre_operation_hook(before), ttnn.register_post_operation_hook(after):
        result = called(device)
    assert ("before", "ttnn.add") in seen
    assert seen[-1] == ("after", result)
    count = len(seen)
    called(device)
    assert len(seen) == count
