"""ttnn-visualizer serves our report: its API returns our operations, buffers, findings and accuracy."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tilesmith.profiling import Profile

pytestmark = pytest.mark.real


class Api:
    """The web server's API, for one report."""

    def __init__(self, address: str, folder: Path) -> None:
        self._address = address
        paths = {"profiler_path": str(folder / "memory"), "performance_path": str(folder / "performance")}
        self._instance = self._ask("instance/local-paths", json.dumps(paths).encode())["instance_id"]

    def get(self, path: str) -> Any:
        return self._ask(f"{path}?instanceId={self._instance}")

    def _ask(self, path: str, data: bytes | None = None) -> Any:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._address}/api/{path}", data, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


@pytest.fixture(scope="module")
def api(peers: Path, saved: tuple[Path, Profile], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    home = tmp_path_factory.mktemp("visualizer")
    for name in ("app", "reports"):
        (home / name).mkdir()
    environment = os.environ | {
        "HOME": str(home),
        "APP_DATA_DIRECTORY": str(home / "app"),
        "REPORT_DATA_DIRECTORY": str(home / "reports"),
        "USAGE_RECORDING_DISABLED": "true",
        "LAUNCH_BROWSER_ON_START": "false",
        "FLASK_ENV": "production",
    }
    port = _free_port()
    server = subprocess.Popen(
        [peers / "ttnn-visualizer", "--host", "127.0.0.1", "--port", str(port)],
        env=environment,
        cwd=home,
        stdout=(home / "log").open("w"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield Api(_started(f"http://127.0.0.1:{port}", server, home / "log"), saved[0])
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(20)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _started(address: str, server: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(240):
        try:
            urllib.request.urlopen(f"{address}/api/up", timeout=5).close()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            assert server.poll() is None, log.read_text()
            time.sleep(0.25)
        else:
            return address
    raise AssertionError(log.read_text())


def test_operations(api: Api, saved: tuple[Path, Profile]) -> None:
    operations = api.get("operations")
    assert [one["name"] for one in operations] == ["Matmul", "Add", "Hasty", "Add"]
    arguments = {one["name"]: one["value"] for one in operations[0]["arguments"]}
    assert arguments["bound"] == saved[1].programs[0].bound.sentence
    assert [one["shape"] for one in operations[0]["inputs"]] == ["Shape([96, 128])", "Shape([128, 64])"]
    assert [one["shape"] for one in operations[0]["outputs"]] == ["Shape([96, 64])"]
    nodes = [one["node_type"] for one in operations[0]["device_operations"]]
    assert nodes.count("circular_buffer_allocate") == 3


def test_buffers_and_tensors(api: Api, saved: tuple[Path, Profile]) -> None:
    held = saved[1].programs[0].held
    one = api.get("operations/1")
    assert sorted(buffer["address"] for buffer in one["buffers"]) == sorted(tensor.address for tensor in held)
    tensors = {tensor["id"]: tensor for tensor in api.get("tensors")}
    for tensor in held:
        assert tensors[tensor.id]["memory_config"]["memory_layout"] == "TensorMemoryLayout::INTERLEAVED"
        assert tensors[tensor.id]["buffer_type"] == 0
    assert api.get("devices")[0]["num_x_compute_cores"] == 8


def test_findings_are_errors(api: Api) -> None:
    errors = api.get("errors")
    assert {one["operation_id"] for one in errors} == {3}
    assert "cb.push-without-reserve" in {one["error_type"] for one in errors}
    assert all("hasty" in one["stack_trace"] for one in errors)


def test_accuracy_is_a_comparison(api: Api, saved: tuple[Path, Profile]) -> None:
    [told] = saved[1].programs[3].accuracy
    [tensor] = [one for one in api.get("tensors") if one["id"] == told.tensor]
    assert tensor["comparison"]["local"]["actual_pcc"] == pytest.approx(0.9995)
    assert tensor["comparison"]["local"]["matches"] in (True, 1)


def test_performance_is_linked(api: Api, saved: tuple[Path, Profile]) -> None:
    report = api.get("performance/perf-results/report")["report"]
    assert [row["raw_op_code"] for row in report] == [one["name"] for one in api.get("operations")]
    assert float(report[0]["device_time"]) == pytest.approx(saved[1].programs[0].microseconds, abs=1e-3)
    meta = api.get("performance/device-log/meta")
    assert (meta["architecture"], meta["frequency"]) == ("wormhole_b0", 1000)
    zones = api.get("performance/device-log/zone/NCRISC-KERNEL")["rows"]
    ended = [int(row["time[cycles_since_reset]"]) for row in zones if row["type"] == "ZONE_END"]
    readers = [one for one in saved[1].programs[0].roles if one.role == "reader"]
    assert ended[0] - int(zones[0]["time[cycles_since_reset]"]) == readers[0].cycles
    assert {row["run_host_ID"] for row in zones} >= {1, 2}
