"""Runs a Python file as a script, with a pause between what it defines and what it does."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any


def run_script(path: Path, argv: list[str], between: Callable[[dict[str, Any]], None]) -> None:
    """`between` gets the names as they are before the last statements that act.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "double.py"
    ...     _ = path.write_text("def size(): return 2\\nif __name__ == '__main__': print(size())")
    ...     run_script(path, [], lambda names: names.update(size=lambda: 3))
    3
    """
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    first = _first_act(tree.body)
    module = ModuleType("__main__")
    module.__file__ = str(path)
    before, sys.modules["__main__"] = sys.modules["__main__"], module
    arguments, sys.argv = sys.argv, [str(path), *argv]
    try:
        _execute(tree.body[:first], path, module)
        between(vars(module))
        _execute(tree.body[first:], path, module)
    finally:
        sys.modules["__main__"], sys.argv = before, arguments


def _first_act(statements: list[ast.stmt]) -> int:
    """Past the last definition."""
    defining = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    return max((at for at, one in enumerate(statements, 1) if isinstance(one, defining)), default=0)


def _execute(statements: list[ast.stmt], path: Path, module: ModuleType) -> None:
    code = compile(ast.Module(statements, []), str(path), "exec", dont_inherit=True)
    exec(code, vars(module))
