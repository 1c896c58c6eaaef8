"""The same plan and the same TileLang kernels, through TileLang's own code generator for NVIDIA GPUs.

Kernels are lowered to CUDA without a GPU; running them needs one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch.fx import GraphModule

from tilesmith.backends.base import Backend, Executable
from tilesmith.backends.host import HostCalls
from tilesmith.backends.transfers import TYPES, from_tensor, to_tensor
from tilesmith.errors import DeviceError
from tilesmith.graph.pipeline import FOR_TILES, GENERAL, optimise
from tilesmith.graph.planning import constants_of, plan
from tilesmith.graph.report import report_of
from tilesmith.graph.steps import Download, HostCall, Launch, Plan, Template, Upload
from tilesmith.graph.views import Storage

USUAL_ARCH = "sm_90a"
_sources: dict[tuple[Template, str], str] = {}


@dataclass(frozen=True)
class CudaBackend(Backend):
    """`target` is the kind of GPU, such as "sm_90a"; left out, the one that is there, or an H100's."""

    name: ClassVar[str] = "cuda"

    @property
    def arch(self) -> str:
        if self.options.target:
            return self.options.target
        if torch.cuda.is_available():
            major, minor = torch.cuda.get_device_capability()
            return f"sm_{major}{minor}{'a' if major >= 9 else ''}"
        return USUAL_ARCH

    def compile(self, module: GraphModule, inputs: Sequence[Any]) -> Executable:  # noqa: ARG002
        ops = sum(node.op == "call_function" for node in module.graph.nodes)
        optimise(module, self.options, (*GENERAL, *FOR_TILES))
        planned = plan(module, self.options.precision, self.options.fuses)
        return CudaExecutable(module, planned, self.arch, ops)


def cuda_source(template: Template, arch: str = USUAL_ARCH) -> str:
    """The CUDA code of a template."""
    if (template, arch) not in _sources:
        import tilelang
        from tvm.target import Target

        target = Target({"kind": "cuda", "arch": arch})
        with target:
            _sources[template, arch] = tilelang.lower(template.prim_func(), target=target).kernel_source
    return _sources[template, arch]


class CudaExecutable(Executable):
    """Storages are matrices in GPU memory, all stored by rows."""

    def __init__(self, module: GraphModule, plan: Plan, arch: str, ops: int) -> None:
        self.report = report_of(plan, module, ops)
        self.plan = plan
        self.arch = arch
        self._host = HostCalls(module)
        self._inputs = [node.name for node in module.graph.nodes if node.op == "placeholder"]
        self._fixed: Mapping[str, Any] = {node.name: value for node, value in constants_of(module).items()}
        self._matrices: dict[Storage, torch.Tensor] = {}
        self._kernels: dict[Template, Any] = {}

    def sources(self) -> dict[str, str]:
        """The CUDA code of every distinct kernel, by the operators it does."""
        launches = {step.template: step for step in self.plan.steps if isinstance(step, Launch)}
        return {
            f"{number}_{template.name}": cuda_source(template, self.arch)
            for number, template in enumerate(launches)
        }

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        if not torch.cuda.is_available():
            raise DeviceError(
                "there is no CUDA device here to run the kernels on",
                where='backend "cuda"',
                remedy="run on a computer with an NVIDIA GPU and a CUDA build of torch; "
                "`sources()` has the code of the kernels without one",
            )
        if not self._matrices:
            for upload in self.plan.constants:
                self._upload(upload, {**self._fixed, **self.plan.made})
        values: dict[str, Any] = {**self._fixed, **dict(zip(self._inputs, inputs, strict=True))}
        for step in self.plan.steps:
            self._do(step, values)
        return [None if name is None else values[name] for name in self.plan.outputs]

    def _do(self, step: Any, values: dict[str, Any]) -> None:
        if isinstance(step, Upload):
            self._upload(step, values)
        elif isinstance(step, HostCall):
            values[step.node] = self._host.call(step.node, values)
        elif isinstance(step, Download):
            matrix = self._matrix(step.view.storage)
            values[step.node] = from_tensor(matrix.cpu(), step.view, self._host.dtype_of(step.node))
        elif isinstance(step, Launch):
            self._launch(step)

    def _upload(self, step: Upload, values: Mapping[str, Any]) -> None:
        self._matrix(step.view.storage).copy_(to_tensor(values[step.node].cpu(), step.view, step.additive))

    def _matrix(self, storage: Storage) -> torch.Tensor:
        if storage not in self._matrices:
            shape = (storage.rows, storage.cols)
            self._matrices[storage] = torch.zeros(shape, dtype=TYPES[storage.dtype], device="cuda")
        return self._matrices[storage]

    def _launch(self, step: Launch) -> None:
        kernel = self._kernels.get(step.template)
        func = step.template.prim_func() if kernel is None else None
        if kernel is None:
            import tilelang

            kernel = self._kernels[step.template] = tilelang.compile(
                func, target={"kind": "cuda", "arch": self.arch}
            )
        names = [operand.name for operand in step.template.tensors]
        numbers = [int(step.numbers[str(param.name)]) for param in kernel.prim_func.params[len(names) :]]
        kernel(*(self._matrix(step.storages[name]) for name in names), *numbers)
