"""The page in a real browser: every view, no network, no message on the console."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.profiling.browser import Browser, find_browser
from tests.profiling.runs.test_store import figures

from tilesmith.dashboard.server import DashboardServer
from tilesmith.dashboard.views import Views
from tilesmith.profiling import Profile
from tilesmith.profiling.runs import RunStore
from tilesmith.profiling.runs.live import live

EXECUTABLE = find_browser()
pytestmark = pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium here: install Debian's chromium")


@pytest.fixture
def store(tmp_path: Path, profile: Profile) -> RunStore:
    made = RunStore(tmp_path / ".tilesmith")
    made.add_figures(figures("gemm", 10.0), tags=["first"])
    made.add(profile, tags=["nightly"])
    for _ in range(11):
        made.add_figures(figures("gemm", 14.0))
    return made


@pytest.fixture
def page(store: RunStore, tmp_path: Path) -> Iterator[Browser]:
    assert EXECUTABLE is not None
    server = DashboardServer(store, 0)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    browser = Browser(EXECUTABLE, tmp_path / "chromium")
    browser.open(server.url)
    yield browser
    assert browser.messages == []
    assert all(request.startswith((server.url, "data:", "about:")) for request in browser.requests)
    browser.close()
    server.shutdown()
    server.server_close()


def until(page: Browser, script: str, wanted: Any, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while (seen := page.run(script)) != wanted:
        assert time.monotonic() < deadline, f"{script} is {seen!r}, not {wanted!r}"
        time.sleep(0.02)


def test_every_view(page: Browser, store: RunStore) -> None:
    until(page, "document.querySelectorAll('#runs tbody tr').length", 13)
    until(page, "document.querySelectorAll('#regressions pre').length", 1)
    assert "run 13 against its best run, run 1" in page.run(
        "document.querySelector('#regressions').textContent"
    )
    assert page.run("document.querySelectorAll('#history circle').length") == 12

    page.run("document.querySelector('tr[data-run=\"2\"]').click()")
    until(
        page,
        "document.querySelector('#detail iframe')?.contentDocument?.title",
        "three programs: predicted time",
    )
    assert page.run("location.search") == "?run=2"
    assert "ttnn.matmul" in page.run("document.querySelector('#detail').textContent")

    page.run('for (const id of [1, 13]) document.querySelector(`tr[data-run="${id}"] input`).click()')
    page.run("document.getElementById('compare').click()")
    until(page, "document.querySelector('#detail .comparison')?.textContent.includes('+40.0 %')", True)

    page.run(
        "document.getElementById('search').value = 'nightly'; document.getElementById('search').oninput()"
    )
    until(page, "document.querySelectorAll('#runs tbody tr').length", 1)


def test_a_baseline_is_pinned_with_a_click(page: Browser, store: RunStore) -> None:
    until(page, "document.querySelectorAll('#runs tbody tr').length", 13)
    page.run("document.querySelector('tr[data-run=\"13\"]').click()")
    until(page, "document.querySelector('#detail button')?.textContent", "pin as baseline")
    until(page, "document.querySelectorAll('#regressions pre').length", 1)
    page.run("document.querySelector('#detail button').click()")
    until(page, "document.querySelectorAll('#regressions pre').length", 0)
    assert store.get("13").tags == ("baseline",)


def test_a_run_of_another_terminal_is_seen(page: Browser, store: RunStore) -> None:
    until(page, "document.querySelectorAll('#runs tbody tr').length", 13)
    script = (
        "import sys, pathlib; from tilesmith.profiling.runs.live import live\n"
        "with live('elsewhere', pathlib.Path(sys.argv[1])):\n"
        "    print('begun', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(store.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "begun\n"
        until(page, "document.querySelector('#live b')?.textContent", "elsewhere", seconds=1)
        other.kill()
    until(page, "document.querySelectorAll('#live div').length", 0, seconds=1)


def test_a_thousand_runs_are_drawn_in_a_second(page: Browser, store: RunStore) -> None:
    with sqlite3.connect(store.file) as database:
        database.executemany(
            "INSERT INTO runs (uid, created, title, chip, latency_us, figures, circumstances)"
            " SELECT ?, created, title, chip, latency_us, figures, circumstances FROM runs WHERE id = 1",
            [(str(index),) for index in range(987)],
        )
    until(page, "document.querySelectorAll('#runs tbody tr').length", 1000)
    # What it takes by itself, on a computer that may be busy: the server's answer, and drawing it.
    begin = time.process_time()
    assert len(Views(RunStore(store.folder)).runs({})) == 1000
    answered = time.process_time() - begin
    drawn = "(() => { const then = performance.now(); drawRuns(); return performance.now() - then; })()"
    assert answered + min(page.run(drawn) for _ in range(5)) / 1000 < 1


def test_a_run_that_comes_while_the_page_opens_is_listed(page: Browser) -> None:
    """The list is asked for again at the first event: what came in between would be missed."""
    asked = (
        "performance.getEntriesByType('resource').filter(entry => entry.name.includes('/api/runs')).length"
    )
    until(page, f"{asked} >= 2", True, seconds=5)


def test_a_live_run_changes_the_page_within_a_second(page: Browser, store: RunStore) -> None:
    until(page, "document.querySelectorAll('#runs tbody tr').length", 13)
    with live("training", store.folder) as run:
        until(page, "document.querySelector('#live b')?.textContent", "training", seconds=1)
        run.figures.programs, run.figures.findings = 7, ["cb.left-at-end: one page is left"]
        run.write()
        until(
            page,
            "document.querySelector('#live .finding')?.textContent.includes('left-at-end')",
            True,
            seconds=1,
        )
    until(page, "document.querySelectorAll('#live div').length", 0, seconds=1)
    store.add_figures(figures("gemm", 9.0))
    until(page, "document.querySelectorAll('#runs tbody tr').length", 14, seconds=1)
