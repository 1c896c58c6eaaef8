"""Runs a Python file as a script or a module, with a pause between what it defines and what it does.

An assertion about a difference says when it has held: `noted` is called after it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

_COMPARISON = re.compile(r"diff|close|err|sim|equal", re.IGNORECASE)
_NOTED = "__noted_by_the_benchmark__"
Names = dict[str, Any]


def run_script(
    path: Path, argv: list[str], between: Callable[[Names], None], noted: Callable[[], None]
) -> None:
    """`between` gets the names as they are before the last statements that act.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "double.py"
    ...     _ = path.write_text("def size(): return 2\\nif __name__ == '__main__': print(size())")
    ...     run_script(path, [], lambda names: names.update(size=lambda: 3), lambda: None)
    3
    """
    before, arguments = sys.modules["__main__"], sys.argv
    sys.argv = [str(path), *argv]
    try:
        load_module(path, "__main__", between, noted)
    finally:
        sys.modules["__main__"], sys.argv = before, arguments


def load_module(
    path: Path, name: str, between: Callable[[Names], None], noted: Callable[[], None]
) -> ModuleType:
    """The same for a module that others then find as imported."""
    tree = ast.fix_missing_locations(_Noting().visit(ast.parse(path.read_text(encoding="utf-8"), str(path))))
    first = _first_act(tree.body)
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = str(path)
    setattr(module, _NOTED, noted)
    _execute(tree.body[:first], path, module)
    between(vars(module))
    _execute(tree.body[first:], path, module)
    return module


class _Noting(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        if not _COMPARISON.search(ast.unparse(node.test)):
            return [node]
        call = ast.Expr(ast.Call(ast.Name(_NOTED, ast.Load()), [], []))
        return [node, ast.copy_location(call, node)]


def _first_act(statements: list[ast.stmt]) -> int:
    """Past the last definition."""
    defining = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    return max((at for at, one in enumerate(statements, 1) if isinstance(one, defining)), default=0)


def _execute(statements: list[ast.stmt], path: Path, module: ModuleType) -> None:
    code = compile(ast.Module(statements, []), str(path), "exec", dont_inherit=True)
    exec(code, vars(module))
