"""The memory report that ttnn-visualizer opens: db.sqlite and config.json."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tilesmith.profiling.model import HeldTensor, ProgramProfile
from tilesmith.profiling.report import Chip, Profile
from tilesmith.profiling.vendor_names import (
    BUFFER_TYPE,
    MEMORY_LAYOUT,
    data_type,
    inputs_and_outputs,
    memory_config,
    op_code,
)
from tilesmith.profiling.visualizer_graph import captured_graph
from tilesmith.profiling.visualizer_schema import SCHEMA, SCHEMA_VERSION

_GOLDEN = 1_000_000  # numbers of reference tensors start here, past those of any run


def write_report(profile: Profile, folder: str | Path) -> Path:
    """Write the report; one that is there is replaced."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    title = profile.title or "tilesmith"
    config = {"report_name": title, "enable_logging": True, "enable_graph_report": False}
    (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    path = folder / "db.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(SCHEMA)
        for table, rows in _tables(profile).items():
            _insert(database, table, rows)
        database.commit()
    return path


def _insert(database: sqlite3.Connection, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        database.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def _tables(profile: Profile) -> dict[str, list[tuple[Any, ...]]]:
    tables: dict[str, list[tuple[Any, ...]]] = {
        "report_metadata": [("schema_version", SCHEMA_VERSION), ("producer", "tilesmith")],
        "devices": [_device(profile.chip)] if profile.chip else [],
    }
    files = _Files()
    for number, program in enumerate(profile.programs, 1):
        for table, rows in _of_program(number, program, files).items():
            tables.setdefault(table, []).extend(rows)
    tensors = _latest(held for program in profile.programs for held in program.held)
    tables["tensors"] = [_tensor(one) for one in tensors] + _goldens(profile, tensors)
    tables["device_tensors"] = [(one.id, 0, one.address) for one in tensors]
    tables["source_files"] = files.rows
    return tables


def _latest(held: Iterable[HeldTensor]) -> list[HeldTensor]:
    return list({one.id: one for one in held}.values())


class _Files:
    """Kernel sources, each once."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self._known: dict[str, int] = {}

    def number(self, path: str, text: str) -> int:
        if path not in self._known:
            self._known[path] = len(self._known) + 1
            self.rows.append((self._known[path], path, text))
        return self._known[path]


def _of_program(number: int, program: ProgramProfile, files: _Files) -> dict[str, list[tuple[Any, ...]]]:
    inputs, outputs = inputs_and_outputs(program)
    numbers = [files.number(source.path, source.text) for source in program.sources]
    trace = "\n".join(f'  File "{one.path}", line 1, in {one.name}' for one in program.sources)
    graph = json.dumps(captured_graph(program))
    return {
        "operations": [(number, op_code(program), program.microseconds / 1e6)],
        "operation_arguments": [(number, name, value) for name, value in _arguments(program)],
        "buffers": [_buffer(number, one) for one in program.held],
        "captured_graph": [(number, graph)],
        "input_tensors": [(number, index, one.id) for index, one in enumerate(inputs)],
        "output_tensors": [(number, index, one.id) for index, one in enumerate(outputs)],
        "stack_traces": [(number, trace, numbers[0] if numbers else None)],
        "errors": [
            (
                number,
                op_code(program),
                finding.check,
                f"{finding.title}: {finding.message}",
                f"{finding.place} in {finding.kernel} ({finding.role})",
                "",
            )
            for finding in program.findings
        ],
        "local_tensor_comparison_records": [
            (
                accuracy.tensor,
                _GOLDEN + accuracy.tensor,
                int(accuracy.matches),
                accuracy.wanted_pcc,
                accuracy.pcc,
            )
            for accuracy in program.accuracy
        ],
    }


def _arguments(program: ProgramProfile) -> list[tuple[str, str]]:
    return [
        ("program", program.name),
        ("predicted_us", f"{program.microseconds:.3f}"),
        ("cores", str(program.cores)),
        ("math_fidelity", program.fidelity),
        ("bound", program.bound.sentence),
        ("change_first", program.hint),
        ("times_the_physical_limit", f"{program.distance:.2f}"),
    ]


def _device(chip: Chip) -> tuple[Any, ...]:
    cores = chip.grid_x * chip.grid_y
    usable = chip.l1_size - chip.l1_base
    return (
        0,
        chip.noc_y,
        chip.noc_x,
        chip.grid_y,
        chip.grid_x,
        chip.l1_size,
        cores,
        usable,
        chip.l1_base,
        chip.l1_base,
        1,
        cores,
        0,
        cores * chip.l1_size,
        cores * usable,
        cores * usable,
        cores * usable,
        usable,
    )


def _tensor(held_tensor: HeldTensor) -> tuple[Any, ...]:
    return (
        held_tensor.id,
        f"Shape({list(held_tensor.shape)})",
        f"DataType.{data_type(held_tensor.dtype)}",
        f"Layout.{held_tensor.layout}",
        memory_config(held_tensor),
        0,
        held_tensor.address,
        BUFFER_TYPE[held_tensor.memory.split("_")[0]],
    )


def _goldens(profile: Profile, tensors: Sequence[HeldTensor]) -> list[tuple[Any, ...]]:
    """Reference tensors live on the host: no device, no address."""
    compared = {one.tensor for program in profile.programs for one in program.accuracy}
    return [
        (
            _GOLDEN + tensor.id,
            f"Shape({list(tensor.shape)})",
            f"DataType.{data_type(tensor.dtype)}",
            "Layout.ROW_MAJOR",
            "",
            None,
            None,
            None,
        )
        for tensor in tensors
        if tensor.id in compared
    ]


def _buffer(number: int, held_tensor: HeldTensor) -> tuple[Any, ...]:
    memory_type, layout = held_tensor.memory.split("_", 1)
    return (
        number,
        0,
        held_tensor.address,
        held_tensor.size_per_bank,
        BUFFER_TYPE[memory_type],
        MEMORY_LAYOUT[layout],
    )
