"""The steps of a model, on the stream of the caller: what a CUDA graph records, and what runs without."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from tilesmith.models.backends.cuda.attention_call import as_tensor
from tilesmith.models.backends.cuda.kernels import key_of
from tilesmith.models.backends.cuda.library import Call
from tilesmith.models.backends.cuda.uploads import Part, fill_together, parts_of_inputs, room_for
from tilesmith.models.backends.cuda.values import constant, fill, lies_as, moved, taken
from tilesmith.models.backends.transfers import TYPES
from tilesmith.models.custom_ops.eager import on_host
from tilesmith.models.passes.edit import runnable
from tilesmith.models.planning.plan import attributes_of, constants_of
from tilesmith.models.planning.steps import Download, HostCall, Launch, Plan, Step, Upload
from tilesmith.models.planning.views import Storage

Values = dict[str, Any]
Memory = ChainMap[Storage, torch.Tensor]
Action = Callable[[Memory, Values], None]


class Runner:
    """Kernels, library routines and torch's own operators, bound to memory that stays where it is."""

    def __init__(self, module: GraphModule, plan: Plan, device: torch.device) -> None:
        self.plan = plan
        self.device = device
        self.inputs = [node.name for node in module.graph.nodes if node.op == "placeholder"]
        self._nodes: dict[str, Node] = {node.name: node for node in module.graph.nodes}
        held = constants_of(module)
        self._fixed = {node.name: moved(value, device) for node, value in held.items()}
        self._graphs = {node.name: one for node, one in attributes_of(module).items() if node not in held}
        own = {name: moved(value, device) for name, value in plan.added_constants.items()}
        self.memory: dict[Storage, torch.Tensor] = {
            upload.view.storage: constant(upload, {**self._fixed, **own}[upload.node], device)
            for upload in plan.constants
        }
        self._given = _given_out(plan)
        self._actions: list[Action] = []

    def bind(self, steps: Sequence[Step | Call], kernels: Mapping[Any, Any]) -> None:
        """Prepare the steps: after this nothing is looked up."""
        together = self._uploaded_together(steps)
        self._actions = [together.get(id(step)) or self.action(step, kernels) for step in steps]
        for step in steps:
            for storage in _storages(step):
                self.room(self.memory, storage)

    def room(self, memory: Any, storage: Storage) -> torch.Tensor:
        if storage not in memory:
            shape = (storage.rows, storage.cols)
            memory[storage] = torch.zeros(shape, dtype=TYPES[storage.dtype], device=self.device)
        matrix: torch.Tensor = memory[storage]
        return matrix

    def forget_all_but_constants(self) -> None:
        fixed = {upload.view.storage for upload in self.plan.constants}
        self.memory = {storage: matrix for storage, matrix in self.memory.items() if storage in fixed}

    def own_memory(self) -> dict[Storage, torch.Tensor]:
        """Room for the results of one run, which the caller may keep."""
        return {storage: torch.empty_like(self.memory[storage]) for storage in self._given}

    def run(self, inputs: Sequence[Any], own: dict[Storage, torch.Tensor]) -> list[Any]:
        """Run all steps on the current stream. Results lie in memory of their own."""
        values: Values = {**self._fixed, **dict(zip(self.inputs, inputs, strict=True))}
        memory: Memory = ChainMap(dict(own), self.memory)
        with torch.no_grad():
            for act in self._actions:
                act(memory, values)
        return self.plan.results(values)

    # ---- steps ----

    def _uploaded_together(self, steps: Sequence[Step | Call]) -> dict[int, Action]:
        """What uploads do that go with others: the first fills the matrices of all."""
        uploads = [step for step in steps if isinstance(step, Upload)]
        actions: dict[int, Action] = {}
        for name, parts in parts_of_inputs(uploads, self._nodes, frozenset(self._given)):
            matrices = room_for(parts, self.device)
            for part, matrix in zip(parts, matrices, strict=True):
                self.memory[part.upload.view.storage] = matrix
                actions[id(part.upload)] = _nothing
            actions[id(parts[0].upload)] = _filled_together(name, parts, matrices)
        return actions

    def action(self, step: Step | Call, kernels: Mapping[Any, Any]) -> Action:
        if isinstance(step, Launch):
            return _launch(step, kernels[key_of(step)])
        if isinstance(step, Call):
            return lambda memory, _: step.run(memory)
        if isinstance(step, Upload):
            return _upload(step)
        if isinstance(step, Download):
            return self._download(step)
        return self._torch(step)

    def _download(self, step: Download) -> Action:
        node, view = step.node, step.view
        like, owned = self._nodes[node].meta["val"], self._given.get(view.storage) == node

        whole = as_tensor(view.storage)

        def act(memory: Memory, values: Values) -> None:
            if whole in memory and memory[whole].shape == like.shape:
                values[node] = memory[whole].to(like.dtype).contiguous()
            else:
                kept = owned and like.dim() == 4 and self._has_channels_last(values)
                values[node] = taken(memory[view.storage], view, like, owned, kept)

        return act

    def _has_channels_last(self, values: Values) -> bool:
        """Whether images come with their channels last: torch returns such images, too."""
        given = (values[name] for name in self.inputs)
        return any(
            isinstance(value, torch.Tensor)
            and value.dim() == 4
            and value.is_contiguous(memory_format=torch.channels_last)
            and not value.is_contiguous()
            for value in given
        )

    def _torch(self, step: HostCall) -> Action:
        """An operator that has no kernel, by torch on the GPU."""
        node = self._nodes[step.node]
        target = runnable(node.target)

        def act(_: Memory, values: Values) -> None:
            args, kwargs = map_arg(
                (node.args, node.kwargs),
                lambda one: self._graphs[one.name] if one.name in self._graphs else values[one.name],
            )
            if "device" in kwargs:
                kwargs = {**kwargs, "device": self.device}
            with on_host():
                values[step.node] = target(*args, **kwargs)

        return act


def _nothing(_: Memory, __: Values) -> None:
    """The upload was made with another one."""


def _filled_together(name: str, parts: Sequence[Part], matrices: torch.Tensor) -> Action:
    return lambda _, values: fill_together(matrices, parts, values[name])


def _upload(step: Upload) -> Action:
    storage = step.view.storage

    def act(memory: Memory, values: Values) -> None:
        value = values[step.node]
        if lies_as(step, value, TYPES[storage.dtype]):
            memory[storage] = value.as_strided((storage.rows, storage.cols), (storage.cols, 1))
        else:
            fill(memory[storage], step, value)

    return act


def _launch(step: Launch, kernel: Any) -> Action:
    storages = [step.storages[name] for name in dict.fromkeys(one.name for one in step.template.tensors)]

    def act(memory: Memory, _: Values) -> None:
        kernel(*[memory[storage] for storage in storages])

    return act


def _given_out(plan: Plan) -> dict[Storage, str]:
    """Storages that are all of a result of the model, and of which: no two results share memory."""
    outputs = {out for out in plan.outputs if isinstance(out, str)}
    given: dict[Storage, str] = {}
    for step in plan.steps:
        if isinstance(step, Download) and step.node in outputs:
            storage = step.view.storage
            if prod(step.view.shape) == storage.rows * storage.cols:
                given.setdefault(storage, step.node)
    fixed = {upload.view.storage for upload in plan.constants}
    return {storage: node for storage, node in given.items() if storage not in fixed}


def _storages(step: Step | Call) -> list[Storage]:
    if isinstance(step, Launch):
        return list(step.storages.values())
    if isinstance(step, Call):
        return list(step.outputs)
    return [step.view.storage] if isinstance(step, Upload | Download) else []
