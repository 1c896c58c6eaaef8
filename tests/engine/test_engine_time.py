"""The virtual clock of the engines follows the arch data."""

from __future__ import annotations

import numpy as np
from tests.engine.harness import Input, run_timed

from tilesmith.formats import DataFormat
from tilesmith.program import ComputeConfig, MathFidelity
from tilesmith.runtime import Device, open_device

TILES = np.ones((1, 32, 32), np.float32)
PRODUCTS = 64


def math_cycles(device: Device, fidelity: MathFidelity) -> int:
    product = "matmul_tiles(0, 1, 0, 0, 0);"
    _, report = run_timed(
        device,
        [Input(TILES), Input(TILES)],
        [f"for (uint32_t i = 0; i < {PRODUCTS}; ++i) {product}"],
        DataFormat.Float16_b,
        ComputeConfig(math_fidelity=fidelity),
        "fast",
        "compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16); matmul_init(0, 1);",
    )
    return report.cycles


def test_the_slower_of_unpack_and_math_sets_the_pace(device: Device) -> None:
    fpu, unpack = device.arch.timing.fpu, device.arch.timing.unpack
    unpacking = int(2 * 2048 / unpack.matmul_srca_bytes)
    one_phase = int(fpu.matmul_per_phase + fpu.matmul_overhead["LoFi"])
    four_phases = int(4 * fpu.matmul_per_phase + fpu.matmul_overhead["HiFi4"])
    assert one_phase < four_phases < unpacking
    assert (
        math_cycles(device, MathFidelity.HiFi4) - math_cycles(device, MathFidelity.LoFi)
        == four_phases - one_phase
    )


def test_math_sets_the_pace_on_blackhole() -> None:
    with open_device("blackhole") as device:
        fpu = device.arch.timing.fpu
        two, four = (
            int(fpu.phases[name] * fpu.matmul_per_phase + fpu.matmul_overhead[name])
            for name in ("HiFi2", "HiFi4")
        )
        slow, fast = math_cycles(device, MathFidelity.HiFi4), math_cycles(device, MathFidelity.HiFi2)
        assert slow - fast == PRODUCTS * (four - two)


def test_blackhole_unpacks_faster(device: Device) -> None:
    with open_device("blackhole") as blackhole:
        assert blackhole.arch.timing.unpack.matmul_srca_bytes > device.arch.timing.unpack.matmul_srca_bytes
        wormhole_cycles = math_cycles(device, MathFidelity.LoFi)
        assert math_cycles(blackhole, MathFidelity.LoFi) < wormhole_cycles
