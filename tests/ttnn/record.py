"""Writes the launches of the examples to a directory, one file each, without running any; exports a few.

python tests/ttnn/record.py DIRECTORY
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from conformance.example_cases import CASES
from conformance.op_matrix.cases import all_cases
from conformance.op_matrix.run import call, tensors_of
from conformance.ttnn_api.calls import all_calls
from conformance.ttnn_api.record import own_kit
from examples.metal.matmul_bfp8 import host as matmul_bfp8
from examples.metal.multicast import host as multicast
from examples.metal.sharded_add import host as sharded_add
from examples.tilelang import attention, convolution, dequant_gemm, gemm, norm, softmax
from tests.ttnn.launches import LaunchFile, Placed
from tests.ttnn.modules import calls
from tests.ttnn.operations import OTHERS, WITHOUT_PROGRAMS

from tilesmith import kernels, settings
from tilesmith.arch import Arch, load_arch
from tilesmith.compiler.launch import lent_device
from tilesmith.errors import TilesmithError
from tilesmith.export import write_project
from tilesmith.models.backends import kernels as kernels_of_models
from tilesmith.models.backends.kernels import forget
from tilesmith.ops.catalogue import load_operations
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.framework.registry import registered_operations
from tilesmith.program import CoreCoord, Kernel, Program
from tilesmith.program.l1 import Placement
from tilesmith.program.sources import kernel_path
from tilesmith.recording import Workload, record, workload_from
from tilesmith.runtime import Device, RunOptions, RunReport
from tilesmith.runtime.buffer import Buffer
from tilesmith.runtime.tensor_spec import TensorSpec

TILELANG = (attention, convolution, dequant_gemm, gemm, norm, softmax)
EXPORTED: dict[str, Callable[[Device], object]] = {
    "sharded_add": lambda device: sharded_add.run(device, 8, 64),
    "matmul_bfp8": lambda device: matmul_bfp8.run(device, 96, 160, 64),
    "multicast": lambda device: multicast.run(device, (3, 2), 5),
    "softmax": workload_from(f"{softmax.__file__}:softmax(64, 64)").run,
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

    def begin(self, options: RunOptions) -> None:
        """There is nothing to start."""

    def build(self, programs: Sequence[Program], options: RunOptions) -> None:
        """Nothing is compiled here."""

    def run(self, program: Program, placement: Placement, options: RunOptions) -> RunReport:  # noqa: ARG002
        self.programs.append(program)
        return RunReport()

    def close(self) -> None:
        self._memories.clear()


class NotingDevice(Device):
    """Remembers every tensor in the order in which they were made. Memory is not used again: all stay."""

    executor: NotingExecutor

    def __init__(self, arch: Arch) -> None:
        super().__init__(arch, NotingExecutor(arch))
        self.made: list[Placed] = []

    def _allocate(self, spec: TensorSpec) -> Buffer:
        buffer = super()._allocate(spec)
        self.made.append(Placed(spec, buffer.address))
        return buffer

    def _free(self, in_dram: bool, address: int) -> None:
        """Keep it."""

    def launches(
        self, group: str, title: str, seen: set[tuple[object, ...]] | None = None
    ) -> Iterator[LaunchFile]:
        """One for each structure among the programs that ran; those in `seen` are left out, others added."""
        known = set() if seen is None else seen
        different = {program.structure: program for program in reversed(self.executor.programs)}
        fresh = [one for structure, one in reversed(different.items()) if structure not in known]
        known.update(different)
        for number, program in enumerate(fresh):
            suffix = f" launch {number + 1}" if number else ""
            full = _with_full_paths(program)
            yield LaunchFile(group, title + suffix, self.arch.family, tuple(self.made), full)


def main(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for family in ("wormhole", "blackhole"):
        sources = (_metal, _tilelang, operation_launches, library_launches)
        for noted in (one for source in sources for one in source(family)):
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


def operation_launches(family: str) -> Iterator[LaunchFile]:
    """Every operation: calls that are compared with ttnn's own, then every kernel they left out."""
    load_operations()
    kernels: set[tuple[object, ...]] = set()
    for launch in _calls(family):
        kernels |= _kernels(launch.program)
        yield launch
    for launch in chain(_matrix(family), _others(family)):
        if not _kernels(launch.program) <= kernels:
            kernels |= _kernels(launch.program)
            yield launch


