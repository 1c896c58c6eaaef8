"""The same plan and the same TileLang kernels, through TileLang's own code generator for NVIDIA GPUs.

Kernels are lowered to CUDA without a GPU; running them needs one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch.fx import GraphModule

from tilesmith.errors import DeviceError
from tilesmith.kernels.authoring import fixed_sizes
from tilesmith.models.backends.base import Backend, Executable
from tilesmith.models.backends.host import HostCalls
from tilesmith.models.backends.transfers import TYPES, from_tensor, to_tensor
from tilesmith.models.passes.pipeline import FOR_TILES, GENERAL, optimise
from tilesmith.models.planning.plan import constants_of, plan
from tilesmith.models.planning.steps import Download, HostCall, Launch, Plan, Upload
from tilesmith.models.planning.views import Storage
from tilesmith.models.report import report_of

USUAL_ARCH = "sm_90a"


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
        planned = plan(module, self.options.stored, self.options.fuses, formats=False)
        return CudaExecutable(module, planned, self.arch, ops)


def prim_func_of(step: Launch) -> Any:
    """The kernel of a launch, for its sizes: a GPU's compiler is better off knowing them."""
    sizes = {f"{name}_rows": storage.rows for name, storage in step.storages.items()}
    sizes |= {f"{name}_cols": storage.cols for name, storage in step.storages.items()}
    with fixed_sizes({**sizes, **step.numbers}):
        return step.template.prim_func()


def cuda_source(step: Launch, arch: str = USUAL_ARCH) -> str:
    """The CUDA code of a launch."""
    import tilelang
    from tvm.target import Target

    target = Target({"kind": "cuda", "arch": arch})
    with target:
        source: str = tilelang.lower(prim_func_of(step), target=target).kernel_source
    return source


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
        self._kernels: dict[Any, Any] = {}

    def sources(self) -> dict[str, str]:
        """The CUDA code of every distinct kernel."""
        launches = {_key(step): step for step in self.plan.steps if isinstance(step, Launch)}
        return {
            f"{number}_{step.template.name}": cuda_source(step, self.arch)
            for number, step in enumerate(launches.values())
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
        return self.plan.results(values)

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
        key = _key(step)
        if key not in self._kernels:
            import tilelang

            target = {"kind": "cuda", "arch": self.arch}
            self._kernels[key] = tilelang.compile(prim_func_of(step), target=target)
        names = [operand.name for operand in step.template.tensors]
        self._kernels[key](*(self._matrix(step.storages[name]) for name in names))


def _key(step: Launch) -> Any:
    """What makes two launches the same kernel: the template and all sizes."""
    shapes = tuple((name, one.rows, one.cols) for name, one in step.storages.items())
    return step.template, shapes, tuple(sorted(step.numbers.items()))
