"""How fast the emulator is: bf16 matmul 1024 x 1024 x 1024 on 64 emulated cores, by one thread and by all.

Every figure comes from a process of its own, alone on the machine; every ratio from one run of this script.
Peers: tt-lang-sim 1.1.6 (the vendor's Python simulator, same one-tile steps) and torch's float32 matmul.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "gemm"
PEER = "tt-lang-sim==1.1.6"
PEER_NEEDS = ("pydantic<3", "greenlet>=3", "PyYAML>=5.4")  # torch and numpy are shared with us
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
# Relative to the whole matrix. Rounding the output to bf16 gives 2e-3; the 16-bit DST of a chip rounds often.
TOLERANCE = {"fast": 5e-3, "chip": 5e-2}
SIZE = 1024
FLOP = 2 * SIZE**3


class PeerMissingError(Exception):
    """tt-lang-sim cannot be installed here."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def measure(command: list[str], environment: dict[str, str] | None = None) -> dict[str, Any]:
    """Run one process and read the JSON object on its last line."""
    spawned_at = time.monotonic()
    if "--spawned-at" in command:
        command = [*command, str(spawned_at)]
    full_environment = {**os.environ, **ONE_THREAD, **(environment or {})}
    done = subprocess.run(command, env=full_environment, capture_output=True, text=True, check=False)
    name = " ".join(command)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stdout}{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    tolerance = TOLERANCE["chip" if "chip" in command else "fast"]
    if result.get("relative_error", 0.0) > tolerance:
        raise SystemExit(f"{name} gave a wrong result: relative error {result['relative_error']:.2e}")
    return result


def install_peer(folder: Path) -> dict[str, str]:
    """Put the peer and its small dependencies in `folder`; the environment in which Python finds them."""
    if not folder.is_dir():
        part = Path(tempfile.mkdtemp(prefix=folder.name, dir=folder.parent))
        for packages in (["--no-deps", PEER], list(PEER_NEEDS)):
            pip_install(part, packages)
        part.rename(folder)
    return {"PYTHONPATH": str(folder)}


def pip_install(folder: Path, packages: list[str]) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command = [*pip, "--target", str(folder), *packages]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PeerMissingError(f"{PEER} cannot be installed here: {done.stderr.strip().splitlines()[-1]}")


def tt_lang(options: argparse.Namespace) -> dict[str, Any]:
    if options.peer_python:
        python, environment = options.peer_python, {}
    else:
        python, environment = sys.executable, install_peer(options.peer_dir)
    script = [str(HERE / "tt_lang_matmul.py"), "--repeats", str(options.peer_repeats)]
    return measure([python, "-m", "ttl.sim.ttlang_sim", *script], environment)


def torch_fp32() -> dict[str, Any]:
    return measure([sys.executable, str(HERE / "torch_matmul.py")])


def ours(
    kernel: str, checks: str, numbers: str, repeats: int, cache: str = "", more: tuple[str, ...] = ()
) -> dict[str, Any]:
    flags = ["--kernel", kernel, "--checks", checks, "--numbers", numbers, "--repeats", str(repeats), *more]
    environment = {"TILESMITH_CACHE_DIR": cache} if cache else {}
    return measure([sys.executable, str(HERE / "tilesmith_matmul.py"), *flags, "--spawned-at"], environment)


def cold_start() -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="tilesmith-cold-") as empty:
        return ours("tiles", "off", "fast", repeats=1, cache=empty)


VARIANTS = {
    "checks_off": ("tiles", "off", "fast"),
    "checks_on": ("tiles", "on", "fast"),
    "chip_numbers": ("tiles", "off", "chip"),
    "block": ("blocks", "off", "fast"),
    "defaults": ("tiles", "on", "chip"),  # what a user gets who asks for nothing, but for threads
}
# The block kernel with the chip's numerics, by the wall; more of it is arithmetic, which threads share.
THREADS = {"one_thread": ("--wall",), "two_threads": ("--threads", "2")}
# By the wall, with as many threads as the computer has cores: the default.
ALL_CORES = {"chip_all_cores": VARIANTS["chip_numbers"], "defaults_all_cores": VARIANTS["defaults"]}


