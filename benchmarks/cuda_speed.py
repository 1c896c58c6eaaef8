"""Models and kernels on an NVIDIA GPU: tilesmith's backend "cuda" beside the ways torch has.

    python benchmarks/cuda_speed.py --json                      everything, one process per way
    python benchmarks/cuda_speed.py --only bert_b1,vit_b1       some models
    python benchmarks/cuda_speed.py --only kernels --ways O3    one way

Each figure of the result is the time of torch's best way over ours: 1.0 is parity, more is faster. Models are
timed call after call; kernels as calls recorded in a CUDA graph by all, so that only the GPU's time counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from math import exp, log
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks.cuda_cases import KERNELS, MODELS, Case

TORCH = ("eager", "graph", "default", "reduce-overhead", "max-autotune")
OURS = ("O2", "O3")
_MARK = "RESULT "


# ---- one way, in a process of its own ----


def prepared(make: Callable[[], Case], seed: int = 0) -> Case:
    torch.manual_seed(seed)
    model, inputs = make()
    return model.eval().to("cuda", torch.bfloat16), inputs


def run_of(way: str, model: nn.Module, inputs: tuple[Any, ...]) -> Callable[[], Any]:
    """Something to call that does the model once."""
    if way in OURS:
        import tilesmith

        compiled = tilesmith.compile(model, backend="cuda", optimization_level=way)
        return lambda: compiled(*inputs)
    if way in ("eager", "graph"):
        run = lambda: model(*inputs)  # noqa: E731
        return run if way == "eager" else recorded(run).replay
    made = torch.compile(model, mode=None if way == "default" else way)
    return lambda: made(*inputs)


def recorded(run: Callable[[], Any], times: int = 1) -> torch.cuda.CUDAGraph:
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(times):
            run()
    return graph


def milliseconds(run: Callable[[], Any], seconds: float = 0.6) -> float:
    """The median of rounds of calls, each round between two events."""
    for _ in range(5):
        run()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(5):
        run()
    torch.cuda.synchronize()
    each = (time.perf_counter() - begin) / 5
    calls = max(2, int(0.03 / max(each, 1e-6)))
    times = []
    for _ in range(max(5, int(seconds / (calls * each)))):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / calls)
    return float(median(times))


def correlation(a: Any, b: Any) -> float:
    x, y = (one.detach().float().flatten().double() for one in (a, b))
    return float(torch.corrcoef(torch.stack((x, y)))[0, 1])


def first(value: Any) -> Any:
    return value[0] if isinstance(value, tuple | list) else value


def time_model(name: str, way: str) -> dict[str, Any]:
    with torch.no_grad():
        model, inputs = prepared(MODELS[name])
        begin = time.perf_counter()
        run = run_of(way, model, inputs)
        made = run()
        torch.cuda.synchronize()
        found: dict[str, Any] = {"compile_s": round(time.perf_counter() - begin, 1)}
        if way in OURS:
            run()
            exact, wide = prepared(MODELS[name])
            reference = first(
                exact.float()(*(one.float() if one.is_floating_point() else one for one in wide))
            )
            found["pcc"] = correlation(first(made), reference)
            found["pcc_torch"] = correlation(first(model(*inputs)), reference)
            del exact, reference
            found |= figures_of(run)
        found["ms"] = milliseconds(run)
        return found


def figures_of(run: Callable[[], Any]) -> dict[str, Any]:
    """What only our own calls have: the report, and the time of Python around the launch of the graph."""
    model = run.__closure__[0].cell_contents  # type: ignore[index]
    executable = model.executable
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    graphs = executable._graphs
    replay = host_us(graphs._graphs[0].graph.replay) if graphs and graphs._graphs else 0.0
    return {
        "python_us": round(host_us(run) - replay, 1),
        "replay_us": round(replay, 1),
        "no_graph": executable.why_no_graph,
        "on_host": [f"{line.op}: {line.reason}" for line in executable.report.host],
        "kernels": str(executable.report).split("\n")[:60],
        "timings": executable.timings,
    }


def host_us(run: Callable[[], Any], count: int = 20) -> float:
    times = []
    for _ in range(count):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    torch.cuda.synchronize()
    return median(times) * 1e6


def time_kernels(way: str, names: Iterable[str], seconds: float) -> dict[str, Any]:
    """Milliseconds of each kernel on the GPU: several calls in one CUDA graph."""
    found: dict[str, Any] = {}
    begin = time.perf_counter()
    for name in names:
        if time.perf_counter() - begin > seconds:
            break
        torch._dynamo.reset()
        with torch.no_grad():
            try:
                found[name] = _time_kernel(way, name)
            except Exception as error:
                found[name] = f"{type(error).__name__}: {str(error)[:300]}"
                torch.cuda.synchronize()
        print(_MARK + json.dumps({name: found[name]}), flush=True)
    return found


def _time_kernel(way: str, name: str) -> Any:
    model, inputs = prepared(KERNELS[name])
    run = run_of(way, model, inputs)
    made = first(run())
    graph = recorded(run, 10)
    ms = milliseconds(graph.replay, 0.05) / 10
    if way not in OURS:
        return {"ms": ms}
    executable = run.__closure__[0].cell_contents.executable  # type: ignore[index]
    exact, wide = prepared(KERNELS[name])
    pcc = correlation(made, first(exact.float()(*(one.float() for one in wide))))
    return {
        "ms": ms,
        "pcc": pcc,
        "by": [line.kernel for line in executable.report.kernels],
        "timings": executable.timings,
    }


# ---- all ways ----


def in_process(case: str, way: str, limit: float) -> dict[str, Any]:
    command = [sys.executable, __file__, "--worker", case, "--way", way, "--limit", str(limit)]
    begin = time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit + 60, env={**os.environ})
        said, trouble = done.stdout, done.stderr[-1500:]
    except subprocess.TimeoutExpired as error:
        said, trouble = (error.stdout or b"").decode(), f"longer than {limit} s"
    found: dict[str, Any] = {}
    for line in said.splitlines():
        if line.startswith(_MARK):
            found |= json.loads(line[len(_MARK) :])
    if not found:
        found["error"] = trouble
    found["process_s"] = round(time.perf_counter() - begin, 1)
    return found


def ratios(found: dict[str, dict[str, Any]], case: str) -> dict[str, Any]:
    """Torch's best time over ours, for each of our ways."""
    torch_ms = [found[way]["ms"] for way in TORCH if "ms" in found.get(way, {})]
    made = {}
    for way in OURS:
        if torch_ms and "ms" in found.get(way, {}):
            made[case if way == "O3" else f"{case}_{way}"] = round(min(torch_ms) / found[way]["ms"], 3)
    return made


