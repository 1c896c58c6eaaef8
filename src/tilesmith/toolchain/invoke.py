"""Runs the compiler: a few processes at a time, and turns how it ended into the right error."""

from __future__ import annotations

import shlex
import subprocess
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import TypeVar

from tilesmith import settings
from tilesmith.errors import KernelCompileError, ToolchainError
from tilesmith.toolchain.toolchain import Compiler

Result = TypeVar("Result")

_slots = threading.Condition()
_running = 0


def run_compiler(
    compiler: Compiler, arguments: Sequence[str], directory: Path, sources: Sequence[str] = ()
) -> None:
    """Run it in `directory`, waiting first for a free slot."""
    command = [*compiler.command, *arguments]
    _take_slot()
    try:
        done = subprocess.run(
            command,
            cwd=directory,
            env=compiler.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except FileNotFoundError as error:
        if not directory.exists():
            raise
        raise ToolchainError(f"the compiler {compiler.command[0]} is gone") from error
    finally:
        _give_slot()
    output = done.stdout.decode(errors="replace")
    if done.returncode < 0 or "Killed signal terminated program" in output:
        raise ToolchainError(
            f"the compiler was killed while working on {', '.join(sources)}",
            where=shlex.join(command),
            remedy="it may have run out of memory: close something, or set TILESMITH_COMPILE_JOBS=1",
        )
    if done.returncode != 0:
        raise KernelCompileError(
            f"the C++ compiler refused {', '.join(sources)}",
            output=output,
            sources=sources,
            where=shlex.join(command),
        )


def side_by_side(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Results in order. All tasks end before the first error is raised, so none outlives its scratch."""
    if len(tasks) == 1:
        return [tasks[0]()]
    with ThreadPoolExecutor(max_workers=max(1, len(tasks))) as pool:
        # Settings changed with `using` must hold in the threads too.
        futures = [pool.submit(copy_context().run, task) for task in tasks]
    return [future.result() for future in futures]


def _take_slot() -> None:
    global _running
    limit = settings.current().compile_jobs
    with _slots:
        _slots.wait_for(lambda: _running < limit)
        _running += 1


def _give_slot() -> None:
    global _running
    with _slots:
        _running -= 1
        _slots.notify()
