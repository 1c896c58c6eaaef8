"""Models as torch.fx graphs: the one place that knows how PyTorch captures them."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from operator import itemgetter
from typing import Any

import torch
from torch.export.graph_signature import ExportGraphSignature, InputKind, OutputKind
from torch.fx import GraphModule, Node
from torch.fx._lazy_graph_module import _use_lazy_graph_module
from torch.utils import _pytree as pytree

from tilesmith.errors import BadCallError, CaptureError
from tilesmith.garbage import without_collections
from tilesmith.models.capture.capture_errors import refusal
from tilesmith.models.capture.composite_operators import composites_left_alone
from tilesmith.models.capture.mistaken_decompositions import MISTAKEN, kept_whole
from tilesmith.models.capture.operator_listing import operators_listed_once
from tilesmith.models.capture.quantized_modules import plain
from tilesmith.settings import current

aten = torch.ops.aten

KEPT = (
    *(aten.linear.default, aten.matmul.default, aten.scaled_dot_product_attention.default),
    *(aten.layer_norm.default, aten.rms_norm.default, aten.group_norm.default, aten.batch_norm.default),
    *(aten.conv2d.default, aten.conv2d.padding, aten.conv1d.default, aten.silu.default, aten.gelu.default),
    *(aten.adaptive_avg_pool2d.default, aten.max_pool2d.default, aten.avg_pool2d.default),
    *(aten.upsample_bilinear2d.vec, aten.upsample_bicubic2d.vec, aten.upsample_linear1d.vec),
    *(aten._upsample_bilinear2d_aa.vec, aten._upsample_bicubic2d_aa.vec),
    *(aten.upsample_nearest2d.vec, aten.softmax.int, aten.log_softmax.int, aten.embedding.default),
    *(aten.leaky_relu.default, aten.elu.default, aten.hardswish.default, aten.hardsigmoid.default),
    *(aten.softplus.default, aten.mish.default, aten.relu6.default, aten.hardtanh.default),
)
"""Operators that are kept whole: each is the main work, or a short part, of one kernel."""


def decompositions() -> dict[Any, Callable[..., Any]]:
    """The decompositions of the other operators."""
    return dict(_decompositions(len(torch._C._dispatch_get_all_op_names())))


@lru_cache(maxsize=1)
def _decompositions(known_operators: int) -> dict[Any, Callable[..., Any]]:  # noqa: ARG001 - the key
    """PyTorch looks at every operator to make this table; libraries loaded since bring new ones."""
    table: dict[Any, Callable[..., Any]] = dict(torch.export.default_decompositions())
    for kept in KEPT:
        table.pop(kept, None)
    for packet in MISTAKEN:
        for overload in packet.overloads():
            table.pop(getattr(packet, overload), None)
    return table


PARAMETER = "parameter"
"""In the meta of a node: the path of a parameter or buffer in the user's model."""


