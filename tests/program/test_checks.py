"""One wrong program per check, each a small change of one that passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tilesmith.arch import load_arch
from tilesmith.errors import (
    CircularBufferError,
    CoreOffGridError,
    KernelArgumentError,
    KernelOverlapError,
    KernelSourceMissingError,
    ProgramError,
    SemaphoreError,
)
from tilesmith.formats import DataFormat
from tilesmith.program import (
    BufferView,
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRange,
    CoreRangeSet,
    DataMovementConfig,
    Kernel,
    Processor,
    Program,
    ReaderConfig,
    Semaphore,
    SourceType,
    WriterConfig,
    check_program,
)
from tilesmith.program.checks import check_runtime_values
from tilesmith.program.sources import kernel_path, kernel_text

WORMHOLE, BLACKHOLE = load_arch("n150"), load_arch("p150")
CORES = CoreRange((0, 0), (1, 0))
BF16 = DataFormat.Float16_b


def kernel(config: Any = None, **fields: Any) -> Kernel:
    fields = {"core_ranges": CORES, "source_type": SourceType.SOURCE_CODE, **fields}
    return Kernel(
        fields.pop("kernel_source", "void kernel_main() {}"), config=config or ReaderConfig(), **fields
    )


def cb(total: int = 4096, page: int = 2048, index: int = 0, **fields: Any) -> CircularBuffer:
    cores = fields.pop("core_ranges", CORES)
    return CircularBuffer(total, cores, CBFormat(index, BF16, page), **fields)


def program(**fields: Any) -> Program:
    right = {
        "kernels": [kernel(), kernel(WriterConfig()), kernel(ComputeConfig())],
        "cbs": [cb(), cb(index=16)],
        "semaphores": [Semaphore(0, CORES), Semaphore(15, CORES)],
    }
    return Program(**{**right, **fields})


SHARDS = BufferView(1_000_000, 4096, CoreRangeSet(CORES))
ARGS = {CoreCoord(0, 0): (1,), CoreCoord(1, 0): (2,)}

WRONG: dict[str, tuple[Callable[[], Program], type[ProgramError], str]] = {
    "kernel off the grid": (
        lambda: program(kernels=[kernel(core_ranges=CoreRange((7, 0), (8, 0)))]),
        CoreOffGridError,
        "n150 has 8 x 8 cores",
    ),
    "kernel nowhere": (
        lambda: program(kernels=[kernel(core_ranges=CoreRangeSet())]),
        CoreOffGridError,
        "no cores",
    ),
    "cb off the grid": (lambda: program(cbs=[cb(core_ranges=(0, 8))]), CoreOffGridError, "circular buffer 0"),
    "semaphore off the grid": (
        lambda: program(semaphores=[Semaphore(0, CoreCoord(9, 9))]),
        CoreOffGridError,
        "semaphore 0",
    ),
    "file missing": (
        lambda: program(kernels=[Kernel("no/such.cpp", CORES, ReaderConfig())]),
        KernelSourceMissingError,
        "no/such.cpp",
    ),
    "two readers": (
        lambda: program(kernels=[kernel(name="one"), kernel(name="two")]),
        KernelOverlapError,
        "one and two both want NCRISC of core 0-0",
    ),
    "two compute kernels": (
        lambda: program(kernels=[kernel(ComputeConfig()), kernel(ComputeConfig(), core_ranges=(1, 0))]),
        KernelOverlapError,
        "both want TRISC of core 1-0",
    ),
    "one NoC for both": (
        lambda: program(kernels=[kernel(), kernel(DataMovementConfig(Processor.RISCV_0, noc=0))]),
        KernelOverlapError,
        "both want NoC 0",
    ),
    "third NoC": (
        lambda: program(kernels=[kernel(DataMovementConfig(Processor.RISCV_0, noc=2))]),
        KernelArgumentError,
        "NoC 2",
    ),
    "missing runtime args": (
        lambda: program(kernels=[kernel(runtime_args={CoreCoord(0, 0): (1,)})]),
        KernelArgumentError,
        "1 of its 2 cores; core 1-0 has none",
    ),
    "stray runtime args": (
        lambda: program(kernels=[kernel(runtime_args={**ARGS, CoreCoord(5, 5): (1,)})]),
        KernelArgumentError,
        "core 5-5, where it is not",
    ),
    "too many runtime args": (
        lambda: program(kernels=[kernel(runtime_args=ARGS, common_runtime_args=range(341))]),
        KernelArgumentError,
        "342 runtime arguments",
    ),
    "negative compile-time arg": (
        lambda: program(kernels=[kernel(compile_time_args=(0, -1))]),
        KernelArgumentError,
        "number 1, is -1",
    ),
    "float compile-time arg": (
        lambda: program(kernels=[kernel(named_compile_time_args={"scale": 0.5})]),
        KernelArgumentError,
        "is 0.5",
    ),
    "same name twice": (
        lambda: program(kernels=[kernel(named_compile_time_args=[("n", 1), ("n", 2)])]),
        KernelArgumentError,
        "two compile-time arguments named 'n'",
    ),
    "no macro name": (lambda: program(kernels=[kernel(defines={"A B": "1"})]), KernelArgumentError, "'A B'"),
    "unpack_to_dest of no cb": (
        lambda: program(kernels=[kernel(ComputeConfig(unpack_to_dest_fp32=(32,)))]),
        KernelArgumentError,
        "circular buffer 32",
    ),
    "cb index": (lambda: program(cbs=[cb(index=32)]), CircularBufferError, "no circular buffer 32 on n150"),
    "cb without format": (
        lambda: program(cbs=[CircularBuffer(2048, CORES, ())]),
        CircularBufferError,
        "at least one format",
    ),
    "cb of no bytes": (lambda: program(cbs=[cb(total=0)]), CircularBufferError, "0 bytes in pages of 2048"),
    "cb not of whole pages": (
        lambda: program(cbs=[cb(total=5000)]),
        CircularBufferError,
        "5000 bytes, which is not a whole number of 2048-byte pages",
    ),
    "cb page not of words": (
        lambda: program(cbs=[cb(total=20, page=10)]),
        CircularBufferError,
        "16-byte words",
    ),
    "cb of too many pages": (
        lambda: program(cbs=[cb(total=16 * 65536, page=16)]),
        CircularBufferError,
        "65536 pages; its counters are 16 bits",
    ),
    "cb twice": (lambda: program(cbs=[cb(), cb()]), CircularBufferError, "0 exists twice on core 0-0"),
    "cb twice by alias": (
        lambda: program(
            cbs=[cb(), CircularBuffer(2048, CORES, [CBFormat(1, BF16, 2048), CBFormat(0, BF16, 2048)])]
        ),
        CircularBufferError,
        "0 exists twice",
    ),
    "cb larger than its shard": (
        lambda: program(cbs=[cb(buffer=SHARDS, address_offset=2048)]),
        CircularBufferError,
        "6144 bytes of a shard that has 4096",
    ),
    "cb where its buffer is not": (
        lambda: program(cbs=[cb(buffer=SHARDS, core_ranges=CoreRange((0, 0), (2, 0)))]),
        CircularBufferError,
        "shards on {[0-0 .. 1-0]} only",
    ),
    "offset into nothing": (lambda: program(cbs=[cb(address_offset=32)]), CircularBufferError, "no buffer"),
    "semaphore id": (lambda: program(semaphores=[Semaphore(16, CORES)]), SemaphoreError, "no semaphore 16"),
    "semaphore value": (lambda: program(semaphores=[Semaphore(0, CORES, -1)]), SemaphoreError, "start at -1"),
    "semaphore twice": (
        lambda: program(semaphores=[Semaphore(1, CORES), Semaphore(1, (1, 0))]),
        SemaphoreError,
        "1 exists twice on core 1-0",
    ),
}


def test_the_right_program_passes() -> None:
    for arch in (WORMHOLE, BLACKHOLE):
        check_program(program(kernels=[kernel(runtime_args=ARGS), kernel(WriterConfig())]), arch)
        check_program(program(cbs=[cb(buffer=SHARDS)]), arch)
    check_program(program(cbs=[cb(index=63)]), BLACKHOLE)
    check_program(program(kernels=[kernel()], cbs=[cb(total=20, page=10)]), WORMHOLE)


@pytest.mark.parametrize("case", WRONG)
def test_each_mistake_is_named(case: str) -> None:
    make, error, text = WRONG[case]
    with pytest.raises(error) as raised:
        check_program(make(), WORMHOLE)
    assert text in raised.value.what
    assert raised.value.remedy
    assert Path(raised.value.where.rpartition(":")[0]).name == "test_checks.py"


def test_kernels_of_different_cores_may_share_a_risc() -> None:
    check_program(program(kernels=[kernel(core_ranges=(0, 0)), kernel(core_ranges=(1, 0))]), WORMHOLE)


@pytest.mark.parametrize("value", [-1, 1 << 32, 1.0, "1", None])
def test_runtime_values_are_words(value: object) -> None:
    bad = program(kernels=[kernel(runtime_args={CoreCoord(0, 0): (7, value), CoreCoord(1, 0): (1, 2)})])
    with pytest.raises(KernelArgumentError, match=r"core 0-0, number 1, is"):
        check_runtime_values(bad)
    with pytest.raises(KernelArgumentError, match="common runtime argument"):
        check_runtime_values(program(kernels=[kernel(common_runtime_args=[value])]))
    check_runtime_values(program(kernels=[kernel(runtime_args=ARGS, common_runtime_args=[(1 << 32) - 1])]))


def test_sources_are_found_beside_the_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.cpp").write_text("void kernel_main() {}")
    monkeypatch.chdir(tmp_path)
    assert kernel_text(Kernel("a.cpp", CORES, ReaderConfig())) == "void kernel_main() {}"
    assert kernel_path(Kernel(tmp_path / "a.cpp", CORES, ReaderConfig())) == tmp_path / "a.cpp"
    here = Path(__file__)
    assert kernel_path(Kernel(here.name, CORES, ReaderConfig())) == here
    assert kernel_path(kernel()) is None
    assert kernel_text(kernel()) == "void kernel_main() {}"


def test_labels() -> None:
    assert kernel(name="mine").label == "mine"
    assert kernel().label == "inline NCRISC kernel"
    assert Kernel("x/y/read.cpp", CORES, ReaderConfig()).label == "read.cpp"


def test_structure_leaves_out_what_changes_per_call() -> None:
    one = program(kernels=[kernel(runtime_args=ARGS, common_runtime_args=(1,))], cbs=[cb(buffer=SHARDS)])
    moved = replace(SHARDS, address=2_000_000)
    other_args = dict.fromkeys(ARGS, (9, 9))
    same = program(
        kernels=[kernel(runtime_args=other_args, common_runtime_args=(2,))], cbs=[cb(buffer=moved)]
    )
    assert one.structure == same.structure
    assert hash(one.structure) == hash(same.structure)
    for different in (
        program(kernels=[kernel(runtime_args=ARGS, common_runtime_args=(1, 2))], cbs=[cb(buffer=SHARDS)]),
        program(kernels=[kernel(runtime_args=ARGS, common_runtime_args=(1,))], cbs=[cb()]),
        program(
            kernels=[kernel(runtime_args=ARGS, common_runtime_args=(1,), defines={"A": "1"})],
            cbs=[cb(buffer=SHARDS)],
        ),
    ):
        assert different.structure != one.structure
