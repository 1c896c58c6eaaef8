"""Ways to do a launch, by the clock of the GPU. What was found is kept on disk, beside compiled kernels."""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Mapping, Sequence
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

# Weights come from memory, not from L2, when a model runs: each time in a round another copy is read.
_COLD = 96 << 20
_ROUNDS = 5


class WayTimer:
    """Times ways on the memory of a runner; kernels that did not compile take forever."""

    def __init__(self, runner: Runner, kernels: Mapping[Any, Any], weights: frozenset[Storage]) -> None:
        self._runner = runner
        self._kernels = kernels
        self._weights = weights
        self._known: dict[str, list[float]] = {}
        self.log: list[dict[str, Any]] = []

    def __call__(self, ways: Sequence[Way]) -> list[float]:
        key = _key(ways)
        if key not in self._known:

            def time_all(path: Path) -> None:
                path.write_text(json.dumps([self._time(way) for way in ways]))

            found = Cache(settings.current().cache_dir).get_or_build(key, time_all, ".json")
            self._known[key] = json.loads(found.read_text())
            self.log.append({"ways": [_name(way) for way in ways], "us": self._known[key]})
        return self._known[key]

    def _time(self, way: Way) -> float:
        try:
            return self._measured(way)
        except Exception:
            torch.cuda.synchronize()
            return inf

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

        with torch.no_grad():
            run()
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                run()
        graph.replay()
        times = []
        for _ in range(_ROUNDS):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            graph.replay()
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end) * 1000 / len(memories))
        return float(median(times))

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
    where = (torch.cuda.get_device_name(), torch.__version__, _version("tilelang"), _version("tilesmith"))
    return sha256(repr((parts, where)).encode()).hexdigest()[:40]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
