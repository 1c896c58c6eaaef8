"""The backend "cuda": which GPU, which passes, and how kernels are chosen at each level."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.backends.base import Backend, Executable
from tilesmith.models.backends.cuda.executable import CudaExecutable
from tilesmith.models.backends.cuda.kernels import USUAL_ARCH
from tilesmith.models.capture import tensor_watch
from tilesmith.models.passes.decompose import WHOLE
from tilesmith.models.passes.pipeline import FOR_TILES, GENERAL, optimise
from tilesmith.models.planning.plan import constants_of, plan
from tilesmith.models.report import report_of

aten = torch.ops.aten
_ADDING = (aten.index_put.default, aten._unsafe_index_put.default)
_WHOLE = (
    *(aten.index_add.default, aten.scatter_add.default, aten.embedding_dense_backward.default),
    *(aten.cumsum.default, aten.argmax.default, aten.argmin.default, aten.max.dim, aten.min.dim),
    *(aten.topk.default, aten.sort.default),
)


def stays_whole(node: Node) -> bool:
    """Whether torch's kernel for the GPU does an operator, and no product with ones and zeros or comparison.

    Those spread or lose infinities and NaN, and are for chips that have nothing else.
    """
    return node.target in _WHOLE or (node.target in _ADDING and len(node.args) > 3 and bool(node.args[3]))


def _where_constants_are(module: GraphModule) -> AbstractContextManager[Any]:
    """Passes make new constants: beside those of a model that is on a GPU, and its inputs."""
    inputs = (node.meta.get("val") for node in module.graph.nodes if node.op == "placeholder")
    tensors = (*constants_of(module).values(), *(one for one in inputs if isinstance(one, torch.Tensor)))
    places = {value.device for value in tensors if value.device.type == "cuda"}
    return torch.device(places.pop()) if places else nullcontext()


@dataclass(frozen=True)
class CudaBackend(Backend):
    """`target` is the kind of GPU, such as "sm_90a"; left out, the one that is there, or an H100's."""

    name: ClassVar[str] = "cuda"
    asynchronous: ClassVar[bool] = True

    @property
    def arch(self) -> str:
        if self.options.target:
            return self.options.target
        if torch.cuda.is_available():
            major, minor = torch.cuda.get_device_capability()
            return f"sm_{major}{minor}{'a' if major >= 9 else ''}"
        return USUAL_ARCH

    def compile(self, module: GraphModule, inputs: Sequence[Any]) -> Executable:  # noqa: ARG002
        tensor_watch.start()
        ops = sum(node.op == "call_function" for node in module.graph.nodes)
        module.meta[WHOLE] = stays_whole
        with _where_constants_are(module):
            optimise(module, self.options, (*GENERAL, *FOR_TILES))
            planned = plan(module, self.options.stored, self.options.fuses, formats=False)
        report = replace(report_of(planned, module, ops), checks_finite=False)
        return CudaExecutable(module, planned, self.arch, self.options, report)
