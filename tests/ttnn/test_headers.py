"""Every kernel that the other tests here sent is right C++ to the headers of the wheel, in every role."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.ttnn.conftest import WITHOUT_LAUNCHES, launch_files

from tilesmith.program import ComputeConfig, CoreCoord, Kernel, Program, SourceType
from tilesmith.runtime import Device
from tilesmith.testing.common_headers import CommonHeaders
from tilesmith.testing.header_check import (
    COMPUTE_ROLES,
    ROLES,
    all_complaints,
    calls_in,
    complaints,
    distinct,
)
from tilesmith.testing.stand_in_compiler import LOG

pytestmark = [pytest.mark.real, pytest.mark.slow]

COMPILER = shutil.which("g++")
WITHOUT_COMPILER = "there is no g++ to read the headers with"
INCLUDES = '#include "api/compute/eltwise_binary.h"\n'
# What is wrong, and what the compiler says about it.
WRONG = {
    "a function that does not exist": (INCLUDES + "void kernel_main() { wrong_call(0, 1); }", "wrong_call"),
    "too many template arguments": (
        INCLUDES + "void kernel_main() { add_tiles<1, 2, 3>(0, 1, 0, 0, 0); }",
        "no matching function for call to 'add_tiles<1, 2, 3>",
    ),
    "a header that does not exist": (
        INCLUDES + '#include "api/compute/wrong.h"\nvoid kernel_main() {}',
        "api/compute/wrong.h: No such file",
    ),
    "a header that was forgotten": (INCLUDES + "void kernel_main() { gelu_tile(0); }", "gelu_tile"),
}


@pytest.mark.skipif(not launch_files(), reason=WITHOUT_LAUNCHES)
@pytest.mark.skipif(COMPILER is None, reason=WITHOUT_COMPILER)
@pytest.mark.parametrize("role", ROLES)
def test_kernels_agree_with_the_headers(
    role: str, cluster: Device, mock: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    calls = distinct(call for call in calls_in(Path(mock[LOG])) if call.role == role)
    assert calls
    found = all_complaints(calls, str(COMPILER))
    with capsys.disabled():
        print(f" {len(calls) - len(found)} of {len(calls)} kernels on {role}", end="")
    assert not found


@pytest.mark.skipif(COMPILER is None, reason=WITHOUT_COMPILER)
@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_compute_kernel_is_found(
    fault: str, device: Device, mock: dict[str, str], tmp_path: Path
) -> None:
    text, said = WRONG[fault]
    before = set(calls_in(Path(mock[LOG])))
    keep = device.empty((32, 32))
    kernel = Kernel(
        text, CoreCoord(0, 0), ComputeConfig(), SourceType.SOURCE_CODE, common_runtime_args=[keep.address]
    )
    device.run(Program([kernel]))
    added = {call.role: call for call in calls_in(Path(mock[LOG])) if call not in before}
    common = CommonHeaders(tmp_path)
    for role in COMPUTE_ROLES:
        found = complaints(added[role], str(COMPILER), common)
        assert said in found.translate(str.maketrans("‘’", "''"))
        assert _errors(found) == _errors(complaints(added[role], str(COMPILER)))


def _errors(text: str) -> list[str]:
    return [line for line in text.splitlines() if "error: " in line]


@pytest.mark.skipif(COMPILER is None, reason=WITHOUT_COMPILER)
def test_a_wrong_data_movement_kernel_is_found(tmp_path: Path) -> None:
    directory = tmp_path / "kernels" / "wrong" / "1" / "ncrisc"
    directory.mkdir(parents=True)
    (directory / "wrong.cc").write_text("void kernel_main() { noc_asink_read(); }", encoding="utf-8")
    log = tmp_path / "log"
    log.write_text(
        f'{{"directory": "{directory}", "arguments": ["-O2", "-DA=1", "wrong.cc"]}}\n', encoding="utf-8"
    )
    (call,) = calls_in(log)
    assert call.kernel == "wrong on ncrisc"
    assert "noc_asink_read" in complaints(call, str(COMPILER))
