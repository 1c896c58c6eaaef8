"""What kernels have in common is parsed once, and a kernel sees no more of it than it asked for."""

from __future__ import annotations

import pytest

from tilesmith.arch import load_arch
from tilesmith.emulator.kernel_build import build_kernels, kernel_unit
from tilesmith.errors import KernelCompileError
from tilesmith.formats import DataFormat
from tilesmith.program import (
    CBFormat,
    ComputeConfig,
    CoreCoord,
    DataMovementConfig,
    Kernel,
    ReaderConfig,
    SourceType,
    WriterConfig,
)

WORMHOLE = load_arch("wormhole")
EMPTY = "void kernel_main() {}"
COMPUTE_API = '#include "api/compute/compute_kernel_api.h"\n'


def kernel(text: str, config: ComputeConfig | DataMovementConfig, **fields: object) -> Kernel:
    return Kernel(text, CoreCoord(0, 0), config, source_type=SourceType.SOURCE_CODE, **fields)  # type: ignore[arg-type]


def starts(one: Kernel, formats: dict[int, CBFormat] | None = None) -> str:
    (job,) = kernel_unit(one, formats or {}, WORMHOLE, checks=True).jobs
    return job.precompiled


def test_kernels_of_one_processor_start_alike() -> None:
    reader = ReaderConfig()
    wide = {0: CBFormat(0, DataFormat.Float32, 4096)}
    plain = starts(kernel(EMPTY, reader))
    assert "dataflow_api.h" in plain
    assert plain == starts(kernel(EMPTY, reader, compile_time_args=(1, 2), defines=(("MINE", "3"),)), wide)
    assert plain != starts(kernel(EMPTY, WriterConfig()))


@pytest.mark.parametrize("own", ["#define noc_index 1\n", ""])
def test_a_macro_that_a_header_knows_is_there_before_the_header(own: str) -> None:
    defines = () if own else (("noc_index", "1"),)
    assert "dataflow_api.h" not in starts(kernel(own + EMPTY, ReaderConfig(), defines=defines))


def test_compute_headers_are_parsed_ahead_only_for_those_who_include_one() -> None:
    assert "compute_start.h" in starts(kernel(COMPUTE_API + EMPTY, ComputeConfig()))
    assert "compute_start" not in starts(kernel(EMPTY, ComputeConfig()))


@pytest.mark.parametrize(
    ("include", "call"),
    [("", "tile_regs_acquire()"), ('#include "api/compute/common.h"\n', "exp_tile_init()")],
)
def test_a_forgotten_header_is_found_out(include: str, call: str) -> None:
    forgetful = kernel(f"{include}void kernel_main() {{ {call}; }}", ComputeConfig())
    with pytest.raises(KernelCompileError, match=call.split("(")[0]):
        build_kernels([kernel_unit(forgetful, {}, WORMHOLE, checks=True)])


def test_numbers_of_a_kernel_are_constants_in_it() -> None:
    text = """
    static_assert(get_compile_time_arg_val(1) == 7 && kernel_compile_time_args.size() == 2);
    static_assert(get_named_compile_time_arg_val("depth") == 9);
    static_assert(get_tile_size(3) == 4096 && unpack_tile_r_dim[3] == 32 && unpack_num_faces_c_dim[3] == 2);
    static_assert(get_dataformat(3) == DataFormat::Float32);
    """
    one = kernel(
        text + EMPTY,
        ReaderConfig(),
        compile_time_args=(5, 7),
        named_compile_time_args=(("depth", 9),),
    )
    build_kernels([kernel_unit(one, {3: CBFormat(3, DataFormat.Float32, 4096)}, WORMHOLE, checks=True)])
