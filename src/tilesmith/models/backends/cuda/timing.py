"""Ways to do a launch, by the clock of the GPU. What was found is kept on disk, beside compiled kernels."""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

import torch

from tilesmith import settings
from tilesmith.models.backends.cuda.kernels import key_of
from tilesmith.models.backends.cuda.library import Call, Way
from tilesmith.models.backends.cuda.runner import Runner
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import Storage
from tilesmith.toolchain import Cache
from tilesmith.version import __version__

# Weights come from memory, not from L2, when a model runs: each time in a round another copy is read.
_COLD = 96 << 20
_ROUNDS = 5


def graph_microseconds(run: Callable[[], object]) -> float:
    """How long the GPU takes for what `run` starts, recorded as a CUDA graph."""
    with torch.no_grad():
        run()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            run()
    graph.replay()
    times = []
    for _ in range(_ROUNDS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1000)
    return float(median(times))


class WayTimer:
    """Times ways on the memory of a runner; kernels that did not compile take forever."""

    def __init__(self, runner: Runner, kernels: Mapping[Any, Any], weights: frozenset[Storage]) -> None:
        self._runner = runner
        self._kernels = kernels
        self._weights = weights
        self._constants = frozenset(upload.view.storage for upload in runner.plan.constants)
        self._filled: set[Storage] = set()
        self._known: dict[str, list[float]] = {}
        self.log: list[dict[str, Any]] = []

    def __call__(self, ways: Sequence[Way]) -> list[float]:
        key = _key(ways)
        if key not in self._known:

            def time_all(path: Path) -> None:
                path.write_text(json.dumps(self._all(ways)))

            found = Cache(settings.current().cache_dir).get_or_build(key, time_all, ".json")
            self._known[key] = json.loads(found.read_text())
            self.log.append({"ways": [_name(way) for way in ways], "us": self._known[key]})
        return self._known[key]

    def _all(self, ways: Sequence[Way]) -> list[float]:
        """The times; a way whose results differ from those of the others is out."""
        times: list[float] = []
        results: list[torch.Tensor | None] = []
        for way in ways:
            result, time = None, inf
            try:
                result, time = self._result(way), self._measured(way)
            except Exception:  # a routine that does not take these sizes, a kernel that did not compile
                torch.cuda.synchronize()
            results.append(result)
            times.append(time)
        agreed = [sum(_agree(one, other) for other in results) for one in results]
        usual = results[agreed.index(max(agreed))]
        return [time if _agree(one, usual) else inf for time, one in zip(times, results, strict=True)]

    def _result(self, way: Way) -> torch.Tensor:
        """What a way makes of noise."""
        runner = self._runner
        memory = ChainMap(dict[Storage, torch.Tensor](), dict(runner.memory))
        for step in way:
            for storage in (
                step.storages.values() if isinstance(step, Launch) else (*step.reads, *step.outputs)
            ):
                runner.room(runner.memory, storage)
                memory.maps[1][storage] = runner.memory[storage]
        self._with_noise(way)
        with torch.no_grad():
            for step in way:
                runner.action(step, self._kernels)(memory, {})
                if isinstance(step, Call) and step.settle is not None:
                    step.settle(memory)
        torch.cuda.synchronize()
        return memory[way[-1].outputs[0]].clone()

    def _with_noise(self, way: Way) -> None:
        """Fill what a way reads and nothing made so far: the same for all ways, since all draw it alike."""
        written = {storage for step in way for storage in step.outputs}
        for step in way:
            for storage in step.storages.values() if isinstance(step, Launch) else step.reads:
                matrix = self._runner.memory[storage]
                if storage not in written and storage not in self._filled and storage not in self._constants:
                    self._filled.add(storage)
                    if matrix.is_floating_point():
                        matrix.normal_()

    def _measured(self, way: Way) -> float:
        runner = self._runner
        actions = [runner.action(step, self._kernels) for step in way]
        for step in way:
            for storage in step.storages.values() if isinstance(step, Launch) else step.outputs:
                runner.room(runner.memory, storage)
        memories = self._memories(way)

        def run() -> None:
            for memory in memories:
                for act in actions:
                    act(memory, {})

        return graph_microseconds(run) / len(memories)

    def _memories(self, way: Way) -> list[ChainMap[Storage, torch.Tensor]]:
        base = self._runner.memory
        named = {storage for step in way if isinstance(step, Launch) for storage in step.storages.values()}
        calls = {storage for step in way if isinstance(step, Call) for storage in step.reads}
        rotated = [storage for storage in (named | calls) & self._weights if storage in base]
        size = sum(base[storage].nbytes for storage in rotated)
        count = 16 if not size else max(4, min(24, _COLD // size))
        return [
            ChainMap({storage: base[storage].clone() for storage in rotated}, dict(base))
            for _ in range(count)
        ]


def _agree(first: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if first is None or other is None:
        return False
    a, b = first.float().nan_to_num(), other.float().nan_to_num()
    if a.shape != b.shape:
        a, b = (c[: min(len(a), len(b)), : min(a.shape[1], b.shape[1])] for c in (a, b))
    return bool((a - b).norm() <= 0.02 * a.norm() + 1e-6)


def _name(way: Way) -> str:
    return " + ".join(_step_name(step) for step in way)


def _step_name(step: Launch | Call) -> str:
    if isinstance(step, Call):
        return step.name
    template: Any = step.template
    shown = ("block", "threads", "stages")
    return f"{template.name} {[getattr(template, name) for name in shown if hasattr(template, name)]}"


def _key(ways: Sequence[Way]) -> str:
    """Ways of one key take the same times: the same kernels and routines, sizes, GPU and versions."""
    parts = [
        [(step.name, step.shape) if isinstance(step, Call) else repr(key_of(step)) for step in way]
        for way in ways
    ]
    where = (torch.cuda.get_device_name(), torch.__version__, _version("tilelang"), __version__)
    return sha256(repr((parts, where)).encode()).hexdigest()[:40]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
