"""The store of runs: nothing is lost, whoever writes, and files of other releases are read."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from tilesmith import settings
from tilesmith.errors import RunStoreError
from tilesmith.profiling import Profile
from tilesmith.profiling.runs import RunFigures, RunStore
from tilesmith.profiling.runs.describe import project_root


def figures(title: str = "gemm", latency: float = 10.0, **more: object) -> RunFigures:
    values: dict[str, object] = {"chip": "n150", "source": "chip, predicted", "kernel_us": latency, **more}
    zeros = dict.fromkeys(("launch_us", "dram_bytes", "peak_dram", "peak_l1", "findings"), 0)
    return RunFigures(title=title, latency_us=latency, **{**zeros, **values})  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / ".tilesmith")


def test_every_profile_is_a_run_of_its_own(store: RunStore, profile: Profile) -> None:
    first, second = store.add(profile, tags=["before"]), store.add(profile, level="O2")
    assert (first.id, second.id) == (1, 2)
    assert [run.id for run in store.runs()] == [2, 1]
    assert first.profile() == profile
    assert second.figures.level == "O2"
    assert second.figures.findings == 1
    assert {kernel.name for kernel in first.figures.kernels} >= {"ttnn.matmul", "ttnn.add", "hasty"}
    assert sum(kernel.microseconds for kernel in first.figures.kernels) == pytest.approx(profile.microseconds)


def test_runs_are_found_by_number_tag_and_age(store: RunStore) -> None:
    for latency in (3.0, 2.0, 1.0):
        store.add_figures(figures(latency=latency), tags=["nightly"] if latency == 2.0 else [])
    assert store.get("1").figures.latency_us == 3.0
    assert store.get("last").id == 3
    assert store.get("last-2").id == 1
    assert store.get("nightly").id == 2
    store.tag(store.get("1"), ["nightly", "first"])
    assert [run.id for run in store.runs(tag="nightly")] == [2, 1]
    store.tag(store.get("1"), ["nightly"], remove=True)
    assert store.get("1").tags == ("first",)
    for name in ("7", "last-9", "weekly"):
        with pytest.raises(RunStoreError, match="there is no run"):
            store.get(name)


def test_titles_are_searched_as_they_are_written(store: RunStore) -> None:
    for title in ("100% gemm", "a_b", "axb"):
        store.add_figures(figures(title))
    assert [run.title for run in store.runs(title="100%")] == ["100% gemm"]
    assert [run.title for run in store.runs(title="a_b")] == ["a_b"]


def test_best_is_of_the_same_work_only(store: RunStore) -> None:
    store.add_figures(figures(latency=5.0))
    store.add_figures(figures(latency=1.0, chip="p150"))
    store.add_figures(figures(latency=2.0, level="O3"))
    best = store.best(figures())
    assert best is not None
    assert best.figures.latency_us == 5.0
    assert store.best(figures("other")) is None


def test_a_deleted_run_is_gone_with_its_profile(store: RunStore, profile: Profile) -> None:
    run = store.add(profile, tags=["x"])
    assert run.has_profile
    store.delete([run])
    assert store.runs() == []
    assert not run.folder.exists()
    assert store.add_figures(figures()).id == 2, "numbers are never given twice"


def test_profiles_of_killed_processes_are_pruned(store: RunStore, profile: Profile) -> None:
    kept = store.add(profile)
    store._write_profile("orphan", profile)
    assert store.prune() == 0, "it may belong to a process that is still writing"
    assert store.prune(older_than=0) == 1
    assert kept.has_profile


def test_files_of_a_newer_release_are_read(store: RunStore) -> None:
    store.add_figures(figures())
    with sqlite3.connect(store.file) as database:
        database.execute("ALTER TABLE runs ADD COLUMN colour TEXT DEFAULT 'blue'")
        database.execute(
            "UPDATE runs SET figures = json_set(figures, '$.mood', 'good'),"
            " circumstances = json_set(circumstances, '$.moon', 'full')"
        )
    assert store.get("1").figures == figures()
    assert store.add_figures(figures()).id == 2


def test_files_of_an_older_release_are_read(store: RunStore) -> None:
    store.add_figures(figures())
    with sqlite3.connect(store.file) as database:
        database.execute("UPDATE runs SET figures = json_remove(figures, '$.samples_us', '$.backend')")
    assert store.get("1").figures == figures()


def test_a_file_that_is_no_store_is_told(store: RunStore) -> None:
    store.folder.mkdir()
    store.file.write_text("hello, this is not a database at all" * 10)
    with pytest.raises(RunStoreError, match="cannot be read"):
        store.runs()
    with pytest.raises(RunStoreError, match="cannot be written"):
        store.add_figures(figures())


def test_runs_lie_in_the_project_around_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "src" / "deep")
    assert project_root() == tmp_path
    with settings.using(runs_dir=None):
        assert RunStore().folder == tmp_path / ".tilesmith"
    with settings.using(runs_dir=tmp_path / "elsewhere"):
        assert RunStore().folder == tmp_path / "elsewhere"


def test_git_sees_nothing_of_it(store: RunStore) -> None:
    store.add_figures(figures())
    assert (store.folder / ".gitignore").read_text() == "*\n"


def _write(folder: Path, name: str, count: int) -> None:
    store = RunStore(folder)
    for index in range(count):
        store.add_figures(figures(f"{name}-{index}"), tags=[name])


def _write_for_ever(folder: Path) -> None:
    _write(folder, "victim", 10**9)


def test_eight_writers_one_reader_and_one_that_is_killed(store: RunStore) -> None:
    """Nothing is lost or broken: every run of the eight is there, whole, under a number of its own."""
    context = multiprocessing.get_context("fork")
    victim = context.Process(target=_write_for_ever, args=(store.folder,))
    writers = [context.Process(target=_write, args=(store.folder, f"writer{i}", 5)) for i in range(8)]
    for process in (victim, *writers):
        process.start()
    seen = 0
    deadline = time.monotonic() + 120
    while any(process.is_alive() for process in writers) and time.monotonic() < deadline:
        seen = max(seen, len(store.runs()))
        if seen > 5 and victim.is_alive() and victim.pid is not None:
            os.kill(victim.pid, signal.SIGKILL)
        time.sleep(0.01)
    if victim.is_alive():
        victim.kill()
    for process in (victim, *writers):
        process.join(60)
    assert [process.exitcode for process in writers] == [0] * 8
    runs = store.runs()
    titles = [run.title for run in runs if not run.title.startswith("victim")]
    assert sorted(titles) == sorted(f"writer{i}-{k}" for i in range(8) for k in range(5))
    assert len({run.id for run in runs}) == len(runs)
    assert all(run.tags for run in runs)


def test_a_thousand_runs_are_listed_in_a_second(store: RunStore) -> None:
    store.add_figures(figures())
    with sqlite3.connect(store.file) as database:
        (row,) = database.execute(
            "SELECT title, chip, latency_us, figures, circumstances FROM runs"
        ).fetchall()
        database.executemany(
            "INSERT INTO runs (uid, created, title, chip, latency_us, figures, circumstances)"
            " VALUES (?, 0, ?, ?, ?, ?, ?)",
            [(str(index), *row) for index in range(1000)],
        )
    begin = time.process_time()  # not the wall's: other work may share the computer
    assert len(store.runs()) == 1001
    assert time.process_time() - begin < 1
