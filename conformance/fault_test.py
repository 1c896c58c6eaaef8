"""Mistreats the build cache: races, kills, full and read-only disks. Afterwards every run must be right."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tilesmith.toolchain.cache import _checksum

WORKER = Path(__file__).with_name("fault_worker.py")
KIND = "FAULT_TEST_KIND"  # what workers build; in the environment, as every step starts workers
Figures = dict[str, int | str]


def start(cache: Path, seed: int, before: str = "", **environment: str) -> subprocess.Popen[str]:
    """A worker in a process group of its own; `before` is shell code that sets up its private mounts."""
    command = [sys.executable, str(WORKER), os.environ.get(KIND, "program"), str(seed)]
    if before:
        command = ["unshare", "-rm", "sh", "-ec", f'{before}\nexec "$@"', "sh", *command]
    return subprocess.Popen(
        command,
        env={**os.environ, "TILESMITH_CACHE_DIR": str(cache), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def expected(seed: int) -> int:
    """What every worker computes: the sum of 2 i + seed over 1024 integers i."""
    return 1024 * 1023 + 1024 * seed


def is_right(worker: subprocess.Popen[str], seed: int) -> bool:
    output, _ = worker.communicate()
    return worker.returncode == 0 and output.strip() == str(expected(seed))


def broken_entries(cache: Path) -> int:
    """Files in the cache whose content is not what their name says."""
    entries = [path for path in cache.glob("entries/*/*") if path.is_file()]
    return sum(path.name.split(".")[1] != _checksum(path) for path in entries)


def race(cache: Path, processes: int) -> Figures:
    """Many processes build the same thing in an empty cache."""
    seed = 7
    workers = [start(cache, seed) for _ in range(processes)]
    right = sum(is_right(worker, seed) for worker in workers)
    keys = [path.name.split(".")[0] for path in cache.glob("entries/*/*")]
    return {"racing": processes, "racing_right": right, "built_twice": len(keys) - len(set(keys))}


def kill(worker: subprocess.Popen[str], after: float, with_compiler: bool) -> bool:
    """Kill a worker at a moment; return whether it was still at work."""
    time.sleep(after)
    at_work = worker.poll() is None
    with contextlib.suppress(ProcessLookupError):  # it had just ended
        os.killpg(worker.pid, signal.SIGKILL) if with_compiler else worker.kill()
    # The pipes stay open as long as an orphaned compiler lives: do not wait for them.
    worker.wait()
    return at_work


def timed(cache: Path, seed: int) -> float:
    """How long a worker takes that nobody disturbs."""
    started = time.perf_counter()
    if not is_right(start(cache, seed), seed):
        raise SystemExit("a worker that nobody disturbs is wrong")
    return time.perf_counter() - started


def kills(scratch: Path, count: int, generator: random.Random) -> Figures:
    """Each build is killed at a random moment, now with and now without its compiler, then run again.

    One in ten starts with an empty cache, so that the emulator's own library is what is being built.
    """
    warm = scratch / "cache"
    cold_time, warm_time = timed(scratch / "cold", 998), timed(warm, 999)
    killed = right = 0
    for seed in range(1001, 1001 + count):
        cold = seed % 10 == 0
        cache, usual = (scratch / f"cold{seed}", cold_time) if cold else (warm, warm_time)
        killed += kill(start(cache, seed), generator.uniform(0.1, 1.0) * usual, with_compiler=seed % 2 == 1)
        right += is_right(start(cache, seed), seed)
    broken = sum(broken_entries(cache) for cache in scratch.iterdir())
    return {"kills": count, "killed_at_work": killed, "right_after_kill": right, "broken_entries": broken}


def damage(cache: Path, generator: random.Random) -> Figures:
    """Flip a bit in, truncate or empty every entry: none may be used again."""
    seeds = (999, 7)
    for entry in cache.glob("entries/*/*"):
        content = bytearray(entry.read_bytes())
        at = generator.randrange(len(content))
        content[at] ^= 1 << generator.randrange(8)
        entry.write_bytes(generator.choice([bytes(content), bytes(content[:at]), b""]))
    right = sum(is_right(start(cache, seed), seed) for seed in seeds)
    return {"damaged": len(seeds), "right_after_damage": right}


def on_a_disk(cache: Path, options: str, elsewhere: str = "", **environment: str) -> tuple[bool, str]:
    """Run on a file system mounted for one worker only; return whether it was right, and what it said."""
    cache.mkdir(parents=True, exist_ok=True)
    mounts = f"mount -t tmpfs -o mode=700,{options} tmpfs {cache}\n{elsewhere}"
    worker = start(cache, 5, mounts, **environment)
    output, said = worker.communicate()
    return worker.returncode == 0 and output.strip() == str(expected(5)), said


def disks(scratch: Path) -> Figures:
    """A full, a read-only and a nowhere-writable place for the cache."""
    if not can_mount():
        return {"disks": "skipped: this machine lets nobody mount a file system"}
    full, told_full = on_a_disk(scratch / "full", "size=16k")
    locked, told_locked = on_a_disk(scratch / "read-only", "ro")
    temporary = scratch / "temporary"
    temporary.mkdir()
    nowhere = "\n".join(f"mount -t tmpfs -o size=16k tmpfs {place}" for place in (temporary, "/dev/shm"))
    survived, told_nowhere = on_a_disk(scratch / "nowhere", "size=16k", nowhere, TMPDIR=str(temporary))
    return {
        "full_disk_right": int(full and told_full.count("cannot be used") == 1),
        "read_only_right": int(locked and told_locked.count("cannot be used") == 1),
        "nowhere_told": int(not survived and told_nowhere.startswith("CacheError: ")),
    }


def can_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    probe = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]
    return subprocess.run(probe, capture_output=True).returncode == 0


def in_scratch(step: Callable[[Path], Figures]) -> Figures:
    with tempfile.TemporaryDirectory(prefix="tilesmith-faults-") as scratch:
        return step(Path(scratch))


def everything(processes: int, count: int, seed: int) -> Figures:
    generator = random.Random(seed)

    def one_cache(scratch: Path) -> Figures:
        cache = scratch / "cache"
        return race(cache, processes) | kills(scratch, count, generator) | damage(cache, generator)

    return {"seed": seed} | in_scratch(one_cache) | in_scratch(disks)


def failures(figures: Figures) -> list[str]:
    """Names of the figures that are not what they must be."""
    wanted: Figures = {
        "racing_right": figures["racing"],
        "built_twice": 0,
        "right_after_kill": figures["kills"],
        "broken_entries": 0,
        "right_after_damage": figures["damaged"],
    }
    if "disks" not in figures:
        wanted |= {"full_disk_right": 1, "read_only_right": 1, "nowhere_told": 1}
    return [name for name, value in wanted.items() if figures[name] != value]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    parser.add_argument("--of", choices=("program", "library"), default="program", help="what is built")
    options = parser.parse_args()
    os.environ[KIND] = options.of
    figures = everything(options.processes, options.kills, options.seed)
    wrong = failures(figures)
    print(json.dumps({**figures, "wrong": wrong}, indent=None if options.json else 4))
    sys.exit(f"wrong: {', '.join(wrong)}" if wrong else 0)


if __name__ == "__main__":
    main()
