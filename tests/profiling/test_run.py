"""`tilesmith.profile` and `tilesmith profile`: run something, keep what was seen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.profiling.conftest import wrong_program

import tilesmith
from tilesmith.cli.profile import profile_script
from tilesmith.errors import ProfileError, ScriptError
from tilesmith.program import CoreCoord, Kernel, Program, ReaderConfig, SourceType

SCRIPT = """
import sys
import tilesmith
from tilesmith.program import CoreCoord, Kernel, Program, ReaderConfig, SourceType
print("given", sys.argv[1:])
idle = Kernel("void kernel_main() {}", CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE, name="idle")
with tilesmith.open_device("n150") as device:
    device.run(Program([idle]))
sys.exit(3)
"""


def idle_program() -> Program:
    source = "void kernel_main() {}"
    return Program([Kernel(source, CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE, name="idle")])


def test_profile_of_a_callable(tmp_path: Path) -> None:
    def idles(times: int) -> None:
        with tilesmith.open_device("n150") as device:
            for _ in range(times):
                device.run(idle_program())

    folder = tilesmith.profile(idles, 2, output_dir=tmp_path / "profiles")
    read = tilesmith.PerformanceProfiler(folder).profile
    assert read.title == "idles"
    assert [one.name for one in read.programs] == ["idle", "idle"]
    assert {path.name for path in folder.iterdir()} == {
        "profile.json", "report.html", "trace.json", "performance", "memory",
    }  # fmt: skip


def test_a_script_keeps_its_arguments_and_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    before = list(sys.argv)
    assert profile_script(str(script), ["--", "-x", "1"], False, tmp_path / "out", False) == 3
    assert sys.argv == before
    shown = capsys.readouterr()
    assert "given ['-x', '1']" in shown.out
    assert "script on n150" in shown.out
    assert (tmp_path / "out" / "report.html").exists()


def test_a_failing_script_is_shown_and_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "wrong.py"
    script.write_text(
        "import tilesmith\nfrom tests.profiling.conftest import wrong_program\n"
        "tilesmith.open_device('n150').run(wrong_program())\n"
    )
    assert profile_script(str(script), [], False, tmp_path / "out", False) == 1
    shown = capsys.readouterr()
    assert "cb.push-without-reserve" in shown.err
    assert "1 finding" in shown.out
    assert wrong_program().kernels[0].name in (tmp_path / "out" / "report.html").read_text()


def test_mistakes_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match=r"there is no file none\.py"):
        profile_script("none.py", [], False, None, False)
    with pytest.raises(ScriptError, match=r"there is no module no\.such"):
        profile_script("no.such", [], True, None, False)
    (tmp_path / "empty.py").write_text("")
    with pytest.raises(ProfileError, match="ran no program"):
        profile_script(str(tmp_path / "empty.py"), [], False, None, False)


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-m", "tilesmith.cli", "profile", "--json", "script.py", "--flag"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 3, ran.stderr
    assert "given ['--flag']" in ran.stderr  # standard output is for the JSON
    assert tilesmith.Profile.from_json(ran.stdout).programs[0].name == "idle"
