"""What the templates need of a recording: names, files, and arguments with tensors in place of addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilesmith.errors import UnsupportedKernelError
from tilesmith.ops.framework.binding import Place
from tilesmith.program import CircularBuffer, CoreCoord, Kernel, Program, Semaphore
from tilesmith.recording import LaunchRecord, Recording
from tilesmith.runtime import Device, Tensor, TensorAccessorArgs, open_device
from tilesmith.runtime.tensor_spec import TensorSpec
from tilesmith.testing.compare import Tolerance

# A chip may round the last bit of an intermediate result otherwise than the emulator: as conformance allows.
ROUNDINGS = 2


@dataclass(frozen=True)
class Word:
    """An argument: a number, or the address of a tensor plus an offset."""

    value: int
    tensor: int | None = None


@dataclass(frozen=True)
class CompileTimePart:
    """Consecutive numbers, or the words of a tensor's accessor."""

    words: tuple[int, ...] = ()
    tensor: int | None = None


@dataclass(frozen=True)
class ExportedKernel:
    """A kernel, its file, and its arguments."""

    kernel: Kernel
    file: str
    compile_time: tuple[CompileTimePart, ...]
    common: tuple[Word, ...]
    per_core: tuple[tuple[CoreCoord, tuple[Word, ...]], ...]


@dataclass(frozen=True)
class ExportedTensor:
    """`role` says what a reader of the project wants to know: is it given, or computed?"""

    number: int
    spec: TensorSpec
    role: str
    tolerance: Tolerance

    @property
    def name(self) -> str:
        return f"{self.role}_{self.number}"


@dataclass(frozen=True)
class ExportedLaunch:
    """`uploads` and `results` are numbers of tensors, and the file with their pages."""

    number: int
    kernels: tuple[ExportedKernel, ...]
    cbs: tuple[tuple[CircularBuffer, int | None], ...]
    semaphores: tuple[Semaphore, ...]
    tensors: tuple[int, ...]
    uploads: tuple[tuple[int, str], ...]
    results: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class ExportPlan:
    """Everything of a project but its texts."""

    title: str
    name: str
    product: str
    tensors: tuple[ExportedTensor, ...]
    launches: tuple[ExportedLaunch, ...]
    sources: dict[str, str]
    data: dict[str, bytes]


def plan_of(recording: Recording) -> ExportPlan:
    """Name every tensor, kernel and file of the project."""
    sources: dict[str, str] = {}
    data: dict[str, bytes] = {}
    changed = recording.final_results
    tensors = tuple(
        ExportedTensor(
            number, spec, "output" if number in changed else "input", Tolerance.of(spec.dtype, ROUNDINGS)
        )
        for number, spec in enumerate(recording.tensors)
    )
    with open_device(recording.product) as device:
        there = _placed(recording, device)
        launches = tuple(
            _launch(number, launch, tensors, there, sources, data)
            for number, launch in enumerate(recording.launches)
        )
    return ExportPlan(
        recording.title, _identifier(recording.title), recording.product, tensors, launches, sources, data
    )


def _placed(recording: Recording, device: Device) -> list[Tensor]:
    return [
        device.empty(tensor.shape, tensor.dtype, tensor.layout, tensor.memory_config, tensor.tile)
        for tensor in recording.tensors
    ]


def _identifier(title: str) -> str:
    """
    >>> _identifier("examples/metal/matmul_single/host.py:run(96,128,64)")
    'run'
    """
    last = title.rpartition(":")[2].partition("(")[0].rpartition("/")[2].removesuffix(".mlir")
    return re.sub(r"\W+", "_", last).strip("_") or "kernel"


def _launch(
    number: int,
    launch: LaunchRecord,
    tensors: Sequence[ExportedTensor],
    there: Sequence[Tensor],
    sources: dict[str, str],
    data: dict[str, bytes],
) -> ExportedLaunch:
    words = {one: TensorAccessorArgs(there[one]).get_compile_time_args() for one in launch.tensors}
    kernels = tuple(
        _kernel(index, launch, words, _source_file(kernel, sources))
        for index, kernel in enumerate(launch.program.kernels)
    )
    under = dict(launch.bindings.buffers)
    uploads = tuple((one, f"{tensors[one].name}_before_{number}.bin") for one in launch.uploads)
    results = tuple((one, f"{tensors[one].name}_after_{number}.bin") for one in launch.results)
    data.update((file, launch.uploads[one].tobytes()) for one, file in uploads)
    data.update((file, launch.results[one].tobytes()) for one, file in results)
    program: Program = launch.program
    cbs = tuple((cb, under.get(index)) for index, cb in enumerate(program.cbs))
    return ExportedLaunch(number, kernels, cbs, program.semaphores, launch.tensors, uploads, results)


def _source_file(kernel: Kernel, sources: dict[str, str]) -> str:
    """A file name of its own for every text."""
    stem = re.sub(r"\W+", "_", kernel.name).strip("_") or kernel.config.risc.lower()
    for name in _candidates(stem):
        if sources.setdefault(name, kernel.kernel_source) == kernel.kernel_source:
            return name
    raise AssertionError("there are always more names")


def _candidates(stem: str) -> Iterator[str]:
    yield f"{stem}.cpp"
    for number in range(2, 1 << 16):
        yield f"{stem}_{number}.cpp"


def _kernel(index: int, launch: LaunchRecord, words: dict[int, list[int]], file: str) -> ExportedKernel:
    kernel = launch.program.kernels[index]
    if kernel.bindings is not None:
        raise UnsupportedKernelError(
            f"kernel {kernel.label} has named bindings, which an exported project cannot carry",
            where=kernel.declared_at,
            remedy="give its arguments by position",
        )
    mine = [place for place in launch.bindings.places if place.kernel == index]
    bound = list(dict.fromkeys(place.number for place in sorted(mine, key=lambda place: place.position)))
    return ExportedKernel(
        kernel,
        file,
        tuple(_compile_time(kernel.compile_time_args, {one: words[one] for one in bound})),
        _words(kernel.common_runtime_args, [place for place in mine if place.core is None]),
        tuple(
            (core, _words(given, [place for place in mine if place.core == core]))
            for core, given in kernel.runtime_args.items()
        ),
    )


def _words(given: Sequence[int], places: Sequence[Place]) -> tuple[Word, ...]:
    bound = {place.position: Word(place.offset, place.number) for place in places}
    return tuple(bound.get(position, Word(int(value) & 0xFFFFFFFF)) for position, value in enumerate(given))


def _compile_time(given: Sequence[int], words: dict[int, list[int]]) -> Iterator[CompileTimePart]:
    """Where the words of one of the kernel's tensors stand, its accessor; tensors are taken in turn."""
    waiting = dict(words)
    plain: list[int] = []
    position = 0
    while position < len(given):
        found = next(
            (one for one, words in waiting.items() if list(given[position : position + len(words)]) == words),
            None,
        )
        if found is None:
            plain.append(int(given[position]) & 0xFFFFFFFF)
            position += 1
            continue
        if plain:
            yield CompileTimePart(tuple(plain))
            plain = []
        yield CompileTimePart(tensor=found)
        position += len(waiting.pop(found))
    if plain:
        yield CompileTimePart(tuple(plain))
