"""The multi-core matrix product with bfp8_b operands and result: the same kernels, half the bytes."""

from __future__ import annotations

from examples.metal.common import host
from examples.metal.matmul_multi import host as matmul_multi

from tilesmith.formats import DataFormat
from tilesmith.runtime import Device
from tilesmith.testing import Tolerance

TOLERANCE = Tolerance.of(DataFormat.Bfp8_b)


def run(device: Device, m: int, k: int, n: int, seed: int = 0) -> host.Result:
    return matmul_multi.run(device, m, k, n, DataFormat.Bfp8_b, seed)


def main() -> None:
    host.show(lambda device: run(device, 160, 192, 224), TOLERANCE)


if __name__ == "__main__":
    main()
