"""How long the command and the package take to start, beside Python itself, in one run.

python benchmarks/startup.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import tilesmith": ["-c", "import tilesmith"],
    "tilesmith --version": [
        "-c",
        "import sys; sys.argv = ['', '--version']; from tilesmith.cli import main; main()",
    ],
    "tilesmith --help": ["-m", "tilesmith.cli", "--help"],
}
ROUNDS = 15


def seconds(arguments: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):  # in turn, so that whatever else the computer does slows them all
        for name, arguments in COMMANDS.items():
            times[name].append(seconds(arguments))
    python = statistics.median(times["python -c pass"])
    for name, taken in times.items():
        middle = statistics.median(taken)
        print(f"{name:20} {middle * 1000:6.0f} ms, {middle / python:5.2f} x python -c pass")


if __name__ == "__main__":
    main()
