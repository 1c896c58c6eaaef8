"""Changing a graph: new nodes know the shape and type of their value, as captured ones do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

ASSERT = torch.ops.aten._assert_async.msg
"""What raises an error where a model's indices are not what they must be."""
_VIEWS = (torch.ops.aten.view.default, torch.ops.aten._unsafe_view.default)


def value_of(node: Node) -> torch.Tensor:
    """The fake tensor that stands for a node's value."""
    value = node.meta["val"]
    assert isinstance(value, torch.Tensor)
    return value


def insert(
    module: GraphModule,
    before: Node,
    target: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
) -> Node:
    """A call before a node, whose place in the user's code it takes."""
    with module.graph.inserting_before(before):
        node = module.graph.call_function(target, tuple(args), dict(kwargs or {}))
    values, named = map_arg((node.args, node.kwargs), lambda one: one.meta["val"])
    with _mode_of(list(module.graph.nodes)):
        node.meta["val"] = runnable(target)(*values, **named)
    keep_place(node, before)
    return node


def keep_place(node: Node, source: Node) -> None:
    """Let a new node come from the module and line of another, unless it has its own."""
    for name in ("nn_module_stack", "stack_trace"):
        if name in source.meta and not node.meta.get(name):
            node.meta[name] = source.meta[name]


def insert_constant(module: GraphModule, before: Node, value: torch.Tensor) -> Node:
    """A tensor the graph carries with it, read before a node."""
    name = f"held_{len(list(module.buffers()))}"
    while hasattr(module, name):
        name += "_"
    module.register_buffer(name, value.detach(), persistent=False)
    with module.graph.inserting_before(before):
        node = module.graph.get_attr(name)
    node.meta["val"] = _mode_of(list(module.graph.nodes)).from_tensor(value, static_shapes=True)
    return node


def replace(module: GraphModule, old: Node, new: Node) -> None:
    """Let everybody use another node, and drop the old one."""
    old.replace_all_uses_with(new)
    module.graph.erase_node(old)


def runnable(target: Any) -> Callable[..., Any]:
    """What to call to run a node's target. A copy that made a view possible may have been dropped."""
    found: Callable[..., Any] = torch.ops.aten.reshape.default if target in _VIEWS else target
    return found


def tidy(module: GraphModule) -> None:
    """Drop what nobody uses, also what may draw random numbers, which PyTorch would keep."""
    module.graph.eliminate_dead_code(is_impure_node=_has_effects)
    recompile(module)


_compiled_later: ContextVar[GraphModule | None] = ContextVar("compiled later", default=None)


@contextmanager
def compiled_once(module: GraphModule) -> Iterator[None]:
    """Passes inside change the graph; its Python code, which only calls need, is written at the end."""
    token = _compiled_later.set(module)
    try:
        yield
    finally:
        _compiled_later.reset(token)
        module.recompile()


def recompile(module: GraphModule) -> None:
    """Let calls of the module follow its graph: now, or at the end of `compiled_once`."""
    if _compiled_later.get() is not module:
        module.recompile()


def changes_by_itself(node: Node) -> bool:
    """Whether equal calls may give different results: one that draws random numbers, or writes."""
    schema = getattr(node.target, "_schema", None)
    draws = torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
    return draws or bool(schema is not None and schema.is_mutable)


def _has_effects(node: Node) -> bool:
    schema = getattr(node.target, "_schema", None)
    if node.op in ("placeholder", "output") or node.target is ASSERT:
        return True
    return bool(schema is not None and schema.is_mutable)


def _mode_of(nodes: Sequence[Node]) -> FakeTensorMode:
    for node in nodes:
        value = node.meta.get("val")
        if isinstance(value, FakeTensor):
            return value.fake_mode
    return FakeTensorMode()
