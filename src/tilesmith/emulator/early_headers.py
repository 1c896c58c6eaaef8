"""The headers of generated kernels, parsed while a model is captured: that takes one core, for about as long.

Parsed headers are kept on disk, so this is for a computer, or a version, that has none yet.
"""

from __future__ import annotations

from contextlib import suppress
from contextvars import copy_context
from threading import Lock, Thread

from tilesmith.arch import Arch
from tilesmith.emulator.kernel_build import build_kernels, kernel_unit
from tilesmith.errors import TilesmithError
from tilesmith.program import ComputeConfig, CoreCoord, Kernel, ReaderConfig, SourceType, WriterConfig

_MOVES = '#include "api/dataflow/dataflow_api.h"\nvoid kernel_main() {}\n'
_COMPUTES = '#include "api/compute/common.h"\nvoid kernel_main() {}\n'
_KINDS = (
    (_MOVES, ReaderConfig()),
    (_MOVES, WriterConfig()),
    (_COMPUTES, ComputeConfig(fp32_dest_acc_en=True)),
)
"""What the tile compiler writes: a reader, a writer, and a compute kernel that adds up in float32."""

_begun: dict[tuple[str, bool, bool], Thread] = {}
_lock = Lock()


def parse_early(arch: Arch, checks: bool, fast: bool) -> Thread:
    """Begin to parse the headers for a chip, once. Who compiles a kernel meanwhile waits for its own."""
    with _lock:
        key = arch.name, checks, fast
        if key not in _begun:
            work = copy_context().run
            _begun[key] = Thread(target=work, args=(_parse, arch, checks, fast), daemon=True)
            _begun[key].start()
        return _begun[key]


def _parse(arch: Arch, checks: bool, fast: bool) -> None:
    """Compile a kernel of each kind that does nothing; what fails fails again where somebody waits."""
    with suppress(TilesmithError, OSError):
        kernels = [Kernel(text, CoreCoord(0, 0), config, SourceType.SOURCE_CODE) for text, config in _KINDS]
        build_kernels([kernel_unit(kernel, {}, arch, checks, fast) for kernel in kernels])
