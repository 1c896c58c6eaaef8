"""What a chip runs, as plain data: kernels, circular buffers, semaphores; checked before running; JSON."""

from tilesmith.arch.cores import CoreCoord, CoreRange, CoreRangeSet, corerange_to_cores
from tilesmith.program.bindings import KernelBindings, ScratchpadBinding, TensorBinding
from tilesmith.program.checks import check_program
from tilesmith.program.circular_buffer import BufferView, CBFormat, CircularBuffer, FaceGeometry
from tilesmith.program.kernel import (
    ComputeConfig,
    DataMovementConfig,
    Kernel,
    KernelConfig,
    MathFidelity,
    Processor,
    ReaderConfig,
    SourceType,
    WriterConfig,
)
from tilesmith.program.l1 import Placement, layout_l1
from tilesmith.program.named_kernel import Scratchpad, TensorArgument, named_kernel
from tilesmith.program.program import Program, Semaphore
from tilesmith.program.work_split import WorkSplit, num_cores_to_corerangeset, split_work_to_cores

__all__ = [
    "BufferView",
    "CBFormat",
    "CircularBuffer",
    "ComputeConfig",
    "CoreCoord",
    "CoreRange",
    "CoreRangeSet",
    "DataMovementConfig",
    "FaceGeometry",
    "Kernel",
    "KernelBindings",
    "KernelConfig",
    "MathFidelity",
    "Placement",
    "Processor",
    "Program",
    "ReaderConfig",
    "Scratchpad",
    "ScratchpadBinding",
    "Semaphore",
    "SourceType",
    "TensorArgument",
    "TensorBinding",
    "WorkSplit",
    "WriterConfig",
    "check_program",
    "corerange_to_cores",
    "layout_l1",
    "named_kernel",
    "num_cores_to_corerangeset",
    "split_work_to_cores",
]
