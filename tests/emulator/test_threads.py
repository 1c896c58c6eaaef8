"""Threads share the arithmetic of the engine; bits, cycles and findings do not depend on how many."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import numpy as np
import pytest
from conformance.thread_counts import outcome, random_cases
from examples.metal.common import host
from examples.metal.matmul_multi.host import matmul_program
from tests.emulator.arithmetic.test_arithmetic import Array, bf16, call, faces, floats

from tilesmith.runtime import open_device
from tilesmith.settings import using


def tiles(first_seed: int, count: int) -> Array:
    return np.concatenate([faces(bf16(floats(first_seed + i))) for i in range(count)]).view(np.uint32)


def block(rows: int, cols: int, how: str, threads: int) -> Array:
    """Many products of blocks into the same DST; more than may be pending."""
    dst, steps = np.zeros(rows * cols * 1024, np.uint32), 40
    a, b = tiles(0, steps * rows), tiles(5000, steps * cols)
    if how == "unusual":  # exponents that floats do not hold take the general way
        a[: 1024 * rows] = (np.float32(1e38) * np.sign(a[: 1024 * rows].view(np.float32))).view(np.uint32)
    fast, five_bit = how == "fast", how == "float16"
    call("num_matmul_blocks", a, b, steps, rows, cols, fast, five_bit, threads, dst)
    return dst


@pytest.mark.parametrize("how", ["chip", "fast", "float16", "unusual"])
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 3), (2, 4), (4, 4)])
def test_the_bits_of_a_block_are_the_same(rows: int, cols: int, how: str) -> None:
    expected = block(rows, cols, how, 1)
    assert expected.any()
    for threads in (2, 4, 8, 64):
        assert np.array_equal(block(rows, cols, how, threads), expected)


def test_a_forked_process_starts_its_own_threads() -> None:
    expected = block(2, 2, "chip", 4)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(block(2, 2, "chip", 4), expected) else 1)
    assert os.waitpid(child, 0)[1] == 0


def run_gemm(threads: int, checks: Literal["on", "off"], seed: int = 0) -> tuple[bytes, int, int]:
    with using(threads=threads, checks=checks, seed=seed), open_device() as device:
        a, b = (device.from_torch(host.random((128, 128), seed)) for seed in (0, 1))
        out = device.empty((128, 128))
        report = device.run(matmul_program(host.grid_of(device), a, b, out))
        return out.to_torch().float().numpy().tobytes(), report.cycles, len(report.findings)


@pytest.mark.parametrize("checks", ["on", "off"])
def test_a_program_gives_the_same_in_the_same_cycles(checks: Literal["on", "off"]) -> None:
    for seed in (0, 1, 2):
        assert run_gemm(2, checks, seed) == run_gemm(4, checks, seed) == run_gemm(1, checks, seed)


def test_a_random_program_gives_the_same_in_the_same_cycles() -> None:
    ((_, case),) = random_cases(1)
    first = outcome(case, 1, 3)
    assert first[1]  # cycles and findings of its runs
    assert outcome(case, 2, 3) == outcome(case, 4, 3) == first


def test_two_programs_at_the_same_time_do_not_meet() -> None:
    expected = run_gemm(1, "off")
    with ThreadPoolExecutor(2) as pool:
        assert set(pool.map(lambda _: run_gemm(3, "off"), range(4))) == {expected}
