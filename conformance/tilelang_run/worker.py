"""Runs examples, each in a process of its own, which it forks off one that has everything imported.

Reads tasks as lines of JSON: target, seconds, wall, file, name, tests, packages and the file for the output.
Answers each with the number the process ended with, as Python has it: negative for a signal. The last line of
the output says what happened, as JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

_PAUSE = 0.05


def main() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    for module in ("adapt", "facts", "missing", "no_gpu", "redirect", "script", "triton_here"):
        importlib.import_module(f"conformance.tilelang_run.{module}")
    for line in sys.stdin:
        task = json.loads(line)
        child = os.fork()
        if not child:
            _work(task)
        print(_wait(child, task["wall"]), flush=True)


def _wait(child: int, wall: float) -> int:
    """Until the process ends; after `wall` seconds it is stopped, with the compilers it started."""
    end = time.monotonic() + wall
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(_PAUSE)
    os.killpg(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _work(task: dict[str, Any]) -> None:
    """The process of one example."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (task["seconds"], task["seconds"] + 5))
    log = os.open(task["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    problem = ""
    try:
        _prepared(task)
    except SystemExit as stop:
        problem = f"exit {stop.code}" if stop.code else ""
    except BaseException as error:
        traceback.print_exc()
        problem = f"{type(error).__name__}: {error}"
    from conformance.tilelang_run import redirect

    counts = {"made": len(redirect.made), "ran": len(redirect.ran), "compared": len(redirect.compared)}
    print(json.dumps({"problem": problem, "apart": redirect.apart, **counts}))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _prepared(task: dict[str, Any]) -> None:
    from conformance.tilelang_run import missing, no_gpu, redirect, triton_here

    redirect.install(task["target"])
    no_gpu.install()
    if task["packages"]:
        triton_here.install(Path(task["packages"]))
    missing.install()
    with no_gpu.CudaOnCpu():
        _run(Path(task["file"]), task["name"], task["tests"])


def _run(path: Path, name: str, tests: list[list[str]]) -> None:
    from conformance.tilelang_run.adapt import adapt
    from conformance.tilelang_run.facts import facts_of
    from conformance.tilelang_run.redirect import compared
    from conformance.tilelang_run.script import load_module, run_script

    os.chdir(path.parent)
    sys.path.insert(0, str(path.parent))
    facts = facts_of(name)

    def between(names: dict[str, Any]) -> None:
        adapt(names, path.parent, facts.sizes)

    def noted() -> None:
        compared.append("assert")

    if not tests or facts.as_script:
        run_script(path, facts.sizes.get("argv", []), between, noted)
        return
    load_module(path, path.stem, between, noted)
    for test_file, function in tests:
        module = importlib.import_module(Path(test_file).stem)
        between(vars(module))
        getattr(module, function)()


if __name__ == "__main__":
    main()
