"""What trials in lower precision gave, kept on disk: a model that was tried is not run again.

A trial is run on the emulator, which gives the same bits for the same programs and tensors. So its key holds
all of them: the graph and the plan, every constant and input with what it holds, the settings, and the code
of this package. Where a graph calls what that does not tell, or draws at random, nothing is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from torch.fx import GraphModule, Node

import tilesmith
from tilesmith import settings
from tilesmith.models.planning.plan import attributes_of
from tilesmith.toolchain import Cache
from tilesmith.toolchain.known import known_compiler

# Operators of which the package and PyTorch's version say all.
_NAMESPACES = ("aten", "prims", "tilesmith")
_FUNCTIONS = ("_operator", "math")
_PLAIN = (bool, int, float, complex, str, torch.dtype, torch.device, torch.layout, torch.memory_format)
_SUFFIXES = (".py", ".h", ".hpp", ".cpp", ".toml", ".json")


_NUMBER = re.compile(r"(Storage\([^()]*?number=)(\d+)")


class Unknown(Exception):
    """A part of a model of which its key could not say all."""


def trial_key(module: GraphModule, inputs: Sequence[Any]) -> str:
    """What a graph computes from these inputs, as a key; "" if that cannot be told."""
    try:
        told = sha256()
        for part in (*_surroundings(), *_graph(module), *_tensors(module, inputs)):
            told.update(part if isinstance(part, bytes) else part.encode())
            told.update(b"\0")
    except Unknown:
        return ""
    return told.hexdigest()


def kept_trial(key: str, way: object, run: Callable[[], float]) -> float:
    """The correlation of a graph carried out in a `way`, as it was found before, or by `run` now."""
    if not key:
        return run()

    def write(path: Path) -> None:
        path.write_text(json.dumps(run()))

    name = sha256(f"{key} {_renumbered(repr(way))}".encode()).hexdigest()[:40]
    kept = Cache(settings.current().cache_dir).get_or_build(name, write, ".json")
    return float(json.loads(kept.read_text()))


def _renumbered(text: str) -> str:
    """A plan's text in which storages are counted from its beginning: a process counts all that it makes.

    >>> _renumbered("Storage(rows=32, number=7), Storage(rows=64, number=3), Storage(rows=32, number=7)")
    'Storage(rows=32, number=0), Storage(rows=64, number=1), Storage(rows=32, number=0)'
    """
    places: dict[str, int] = {}
    return _NUMBER.sub(lambda found: f"{found[1]}{places.setdefault(found[2], len(places))}", text)


def _surroundings() -> Iterator[str]:
    now = settings.current()
    yield from (_package(), torch.__version__, known_compiler().id)
    yield repr((now.arch, now.seed, now.clock, now.suppress))


@cache
def _package() -> str:
    """The code of this package."""
    told, root = sha256(), Path(tilesmith.__file__).parent
    for path in sorted(one for one in root.rglob("*") if one.suffix in _SUFFIXES):
        told.update(f"{path.relative_to(root)} {path.stat().st_size} ".encode())
        told.update(path.read_bytes())
    return told.hexdigest()


def _graph(module: GraphModule) -> Iterator[str]:
    for node in module.graph.nodes:
        yield repr((node.op, node.name, _target(node), _argument(node.args), _argument(node.kwargs)))
        yield repr(_described(node.meta.get("val")))


def _target(node: Node) -> str:
    if node.op != "call_function":
        return str(node.target)
    if isinstance(node.target, torch._ops.OpOverload):
        if node.target.namespace in _NAMESPACES and not _is_random(node, node.target):
            return str(node.target)
    elif getattr(node.target, "__module__", "") in _FUNCTIONS:
        return f"{node.target.__module__}.{getattr(node.target, '__name__', '')}"
    raise Unknown(str(node.target))


def _is_random(node: Node, target: torch._ops.OpOverload) -> bool:
    """Attention is tagged as random for the sake of its dropout."""
    if target is torch.ops.aten.scaled_dot_product_attention.default:
        dropout = node.args[4] if len(node.args) > 4 else node.kwargs.get("dropout_p", 0.0)
        return bool(dropout != 0.0)
    return torch.Tag.nondeterministic_seeded in target.tags


def _argument(value: Any) -> Any:
    """An argument in which a node stands as its name."""
    if isinstance(value, Node):
        return f"%{value.name}"
    if isinstance(value, list | tuple):
        return [_argument(one) for one in value]
    if isinstance(value, dict):
        return [(name, _argument(one)) for name, one in value.items()]
    if isinstance(value, slice):
        return "slice", _argument([value.start, value.stop, value.step])
    return _plain(value)


def _plain(value: Any) -> str:
    """A number, a word or an option of PyTorch; what else there is may not say all by its text."""
    known = (
        bool | int | float | complex | str | torch.dtype | torch.device | torch.layout | torch.memory_format
    )
    if value is None or isinstance(value, known):
        return f"{type(value).__name__} {value!r}"
    raise Unknown(type(value).__name__)


def _described(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return str(value.dtype), [str(size) for size in value.shape], [str(step) for step in value.stride()]
    return [_described(one) for one in value] if isinstance(value, list | tuple) else str(type(value))


def _tensors(module: GraphModule, inputs: Sequence[Any]) -> Iterator[str | bytes]:
    """Every constant and input, with what it holds."""
    held = ((node.name, value) for node, value in attributes_of(module).items())
    for name, value in (*held, *((f"input {place}", value) for place, value in enumerate(inputs))):
        yield name
        if isinstance(value, torch.Tensor):
            yield repr(_described(value))
            yield _bytes(value)
        else:
            yield repr(_argument(value))


def _bytes(value: torch.Tensor) -> bytes:
    plain = type(value) in (torch.Tensor, torch.nn.Parameter) and value.layout == torch.strided
    if not plain or value.device.type != "cpu" or value.is_quantized or value.is_complex():
        raise Unknown(str(type(value)))
    flat = value.detach().contiguous().reshape(-1)
    return sha256(flat.view(torch.uint8).numpy().data).digest()
