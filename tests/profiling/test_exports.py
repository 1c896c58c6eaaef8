"""Files for other tools: what they must hold whether or not those tools are installed."""

from __future__ import annotations

import csv
import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import tilesmith
from tilesmith.profiling import Profile, recording
from tilesmith.profiling.chrome import chrome_trace
from tilesmith.profiling.device_log import device_log
from tilesmith.profiling.perf_csv import write_perf_csv
from tilesmith.profiling.vendor_names import op_code
from tilesmith.profiling.visualizer import write_report
from tilesmith.program import CoreCoord, Kernel, Program, ReaderConfig, SourceType

NUMBERS = {"type": "object", "additionalProperties": {"type": "number"}}
EVENT = {
    "type": "object",
    "required": ["name", "ph", "pid", "tid"],
    "properties": {"pid": {"type": "integer"}, "tid": {"type": "integer"}, "args": {"type": "object"}},
    "allOf": [
        {
            "if": {"properties": {"ph": {"const": "X"}}},
            "then": {
                "required": ["ts", "dur", "cat"],
                "properties": {
                    "ts": {"type": "number", "minimum": 0},
                    "dur": {"type": "number", "minimum": 0},
                },
            },
        },
        {
            "if": {"properties": {"ph": {"const": "C"}}},
            "then": {"required": ["ts"], "properties": {"args": NUMBERS}},
        },
        {"if": {"properties": {"ph": {"const": "M"}}}, "then": {"required": ["args"]}},
    ],
    "additionalProperties": True,
}
TRACE = {
    "type": "object",
    "required": ["traceEvents"],
    "properties": {"traceEvents": {"type": "array", "items": {"$ref": "#/$defs/event"}}},
    "$defs": {"event": EVENT},
}


@pytest.fixture(scope="module")
def events(profile: Profile) -> list[dict[str, Any]]:
    told = json.loads(chrome_trace(profile))
    jsonschema.validate(told, TRACE)
    made: list[dict[str, Any]] = told["traceEvents"]
    return made


def test_slices_of_a_thread_do_not_overlap(events: list[dict[str, Any]]) -> None:
    """Perfetto drops slices that overlap without nesting."""
    ends: dict[tuple[int, int], float] = {}
    for event in events:
        if event["ph"] == "X":
            thread = event["pid"], event["tid"]
            assert event["ts"] >= ends.get(thread, 0.0) - 1e-5
            ends[thread] = event["ts"] + event["dur"]


def test_every_thread_of_the_trace_has_a_name(events: list[dict[str, Any]]) -> None:
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    assert {(e["pid"], e["tid"]) for e in events if e["ph"] == "X"} <= named
    assert any(e["name"] == "wait: DRAM bank 0" for e in events)
    assert any(e["name"].startswith("DRAM bank") and e["ph"] == "C" for e in events)


def test_perf_rows(profile: Profile, tmp_path: Path) -> None:
    path = write_perf_csv(profile, tmp_path, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    assert path.name == "ops_perf_results_2026_01_02_03_04_05.csv"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["OP CODE"] for row in rows] == ["Matmul", "Add", "Hasty", "Copy"]
    product = rows[0]
    assert product["INPUT_1_Y_PAD[LOGICAL]"] == "128[128]"
    assert product["OUTPUT_0_X_PAD[LOGICAL]"] == "64[64]"
    assert product["INPUT_0_DATATYPE"] == "BFLOAT16"
    assert int(product["DEVICE KERNEL DURATION [ns]"]) == profile.programs[0].cycles
    assert [row["GLOBAL CALL COUNT"] for row in rows] == ["1", "2", "3", "4"]


def test_device_log_has_pairs(profile: Profile) -> None:
    first, header, *rows = device_log(profile)
    assert first == "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64"
    columns = [name.strip() for name in header.split(",")]
    cells = [dict(zip(columns, row.split(","), strict=True)) for row in rows]
    assert len(cells) == 2 * sum(len(program.roles) for program in profile.programs)
    for start, end in zip(cells[::2], cells[1::2], strict=True):
        assert (start["type"], end["type"]) == ("ZONE_START", "ZONE_END")
        assert start["timer_id"] == end["timer_id"]
        assert int(start["time[cycles since reset]"]) <= int(end["time[cycles since reset]"])


def test_report_database(profile: Profile, tmp_path: Path) -> None:
    with sqlite3.connect(write_report(profile, tmp_path)) as database:

        def rows(query: str) -> list[tuple[Any, ...]]:
            return database.execute(query).fetchall()

        assert [row[0] for row in rows("SELECT name FROM operations ORDER BY operation_id")] == [
            op_code(program) for program in profile.programs
        ]
        assert (3, "cb.push-without-reserve") in rows("SELECT operation_id, error_type FROM errors")
        assert rows("SELECT actual_pcc, matches FROM local_tensor_comparison_records") == [(0.9, 0)]
        assert rows("SELECT COUNT(*) FROM source_files WHERE contents != ''")[0][0] >= 6
        assert rows("SELECT value FROM report_metadata WHERE key = 'schema_version'") == [("2.1",)]
        inputs = rows("SELECT shape FROM input_tensors JOIN tensors USING (tensor_id) WHERE operation_id = 1")
        assert inputs == [("Shape([96, 128])",), ("Shape([128, 64])",)]
    database.close()


def test_a_report_is_replaced(profile: Profile, tmp_path: Path) -> None:
    assert write_report(profile, tmp_path) == write_report(profile, tmp_path)


def test_zones_of_a_kernel_are_exported() -> None:
    source = """
    #include "api/dataflow/dataflow_api.h"
    #include "api/debug/kernel_profiler.hpp"
    void kernel_main() {
        DeviceZoneScopedN("spins");
        riscv_wait(100);
    }
    """
    core = CoreCoord(1, 2)
    kernel = Kernel(source, core, ReaderConfig(), SourceType.SOURCE_CODE, name="spinner")
    with recording() as recorder, tilesmith.open_device("blackhole") as device:
        device.run(Program([kernel]))
    profile = recorder.profile
    [zone] = profile.programs[0].zones
    assert (zone.name, zone.x, zone.y, zone.role) == ("spins", 1, 2, "reader")
    assert zone.end - zone.begin >= 100
    events = json.loads(chrome_trace(profile))["traceEvents"]
    assert [event["dur"] for event in events if event["name"] == "spins"] == [
        pytest.approx((zone.end - zone.begin) / 1350, abs=1e-5)
    ]
    log = device_log(profile)
    assert log[0].startswith("ARCH: blackhole, CHIP_FREQ[MHz]: 1350")
    assert sum(",spins,ZONE_" in line for line in log) == 2
