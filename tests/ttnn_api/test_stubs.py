"""The stubs of tilesmith.ttnn say what the operations take. `python scripts/ttnn_stubs.py` writes them."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "ttnn_stubs.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ttnn_stubs", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_they_are_those_of_the_signatures(script: ModuleType) -> None:
    for path, text in script.stubs().items():
        assert path.read_text(encoding="utf-8") == text(), f"run python {SCRIPT.name}"


def test_no_operation_is_any(script: ModuleType) -> None:
    tree = ast.parse((script.FOLDER / "__init__.pyi").read_text(encoding="utf-8"))
    found = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert set(script.operations_of("ttnn")) <= set(found)
    for name in ("add", "matmul", "softmax", "conv2d", "gather", "relu"):
        node = found[name]
        assert node.returns is not None
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        assert all(one.annotation is not None for one in given)
        assert "Any" not in {ast.unparse(one.annotation) for one in given if one.annotation is not None}
