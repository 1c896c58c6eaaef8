"""Every kernel that the other tests here sent is right C++ to the headers of the wheel, in every role."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.ttnn.conftest import WITHOUT_LAUNCHES, launch_files

from tilesmith.program import ComputeConfig, CoreCoord, Kernel, Program, SourceType
from tilesmith.runtime import Device
from tilesmith.testing.header_check import ROLES, all_complaints, calls_in, complaints, distinct
from tilesmith.testing.stand_in_compiler import LOG

pytestmark = [pytest.mark.real, pytest.mark.slow]

COMPILER = shutil.which("g++")
WITHOUT_COMPILER = "there is no g++ to read the headers with"
WRONG = """
#include "api/compute/eltwise_binary.h"
void kernel_main() {
    binary_op_init_common(0, 1, 16);
    wrong_call(0, 1);
}
"""


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
def test_a_wrong_compute_kernel_is_found(device: Device, mock: dict[str, str]) -> None:
    before = set(calls_in(Path(mock[LOG])))
    keep = device.empty((32, 32))
    kernel = Kernel(
        WRONG, CoreCoord(0, 0), ComputeConfig(), SourceType.SOURCE_CODE, common_runtime_args=[keep.address]
    )
    device.run(Program([kernel]))
    added = {call.role: call for call in calls_in(Path(mock[LOG])) if call not in before}
    for role in ("trisc0", "trisc1", "trisc2"):
        assert "wrong_call" in complaints(added[role], str(COMPILER))


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
