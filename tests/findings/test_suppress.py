"""Findings that the user has said to leave out are listed and not raised."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import tilesmith
from tilesmith import settings
from tilesmith.errors import CheckNameError, KernelFindings
from tilesmith.program import CoreCoord, Kernel, Program, ReaderConfig, SourceType
from tilesmith.runtime import Device, RunReport

CORE = CoreCoord(0, 0)
# Two atomics that nobody waits for, in lines 4 and 6.
SOURCE = """#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    if (get_arg_val<uint32_t>(0) == 1) {
        noc_semaphore_inc(get_noc_addr(get_semaphore(0)), 1);
    } else {
        noc_semaphore_inc(get_noc_addr(get_semaphore(0)), 2);
    }
}
"""
CHECK = "noc.inflight-at-end"


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with tilesmith.open_device("wormhole") as opened:
        yield opened


def run(device: Device, source: str = SOURCE, branch: int = 1, path: Path | None = None) -> RunReport:
    if path is not None:
        path.write_text(source)
    kind = SourceType.SOURCE_CODE if path is None else SourceType.FILE_PATH
    text = source if path is None else str(path)
    args = {CORE: (branch,)}
    kernel = Kernel(text, CORE, ReaderConfig(), kind, runtime_args=args, name="signaller.cpp")
    return device.run(Program(kernels=[kernel], semaphores=[tilesmith.Semaphore(0, CORE)]))


def commented(line: int, comment: str, above: bool = False) -> str:
    lines = SOURCE.splitlines()
    if above:
        lines.insert(line - 1, f"        {comment}")
    else:
        lines[line - 1] += f"  {comment}"
    return "\n".join(lines) + "\n"


def test_it_is_raised_when_nothing_is_said(device: Device) -> None:
    with pytest.raises(KernelFindings) as caught:
        run(device)
    assert [(finding.check, finding.line) for finding in caught.value.findings] == [(CHECK, 4)]


@pytest.mark.parametrize("rule", [CHECK, f"{CHECK}@signaller.cpp", f"{CHECK}@signaller.cpp:4"])
def test_from_the_host(device: Device, rule: str) -> None:
    with settings.using(suppress=(rule,)):
        report = run(device)
    assert report.findings == ()
    assert [(finding.check, finding.line, finding.count) for finding in report.suppressed] == [(CHECK, 4, 1)]


@pytest.mark.parametrize("rule", ["cb.left-at-end", f"{CHECK}@other.cpp", f"{CHECK}@signaller.cpp:6"])
def test_another_rule_or_place_is_not_meant(device: Device, rule: str) -> None:
    with settings.using(suppress=(rule,)), pytest.raises(KernelFindings):
        run(device)


def test_for_a_device() -> None:
    with tilesmith.open_device("blackhole", suppress=[CHECK]) as opened:
        assert len(run(opened).suppressed) == 1


def test_from_the_environment(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILESMITH_SUPPRESS", f"cb.left-at-end, {CHECK}")
    assert len(run(device).suppressed) == 1


@pytest.mark.parametrize("in_a_file", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        commented(4, f"// tilesmith: allow {CHECK}"),
        commented(4, f"// tilesmith: allow cb.left-at-end, {CHECK} (the core is switched off next)"),
        commented(4, f"// tilesmith: allow {CHECK}", above=True),
        commented(1, f"// tilesmith: allow-file {CHECK}", above=True),
    ],
    ids=["on the line", "among others", "on the line before", "for the file"],
)
def test_in_the_kernel(device: Device, text: str, in_a_file: bool, lasting_folder: Path) -> None:
    path = lasting_folder / "signaller.cpp" if in_a_file else None
    assert len(run(device, text, path=path).suppressed) == 1


@pytest.mark.parametrize(
    "text", [commented(4, f"// tilesmith: allow {CHECK}"), commented(5, f"// tilesmith: allow {CHECK}")]
)
def test_a_comment_speaks_for_its_line_only(device: Device, text: str) -> None:
    with pytest.raises(KernelFindings):
        run(device, text, branch=2)


def test_what_was_left_out_is_listed_beside_what_is_raised(device: Device) -> None:
    source = SOURCE.replace(
        "void kernel_main() {", "void kernel_main() { noc_inline_dw_write(get_noc_addr(get_semaphore(0)), 7);"
    )
    with settings.using(suppress=(f"{CHECK}@signaller.cpp:4",)), pytest.raises(KernelFindings) as caught:
        run(device, source)
    assert [finding.line for finding in caught.value.findings] == [2]
    assert [finding.line for finding in caught.value.suppressed] == [4]
    assert f"1 suppressed: {CHECK} at signaller.cpp:4" in str(caught.value)


@pytest.mark.parametrize("name", ["cb.left-at-ned", "left-at-end"])
def test_a_check_that_does_not_exist_is_an_error(device: Device, name: str) -> None:
    with pytest.raises(CheckNameError, match=r"did you mean .*cb\.left-at-end"):
        tilesmith.open_device("wormhole", suppress=[name])
    with settings.using(suppress=(name,)), pytest.raises(CheckNameError, match="left-at-end"):
        run(device)
    with pytest.raises(CheckNameError, match=r"did you mean .*cb\.left-at-end"):
        run(device, commented(4, f"// tilesmith: allow {name}"))


def test_what_ends_the_run_is_raised_all_the_same(device: Device) -> None:
    with settings.using(suppress=("kernel.argument",)), pytest.raises(KernelFindings) as caught:
        run(device, SOURCE.replace("get_arg_val<uint32_t>(0)", "get_arg_val<uint32_t>(9)"))
    assert caught.value.findings[0].fatal
