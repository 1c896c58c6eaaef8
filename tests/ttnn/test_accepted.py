"""The real generic_op takes every program of the examples: descriptor, validation, the compiler's step."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.ttnn.conftest import WITHOUT_LAUNCHES, launch_files
from tests.ttnn.launches import LaunchFile

from tilesmith.program import SourceType
from tilesmith.runtime import Device, TensorAccessorArgs
from tilesmith.runtime.accessor import compile_time_words
from tilesmith.testing.stand_in_compiler import LOG

ROLES = {"BRISC": ("brisc",), "NCRISC": ("ncrisc",), "TRISC": ("trisc0", "trisc1", "trisc2")}


@pytest.mark.real
@pytest.mark.skipif(not launch_files(), reason=WITHOUT_LAUNCHES)
@pytest.mark.parametrize("path", launch_files(), ids=lambda path: path.stem)
def test_program_is_accepted(
    path: Path, device: Device, mock: dict[str, str], record_property: Callable[[str, object], None]
) -> None:
    launch = LaunchFile.read(path)
    record_property("example", f"{launch.group} {launch.title.partition(',')[0].partition(' launch')[0]}")
    tensors = [
        device.empty(one.spec.shape, one.spec.dtype, one.spec.layout, one.spec.memory_config, one.spec.tile)
        for one in launch.tensors
    ]
    # The arguments hold addresses: ttnn must put tensors where the emulator did.
    assert [one.address for one in tensors] == [one.address for one in launch.tensors]
    for tensor in tensors:
        assert tuple(TensorAccessorArgs(tensor).get_compile_time_args()) == compile_time_words(tensor)
    device.run(launch.program)
    handed_over = compiled_directories(Path(mock[LOG]))
    for kernel in launch.program.kernels:
        inline = kernel.source_type is SourceType.SOURCE_CODE
        name = "Kernel_Source_Code" if inline else Path(kernel.kernel_source).stem
        for role in ROLES[kernel.config.risc]:
            assert any(f"/{name}/" in one and one.endswith(role) for one in handed_over), (name, role)


def compiled_directories(log: Path) -> set[str]:
    """Where the compiler was called: .../kernels/NAME/HASH/ROLE."""
    return {json.loads(line)["directory"] for line in log.read_text(encoding="utf-8").splitlines()}
