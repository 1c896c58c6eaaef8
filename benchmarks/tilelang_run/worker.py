"""Runs one example in a process of its own. The last line says what happened, as JSON."""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import traceback
from pathlib import Path
from typing import Any


def main() -> None:
    """worker.py TASK, which is JSON: target, seconds, file, name, tests and packages"""
    task = json.loads(sys.argv[1])
    seconds = task["seconds"]
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from benchmarks.tilelang_run import missing, no_gpu, redirect, triton_here

    redirect.install(task["target"])
    no_gpu.install()
    if task["packages"]:
        triton_here.install(Path(task["packages"]))
    missing.install()
    problem = ""
    try:
        with no_gpu.CudaOnCpu():
            _run(Path(task["file"]), task["name"], task["tests"])
    except SystemExit as stop:
        problem = f"exit {stop.code}" if stop.code else ""
    except BaseException as error:
        traceback.print_exc()
        problem = f"{type(error).__name__}: {error}"
    counts = {"made": len(redirect.made), "ran": len(redirect.ran), "compared": len(redirect.compared)}
    print(json.dumps({"problem": problem, **counts}))


def _run(path: Path, name: str, tests: list[list[str]]) -> None:
    from benchmarks.tilelang_run.adapt import adapt
    from benchmarks.tilelang_run.facts import facts_of
    from benchmarks.tilelang_run.redirect import compared
    from benchmarks.tilelang_run.script import load_module, run_script

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
