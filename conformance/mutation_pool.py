"""Runs tasks in a few long-lived processes, and survives what a broken kernel may do to one of them."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Any, TypeVar

Task = TypeVar("Task")
TIME_LIMIT = 300.0


class Worker:
    """One process and the task it is busy with."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self._work = work
        self.task: Any = None
        self.since = 0.0
        self.pipe: Connection
        self._process: BaseProcess
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._work), daemon=True)
        self._process.start()
        theirs.close()

    def give(self, task: object) -> None:
        self.task, self.since = task, monotonic()
        self.pipe.send(task)

    def restart(self) -> None:
        self._process.kill()
        self._process.join()
        self._start()

    def stop(self) -> None:
        self._process.kill()
        self._process.join()


def _serve(pipe: Connection, work: Callable[[Any], Any]) -> None:
    while True:
        pipe.send(work(pipe.recv()))


def run_all(work: Callable[[Task], Any], tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Any]]:
    """Each task with its result, in the order they finish. A lost process gives a Failure as result."""
    pending = deque(tasks)
    workers = [Worker(work) for _ in range(min(jobs, len(tasks)))]
    for worker in workers:
        worker.give(pending.popleft())
    while busy := [worker for worker in workers if worker.task is not None]:
        wait([worker.pipe for worker in busy], timeout=1.0)
        for worker in busy:
            result = _result(worker)
            if result is None:
                continue
            yield worker.task, result
            worker.task = None
            if pending:
                worker.give(pending.popleft())
    for worker in workers:
        worker.stop()


class Failure:
    """What became of a task whose process was lost."""

    def __init__(self, outcome: str) -> None:
        self.outcome = outcome
        self.detail = ""


def _result(worker: Worker) -> Any:
    try:
        if worker.pipe.poll():
            return worker.pipe.recv()
    except (EOFError, OSError):
        worker.restart()
        return Failure("crash")
    if monotonic() - worker.since > TIME_LIMIT:
        worker.restart()
        return Failure("timeout")
    return None