def collect(options: argparse.Namespace) -> dict[str, float | None]:
    """Rounds of every process in turn, so that a slow minute of the machine hits them all; best of each."""
    if os.getloadavg()[0] > 0.5:
        say(f"warning: the machine is not idle (load {os.getloadavg()[0]:.1f}); ratios will be off")
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in (*VARIANTS, *THREADS, *ALL_CORES, "torch")}
    for number in range(options.rounds):
        say(f"round {number + 1} of {options.rounds}")
        runs["torch"].append(torch_fp32())
        for name, variant in VARIANTS.items():
            runs[name].append(ours(*variant, options.repeats))
        for name, flags in THREADS.items():
            runs[name].append(ours("blocks", "off", "chip", options.repeats, more=flags))
        for name, variant in ALL_CORES.items():
            runs[name].append(ours(*variant, options.repeats, more=("--threads", "0")))
    cold = [cold_start() for _ in range(0 if options.no_peer else options.rounds)]
    peer_gflops: float | None = None
    try:
        peer_gflops = None if options.no_peer else FLOP / tt_lang(options)["seconds"] / 1e9
    except PeerMissingError as why:
        say(str(why))
    return summary(runs, cold, peer_gflops)


def summary(
    runs: dict[str, list[dict[str, Any]]], cold: list[dict[str, Any]], peer_gflops: float | None
) -> dict[str, float | None]:
    gflops = {name: FLOP / min(r["seconds"] for r in results) / 1e9 for name, results in runs.items()}
    say("GFLOP/s: " + ", ".join(f"{name} {value:.2f}" for name, value in gflops.items()))
    say(f"GFLOP/s: tt-lang-sim {peer_gflops or float('nan'):.3f}")
    mine = [result for name, results in runs.items() if name != "torch" for result in results]

    def against_peer(name: str) -> float | None:
        return gflops[name] / peer_gflops if peer_gflops else None

    return {
        "gflops_checks_off": gflops["checks_off"],
        "gflops_checks_on": gflops["checks_on"],
        "gflops_chip_numbers": gflops["chip_numbers"],
        "block_gflops": gflops["block"],
        "ratio_vs_tt_lang_sim": against_peer("checks_off"),
        "ratio_checks_on": against_peer("checks_on"),
        "ratio_chip_numbers": against_peer("chip_numbers"),
        "ratio_vs_torch_fp32": gflops["checks_off"] / gflops["torch"],
        "block_ratio_vs_torch_fp32": gflops["block"] / gflops["torch"],
        "ratio_chip_vs_torch_fp32": gflops["chip_numbers"] / gflops["torch"],
        "ratio_defaults_vs_torch_fp32": gflops["defaults"] / gflops["torch"],
        "chip_all_cores_over_torch_one_thread": gflops["chip_all_cores"] / gflops["torch"],
        "defaults_all_cores_over_torch_one_thread": gflops["defaults_all_cores"] / gflops["torch"],
        "threads_2_speedup": gflops["two_threads"] / gflops["one_thread"],
        "cold_start_s": min((r["cold_s"] for r in cold), default=None),
        "warm_overhead_ms": 1e3 * min(r["overhead_s"] for r in runs["checks_off"]),
        "peak_rss_mb": max(r["peak_rss_mb"] for r in mine),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="the last line is a JSON object")
    parser.add_argument("--rounds", type=int, default=3, help="processes per figure; the best counts")
    parser.add_argument("--repeats", type=int, default=5, help="calls per process; the best counts")
    parser.add_argument("--no-peer", action="store_true", help="leave tt-lang-sim and the cold start out")
    parser.add_argument("--peer-repeats", type=int, default=3)
    parser.add_argument("--peer-python", default="", help="a Python that has tt-lang-sim 1.1.6")
    parser.add_argument(
        "--peer-dir", type=Path, default=Path(tempfile.gettempdir()) / "tilesmith-peer-tt-lang-sim-1.1.6",
        help="where to install tt-lang-sim when no --peer-python is given",
    )  # fmt: skip
    options = parser.parse_args()
    figures = {name: value and round(value, 4) for name, value in collect(options).items()}
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:28} {'-' if value is None else value}")


if __name__ == "__main__":
    main()
