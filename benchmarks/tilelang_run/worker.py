"""Runs one example in a process of its own. The last line says what happened, as JSON."""

from __future__ import annotations

import importlib
import json
import os
import resource
import runpy
import sys
import traceback
from pathlib import Path


def main() -> None:
    """worker.py TARGET SECONDS FILE [TEST_FILE FUNCTION ...]"""
    target, seconds, file, *tests = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from benchmarks.tilelang_run import missing, no_gpu, redirect

    redirect.install(target)
    no_gpu.install()
    missing.install()
    path = Path(file)
    os.chdir(path.parent)
    sys.path.insert(0, str(path.parent))
    problem = ""
    try:
        with no_gpu.CudaOnCpu():
            _run(path, tests)
    except SystemExit as stop:
        problem = f"exit {stop.code}" if stop.code else ""
    except BaseException as error:
        traceback.print_exc()
        problem = f"{type(error).__name__}: {error}"
    counts = {"made": len(redirect.made), "ran": len(redirect.ran), "compared": len(redirect.compared)}
    print(json.dumps({"problem": problem, **counts}))


def _run(path: Path, tests: list[str]) -> None:
    if not tests:
        sys.argv = [str(path)]
        runpy.run_path(str(path), run_name="__main__")
    for test_file, function in zip(tests[::2], tests[1::2], strict=True):
        module = importlib.import_module(Path(test_file).stem)
        getattr(module, function)()


if __name__ == "__main__":
    main()
