"""Kernel: one C++ source, the cores and RISC it runs on, its arguments; as tt-metal's KernelDescriptor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from pathlib import Path
from typing import NoReturn, TypeAlias

from tilesmith.arch.cores import CoreCoord, CoreRangeSet, Cores
from tilesmith.program.bindings import KernelBindings
from tilesmith.program.site import declaration_site


class SourceType(Enum):
    """Whether a kernel's source is the path of a file or the text itself.

    >>> Kernel("void kernel_main() {}", CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE).is_compute
    False
    """

    FILE_PATH = "file_path"
    SOURCE_CODE = "source_code"


class Processor(IntEnum):
    """The two data-movement RISCs. RISCV_0 is BRISC, RISCV_1 is NCRISC.

    >>> ReaderConfig().processor is Processor.RISCV_1
    True
    """

    RISCV_0 = 0
    RISCV_1 = 1


class MathFidelity(IntEnum):
    """How many passes the multiplier makes over the mantissas (the vendor's numbers).

    >>> [fidelity.name for fidelity in MathFidelity]
    ['LoFi', 'HiFi2', 'HiFi3', 'HiFi4']
    """

    LoFi = 0
    HiFi2 = 2
    HiFi3 = 3
    HiFi4 = 4


@dataclass(frozen=True)
class DataMovementConfig:
    """A data-movement kernel on the processor and NoC given.

    >>> DataMovementConfig(Processor.RISCV_1, noc=0) == ReaderConfig()
    True
    """

    processor: Processor = Processor.RISCV_0
    noc: int = 0

    @property
    def risc(self) -> str:
        return "BRISC" if self.processor is Processor.RISCV_0 else "NCRISC"


def ReaderConfig() -> DataMovementConfig:  # noqa: N802 - it takes the place of the vendor's class of that name
    """Where readers run: NCRISC on NoC 0.

    >>> ReaderConfig().noc
    0
    """
    return _READER


def WriterConfig() -> DataMovementConfig:  # noqa: N802 - as above
    """Where writers run: BRISC on NoC 1.

    >>> WriterConfig().processor.name, WriterConfig().noc
    ('RISCV_0', 1)
    """
    return _WRITER


_READER = DataMovementConfig(Processor.RISCV_1, noc=0)
_WRITER = DataMovementConfig(Processor.RISCV_0, noc=1)


@dataclass(frozen=True)
class ComputeConfig:
    """A compute kernel: it runs as unpack, math and pack on the three TRISCs.

    `unpack_to_dest_fp32` lists the CBs that are unpacked straight to DST with all 32 bits.

    >>> ComputeConfig(math_fidelity=MathFidelity.HiFi2, fp32_dest_acc_en=True).math_fidelity.name
    'HiFi2'
    """

    math_fidelity: MathFidelity = MathFidelity.HiFi4
    math_approx_mode: bool = False
    fp32_dest_acc_en: bool = False
    dst_full_sync_en: bool = False
    bfp8_pack_precise: bool = False
    unpack_to_dest_fp32: tuple[int, ...] = ()

    @property
    def risc(self) -> str:
        return "TRISC"


KernelConfig: TypeAlias = DataMovementConfig | ComputeConfig
RuntimeArgs: TypeAlias = Mapping[CoreCoord, Sequence[int]]


class FixedArgs(dict[CoreCoord, tuple[int, ...]]):
    """Runtime arguments that stay as they are: an executor may keep them in the form it needs.

    >>> FixedArgs({CoreCoord(0, 0): (1, 2)})[CoreCoord(0, 0)]
    (1, 2)
    >>> from copy import deepcopy
    >>> deepcopy(FixedArgs({CoreCoord(0, 0): (1, 2)}))
    {CoreCoord(x=0, y=0): (1, 2)}
    """

    kept: object = None

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("these runtime arguments are fixed: make a dict of them to change them")

    def __reduce__(self) -> tuple[type[FixedArgs], tuple[dict[CoreCoord, tuple[int, ...]]]]:
        return type(self), (dict(self),)

    __setitem__ = __delitem__ = update = clear = pop = popitem = setdefault = __ior__ = _refuse


@dataclass(frozen=True)
class Kernel:
    """One kernel. What changes from call to call (addresses, counts) belongs in the runtime arguments.

    >>> add_one = Kernel("void kernel_main() {}", CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE,
    ...                  runtime_args={CoreCoord(0, 0): (4096, 8)}, name="reader")
    >>> add_one.runtime_args[CoreCoord(0, 0)]
    (4096, 8)
    """

    kernel_source: str
    core_ranges: CoreRangeSet
    config: KernelConfig
    source_type: SourceType = SourceType.FILE_PATH
    compile_time_args: tuple[int, ...] = ()
    named_compile_time_args: tuple[tuple[str, int], ...] = ()
    defines: tuple[tuple[str, str], ...] = ()
    runtime_args: RuntimeArgs = field(default_factory=dict)
    common_runtime_args: tuple[int, ...] = ()
    compiler_include_paths: tuple[str, ...] = ()
    name: str = ""
    declared_at: str = field(default="", compare=False, repr=False)
    written_for: Callable[[int], str] | None = field(default=None, compare=False, repr=False)
    """Of a kernel the tile compiler wrote: the user's "file:line" behind a line of it."""
    bindings: KernelBindings | None = None
    """Of a kernel in the Metal 2.0 style: the names of its arguments and resources (see `named_kernel`)."""

    def __init__(
        self,
        kernel_source: str | Path,
        core_ranges: Cores,
        config: KernelConfig,
        source_type: SourceType = SourceType.FILE_PATH,
        compile_time_args: Iterable[int] = (),
        named_compile_time_args: Iterable[tuple[str, int]] | Mapping[str, int] = (),
        defines: Iterable[tuple[str, str]] | Mapping[str, str] = (),
        runtime_args: RuntimeArgs | Iterable[tuple[CoreCoord, Sequence[int]]] = (),
        common_runtime_args: Iterable[int] = (),
        compiler_include_paths: Iterable[str | Path] = (),
        name: str = "",
        declared_at: str = "",
        written_for: Callable[[int], str] | None = None,
        bindings: KernelBindings | None = None,
    ) -> None:
        self.__dict__.update(
            kernel_source=str(kernel_source),
            core_ranges=CoreRangeSet.of(core_ranges),
            config=config,
            source_type=source_type,
            compile_time_args=tuple(compile_time_args),
            named_compile_time_args=_pairs(named_compile_time_args),
            defines=_pairs(defines),
            # A mapping is taken as it is: copying 64 cores' arguments would cost more than a cached launch.
            runtime_args=runtime_args if isinstance(runtime_args, Mapping) else dict(runtime_args),
            common_runtime_args=tuple(common_runtime_args),
            compiler_include_paths=tuple(map(str, compiler_include_paths)),
            name=name,
            declared_at=declared_at or declaration_site(),
            written_for=written_for,
            bindings=bindings,
        )

    def __hash__(self) -> int:
        return hash(self.structure)

    @property
    def label(self) -> str:
        """What to call it in a message."""
        if self.name:
            return self.name
        if self.source_type is SourceType.FILE_PATH:
            return Path(self.kernel_source).name
        return f"inline {self.config.risc} kernel"

    @property
    def is_compute(self) -> bool:
        return isinstance(self.config, ComputeConfig)

    @property
    def structure(self) -> tuple[object, ...]:
        """Everything that decides how it is compiled and checked; no value that may change per call."""
        return (
            self.kernel_source,
            self.source_type,
            self.core_ranges,
            self.config,
            self.compile_time_args,
            self.named_compile_time_args,
            self.defines,
            self.compiler_include_paths,
            len(self.common_runtime_args),
            frozenset(self.runtime_args),
            self.bindings,
        )


def _pairs(items: Iterable[tuple[str, object]] | Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    return tuple(items.items() if isinstance(items, Mapping) else ((key, value) for key, value in items))
