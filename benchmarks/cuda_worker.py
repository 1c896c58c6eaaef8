"""One way to run one of `cuda_cases.py`, in a process of its own: what `cuda_speed.py` starts.

Several of them compile at the same time. What is timed, also by searches inside, has the GPU to itself: it
holds a lock that they share, for less than a second at a time, so that searches need not wait long.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from statistics import median
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks.cuda_cases import KERNELS, MODELS, Case
from tilesmith.zoo.gpu_bench import OurCall, milliseconds, recorded, way_of
from tilesmith.zoo.gpu_processes import MARK, say_done, wait_for_turn

OURS = ("O2", "O3")
LOCK = "CUDA_SPEED_LOCK"


class _Gpu:
    """The GPU for this process alone, where processes share a lock; and how long was waited for it."""

    held = False
    waited = 0.0
    loading = 0.0
    """Seconds that compilers took to load: part of their time."""

    @contextmanager
    def alone(self) -> Iterator[None]:
        path = os.environ.get(LOCK)
        if not path or self.held or torch.cuda.is_current_stream_capturing():
            yield
            return
        with open(path, "w") as file:
            begin = time.perf_counter()
            fcntl.flock(file, fcntl.LOCK_EX)
            self.waited += time.perf_counter() - begin
            self.held = True
            try:
                with _before_others():
                    yield
                    torch.cuda.synchronize()
            finally:
                self.held = False


@contextmanager
def _before_others() -> Iterator[None]:
    """This thread goes before the compilers of other processes, where a process may ask for that."""
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -15)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, usual)


GPU = _Gpu()


def time_searches_alone(way: str) -> None:
    """Make the clocks of both compilers' searches take the lock."""
    begin = time.perf_counter()
    if way in OURS:
        from tilesmith.models import compiled_model  # noqa: F401
        from tilesmith.models.backends.cuda import convolution_call, executable, timing

        alone = _locked(timing.graph_microseconds)
        timing.graph_microseconds = executable.graph_microseconds = alone  # type: ignore[attr-defined]
        # cuDNN times its own kernels at the first call.
        for name in ("_convolved", "conv2d"):
            setattr(convolution_call, name, _locked(getattr(convolution_call, name)))
    elif way not in ("eager", "graph"):
        from torch._inductor.runtime import benchmarking

        for name in ("TritonBenchmarker", "InductorBenchmarker"):
            cls = getattr(benchmarking, name, None)
            if cls is not None and "benchmark_gpu" in vars(cls):
                cls.benchmark_gpu = _locked(cls.benchmark_gpu)
    GPU.loading = time.perf_counter() - begin


