"""One operator in one dtype over all samples that PyTorch's own tests have for it, judged by torch.

A sample goes through AOTAutograd to the backend as `torch.compile` would send it; what AOTAutograd cannot
trace goes through `torch.compile` itself, which breaks the graph there. `conformance/opinfo.py` starts these.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import unittest
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any
from unittest import mock

import torch
from torch.fx import Graph, GraphModule
from torch.utils import _pytree as pytree

from conformance.opinfo_judge import judged
from tilesmith.errors import EmulatorGap, UserError
from tilesmith.models.backends import Backend, Executable
from tilesmith.models.backends.cpu import CpuExecutable
from tilesmith.models.backends.nonfinite import Reference
from tilesmith.models.backends.tenstorrent import TenstorrentBackend, TenstorrentExecutable
from tilesmith.models.options import ModelOptions
from tilesmith.models.planning.specialize import copied
from tilesmith.models.planning.steps import Launch
from tilesmith.models.report import Report, report_of
from tilesmith.models.torch_backend import _compile, through_autograd

UNWRITTEN = ("empty", "new_empty", "resize_")
"""How the names of operators begin that give memory as it is."""


@cache
def op_infos() -> list[Any]:
    """PyTorch's own; they take more than a second to import."""
    if find_spec("expecttest") is None:  # PyTorch's test classes derive from its class; samples need neither
        sys.modules["expecttest"] = ModuleType("expecttest")
        sys.modules["expecttest"].TestCase = unittest.TestCase  # type: ignore[attr-defined]
    found: list[Any] = import_module("torch.testing._internal.common_methods_invocations").op_db
    # They look through every frame for a test that asks for samples: half of what it takes to make them.
    import_module("torch.testing._internal.opinfo.core").extract_test_fn = lambda: None  # type: ignore[attr-defined]
    return found


def operator_names() -> list[str]:
    """Every OpInfo by its name and variant."""
    return [op.full_name for op in op_infos()]


def samples(name: str, dtype: torch.dtype) -> list[Any]:
    """The samples of an operator; none where it does not take the dtype."""
    op = next(one for one in op_infos() if one.full_name == name)
    if dtype not in op.supported_dtypes("cpu"):
        return []
    torch.manual_seed(0)
    random.seed(0)
    return list(op.sample_inputs("cpu", dtype, requires_grad=False))


def function_of(name: str) -> Callable[..., Any]:
    op = next(one for one in op_infos() if one.full_name == name)
    made: Callable[..., Any] = op.op
    return made


def flat_results(made: Any) -> list[Any]:
    return [dense(leaf) for leaf in pytree.tree_leaves(made)]


