"""Writes the launches of the examples to a directory, one file each, without running any; exports a few.

python tests/ttnn/record.py DIRECTORY
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from examples.metal.matmul_bfp8 import host as matmul_bfp8
from examples.metal.multicast import host as multicast
from examples.metal.sharded_add import host as sharded_add
from examples.tilelang import attention, convolution, dequant_gemm, gemm, norm, softmax
from tests.examples.test_examples import CASES
from tests.ttnn.launches import LaunchFile, Placed

from tilesmith import launch, settings
from tilesmith.arch import Arch, load_arch
from tilesmith.codegen.export import write_project
from tilesmith.program import CoreCoord, Kernel, Program
from tilesmith.program.l1 import Placement
from tilesmith.program.sources import kernel_path
from tilesmith.recording import Workload, record
from tilesmith.runtime import Device, RunOptions, RunReport, Tensor
from tilesmith.runtime.buffer import Buffer
from tilesmith.runtime.tensor_spec import TensorSpec

TILELANG = (attention, convolution, dequant_gemm, gemm, norm, softmax)
EXPORTED: dict[str, Callable[[Device], object]] = {
    "sharded_add": lambda device: sharded_add.run(device, 8, 64),
    "matmul_bfp8": lambda device: matmul_bfp8.run(device, 96, 160, 64),
    "multicast": lambda device: multicast.run(device, (3, 2), 5),
}
# Memory is only written and read by the host: no kernel runs. A few tensors fit.
DRAM_BYTES = 64 << 20


@dataclass
class NotingExecutor:
    """Keeps the programs it is given. Memories are zero until the host writes to them."""

    arch: Arch
    programs: list[Program] = field(default_factory=list)
    _memories: dict[int | CoreCoord, NDArray[np.uint8]] = field(default_factory=dict)

    def dram(self, bank: int) -> NDArray[np.uint8]:
        return self._memories.setdefault(bank, np.zeros(DRAM_BYTES, np.uint8))

    def l1(self, core: CoreCoord) -> NDArray[np.uint8]:
        return self._memories.setdefault(core, np.zeros(self.arch.l1_size, np.uint8))

    def note_host_write(
        self, kind: Literal["dram", "l1"], index: int | CoreCoord, address: int, size: int
    ) -> None:
        """Nobody asks here which bytes were written."""

    def run(self, program: Program, placement: Placement, options: RunOptions) -> RunReport:  # noqa: ARG002
        self.programs.append(program)
        return RunReport()

    def close(self) -> None:
        self._memories.clear()


class NotingDevice(Device):
    """Remembers every tensor, in the order in which they were made."""

    executor: NotingExecutor

    def __init__(self, arch: Arch) -> None:
        super().__init__(arch, NotingExecutor(arch))
        self.made: list[Tensor] = []

    def _allocate(self, spec: TensorSpec) -> Buffer:
        buffer = super()._allocate(spec)
        self.made.append(Tensor(buffer))
        return buffer

    def launches(self, group: str, title: str) -> Iterator[LaunchFile]:
        tensors = tuple(Placed(one.spec, one.address) for one in self.made)
        for number, program in enumerate(self.executor.programs):
            suffix = f" launch {number + 1}" if number else ""
            yield LaunchFile(group, title + suffix, self.arch.family, tensors, _with_full_paths(program))


def main(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for family in ("wormhole", "blackhole"):
        for noted in (*_metal(family), *_tilelang(family)):
            name = re.sub(r"\W+", "-", f"{family} {noted.group} {noted.title}").strip("-")
            noted.write(directory / f"{name}.json")
        _export(family, directory / "exported")


def _export(family: str, directory: Path) -> None:
    """A few examples as projects; these do run, so that there are results."""
    for title, run in EXPORTED.items():
        folder = directory / f"{family}-{title}"
        if folder.exists():
            shutil.rmtree(folder)
        write_project(record(Workload(title, run), family), folder)


def _metal(family: str) -> Iterator[LaunchFile]:
    for module, arguments in CASES:
        device = NotingDevice(load_arch(family))
        module.run(device, **arguments)
        title = ", ".join([module.__name__.split(".")[-2], *map(str, arguments.values())])
        yield from device.launches("examples/metal", title)


def _tilelang(family: str) -> Iterator[LaunchFile]:
    for module in TILELANG:
        with _compiled_for(family) as device, redirect_stdout(StringIO()):
            module.main()
        yield from device.launches("examples/tilelang", module.__name__.rpartition(".")[2])


@contextmanager
def _compiled_for(family: str) -> Iterator[NotingDevice]:
    """Compiled kernels run on a device that only takes notes."""
    device = NotingDevice(load_arch(family))
    before = launch._devices.get(family)
    launch._devices[family] = device
    try:
        with settings.using(arch=family):
            yield device
    finally:
        launch._devices.pop(family)
        if before is not None:
            launch._devices[family] = before


def _with_full_paths(program: Program) -> Program:
    return Program([_with_full_path(kernel) for kernel in program.kernels], program.cbs, program.semaphores)


def _with_full_path(kernel: Kernel) -> Kernel:
    path = kernel_path(kernel)
    fields: dict[str, Any] = dict(kernel.__dict__)
    return Kernel(**fields | {"kernel_source": path.resolve()}) if path is not None else kernel


if __name__ == "__main__":
    main(Path(sys.argv[1]))
