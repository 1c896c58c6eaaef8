"""Every data-movement kernel that the other tests here sent is right C++ against the headers of the wheel."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.ttnn.conftest import WITHOUT_LAUNCHES, launch_files

from tilesmith.runtime import Device
from tilesmith.testing.header_check import calls_in, complaints
from tilesmith.testing.stand_in_compiler import LOG

pytestmark = [pytest.mark.real, pytest.mark.slow]

COMPILER = shutil.which("g++")


@pytest.mark.skipif(not launch_files(), reason=WITHOUT_LAUNCHES)
@pytest.mark.skipif(COMPILER is None, reason="there is no g++ to read the headers with")
def test_data_movement_kernels_agree_with_the_headers(cluster: Device, mock: dict[str, str]) -> None:
    calls = [call for call in calls_in(Path(mock[LOG])) if call.is_data_movement]
    assert calls
    found = {call.kernel: complaints(call, str(COMPILER)) for call in calls}
    assert not {kernel: text for kernel, text in found.items() if text}


@pytest.mark.skipif(COMPILER is None, reason="there is no g++ to read the headers with")
def test_a_wrong_kernel_is_found(tmp_path: Path) -> None:
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
