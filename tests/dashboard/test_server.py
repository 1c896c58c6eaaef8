"""The dashboard's server: what it answers, to whom, and what it refuses."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest
from tests.profiling.runs.test_store import figures

from tilesmith.cli.dashboard import store_of
from tilesmith.dashboard.server import DashboardServer
from tilesmith.errors import ProfileError
from tilesmith.profiling import Profile
from tilesmith.profiling.runs import RunStore
from tilesmith.profiling.runs.live import LiveRun, live, running
from tilesmith.profiling.runs.regressions import regressions


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / ".tilesmith")


@pytest.fixture
def server(store: RunStore) -> Iterator[DashboardServer]:
    made = DashboardServer(store, 0)
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()


def asked(
    server: DashboardServer, path: str, method: str = "GET", body: str = "", **headers: str
) -> HTTPResponse:
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=30)
    connection.request(method, path, body or None, headers)
    return connection.getresponse()


def answer(server: DashboardServer, path: str) -> Any:
    response = asked(server, path)
    assert response.status == 200, response.read()
    return json.loads(response.read())


def test_runs_are_searched_by_every_word(server: DashboardServer, store: RunStore) -> None:
    store.add_figures(figures("bert"), tags=["nightly"])
    store.add_figures(figures("bert", chip="p150"))
    store.add_figures(figures("resnet"))
    assert [row["id"] for row in answer(server, "/api/runs")] == [3, 2, 1]
    assert [row["id"] for row in answer(server, "/api/runs?q=BERT")] == [2, 1]
    assert [row["id"] for row in answer(server, "/api/runs?q=bert+nightly")] == [1]


def test_an_empty_store_has_a_page(server: DashboardServer) -> None:
    assert answer(server, "/api/runs") == []
    page = asked(server, "/").read().decode()
    assert "http://" not in page
    assert "https://" not in page


def test_the_report_of_a_run(server: DashboardServer, store: RunStore, profile: Profile) -> None:
    run = store.add(profile)
    assert b"three programs" in asked(server, f"/runs/{run.id}/report").read()
    summary = asked(server, f"/runs/{run.id}/summary").read().decode()
    assert "ttnn.matmul" in summary
    assert "estimated from activity" in summary
    missing = asked(server, "/runs/99/report")
    assert missing.status == 404
    assert "there is no run" in json.loads(missing.read())["error"]


def test_a_comparison(server: DashboardServer, store: RunStore) -> None:
    store.add_figures(figures("<b>", 1.0))
    store.add_figures(figures("<b>", 2.0))
    tables = asked(server, "/api/compare?run=1&run=2").read().decode()
    assert "+100.0 %" in tables
    assert "<b>" not in tables
    assert asked(server, "/api/compare?run=1").status == 404


def test_a_regression_stays_after_ten_more_runs(server: DashboardServer, store: RunStore) -> None:
    store.add_figures(figures(latency=10.0))
    for _ in range(11):
        store.add_figures(figures(latency=12.0))
    [found] = answer(server, "/api/regressions")
    assert (found["run"], found["reference"]) == (12, 1)
    store.add_figures(figures(latency=10.1))
    assert answer(server, "/api/regressions") == []


def test_a_pinned_baseline_decides(store: RunStore) -> None:
    store.add_figures(figures(latency=8.0))
    pinned = store.add_figures(figures(latency=10.0))
    store.add_figures(figures(latency=10.2))
    assert len(regressions(store.runs())) == 1
    store.tag(pinned, ["baseline"])
    assert regressions(store.runs()) == []


def test_only_the_page_may_change_tags(server: DashboardServer, store: RunStore) -> None:
    store.add_figures(figures())
    body = json.dumps({"run": 1, "tag": "baseline"})
    assert asked(server, "/api/tag", "POST", body).status == 404
    assert store.get("1").tags == ()
    assert asked(server, "/api/tag", "POST", body, **{"X-Tilesmith": "page"}).status == 200
    assert store.get("1").tags == ("baseline",)
    assert asked(server, "/api/tag", "POST", "[]", **{"X-Tilesmith": "page"}).status == 404


def test_another_host_name_is_refused(server: DashboardServer) -> None:
    assert asked(server, "/api/runs", Host="evil.example:80").status == 403


def test_files_outside_the_page_are_not_served(server: DashboardServer) -> None:
    for path in ("/../server.py", "/%2e%2e/server.py", "/app.py", "/runs/1/../../etc/passwd"):
        assert asked(server, path).status == 404


def test_a_run_in_progress_is_seen_within_a_second(server: DashboardServer, store: RunStore) -> None:
    response = asked(server, "/api/events")
    first = json.loads(response.readline().removeprefix(b"data: "))
    assert first["live"] == []
    response.readline()
    with live("training", store.folder):
        begin = time.monotonic()
        told = json.loads(response.readline().removeprefix(b"data: "))
        assert time.monotonic() - begin < 1
        assert told["live"][0]["title"] == "training"
    response.close()


def test_what_a_killed_process_left_is_removed(store: RunStore) -> None:
    left = LiveRun("lost", store.folder)
    left.figures.pid = 2**22 + 1  # beyond the largest number of a process
    left.write()
    assert running(store.folder) == []
    assert not left.file.exists()


def test_a_folder_of_saved_profiles_is_followed(tmp_path: Path, profile: Profile) -> None:
    profile.save(tmp_path / "one")
    store = store_of(tmp_path)
    assert [run.tags for run in store.runs()] == [("one",)]
    profile.save(tmp_path / "two")
    deadline = time.monotonic() + 20
    while len(store.runs()) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert store.get("two").profile() == profile


def test_a_port_that_is_taken_and_a_folder_that_is_not_there(server: DashboardServer, tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="cannot be used"):
        DashboardServer(RunStore(tmp_path), server.server_address[1])
    with pytest.raises(ProfileError, match="there is no folder"):
        store_of(tmp_path / "nothing")


def test_a_thousand_runs_are_listed_in_a_second(server: DashboardServer, store: RunStore) -> None:
    import sqlite3

    store.add_figures(figures())
    with sqlite3.connect(store.file) as database:
        database.executemany(
            "INSERT INTO runs (uid, created, title, chip, latency_us, figures, circumstances)"
            " SELECT ?, created, title, chip, latency_us, figures, circumstances FROM runs WHERE id = 1",
            [(str(index),) for index in range(999)],
        )
    begin = time.process_time()  # not the wall's: other work may share the computer
    assert len(answer(server, "/api/runs")) == 1000
    assert time.process_time() - begin < 1
