"""How fast models compile and run: on the emulator, on the chip by its clock, and with torch on the CPU.

python benchmarks/model_speed.py --json [--layers 12] [--quick]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

import tilesmith
from tilesmith.models.backends.kernels import forget
from tilesmith.models.backends.tenstorrent import TenstorrentExecutable

LEVELS = ("O0", "O1", "O2", "O3")


def bert(layers: int, width: int = 768) -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    from transformers import BertConfig, BertModel

    make: Callable[[Any], torch.nn.Module] = BertModel

    torch.manual_seed(0)
    heads = width // 64
    config = BertConfig(
        num_hidden_layers=layers, hidden_size=width, num_attention_heads=heads, intermediate_size=4 * width
    )
    return make(config).eval(), (torch.randint(0, 1000, (1, 128)),)


def seconds(
    call: Callable[[], Any], repeats: int = 1, clock: Callable[[], float] = time.perf_counter
) -> float:
    """The shortest of some calls."""
    times = []
    for _ in range(repeats):
        begin = clock()
        call()
        times.append(clock() - begin)
    return min(times)


def on_emulator(model: torch.nn.Module, inputs: tuple[torch.Tensor, ...], level: str) -> dict[str, float]:
    """Seconds to compile and run, and what the chip would take."""
    options = {"optimization_level": level, "checks": "off", "numbers": "fast"}
    compiled = tilesmith.compile(model, backend="tenstorrent", **options)
    cold = seconds(lambda: compiled(*inputs))
    run = seconds(lambda: compiled(*inputs), 2)
    alone = seconds(lambda: compiled(*inputs), clock=time.process_time)
    executable = compiled.executable
    assert isinstance(executable, TenstorrentExecutable)
    return {
        "first_call_s": cold - run,
        "run_s": run,
        "run_cpu_s": alone,
        "chip_ms": executable.microseconds / 1e3,
        "dram_mb": executable.dram_bytes / 1e6,
        "kernels": len(compiled.report.kernels),
    }


def on_cpu(model: torch.nn.Module, inputs: tuple[torch.Tensor, ...], repeats: int) -> dict[str, float]:
    """Our CPU backend and torch.compile as ratios to eager torch, each the best of many calls in turn.

    All run on one thread, so its own time is what counts, whatever else the computer does.
    """
    ours = tilesmith.compile(model, backend="cpu")
    inductor = torch.compile(model)
    calls: dict[str, Callable[..., Any]] = {"eager": model, "ours": ours, "inductor": inductor}
    best: dict[str, float] = {}
    with torch.no_grad():
        for call in calls.values():
            call(*inputs)
        for _ in range(repeats):
            for name, call in calls.items():
                spent = seconds(lambda call=call: call(*inputs), clock=time.process_time)  # type: ignore[misc]
                best[name] = min(best.get(name, 1e9), spent)
    return {
        "cpu_vs_eager": best["ours"] / best["eager"],
        "inductor_vs_eager": best["inductor"] / best["eager"],
    }


def measure(layers: int, width: int, quick: bool, names: Sequence[str] = LEVELS) -> dict[str, Any]:
    torch.set_num_threads(1)
    model, inputs = bert(layers, width)
    levels = {level: on_emulator(model, inputs, level) for level in names}
    warm = _warm(model, inputs)
    return {
        "bert_base_emulator_s": levels["O2"]["run_s"],
        "bert_base_emulator_cpu_s": levels["O2"]["run_cpu_s"],
        "compile_cold_s": levels["O2"]["first_call_s"],
        "compile_warm_s": warm,
        "o2_over_o0": levels["O0"]["chip_ms"] / levels["O2"]["chip_ms"],
        **({"o3_over_o0": levels["O0"]["chip_ms"] / levels["O3"]["chip_ms"]} if "O3" in levels else {}),
        **on_cpu(model, inputs, 3 if quick else 15),
        "levels": levels,
        "layers": layers,
        "width": width,
    }


def _warm(model: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> float:
    """The same as a new process would take that finds compiled C++ on disk."""
    forget()
    return on_emulator(model, inputs, "O2")["first_call_s"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--quick", action="store_true", help="fewer repeats on the CPU, and no O3")
    chosen = parser.parse_args()
    result = measure(chosen.layers, chosen.width, chosen.quick, LEVELS[:3] if chosen.quick else LEVELS)
    print(json.dumps(result, indent=None if chosen.json else 2))


if __name__ == "__main__":
    main()
