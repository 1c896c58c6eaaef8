"""What is kept of PyTorch's samples, so that a run goes on where another ended."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from conformance.opinfo import DTYPES, State, _arguments, _jobs, commit, part_of, summary
from conformance.opinfo_processes import PIECE, Queue
from conformance.opinfo_worker import chosen


def _seen(state: State, op: str, samples: int = 1, **more: Any) -> None:
    for dtype in DTYPES:
        for number in range(samples):
            state.add({"op": op, "dtype": dtype, "number": number, "outcome": "right", "sample": "", **more})
        state.add({"op": op, "dtype": dtype, "total": samples})


def _left(state: State, names: list[str], *options: str) -> list[tuple[str, str]]:
    return [(job["op"], job["dtype"]) for job in _jobs(_arguments().parse_args(list(options)), names, state)]


def test_a_second_run_does_what_the_first_left(tmp_path: Path) -> None:
    first = State(tmp_path / "seen.jsonl")
    _seen(first, "abs", 2)
    first.add(
        {"op": "add", "dtype": "float32", "number": 0, "outcome": "right", "sample": "", "kernel": True}
    )
    second = State(tmp_path / "seen.jsonl")
    assert _left(second, ["abs", "add"]) == [("add", dtype) for dtype in DTYPES]
    told = summary(second, {"abs", "add"}, set(DTYPES))
    assert (told["whole"], told["left"], told["compiled"]) == (1, ["add"], 1)
    assert told["commits"] == {commit(): 2 * len(DTYPES) + 1}


def test_an_operator_without_a_dtype_is_whole() -> None:
    state = State(None)
    _seen(state, "abs", 0)
    assert summary(state, {"abs"}, set(DTYPES))["whole"] == 1
    assert not _left(state, ["abs"])


def test_what_was_wrong_is_run_again_on_another_commit() -> None:
    state = State(None)
    _seen(state, "abs", outcome="wrong", what="1 of 4 differ")
    assert not _left(state, ["abs"])
    state.commit = "another"
    _seen(state, "add", outcome="wrong")
    state.commit = commit()
    assert _left(state, ["abs", "add"]) == [("add", dtype) for dtype in DTYPES]
    assert len(_left(state, ["abs", "add"], "--again")) == 2 * len(DTYPES)


def test_parts_are_all_operators_once() -> None:
    names = [str(number) for number in range(11)]
    parts = [part_of(names, f"{number}/3") for number in (1, 2, 3)]
    assert sorted((name for part in parts for name in part), key=int) == names


def test_what_an_operator_has_left_comes_behind_all_others_and_for_all_workers() -> None:
    first, second = _jobs(_arguments().parse_args(["--dtypes", "bool"]), ["abs", "add"], State(None))
    waiting = Queue([first, second], workers=2)
    assert waiting.take() == first
    numbers = chosen(first, 3 * PIECE + 7)
    waiting.ended(first, numbers[PIECE:])
    assert waiting.take() == second
    waiting.ended(second, [])
    halves = [waiting.take(), waiting.take()]
    assert [job["op"] for job in halves if job] == ["abs", "abs"]
    run = [number for job in halves if job for number in chosen(job, 3 * PIECE + 7)]
    assert sorted(run + numbers[:PIECE]) == list(range(3 * PIECE + 7))


def test_a_worker_waits_for_what_others_may_leave() -> None:
    (job,) = _jobs(_arguments().parse_args(["--dtypes", "bool"]), ["abs"], State(None))
    waiting = Queue([job], workers=2)
    assert waiting.take() == job
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(waiting.take)
        assert not other.done()
        waiting.ended(job, [5])
        taken = other.result(timeout=60)
    assert taken is not None
    assert taken["only"] == [5]
    waiting.ended(taken, [])
    assert waiting.take() is None


def test_half_a_line_of_a_run_that_was_ended_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "seen.jsonl"
    _seen(State(path), "abs")
    path.write_text(path.read_text() + '{"op": "add", "dty')
    again = State(path)
    _seen(again, "add")
    assert State(path).samples.keys() == again.samples.keys()
