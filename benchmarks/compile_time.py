"""How long the tile compiler takes: TileLang GEMM of 256 to C++, pass by pass, and how that grows.

    python benchmarks/compile_time.py [--json]

`gemm256_ms` is from a traced prim_func to C++ text, imports done; `trace_ms` is TileLang's own tracing before
that; `gemm256_cpu_ms` is the same in processor time, for a machine that is not idle. `growth` is the exponent
of the processor time against the number of chained stages in a kernel: 1 is linear.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from examples.tilelang.gemm import gemm

import tilesmith
from tilesmith.compiler.importer.tilelang import import_prim_func
from tilesmith.compiler.pipeline import Choices, lower

STAGES = (1, 2, 4, 8, 16)


def best_ms(
    work: Callable[[], object], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The best of many: what the code costs, not what else the machine did."""
    times = []
    for _ in range(repeats):
        began = clock()
        work()
        times.append(clock() - began)
    return 1e3 * min(times)


def compile_ms(kernel: Any, repeats: int, clock: Callable[[], float] = time.perf_counter) -> float:
    return best_ms(lambda: tilesmith.compile(kernel).sources(), repeats, clock)


def pass_times(kernel: Any, repeats: int) -> dict[str, float]:
    """Milliseconds of the import and of every pass with the verifier after it, best of all runs."""
    best: dict[str, float] = {}

    def note(name: str, since: float) -> float:
        now = time.perf_counter()
        best[name] = min(best.get(name, math.inf), 1e3 * (now - since))
        return time.perf_counter()

    for _ in range(repeats):
        began = time.perf_counter()
        module = import_prim_func(kernel)
        began = note("import", began)

        def observe(name: str, _module: object) -> None:
            nonlocal began
            began = note(name, began)

        lower(module, Choices(), observe)
    return best


def chained(stages: int) -> Any:
    """A kernel of so many elementwise stages, each reading the one before. TileLang wants a file to trace."""
    lines = [
        "import tilelang.language as T",
        "@T.prim_func",
        "def chained(x: T.Tensor((256, 256), 'bfloat16'), y: T.Tensor((256, 256), 'bfloat16')):",
        "    with T.Kernel(4, 4, threads=128) as (bx, by):",
        *(f"        v{number} = T.alloc_fragment((64, 64), 'float32')" for number in range(stages + 1)),
        "        T.copy(x[by * 64, bx * 64], v0)",
    ]
    for number in range(stages):
        lines.append("        for i, j in T.Parallel(64, 64):")
        lines.append(f"            v{number + 1}[i, j] = T.exp(v{number}[i, j]) * 0.5 + v{number}[i, j]")
    lines.append(f"        T.copy(v{stages}, y[by * 64, bx * 64])")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chained.py"
        path.write_text("\n".join(lines), encoding="utf-8")
        spec = importlib.util.spec_from_file_location("chained", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.chained


def growth(times: dict[int, float]) -> float:
    """Least squares of log time against log size, from four stages on: below that the fixed part shows."""
    points = [(math.log(size), math.log(ms)) for size, ms in times.items() if size >= 4]
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    slope: float = sum((x - mean_x) * (y - mean_y) for x, y in points)
    slope /= sum((x - mean_x) ** 2 for x, _ in points)
    return slope


def figures(repeats: int) -> dict[str, Any]:
    def trace() -> Any:
        return gemm(256, 256, 256, block=(64, 64, 32))

    kernel = trace()
    tilesmith.compile(kernel).sources()  # the first compile imports what is imported late
    stages = {size: compile_ms(chained(size), repeats, time.process_time) for size in STAGES}
    return {
        "gemm256_ms": round(compile_ms(kernel, repeats), 2),
        "gemm256_cpu_ms": round(compile_ms(kernel, repeats, time.process_time), 2),
        "trace_ms": round(best_ms(trace, repeats), 2),
        "passes_ms": {name: round(ms, 2) for name, ms in pass_times(kernel, repeats).items()},
        "stages_ms": {size: round(ms, 1) for size, ms in stages.items()},
        "growth": round(growth(stages), 2),
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="the last line is a JSON object")
    parser.add_argument("--repeats", type=int, default=20)
    options = parser.parse_args()
    told = figures(options.repeats)
    if options.json:
        print(json.dumps(told))
        return
    for name, ms in told.pop("passes_ms").items():
        print(f"  {name:36} {ms:8.2f} ms")
    for name, value in told.items():
        print(f"{name:38} {value}")


if __name__ == "__main__":
    main()
