"""Every kernel that the other tests here sent is right C++ to the headers of the wheel, in every role."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from tests.ttnn.conftest import WITHOUT_LAUNCHES, launch_files

from tilesmith.isa.sfpu import VECTOR_FUNCTIONS, VectorFunction
from tilesmith.program import ComputeConfig, CoreCoord, Kernel, Program, SourceType
from tilesmith.runtime import Device
from tilesmith.runtime.ttnn_library import ttnn_version
from tilesmith.runtime.ttnn_releases import LATER_HEADERS, TESTED
from tilesmith.testing.common_headers import CommonHeaders
from tilesmith.testing.header_check import (
    COMPUTE_ROLES,
    ROLES,
    CompilerCall,
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
    later = [name for name, text in found.items() if needs_a_later_release(text)]
    with capsys.disabled():
        print(f" {len(calls) - len(found)} of {len(calls)} kernels on {role}", end="")
        print(f" ({len(later)} need a later release)" if later else "", end="")
    assert not found.keys() - {*later}
    assert not later or ttnn_version() == TESTED[0]


def needs_a_later_release(text: str) -> bool:
    """Whether all that a kernel lacks is a header that came later."""
    errors = [line for line in text.splitlines() if "error: " in line]
    missing = [f"error: api/compute/{one}: No such file" for one in LATER_HEADERS]
    return all(any(one in line for one in missing) for line in errors)


def sent(texts: Iterable[str], device: Device, log: Path) -> list[CompilerCall]:
    """What ttnn calls the compiler with for compute kernels."""
    before = set(calls_in(log))
    core, keep = CoreCoord(0, 0), device.empty((32, 32))
    for text in texts:
        given = [keep.address]
        kernel = Kernel(text, core, ComputeConfig(), SourceType.SOURCE_CODE, common_runtime_args=given)
        device.run(Program([kernel]))
    return [call for call in calls_in(log) if call not in before]


def kernel_with(functions: Sequence[VectorFunction]) -> str:
    """A kernel that calls functions of one header, as generated kernels do."""
    helpers = {one.helper for one in functions}
    calls = [f"    {one.init};\n    {_written(one)};\n" for one in functions]
    lines = [*(f"#define {one.define}\n" for one in functions if one.define)]
    lines += ['#include "api/compute/common.h"\n', f'#include "{functions[0].header}"\n', *helpers]
    return "".join([*lines, "void kernel_main() {\n", *calls, "}\n"])


def _written(function: VectorFunction) -> str:
    return function.call.format(*(str(number) for number in range(function.slots + len(function.params))))


@pytest.mark.skipif(COMPILER is None, reason=WITHOUT_COMPILER)
def test_every_vector_function_agrees_with_its_header(device: Device, mock: dict[str, str]) -> None:
    by_header: dict[tuple[str, str], list[VectorFunction]] = {}
    for function in VECTOR_FUNCTIONS.values():
        by_header.setdefault((function.header, function.define), []).append(function)
    calls = sent(map(kernel_with, by_header.values()), device, Path(mock[LOG]))
    assert len(calls) == len(by_header) * len(COMPUTE_ROLES)
    assert not all_complaints(calls, str(COMPILER))


@pytest.mark.skipif(COMPILER is None, reason=WITHOUT_COMPILER)
@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_compute_kernel_is_found(
    fault: str, device: Device, mock: dict[str, str], tmp_path: Path
) -> None:
    text, said = WRONG[fault]
    added = {call.role: call for call in sent([text], device, Path(mock[LOG]))}
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
