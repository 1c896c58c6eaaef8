"""`torch.compile(model, backend="tilesmith")`: forward and backward graphs through AOTAutograd."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from torch import Tensor
from torch._dynamo import config as dynamo_config
from torch._dynamo.backends.common import aot_autograd
from torch._functorch._aot_autograd.utils import make_boxed_func
from torch.fx import GraphModule, Node

from tilesmith.models.backends import Backend, Executable
from tilesmith.models.capture.eager_frames import watch_eager_frames
from tilesmith.models.capture.mistaken_decompositions import kept_whole
from tilesmith.models.capture.training import keep_whole, learns_statistics, training_decompositions
from tilesmith.models.capture.view_outputs import with_shared_views
from tilesmith.models.executable_cache import ExecutableCache, signature
from tilesmith.models.generation.torch_generate import take_generate
from tilesmith.models.options import ModelOptions
from tilesmith.models.planning.specialize import copied, specialise

# dynamo runs a module that has an RNN, a GRU or an LSTM eagerly, without a word, unless told to trace them.
dynamo_config.allow_rnn = True


def tilesmith_backend(
    module: GraphModule,
    inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,  # noqa: ARG001 - torch passes it
    **_: Any,
) -> Callable[..., Any]:
    """The backend that torch finds under the name "tilesmith".

    Options are those of `tilesmith.compile`, and `device`: "tenstorrent" (the default), "cpu" or "cuda".
    Values are stored as bfloat16; as float32 where batch norms learn, unless `precision` says otherwise.
    """
    watch_eager_frames(tilesmith_backend)
    take_generate(tilesmith_backend)
    chosen = dict(options or {})
    if "precision" not in chosen and learns_statistics(module):
        chosen["precision"] = "float32"
    backend = Backend.create(chosen.pop("device", "tenstorrent"), ModelOptions.of(chosen))
    return through_autograd(module, inputs, partial(_compile, backend))


watch_eager_frames(tilesmith_backend)
take_generate(tilesmith_backend)


def through_autograd(
    module: GraphModule, inputs: Sequence[Any], compiler: Callable[[GraphModule, Sequence[Any]], Any]
) -> Callable[..., Any]:
    """What AOTAutograd makes of a graph, its forward and its backward part each compiled by `compiler`."""
    keep_whole(module)
    wrapped = aot_autograd(
        fw_compiler=compiler,
        bw_compiler=compiler,
        inference_compiler=compiler,
        decompositions=training_decompositions(),
    )
    with kept_whole():
        result: Callable[..., Any] = wrapped(module, list(inputs))
    return result


def _compile(
    backend: Backend,
    module: GraphModule,
    inputs: Sequence[Any],  # noqa: ARG001 - every compiler is called with examples
) -> Callable[..., Any]:
    """A graph of AOTAutograd as something to call: compiled for each set of sizes it is called with."""
    executables = ExecutableCache()
    is_fixed = all(_is_of_fixed_size(node) for node in module.graph.find_nodes(op="placeholder"))
    only: Executable | None = None

    def build(args: tuple[Any, ...]) -> Executable:
        for number, arg in enumerate(args):
            backend.check_input(number, arg)
        return with_shared_views(specialise(copied(module), args), lambda graph: backend.compile(graph, args))

    def run(*args: Any) -> list[Any]:
        nonlocal only
        if only is not None:
            return only.run(args)
        found = executables.get(signature(args), lambda: build(args))
        only = found if is_fixed else None
        return found.run(args)

    boxed: Callable[..., Any] = make_boxed_func(run)
    return boxed


def _is_of_fixed_size(node: Node) -> bool:
    """Whether an input is a tensor of one size: torch sees to it, and calls with nothing else."""
    value = node.meta.get("val")
    return isinstance(value, Tensor) and all(isinstance(size, int) for size in value.shape)
