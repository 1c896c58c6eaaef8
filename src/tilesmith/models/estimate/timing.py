"""Graphs by the clock: each distinct kernel runs once, without numbers, and the rest are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import torch
from torch.fx import GraphModule, Node

from tilesmith import settings
from tilesmith.arch import Arch
from tilesmith.kernels.linear import Linear
from tilesmith.models.backends.autotune import timing_key
from tilesmith.models.backends.base import Executable
from tilesmith.models.backends.memory import MemoryPlan, plan_memory
from tilesmith.models.backends.nonfinite import Reference
from tilesmith.models.backends.routing import route_evenly
from tilesmith.models.backends.tenstorrent import TenstorrentBackend, TenstorrentExecutable
from tilesmith.models.estimate.links import Links, name_of
from tilesmith.models.estimate.timed import Timed
from tilesmith.models.passes.lower_custom_ops import lower_custom_ops
from tilesmith.models.planning.formats import with_formats
from tilesmith.models.planning.partition import is_collective
from tilesmith.models.planning.steps import HostCall, Launch, Plan
from tilesmith.models.planning.views import Storage
from tilesmith.profiling.traffic import dram_peak
from tilesmith.progress import tracked
from tilesmith.runtime import RunReport


@dataclass(frozen=True)
class Graph:
    """All launches of a graph, timed unless only planned, and the memory it needs."""

    names: tuple[str, ...]
    launches: tuple[Timed, ...]
    weight_bytes: int
    state_bytes: int
    dram_bytes: int
    l1_bytes: int
    host: tuple[str, ...]


@dataclass(frozen=True)
class TimingBackend(TenstorrentBackend):
    """Compiles graphs as the Tenstorrent backend does, and times them in place of running them."""

    name: ClassVar[str] = "timing"
    gated: str = ""
    """The format of weights of gated products, if another than that of the others."""
    plans_only: bool = False
    links: Links | None = None
    """What joins the chips that share the model."""
    known: dict[Any, Timed] = field(default_factory=dict, compare=False)
    graphs: list[Graph] = field(default_factory=list, compare=False)

    def compile(self, module: GraphModule, inputs: Sequence[Any]) -> Executable:
        lower_custom_ops(module)
        reference = Reference(GraphModule(torch.nn.Module(), _nothing()))
        planned = self.planned(module)
        if self.gated:
            planned = with_formats(planned, dict.fromkeys(_gated_weights(planned), self.gated))
            planned = replace(planned, steps=tuple(map(_cheaper, planned.steps)))
        return TimedExecutable(self, module, planned, reference, inputs)


class TimedExecutable(TenstorrentExecutable):
    """Tensors have memory and no values; a call gives zeros."""

    def __init__(
        self,
        backend: TimingBackend,
        module: GraphModule,
        plan: Plan,
        reference: Reference,
        inputs: Sequence[Any],
    ) -> None:
        self._results = [_shape_of(result) for result in _outputs(module)]
        self._collectives = {node.name: node for node in module.graph.nodes if is_collective(node)}
        super().__init__(module, plan, backend.options, 0, reference, inputs)
        backend.graphs.append(self._graph(backend))

    def take(self, plan: Plan) -> None:
        """Kernels are compiled when they are timed."""
        self.plan = plan

    def _placed(self, plan: Plan) -> MemoryPlan:
        """As if no kernel left more to tensors than the largest."""
        return plan_memory(plan, self._l1_room())

    def run(self, inputs: Sequence[Any]) -> list[Any]:  # noqa: ARG002 - their values do not matter
        values = {name: _zeros(shape) for name, shape in self._results}
        return self.plan.results(values)

    def _graph(self, backend: TimingBackend) -> Graph:
        steps = self._on_chips()
        lasting = {upload.view.storage for upload in self.plan.constants}
        residents = {view.storage for view in self.plan.residents.values()}
        timing = () if backend.plans_only else tracked(steps, "timing kernels")
        return Graph(
            tuple(map(self._name, steps)),
            tuple(self._timed(step, backend, lasting | residents) for step in timing),
            sum(storage.bytes for storage in lasting),
            sum(storage.bytes for storage in residents),
            self.memory.bytes(in_l1=False),
            self.memory.bytes(in_l1=True),
            tuple(line.op for line in self.report.host if not line.op.startswith("_c10d_functional")),
        )

    def _on_chips(self) -> list[Launch | HostCall]:
        """Steps that take time on the chips: kernels, and collectives but not what waits for them."""
        steps = (*self.plan.steps, *self.plan.commits)
        return [step for step in steps if isinstance(step, Launch | HostCall) and self._name(step)]

    def _name(self, step: Launch | HostCall) -> str:
        if isinstance(step, Launch):
            return _kernel(step)
        node = self._collectives.get(step.node)
        return "" if node is None else name_of(node)

    def _timed(self, step: Launch | HostCall, backend: TimingBackend, lasting: set[Storage]) -> Timed:
        if isinstance(step, HostCall):
            assert backend.links is not None
            return backend.links.timed(self._collectives[step.node])
        key = (step.template, *timing_key(step, self))
        if key not in backend.known:
            with self.settings(), settings.using(checks="off", numbers="none"):
                route_evenly(step, self.tensor)
                report = self.device.run(self.program(step))
            backend.known[key] = timed(step, report, self.arch, lasting)
        return backend.known[key]


def timed(step: Launch, report: RunReport, arch: Arch, lasting: set[Storage]) -> Timed:
    """A launch from the report of its run. Weights and caches must be read once, at the peak of DRAM."""
    moved = sum(traffic.dram_read_bytes + traffic.dram_written_bytes for traffic in report.traffic)
    least = min(moved, sum(storage.bytes for storage in set(step.storages.values()) & lasting))
    products = sum(traffic.matmul_cycles for traffic in report.traffic) / arch.num_cores
    return Timed(
        _kernel(step),
        arch.microseconds(report.cycles),
        report.launch_us,
        arch.microseconds(products),
        arch.microseconds(least / dram_peak(arch)),
    )


def _kernel(step: Launch) -> str:
    return f"{step.template.name}: {' + '.join(step.ops)}"


def _gated_weights(plan: Plan) -> list[Storage]:
    """The weights of products that gate each other, as the first two of a gated unit do."""
    return [
        storage
        for step in plan.steps
        if isinstance(step, Launch) and isinstance(step.template, Linear) and step.template.weights == 2
        for name, storage in step.storages.items()
        if name.startswith("w")
    ]


def _cheaper(step: Any) -> Any:
    """Products of bfloat4_b need one phase of the matrix unit."""
    gates = isinstance(step, Launch) and isinstance(step.template, Linear) and step.template.weights == 2
    return replace(step, fidelity="LoFi") if gates else step


def _outputs(module: GraphModule) -> list[Any]:
    last = next(node for node in reversed(module.graph.nodes) if node.op == "output")
    return [node for node in last.args[0] if isinstance(node, Node)]


def _shape_of(node: Node) -> tuple[str, Any]:
    return node.name, node.meta["val"]


def _zeros(like: Any) -> Any:
    return torch.zeros(like.shape, dtype=like.dtype) if isinstance(like, torch.Tensor) else like


def _nothing() -> torch.fx.Graph:
    graph = torch.fx.Graph()
    graph.output(())
    return graph
