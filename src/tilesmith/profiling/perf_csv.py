"""`ops_perf_results*.csv`: a row per program, with the columns of tt-metal's report that apply here."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tilesmith.profiling.model import ProgramProfile, RoleProfile, TensorTraffic
from tilesmith.profiling.report import Chip, Profile
from tilesmith.profiling.vendor_names import (
    ARCH,
    data_type,
    four_dimensions,
    inputs_and_outputs,
    op_code,
    padded,
)

_LEAST_INPUTS, _LEAST_OUTPUTS = 2, 1  # columns that tt-perf-report asks for
_RISC_COLUMNS = {
    "BRISC": "writer",
    "NCRISC": "reader",
    "TRISC0": "unpack",
    "TRISC1": "math",
    "TRISC2": "pack",
}


def write_perf_csv(profile: Profile, folder: str | Path, when: datetime | None = None) -> Path:
    """Write the file; its name carries the time, as the vendor's does."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    stamp = (when or datetime.now(UTC)).strftime("%Y_%m_%d_%H_%M_%S")
    path = folder / f"ops_perf_results_{stamp}.csv"
    rows = perf_rows(profile)
    columns = list(dict.fromkeys(column for row in rows for column in row)) or ["OP CODE"]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def perf_rows(profile: Profile) -> list[dict[str, Any]]:
    """A row per program, in the order they ran."""
    if profile.chip is None:
        return []
    rows = []
    widest = [inputs_and_outputs(program) for program in profile.programs]
    inputs = max([_LEAST_INPUTS, *(len(pair[0]) for pair in widest)])
    outputs = max([_LEAST_OUTPUTS, *(len(pair[1]) for pair in widest)])
    start = 0.0
    for number, program in enumerate(profile.programs, 1):
        start += program.launch_us
        rows.append(_row(number, program, profile.chip, start, (inputs, outputs)))
        start += program.microseconds
    return rows


def _row(
    number: int, program: ProgramProfile, chip: Chip, start_us: float, tensors: tuple[int, int]
) -> dict[str, Any]:
    begin, end = (
        round(start_us * chip.clock_ghz * 1e3),
        round((start_us + program.microseconds) * chip.clock_ghz * 1e3),
    )
    return {
        "OP CODE": op_code(program),
        "OP TYPE": "tt_dnn_device",
        "GLOBAL CALL COUNT": number,
        "DEVICE ID": 0,
        "DEVICE ARCH": ARCH[chip.family],
        "ATTRIBUTES": f"{{'name': '{program.name}', 'bound': '{program.bound.kind}'}}",
        "MATH FIDELITY": program.fidelity or "HiFi4",
        "CORE COUNT": program.cores,
        "AVAILABLE WORKER CORE COUNT": chip.grid_x * chip.grid_y,
        "PARALLELIZATION STRATEGY": "",
        "HOST START TS": round((start_us - program.launch_us) * 1e3),
        "HOST END TS": round(start_us * 1e3),
        "HOST DURATION [ns]": round(program.launch_us * 1e3),
        "DEVICE FW START CYCLE": begin,
        "DEVICE FW END CYCLE": end,
        "OP TO OP LATENCY [ns]": round(program.launch_us * 1e3),
        "DEVICE FW DURATION [ns]": round(program.microseconds * 1e3),
        **_durations(program, chip),
        **_tensor_columns(program, tensors),
        "COMPUTE KERNEL SOURCE": _sources(program, "TRISC"),
        "DATA MOVEMENT KERNEL SOURCE": _sources(program, "BRISC", "NCRISC"),
        **_model(program, chip),
    }


def _durations(program: ProgramProfile, chip: Chip) -> dict[str, Any]:
    def ns(cycles: float) -> int:
        return round(cycles / chip.clock_ghz)

    per_core: dict[tuple[int, int], int] = {}
    for role in program.roles:
        per_core[role.x, role.y] = max(per_core.get((role.x, role.y), 0), role.cycles)
    ends = list(per_core.values()) or [0]
    by_role = {
        f"DEVICE {risc} KERNEL DURATION [ns]": ns(
            max((r.cycles for r in program.roles if r.role == role), default=0)
        )
        for risc, role in _RISC_COLUMNS.items()
    }
    return {
        "DEVICE KERNEL DURATION [ns]": ns(program.cycles),
        "DEVICE KERNEL DURATION PER CORE MIN [ns]": ns(min(ends)),
        "DEVICE KERNEL DURATION PER CORE MAX [ns]": ns(max(ends)),
        "DEVICE KERNEL DURATION PER CORE AVG [ns]": ns(sum(ends) / len(ends)),
        "DEVICE KERNEL FIRST TO LAST START [ns]": 0,
        **by_role,
        "DEVICE COMPUTE CB WAIT FRONT [ns]": ns(_longest(program.roles, "unpack", "CB_PAGES")),
        "DEVICE COMPUTE CB RESERVE BACK [ns]": ns(_longest(program.roles, "pack", "CB_SPACE")),
    }


def _longest(roles: tuple[RoleProfile, ...], role: str, cause: str) -> int:
    """The most cycles any core's role waited for this cause."""
    mine = (one for one in roles if one.role == role)
    return max((sum(w.cycles for w in one.waits if w.cause == cause) for one in mine), default=0)


def _tensor_columns(program: ProgramProfile, counts: tuple[int, int]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for direction, count, tensors in zip(
        ("INPUT", "OUTPUT"), counts, inputs_and_outputs(program), strict=True
    ):
        for index in range(count):
            columns |= _tensor(f"{direction}_{index}", tensors[index] if index < len(tensors) else None)
    return columns


def _tensor(prefix: str, tensor: TensorTraffic | None) -> dict[str, Any]:
    dimensions = four_dimensions(tensor.shape) if tensor else ()
    columns: dict[str, Any] = {}
    for index, letter in enumerate("WZYX"):
        size = dimensions[index] if tensor else None
        told = f"{padded(size, tensor.layout, index > 1)}[{size}]" if tensor and size is not None else ""
        columns[f"{prefix}_{letter}_PAD[LOGICAL]"] = told
    columns[f"{prefix}_LAYOUT"] = tensor.layout if tensor else ""
    columns[f"{prefix}_DATATYPE"] = data_type(tensor.dtype) if tensor else ""
    columns[f"{prefix}_MEMORY"] = f"DEV_0_{tensor.memory}" if tensor else ""
    return columns


def _sources(program: ProgramProfile, *riscs: str) -> str:
    return "; ".join(one.path for one in program.sources if one.role in riscs)


def _model(program: ProgramProfile, chip: Chip) -> dict[str, Any]:
    """Columns of the vendor's performance model and counters, from ours."""
    roof, use = program.roofline, program.utilisation
    return {
        "PM IDEAL [ns]": round(roof.cycles / chip.clock_ghz),
        "PM COMPUTE [ns]": round(roof.math_cycles / chip.clock_ghz),
        "PM BANDWIDTH [ns]": round(roof.dram_cycles / chip.clock_ghz),
        "PM FPU UTIL (%)": round(100 * use.matrix, 3),
        "NOC UTIL (%)": round(100 * max(use.noc), 3),
        "DRAM BW UTIL (%)": round(100 * use.dram, 3),
    }