def _others(family: str) -> Iterator[LaunchFile]:
    """Operations that are called nowhere else; there is none that is not called at all."""
    called = {case.operation for case in all_cases()} | {one.name for one in all_calls()} | {*OTHERS}
    names = {name.removeprefix("ttnn.") for name in registered_operations()}
    if missing := names - called - WITHOUT_PROGRAMS:
        raise AssertionError(f"no launch has a program of {sorted(missing)}")
    for name, make in OTHERS.items():
        device = NotingDevice(load_arch(family))
        make(MeshDevice.of(device))
        yield from device.launches("ops", name)


def _kernels(program: Program) -> set[tuple[object, ...]]:
    """The texts a program has for the compiler."""
    return {(str(one.kernel_source), one.defines, type(one.config)) for one in program.kernels}


def _matrix(family: str) -> Iterator[LaunchFile]:
    """Every operation with every type, shape and place it is tested with."""
    seen: set[tuple[object, ...]] = set()
    for case in all_cases():
        device = NotingDevice(load_arch(family))
        mesh = MeshDevice.of(device)
        call(case, tensors_of(case, mesh), mesh)
        yield from device.launches("ops", f"{case.operation}, {case.name}", seen)


def _calls(family: str) -> Iterator[LaunchFile]:
    seen: set[tuple[object, ...]] = set()
    for one in all_calls():
        device = NotingDevice(load_arch(family))
        kit = own_kit(MeshDevice.of(device))
        kit.name = one.name
        # Some calls are there to be refused.
        with suppress(TilesmithError, TypeError):
            one.make(kit)
        yield from device.launches("ops", f"{one.name}, {one.label}", seen)


def library_launches(family: str) -> Iterator[LaunchFile]:
    """Every template of the kernel library, by way of small modules and small models."""
    forget()
    seen: set[tuple[object, ...]] = set()
    for title, run in calls().items():
        torch._dynamo.reset()
        with _compiled_for(family) as device:
            run()
        yield from device.launches("kernels", title, seen)
    if missing := templates() - {type(template) for template, *_ in kernels_of_models._compiled}:
        raise AssertionError(f"no launch has a kernel of {sorted(one.__name__ for one in missing)}")


def templates() -> set[type]:
    """The classes of the kernel library that make a kernel."""
    found = set()
    for module in pkgutil.iter_modules(kernels.__path__, "tilesmith.kernels."):
        members = vars(importlib.import_module(module.name)).values()
        found |= {one for one in members if isinstance(one, type) and {"tensors", "prim_func"} <= {*dir(one)}}
    return found


def _tilelang(family: str) -> Iterator[LaunchFile]:
    for module in TILELANG:
        with _compiled_for(family) as device, redirect_stdout(StringIO()):
            module.main()
        yield from device.launches("examples/tilelang", module.__name__.rpartition(".")[2])


@contextmanager
def _compiled_for(family: str) -> Iterator[NotingDevice]:
    """Compiled kernels run on a device that only takes notes."""
    device = NotingDevice(load_arch(family))
    with lent_device(device), settings.using(arch=family):
        yield device


def _with_full_paths(program: Program) -> Program:
    return Program([_with_full_path(kernel) for kernel in program.kernels], program.cbs, program.semaphores)


def _with_full_path(kernel: Kernel) -> Kernel:
    path = kernel_path(kernel)
    fields: dict[str, Any] = dict(kernel.__dict__)
    return Kernel(**fields | {"kernel_source": path.resolve()}) if path is not None else kernel


if __name__ == "__main__":
    main(Path(sys.argv[1]))