def kernel_ratios(found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name in KERNELS:
        ways = {way: found[way][name] for way in found if isinstance(found[way].get(name), dict)}
        made |= ratios(ways, name)
    for suffix in ("", "_O2"):
        logs = [log(made[name + suffix]) for name in KERNELS if name + suffix in made]
        if logs:
            made[f"kernels_geomean{suffix}"] = round(exp(sum(logs) / len(logs)), 3)
            made[f"kernels_least{suffix}"] = round(exp(min(logs)), 3)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default=",".join((*MODELS, "kernels")))
    parser.add_argument("--ways", default=",".join((*TORCH, *OURS)))
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one process")
    parser.add_argument("--save", type=Path, help="a file for all times, written as they come")
    parser.add_argument("--worker")
    parser.add_argument("--way")
    args = parser.parse_args()
    if args.worker:
        work(args.worker, args.way, args.limit)
        return
    found: dict[str, dict[str, Any]] = {}
    result: dict[str, Any] = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__}
    for case in args.only.split(","):
        found[case] = {}
        for way in args.ways.split(","):
            found[case][way] = in_process(case, way, args.limit)
            if args.save:
                args.save.write_text(json.dumps({**result, "ways": found}, indent=1))
        result |= kernel_ratios(found[case]) if case == "kernels" else ratios(found[case], case)
    print(
        json.dumps(result) if args.json else "\n".join(f"{name:32} {value}" for name, value in result.items())
    )


def work(case: str, way: str, limit: float) -> None:
    if case.startswith("kernels"):
        wanted = case.split(":")[1:] or KERNELS
        time_kernels(way, [name for name in KERNELS if name in wanted or not case.count(":")], limit)
    else:
        print(_MARK + json.dumps(time_model(case, way)), flush=True)


if __name__ == "__main__":
    main()
