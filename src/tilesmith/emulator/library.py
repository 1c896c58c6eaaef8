"""The C++ runtime as Python sees it: structures and functions of native/host.cpp."""

from __future__ import annotations

import ctypes as c
from _ctypes import dlclose
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

from tilesmith.emulator.runtime_build import runtime_job
from tilesmith.errors import InternalFault
from tilesmith.toolchain import compile_many

COUNTERS = (
    "noc_reads", "noc_writes", "read_bytes", "written_bytes", "dram_read_bytes", "dram_written_bytes",
    "multicasts", "multicast_bytes", "atomics", "tile_products", "matmul_cycles",
)  # fmt: skip


class _Structure(c.Structure):
    _fields_: ClassVar[list[tuple[str, Any]]]


class BytesByPacket(_Structure):
    _fields_ = [("size", c.c_uint32 * 4), ("bytes", c.c_double * 4)]


class Timing(_Structure):
    _fields_ = [
        ("issue_read", c.c_uint32 * 3),  # plain, with state, by a method of Noc
        ("issue_write", c.c_uint32 * 3),
        *((name, c.c_uint32) for name in (
            "hop", "read_round_trip", "write_round_trip", "atomic_round_trip", "packet_cycles",
            "bank_address", "multicast_reserve", "multicast_per_hop", "loopback", "dram_read_access",
            "dram_write_access", "max_packet", "router_buffer", "cb_operation", "semaphore_operation",
            "noc_width", "noc_height",
        )),
        ("stream_bytes", c.c_double),
        ("l1_read_bytes", c.c_double),
        ("convoy_end", c.c_double),
        ("dram_read_bytes", BytesByPacket),
        ("dram_write_bytes", BytesByPacket),
    ]  # fmt: skip


class BankConfig(_Structure):
    _fields_ = [
        *((name, c.c_uint32 * 2) for name in ("noc_x", "noc_y", "physical_x", "physical_y")),
        ("address_offset", c.c_uint64),
    ]


class MachineConfig(_Structure):
    _fields_ = [
        *((name, c.c_uint32) for name in (
            "grid_x", "grid_y", "l1_size", "l1_unreserved_base", "semaphore_base",
            "argument_base", "num_dram_banks",
        )),
        ("dram_bank_size", c.c_uint64),
        *((name, c.c_uint32) for name in (
            "l1_alignment", "dram_read_alignment", "dram_write_alignment", "l1_cached",
        )),
        ("worker_noc_xy", c.POINTER(c.c_uint32)),
        ("worker_physical_xy", c.POINTER(c.c_uint32)),
        ("dram_banks", c.POINTER(BankConfig)),
        ("timing", Timing),
    ]  # fmt: skip


class KernelDescription(_Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("handles", c.c_void_p * 3),
        ("data_offsets", c.c_uint64 * 3),
        ("data_sizes", c.c_uint64 * 3),
        *((name, c.c_uint32) for name in (
            "compute", "processor", "noc", "fidelity", "fp32_dest", "approx", "full_sync",
            "bfp8_pack_precise",
        )),
        ("unpack_to_dest_fp32", c.c_uint64),
        *((name, c.c_uint32) for name in ("origin_x", "origin_y", "core_count")),
        ("cores", c.POINTER(c.c_uint32)),
    ]  # fmt: skip


class CbDescription(_Structure):
    _fields_ = [
        *((name, c.c_uint32) for name in (
            "index", "format", "tile_rows", "tile_cols", "face_rows", "faces", "offset", "size", "page_size",
            "globally_allocated", "core_count",
        )),
        ("cores", c.POINTER(c.c_uint32)),
    ]  # fmt: skip


class SemaphoreDescription(_Structure):
    _fields_ = [
        *((name, c.c_uint32) for name in ("id", "value", "core_count")),
        ("cores", c.POINTER(c.c_uint32)),
    ]


class Arguments(_Structure):
    _fields_ = [
        ("values", c.c_void_p),
        ("offsets", c.c_void_p),
        ("common", c.c_void_p),
        ("common_count", c.c_uint32),
    ]


class Allocation(_Structure):
    _fields_ = [
        ("address", c.c_uint64),
        ("size", c.c_uint64),
        *((name, c.c_uint32) for name in ("dram", "page_size", "pages")),
        ("written", c.c_void_p),
        ("named", c.c_uint32),
    ]


class RunOptions(_Structure):
    _fields_ = [
        *((name, c.c_uint32) for name in ("checks", "numbers", "seeded")),
        ("seed", c.c_uint64),
        ("step_limit", c.c_uint64),
        ("stuck_seconds", c.c_double),
        ("allocations", c.POINTER(Allocation)),
        ("allocation_count", c.c_uint32),
        ("trace", c.c_uint32),
        ("clock", c.c_uint32),
        ("threads", c.c_uint32),
    ]


