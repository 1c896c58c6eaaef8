"""What compiling a model came to: kernels, fused operators, what is left to the host and why, bytes moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch.fx import GraphModule

from tilesmith.models.planning.dtypes import HALF
from tilesmith.models.planning.source import source_of
from tilesmith.models.planning.steps import Download, HostCall, Launch, Plan, Upload

LIMITS = "limits"
"""In the meta of a graph: what its report says of NaN and infinity."""

NOT_FINITE = (
    "kernels take NaN for infinity, also what another kernel made and they compare or bound; calls that are "
    "given NaN, or whose results are not finite, are computed on the host instead"
)


@dataclass(frozen=True)
class KernelLine:
    """One launch: the template, and the operators it does."""

    kernel: str
    ops: tuple[str, ...]
    source: str = ""
    """The module and line of the user's model."""


@dataclass(frozen=True)
class HostLine:
    """One operator on the host, and why."""

    op: str
    node: str
    reason: str
    source: str = ""
    """The module and line of the user's model."""


@dataclass(frozen=True)
class PrecisionLine:
    """A kernel tried in lower precision: the correlation of the model's results, and whether it stays so."""

    ops: tuple[str, ...]
    weights: str
    fidelity: str
    pcc: float
    lowered: bool
    approximate: str = ""

    def __str__(self) -> str:
        weights = f"{self.weights}, " if self.weights else ""
        how = f"{weights}{self.fidelity}{', fast functions' if self.approximate == 'fast' else ''}"
        verdict = "lowered" if self.lowered else "kept as it was by the gate"
        return f"{verdict}: {' + '.join(self.ops)} ({how}; PCC of the model {self.pcc:.4f})"


@dataclass(frozen=True)
class Report:
    """Kernels are launches; `distinct` of them are compiled. Bytes are those of one call."""

    ops: int
    kernels: tuple[KernelLine, ...] = ()
    distinct: int = 0
    host: tuple[HostLine, ...] = ()
    uploaded: int = 0
    downloaded: int = 0
    weights: int = 0
    precision: tuple[PrecisionLine, ...] = ()
    limits: tuple[str, ...] = ()
    """Where NaN or infinity come out otherwise than torch has them, and what float16 is kept as."""
    checks_finite: bool = True
    """Whether calls with NaN or infinity are computed on the host, as for kernels that lose them."""
    recomputed: int = 0
    """Calls that were computed on the host because of NaN or infinity."""

    @property
    def fused(self) -> int:
        """Operators that share a kernel with another."""
        return sum(max(0, len(line.ops) - 1) for line in self.kernels)

    def to_json(self) -> dict[str, Any]:
        return {
            "ops": self.ops,
            "kernels": len(self.kernels),
            "distinct_kernels": self.distinct,
            "fused_ops": self.fused,
            "host_ops": [
                {"op": line.op, "node": line.node, "reason": line.reason, "source": line.source}
                for line in self.host
            ],
            "bytes_uploaded": self.uploaded,
            "bytes_downloaded": self.downloaded,
            "bytes_weights": self.weights,
            "precision": [asdict(line) for line in self.precision],
            "limits": list(self.limits),
            "calls_recomputed": self.recomputed,
        }

    def __str__(self) -> str:
        lines = [
            f"{self.ops} operators -> {len(self.kernels)} kernels, {self.distinct} distinct",
            f"{self.fused} operators share the kernel of another",
            f"weights {self.weights:,} bytes; each call moves {self.uploaded:,} up, {self.downloaded:,} down",
        ]
        for (name, ops), count in Counter((line.kernel, line.ops) for line in self.kernels).items():
            lines.append(f"  {count:4d} x {name}: {' + '.join(ops)}")
        for (op, reason), count in Counter((line.op, line.reason) for line in self.host).items():
            first = next((line.source for line in self.host if (line.op, line.reason) == (op, reason)), "")
            place = f", {'first ' if count > 1 else ''}in {first}" if first else ""
            lines.append(f"  on the host, {count} x {op}: {reason}{place}")
        for text, count in Counter(map(str, self.precision)).items():
            lines.append(f"  {count:4d} x {text}")
        lines += [f"  {limit}" for limit in self.limits]
        if self.kernels and self.checks_finite:
            lines.append(f"{NOT_FINITE}: {self.recomputed} so far")
        return "\n".join(lines)


def report_of(plan: Plan, module: GraphModule, ops: int) -> Report:
    """The report of a plan; views and other free work on the host are not counted as operators there."""
    launches = [step for step in plan.steps if isinstance(step, Launch)]
    names = {node.name: node for node in module.graph.nodes}
    host = [step for step in plan.steps if isinstance(step, HostCall)]
    return Report(
        ops=ops,
        kernels=tuple(KernelLine(step.template.name, step.ops, str(step.source)) for step in launches),
        distinct=len({step.template for step in launches}),
        host=tuple(
            HostLine(_operator(names[step.node]), step.node, step.reason, str(source_of([names[step.node]])))
            for step in host
            if not is_free(names[step.node])
        ),
        uploaded=sum(step.view.storage.bytes for step in plan.steps if isinstance(step, Upload)),
        downloaded=sum(step.view.storage.bytes for step in plan.steps if isinstance(step, Download)),
        weights=sum(step.view.storage.bytes for step in plan.constants),
        limits=(*module.meta.get(LIMITS, ()), *_kept_otherwise(plan, names)),
    )


def _kept_otherwise(plan: Plan, names: Mapping[str, Any]) -> list[str]:
    """What float16 is stored as on the device, which computes with other types."""
    moved = [step for step in (*plan.constants, *plan.steps) if isinstance(step, Upload | Download)]
    halves = [one for one in moved if one.node in names and _is_half(names[one.node].meta.get("val"))]
    kept = sorted({one.view.storage.dtype for one in halves})
    if any(names[one.node].meta.get(HALF) for one in halves):
        return ["float16 is kept as float16: results are rounded to it, and stored as float32"]
    fewer = ' (8 bits of mantissa, not 11; precision="float16" keeps them)' if "bfloat16" in kept else ""
    return [f"float16 is kept as {' or '.join(kept)} on the device{fewer}"] if kept else []


def _is_half(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype == torch.float16


def _operator(node: Any) -> str:
    from tilesmith.models.planning.fusion import operator_name

    return operator_name(node)


def is_free(node: Any) -> bool:
    """Whether a node computes nothing: a view, a copy, a check, or taking one of several results."""
    import operator

    from tilesmith.models.planning.op_tables import VIEWS

    free = (operator.getitem, torch.ops.aten.clone.default, torch.ops.aten._assert_async.msg)
    return node.target in VIEWS or node.target in free