def _locked(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def alone(*args: Any, **kwargs: Any) -> Any:
        with GPU.alone():
            return function(*args, **kwargs)

    return alone


def ready() -> None:
    """Wait for the turn to be timed, with no more memory or helpers than that takes."""
    if "torch._inductor.async_compile" in sys.modules:
        sys.modules["torch._inductor.async_compile"].shutdown_compile_workers()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    wait_for_turn()


# ---- models ----


def prepared(make: Callable[[], Case], seed: int = 0) -> Case:
    torch.manual_seed(seed)
    with torch.device("cuda"):  # random weights take the CPU seconds
        model, inputs = make()
    return model.eval().to("cuda", torch.bfloat16), inputs


def correlation(a: Any, b: Any) -> float:
    x, y = (one.detach().float().flatten().double() for one in (a, b))
    return float(torch.corrcoef(torch.stack((x, y)))[0, 1])


def first(value: Any) -> Any:
    return value[0] if isinstance(value, tuple | list) else value


def time_model(name: str, way: str) -> dict[str, Any]:
    with torch.no_grad():
        model, inputs = prepared(MODELS[name])
        torch.cuda.synchronize()
        begin = time.perf_counter()
        run = way_of(way, model, inputs)
        made = run()
        torch.cuda.synchronize()
        seconds = time.perf_counter() - begin - GPU.waited
        found: dict[str, Any] = {"compile_s": round(seconds + GPU.loading, 1)}
        if isinstance(run, OurCall):
            found |= _accuracy_of(run, first(made), name, model, inputs)
        for _ in range(5):
            run()
        ready()
        with GPU.alone():
            found["ms"] = milliseconds(run)
            if isinstance(run, OurCall):
                found |= _python_of(run)
            found["ms_again"] = milliseconds(run)
        found["ms"] = min(found["ms"], found["ms_again"])
        return found


def _accuracy_of(
    run: OurCall, made: Any, name: str, model: torch.nn.Module, inputs: Sequence[Any]
) -> dict[str, Any]:
    """How right our calls are, beside torch's own in bfloat16, and what runs them."""
    executable: Any = run.model.executable
    exact, wide = prepared(MODELS[name])
    reference = first(exact.float()(*(one.float() if one.is_floating_point() else one for one in wide)))
    for thread in threading.enumerate():
        if thread.name == "tensor_watch":  # compiles C++ that calls use once it is there
            thread.join(120)
    return {
        "pcc": correlation(made, reference),
        "pcc_torch": correlation(first(model(*inputs)), reference),
        "on_host": [f"{line.op}: {line.reason}" for line in executable.report.host],
        "kernels": str(executable.report).split("\n")[:60],
        "timings": executable.timings,
    }


@dataclass
class _TimedGraph:
    """A CUDA graph that counts the seconds its launches take."""

    graph: Any
    spent: float = 0.0

    def replay(self) -> None:
        begin = time.perf_counter()
        self.graph.replay()
        self.spent += time.perf_counter() - begin


def _python_of(run: OurCall) -> dict[str, Any]:
    """The time of Python around the launch of the graph, in the same calls, and of the launch."""
    executable: Any = run.model.executable
    graphs = list(executable._graphs or ())
    launches = [_TimedGraph(one.graph) for one in graphs]
    for one, timed in zip(graphs, launches, strict=True):
        one.graph = timed
    readings = _by_core(run, launches)
    for one, timed in zip(graphs, launches, strict=True):
        one.graph = timed.graph
    python, launch = min(reading for _, *reading in readings)
    cores = {core: min(us for at, us, _ in readings if at == core) for core, _, _ in readings}
    return {
        "python_us": python,
        "replay_us": launch,
        "python_us_by_core": cores,
        "no_graph": executable.why_no_graph,
        "graphs": [len(one.copied) for one in graphs],
    }


def _by_core(run: Callable[[], Any], launches: Sequence[_TimedGraph]) -> list[tuple[int, float, float]]:
    """Rounds of calls, each on a core of its own: which, and microseconds of Python and of the launch.

    A core may be slow for what others do on the same computer.
    """
    allowed = os.sched_getaffinity(0)
    found = []
    try:
        for core in sorted(allowed) * 2:
            os.sched_setaffinity(0, {core})
            with GPU.alone():
                found.append((core, *_round(run, launches)))
    finally:
        os.sched_setaffinity(0, allowed)
    return found


def _round(run: Callable[[], Any], launches: Sequence[_TimedGraph], count: int = 60) -> tuple[float, float]:
    """Medians of the microseconds until a call returns, without the launch, and of the launch."""
    times, spent = [], []
    for _ in range(count):
        torch.cuda.synchronize()
        before = sum(one.spent for one in launches)
        begin = time.perf_counter()
        run()
        all_of_it = time.perf_counter() - begin
        spent.append(sum(one.spent for one in launches) - before)
        times.append(all_of_it - spent[-1])
    return round(median(times) * 1e6, 1), round(median(spent) * 1e6, 1)


# ---- kernels ----


PASSES = 3
"""Each kernel is timed so many times, with all others between: one reading may be disturbed."""


def time_kernels(way: str, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Milliseconds of each kernel on the GPU: several calls in one CUDA graph."""
    made: dict[str, tuple[torch.cuda.CUDAGraph, int, Any]] = {}
    found: dict[str, Any] = {}
    for name in names:
        torch._dynamo.reset()
        with torch.no_grad():
            try:
                found[name], made[name] = _recorded_kernel(way, name)
            except Exception as error:
                yield {name: f"{type(error).__name__}: {str(error)[:300]}"}
                torch.cuda.synchronize()
    ready()
    readings: dict[str, list[float]] = {name: [] for name in made}
    with GPU.alone():
        for _ in range(PASSES):
            for name, (graph, calls, _kept) in made.items():
                # The calmest of some windows.
                readings[name] += [milliseconds(graph.replay, 0.03, 0.01) / calls for _ in range(2)]
    for name, times in readings.items():
        yield {name: found[name] | {"ms": min(times), "readings": [round(one, 5) for one in times]}}


def _recorded_kernel(way: str, name: str) -> tuple[dict[str, Any], tuple[torch.cuda.CUDAGraph, int, Any]]:
    """What is known of a kernel; calls of it as a graph, how many, and what the graph reads."""
    model, inputs = prepared(KERNELS[name])
    run = way_of(way, model, inputs)
    made = first(run())
    with GPU.alone():
        # A graph takes a millisecond at least: between two of them the GPU may wait for a busy CPU.
        single = milliseconds(recorded(run, 10).replay, 0.02) / 10
        calls = max(10, min(200, int(1.0 / single)))
        graph = recorded(run, calls)
    found: dict[str, Any] = {}
    if isinstance(run, OurCall):
        executable: Any = run.model.executable
        exact, wide = prepared(KERNELS[name])
        found["pcc"] = correlation(made, first(exact.float()(*(one.float() for one in wide))))
        found["by"] = [line.kernel for line in executable.report.kernels]
        found["timings"] = executable.timings
    # The graph launches kernels of modules that the compiler's caches let go.
    caches = sys.modules.get("torch._inductor.codecache")
    modules = [dict(vars(one)) for one in caches.PyCodeCache.modules] if caches is not None else []
    return found, (graph, calls, (run, model, inputs, modules))


def main(case: str, way: str) -> None:
    time_searches_alone(way)
    if case == "kernels" or ":" in case:
        names = case.split(":")[1].split(",") if ":" in case else list(KERNELS)
        for one in time_kernels(way, names):
            print(MARK + json.dumps(one), flush=True)
    else:
        print(MARK + json.dumps(time_model(case, way)), flush=True)
    say_done()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