class MeshConfig(_Structure):
    _fields_ = [
        *((name, c.c_uint32) for name in (
            "rows", "columns", "links", "ring_rows", "ring_columns", "slots", "max_payload", "header_bytes",
            "first_hop", "next_hop", "send", "receive", "ring", "scatter", "flush",
        )),
        ("link_bytes", c.c_double),
    ]  # fmt: skip


class RunResult(_Structure):
    _fields_ = [
        *((name, c.c_uint64) for name in ("cycles", "steps", "switches")),
        *((name, c.c_uint32) for name in ("findings", "prints", "zones", "status")),
    ]


class Runtime:
    """The loaded runtime library; one per process."""

    def __init__(self, path: Path) -> None:
        self.functions = c.CDLL(str(path), mode=c.RTLD_GLOBAL)
        f = self.functions
        f.tsh_machine_new.restype = c.c_void_p
        f.tsh_machine_new.argtypes = [c.POINTER(MachineConfig)]
        f.tsh_machine_free.argtypes = [c.c_void_p]
        f.tsh_l1.restype = f.tsh_dram.restype = c.c_void_p
        f.tsh_l1.argtypes = f.tsh_dram.argtypes = [c.c_void_p, c.c_uint32]
        f.tsh_note_host_write.argtypes = [c.c_void_p, c.c_uint32, c.c_uint64, c.c_uint64]
        f.tsh_note_host_dram_write.argtypes = [c.c_void_p, c.c_uint32, c.c_uint64, c.c_uint64]
        f.tsh_program_new.restype = c.c_void_p
        f.tsh_program_new.argtypes = [
            c.c_void_p, c.POINTER(KernelDescription), c.c_uint32, c.POINTER(CbDescription), c.c_uint32,
            c.POINTER(SemaphoreDescription), c.c_uint32,
        ]  # fmt: skip
        f.tsh_program_free.argtypes = [c.c_void_p]
        f.tsh_move_cb.argtypes = [c.c_void_p, c.POINTER(CbDescription)]
        f.tsh_run.argtypes = [c.c_void_p, c.POINTER(RunOptions), c.POINTER(Arguments), c.POINTER(RunResult)]
        f.tsh_run_mesh.argtypes = [
            c.POINTER(c.c_void_p), c.POINTER(RunOptions), c.POINTER(c.c_void_p), c.POINTER(RunResult),
            c.c_uint32, c.POINTER(MeshConfig),
        ]  # fmt: skip
        f.tsh_snapshot.argtypes = [c.c_void_p, c.c_void_p, c.c_void_p]
        f.tsh_trace_size.argtypes = [c.c_void_p, *[c.POINTER(c.c_uint64)] * 3]
        f.tsh_trace_take.argtypes = [c.c_void_p, c.c_void_p, c.POINTER(c.c_char_p)]
        f.tsh_report.restype = c.c_char_p
        f.tsh_report.argtypes = [c.c_void_p]

    @cached_property
    def _kernels(self) -> dict[Path, _LoadedKernel]:
        return {}

    def load_kernel(self, path: Path) -> int:
        """The dlopen handle of a kernel's library. Programs point into it, until `unload_kernels`."""
        with _lock:
            if path not in self._kernels:
                try:
                    self._kernels[path] = _LoadedKernel(c.CDLL(str(path)))
                except OSError as error:
                    raise InternalFault(f"a compiled kernel cannot be loaded: {error}") from error
            self._kernels[path].users += 1
            return int(self._kernels[path].library._handle)

    def unload_kernels(self, paths: Sequence[Path]) -> None:
        """Take back as many calls of `load_kernel`; a library that nobody uses any more is closed."""
        with _lock:
            for path in paths:
                kernel = self._kernels[path]
                kernel.users -= 1
                if kernel.users == 0:
                    del self._kernels[path]
                    dlclose(kernel.library._handle)


@dataclass
class _LoadedKernel:
    library: c.CDLL
    users: int = 0


_lock = Lock()
_runtime: Runtime | None = None


def runtime() -> Runtime:
    """Build the runtime if need be, load it once."""
    with _lock:
        global _runtime
        if _runtime is None:
            _runtime = Runtime(compile_many([runtime_job()])[0])
        return _runtime


def adopt_runtime(path: Path) -> Runtime:
    """Load a runtime that was built along with a program's kernels."""
    with _lock:
        global _runtime
        if _runtime is None:
            _runtime = Runtime(path)
        return _runtime


def loaded() -> bool:
    return _runtime is not None