@dataclass(frozen=True)
class Captured:
    """A model as a graph of ATen operators, its weights as attributes of the module.

    `inputs` are the placeholders in the order of the flattened arguments. Buffers that a call changes follow
    them. The first outputs are their new values, then those of the arguments that a call changes.
    """

    module: GraphModule
    in_spec: pytree.TreeSpec
    out_spec: pytree.TreeSpec
    inputs: tuple[str, ...]
    changed_buffers: tuple[str, ...]
    changed_inputs: tuple[str, ...]
    sizes: tuple[tuple[int, int, int, int], ...] = ()
    """Of inputs whose sizes were left open: number, dimension, the least and the largest size."""

    def check_sizes(self, flat: Sequence[Any]) -> None:
        """Refuse inputs of sizes that the model was not captured for."""
        for number, dim, least, most in self.sizes:
            size = flat[number].shape[dim]
            if not least <= size <= most:
                wanted = str(least) if least == most else f"{least} to {most}"
                raise BadCallError(
                    f"input {number} has size {size} in dimension {dim}; the model was captured for {wanted}",
                    where=f"input {number}",
                    remedy="give inputs of such sizes, or compile with other `dynamic_shapes`",
                )

    def flatten(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """The arguments of a call, in the order of the graph's inputs."""
        flat, spec = pytree.tree_flatten((tuple(args), self._in_order(kwargs)))
        if spec != self.in_spec:
            wanted = self.in_spec.num_leaves
            raise TypeError(
                f"the model was compiled for {wanted} inputs arranged as {self.in_spec}, got {spec}"
            )
        return flat

    def _in_order(self, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Named arguments in the order of the call that was captured, as far as they are the same."""
        if len(kwargs) < 2:
            return dict(kwargs)
        captured = pytree.tree_unflatten(range(self.in_spec.num_leaves), self.in_spec)[1]
        names = [name for name in captured if name in kwargs]
        return {name: kwargs[name] for name in dict.fromkeys((*names, *kwargs))}

    def takes_as_they_are(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Whether the arguments, then the named ones, are the graph's inputs: none holds others."""
        flat = [*args, *kwargs.values()]
        given = self.flatten(args, kwargs)
        return len(flat) == len(given) and all(one is other for one, other in zip(flat, given, strict=True))

    def arranged(self) -> Callable[[list[Any]], Any]:
        """What makes of the outputs of a graph that changes nothing what the model returns."""
        spec = self.out_spec
        numbers = list(range(spec.num_leaves))
        shape = pytree.tree_unflatten(numbers, spec)
        if shape == 0:
            return itemgetter(0)
        if type(shape) in (tuple, list) and list(shape) == numbers:
            container: Callable[[list[Any]], Any] = type(shape)
            return container
        return lambda outputs: pytree.tree_unflatten(outputs, spec)

    @property
    def changes_anything(self) -> bool:
        """Whether a call writes to buffers or arguments."""
        return bool(self.changed_buffers or self.changed_inputs)

    def buffers_of(self, model: torch.nn.Module) -> list[torch.Tensor]:
        """The buffers that a call changes, which follow the arguments."""
        return [model.get_buffer(name) for name in self.changed_buffers]

    def deliver(self, outputs: Sequence[Any], buffers: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """Store what the call changed, and arrange the rest as the model does."""
        given = dict(zip(self.inputs, inputs, strict=True))
        changed = [*buffers, *(given[name] for name in self.changed_inputs)]
        for target, value in zip(changed, outputs, strict=False):
            if isinstance(target, torch.Tensor):  # what stays on the device is written there
                target.copy_(value)
        return pytree.tree_unflatten(list(outputs[len(changed) :]), self.out_spec)


# Its many graphs on the way are never called: PyTorch need not compile the Python of each.
@_use_lazy_graph_module(True)
@without_collections()
def export(
    model: torch.nn.Module,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
) -> Captured:
    """Capture a model for inference, its weights as constants."""
    try:
        with torch.no_grad(), warnings.catch_warnings(), kept_whole(), operators_listed_once():
            # PyTorch copies its own description of arguments in a way that it warns of.
            warnings.filterwarnings("ignore", "`isinstance\\(treespec, LeafSpec", FutureWarning)
            with _said_only_on_success(), plain(model, args, kwargs or {}) as exported:
                program = torch.export.export(
                    exported, tuple(args), dict(kwargs or {}), dynamic_shapes=dynamic_shapes, strict=False
                )
            with composites_left_alone():
                program = program.run_decompositions(decompositions())
    except CaptureError:
        raise
    except Exception as error:
        # Two hundred lines of PyTorch's own would stand above ours: they are told to those who ask.
        raise refusal(error) from (error if current().verbosity == "verbose" else None)
    return _with_constants(program)


@contextmanager
def _said_only_on_success() -> Iterator[None]:
    """PyTorch prints the graph so far when it cannot go on; the error says what matters."""
    logger = logging.getLogger("torch.fx.experimental.symbolic_shapes")
    before = logger.disabled
    logger.disabled = True
    try:
        with redirect_stderr(StringIO()) as said:
            yield
    finally:
        logger.disabled = before
    sys.stderr.write(said.getvalue())


def _with_constants(program: torch.export.ExportedProgram) -> Captured:
    """The graph of an exported program with what it was given besides the user's inputs as attributes."""
    module, signature = program.graph_module, program.graph_signature
    specs = {spec.arg.name: spec for spec in signature.input_specs}
    buffers = _changed(signature, OutputKind.BUFFER_MUTATION)
    inputs = []
    kept: dict[str, Node] = {}
    for node in [node for node in module.graph.nodes if node.op == "placeholder"]:
        spec = specs[node.name]
        if spec.kind is InputKind.USER_INPUT:
            inputs.append(node)
        elif spec.target in buffers:
            kept[spec.target] = node
        else:
            value = program.constants.get(spec.target, program.state_dict.get(spec.target))
            _hold(module, node, value, str(spec.target))
    _in_order(module, [*inputs, *(kept[name] for name in buffers)])
    module.recompile()
    return Captured(
        module,
        program.call_spec.in_spec,
        program.call_spec.out_spec,
        tuple(node.name for node in inputs),
        buffers,
        _changed(signature, OutputKind.USER_INPUT_MUTATION),
        tuple(_sizes(program, inputs)),
    )


def _sizes(
    program: torch.export.ExportedProgram, inputs: Sequence[Node]
) -> Iterator[tuple[int, int, int, int]]:
    """The limits of the sizes of inputs, if any was left open. What torch assumes by itself is no limit."""
    shapes = [getattr(node.meta.get("val"), "shape", ()) for node in inputs]
    if not any(isinstance(size, torch.SymInt) for shape in shapes for size in shape):
        return
    for number, shape in enumerate(shapes):
        for dim, size in enumerate(shape):
            if not isinstance(size, torch.SymInt):
                yield number, dim, size, size
                continue
            limits = program.range_constraints.get(size.node.expr)
            if limits is not None:
                least = int(limits.lower)
                most = int(limits.upper) if limits.upper.is_finite else sys.maxsize
                yield number, dim, least if least > 2 else 0, most


def _changed(signature: ExportGraphSignature, output_kind: OutputKind) -> tuple[str, ...]:
    return tuple(str(spec.target) for spec in signature.output_specs if spec.kind is output_kind)


def _hold(module: GraphModule, node: Node, value: Any, name: str) -> None:
    """A placeholder becomes an attribute, which knows the name the user's model has for it."""
    attribute = f"held_{node.name}"
    module.register_buffer(attribute, value.detach(), persistent=False)
    with module.graph.inserting_before(node):
        held = module.graph.get_attr(attribute)
    held.meta = {**node.meta, PARAMETER: name}
    node.replace_all_uses_with(held)
    module.graph.erase_node(node)


def _in_order(module: GraphModule, placeholders: Sequence[Node]) -> None:
    for node in reversed(placeholders):
        next(iter(module.graph.nodes)).prepend(node)
