"""The [timing] tables of a chip, typed: cycles of the AI clock and bytes per cycle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

Table = TypeVar("Table")


@dataclass(frozen=True)
class NocTiming:
    hop: int
    read_round_trip: int
    write_round_trip: int
    atomic_round_trip: int
    stream_bytes: float
    l1_read_bytes: float
    packet_cycles: int
    issue_read: int
    issue_read_stateful: int
    issue_read_object: int
    issue_write: int
    issue_write_stateful: int
    issue_write_object: int
    bank_address: int
    multicast_reserve: int
    multicast_per_hop: int
    loopback: int
    router_buffer: int
    convoy_end: float


@dataclass(frozen=True)
class DramTiming:
    read_access: int
    write_access: int
    read_bytes_by_packet: tuple[tuple[int, float], ...]
    write_bytes_by_packet: tuple[tuple[int, float], ...]
    peak_gb_per_s: float


@dataclass(frozen=True)
class UnpackTiming:
    bytes_per_cycle: float
    both_bytes_per_cycle: float
    matmul_srca_bytes: float
    matmul_srcb_bytes: float
    start: int
    tilize_start: int
    tilize_bytes: float
    untilize_bf16: int


@dataclass(frozen=True)
class FpuTiming:
    matmul_per_phase: int
    matmul_overhead: Mapping[str, float]
    eltwise_per_tile: int
    reduce_per_tile: int
    copy_per_tile: int
    transpose_per_face: int
    latency: int
    phases: Mapping[str, int]


@dataclass(frozen=True)
class SfpuTiming:
    lanes: int
    passes_per_tile: int
    mad_latency: int
    default: int
    cycles: Mapping[str, int]


@dataclass(frozen=True)
class PackTiming:
    bytes_per_cycle: float
    l1_accumulate_factor: float
    start: int
    section: int
    tilize_bytes: float
    untilize_bf16: int


@dataclass(frozen=True)
class RiscTiming:
    l1_load: int
    l1_store: int
    noc_register: int
    local_load: int


@dataclass(frozen=True)
class DispatchTiming:
    start_spread_cycles: int
    launch_us: float
    go_signal_us: float
    config_one_core_us: float
    config_us: float
    argument_core_us: float
    argument_kib_us: float
    group_us: float


@dataclass(frozen=True)
class Timing:
    """What the virtual clock reads."""

    noc: NocTiming
    dram: DramTiming
    unpack: UnpackTiming
    fpu: FpuTiming
    sfpu: SfpuTiming
    pack: PackTiming
    risc: RiscTiming
    dispatch: DispatchTiming


def _table(table_class: type[Table], values: Mapping[str, Any]) -> Table:
    return table_class(**{name: _frozen(value) for name, value in values.items()})


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


_TABLES = {
    "noc": NocTiming,
    "dram": DramTiming,
    "unpack": UnpackTiming,
    "fpu": FpuTiming,
    "sfpu": SfpuTiming,
    "pack": PackTiming,
    "risc": RiscTiming,
    "dispatch": DispatchTiming,
}


def timing_from_toml(values: Mapping[str, Any]) -> Timing:
    """Every key must be known and every field given: a TypeError names the one that is not."""
    assert [field.name for field in fields(Timing)] == list(_TABLES)
    return Timing(**{name: _table(kind, values[name]) for name, kind in _TABLES.items()})
