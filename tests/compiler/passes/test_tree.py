"""Every rewrite is a pass in the tree that `tilesmith opt --list` shows."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

from xdsl.passes import ModulePass

from tilesmith.compiler import codegen, lowering, transforms
from tilesmith.compiler.pass_group import PassGroup, tree
from tilesmith.compiler.pipeline import Choices, pipeline


def modules() -> Iterator[ModuleType]:
    for package in (transforms, lowering, codegen):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(info.name)


def passes_of(module: ModuleType) -> list[type[ModulePass]]:
    classes = [member for _, member in inspect.getmembers(module, inspect.isclass)]
    return [one for one in classes if issubclass(one, ModulePass) and one.__module__ == module.__name__]


def test_every_pass_is_in_the_tree() -> None:
    shown = {type(step) for step, _ in tree(pipeline(Choices()))}
    assert {one for module in modules() for one in passes_of(module)} == shown


def test_names_are_unique() -> None:
    names = [step.name for step, _ in tree(pipeline(Choices()))]
    assert len(names) == len(set(names))


def test_no_pass_runs_the_rewrite_of_another() -> None:
    """From a module with a pass, only its pass classes are imported, and only by groups and the pipeline."""
    homes = {module.__name__: {one.__name__ for one in passes_of(module)} for module in modules()}
    wrong = [
        f"{module.__name__} imports {alias.name} from {node.module}"
        for module in modules()
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.ImportFrom) and homes.get(node.module or "")
        for alias in node.names
        if alias.name not in homes[node.module or ""] and not _is_data(node.module or "", alias.name)
    ]
    assert not wrong


def _is_data(module: str, name: str) -> bool:
    """Names of attributes may be shared."""
    return isinstance(getattr(importlib.import_module(module), name), str)


def test_groups_do_nothing_but_run_their_passes() -> None:
    groups = [type(step) for step, _ in tree(pipeline(Choices())) if isinstance(step, PassGroup)]
    assert all(group.apply is PassGroup.apply for group in groups)