def dense(leaf: Any) -> Any:
    """A result in strides: sparse tensors are compared by what they stand for."""
    return leaf.to_dense() if isinstance(leaf, torch.Tensor) and leaf.layout != torch.strided else leaf


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of real numbers."""
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor


def graph_of(target: Callable[..., Any], leaves: list[Any], spec: Any) -> GraphModule:
    """A graph of one call, every tensor an input, as dynamo would hand it over."""
    graph = Graph()
    nodes = []
    for number, leaf in enumerate(leaves):
        if isinstance(leaf, torch.Tensor):
            node = graph.placeholder(f"input{number}")
            node.meta["example_value"] = leaf
            nodes.append(node)
        else:
            nodes.append(leaf)
    args, kwargs = pytree.tree_unflatten(nodes, spec)
    called = graph.call_function(target, tuple(args), dict(kwargs))
    graph.output(graph.call_function(flat_results, (called,)))
    return GraphModule(torch.nn.Module(), graph)


@dataclass(frozen=True)
class Recording(Backend):
    """Another backend, which keeps what it compiled."""

    inner: Backend
    made: list[Executable] = field(default_factory=list)

    def compile(self, module: GraphModule, inputs: Sequence[Any]) -> Executable:
        self.made.append(self.inner.compile(module, inputs))
        return self.made[-1]

    def check_input(self, number: int, value: Any) -> None:
        self.inner.check_input(number, value)

    @property
    def stored(self) -> set[str]:
        """The types that values of kernels are stored in."""
        plans = [one.plan for one in self.made if isinstance(one, TenstorrentExecutable)]
        launches = [step for plan in plans for step in plan.steps if isinstance(step, Launch)]
        return {storage.dtype for step in launches for storage in step.storages.values()}


class PlannedBackend(TenstorrentBackend):
    """Rewrites and plans for the chip, and runs the rewritten graph with torch: wrong rewrites show."""

    def compile(self, module: GraphModule, inputs: Sequence[Any]) -> Executable:  # noqa: ARG002
        ops = sum(node.op == "call_function" for node in module.graph.nodes)
        reference = Reference(copied(module))
        return PlannedExecutable(module, report_of(self.planned(module), module, ops), reference)


class PlannedExecutable(CpuExecutable):
    """As on the device, what is given NaN or is not finite is computed as it was captured."""

    def __init__(self, module: GraphModule, report: Report, reference: Reference) -> None:
        super().__init__(module, report)
        self._reference = reference

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        floats = [one for one in inputs if isinstance(one, torch.Tensor) and one.is_floating_point()]
        if any(bool(one.isnan().any()) for one in floats):
            return self._reference.run(inputs, {})
        results = super().run(inputs)
        return self._reference.run(inputs, {}) if self._reference.doubts(results) else results


def backend_of(device: str, options: ModelOptions) -> Backend:
    return PlannedBackend(options) if device == "plan" else Backend.create(device, options)


def compiled_result(
    target: Callable[..., Any], leaves: list[Any], spec: Any, device: str
) -> tuple[Any, bool, bool]:
    """What the compiled call gives, whether a kernel took part, and whether bfloat16 did."""
    options = ModelOptions.of({})
    backend = Recording(options, backend_of(device, options))
    tensors = [leaf.clone() for leaf in leaves if isinstance(leaf, torch.Tensor)]
    with torch.no_grad():
        try:
            run = through_autograd(graph_of(target, leaves, spec), tensors, partial(_compile, backend))
        except Exception:  # whatever it is, dynamo may know a way round
            torch._dynamo.reset()
            whole = torch.compile(target, backend=partial(by_dynamo, backend), dynamic=False)
            args, kwargs = pytree.tree_unflatten(clones(leaves), spec)
            made: Any = flat_results(whole(*args, **kwargs))
        else:
            made = list(run(*tensors))
    on_device = any(one.report.kernels for one in backend.made)
    return made, on_device, "bfloat16" in backend.stored


def by_dynamo(backend: Backend, module: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """The backend "tilesmith" of torch.compile, for a backend that is there already."""
    return through_autograd(module, inputs, partial(_compile, backend))


def clones(leaves: list[Any]) -> list[Any]:
    return [leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]


def run_sample(target: Callable[..., Any], sample: Any, device: str) -> dict[str, Any]:
    """How a sample came out: right, wrong or an error, in a line."""
    leaves, spec = pytree.tree_flatten(((sample.input, *sample.args), dict(sample.kwargs)))

    def eager(values: list[Any]) -> list[Any]:
        args, kwargs = pytree.tree_unflatten(clones(values), spec)
        with torch.no_grad():
            return flat_results(target(*args, **kwargs))

    shown = describe(leaves)
    try:
        wanted = eager(leaves)
    except Exception:  # a sample that torch itself refuses says nothing
        return {"outcome": "skipped", "sample": shown}
    if draws(eager, leaves, wanted):
        return {"outcome": "skipped", "sample": shown}
    try:
        made, on_device, narrow = compiled_result(target, leaves, spec, device)
    except TimeoutError:
        return {"outcome": "late", "sample": shown}
    except Exception as error:  # every failure is a line of the table
        what = f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"
        refused = isinstance(error, UserError | EmulatorGap)
        return {"outcome": "refused" if refused else "error", "sample": shown, "what": what[:300]}
    fault = judged(made, wanted, eager, leaves, narrow)
    return {
        "outcome": "wrong" if fault else "right",
        "sample": shown,
        "what": fault,
        "kernel": on_device,
    }


def draws(eager: Callable[[list[Any]], list[Any]], leaves: list[Any], wanted: list[Any]) -> bool:
    """Whether a result is random, or is memory that nobody wrote: then there is nothing to compare."""
    seed = torch.manual_seed
    for turn in range(4):
        seed(turn)
        with mock.patch("torch.manual_seed"):  # samples that draw seed the generator themselves
            again = eager(leaves)
        pairs = [pair for pair in zip(wanted, again, strict=True) if isinstance(pair[0], torch.Tensor)]
        if not all(torch.equal(plain(one).nan_to_num(), plain(other).nan_to_num()) for one, other in pairs):
            return True
    return False


def describe(leaves: list[Any]) -> str:
    parts = [
        f"{str(leaf.dtype).removeprefix('torch.')}{list(leaf.shape)}"
        if isinstance(leaf, torch.Tensor)
        else repr(leaf)
        for leaf in leaves
    ]
    return ", ".join(parts)[:200]


def on_alarm(*_: Any) -> None:
    raise TimeoutError


def chosen(job: dict[str, Any], count: int) -> list[int]:
    """Which samples a job asks for: those it names, or the first of an order that its seed gives."""
    if job["only"]:
        return [number for number in job["only"] if number not in set(job["skip"])]
    order = random.Random(f"{job['seed']} {job['op']} {job['dtype']}").sample(range(count), count)
    left = [number for number in order if number not in set(job["skip"])]
    return sorted(left[: max(0, job["draw"] - len(job["skip"]))])


def outcomes(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    target = function_of(job["op"])
    every = [] if job["op"].startswith(UNWRITTEN) else samples(job["op"], getattr(torch, job["dtype"]))
    numbers = chosen(job, len(every))
    most = len(numbers) if job["only"] else job["most"]
    for number in numbers[:most]:
        yield {"begun": number}
        signal.alarm(job["seconds"])
        try:
            made = run_sample(target, every[number], job["device"])
        except TimeoutError:
            made = {"outcome": "late", "sample": ""}
        except Exception as error:  # of the comparison itself: it counts until somebody looks
            made = {"outcome": "error", "sample": "", "what": f"cannot compare: {error!r}"[:300]}
        finally:
            signal.alarm(0)
        yield {"number": number, **made}
    yield {"total": len(every), "left": numbers[most:]}


def main() -> None:
    """Jobs come as lines of JSON; each is answered with lines per sample, and how many samples there are."""
    warnings.filterwarnings("ignore")
    signal.signal(signal.SIGALRM, on_alarm)
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        for made in outcomes(json.loads(line)):
            print(json.dumps(made), file=answers, flush=True)


if __name__ == "__main__":
    main()
