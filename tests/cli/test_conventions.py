"""The conventions of other commands: versions, verbosity, JSON alone, a script's own arguments."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tilesmith
from tilesmith import settings
from tilesmith.cli import format_warning
from tilesmith.cli.invocation import invoke
from tilesmith.profiling.runs.describe import circumstances

Captured = pytest.CaptureFixture[str]

PROGRAM = """
import os, sys
import numpy as np
import tilesmith
print("printed by Python", sys.argv[1:])
os.system("echo printed by a child")
kernel = '#include "api/dataflow/dataflow_api.h"\\nvoid kernel_main() {}\\n'
core = tilesmith.CoreCoord(0, 0)
with tilesmith.open_device("wormhole") as device:
    source = tilesmith.SourceType.SOURCE_CODE
    device.run(tilesmith.Program(kernels=(tilesmith.Kernel(kernel, core, tilesmith.ReaderConfig(), source),)))
"""


def command(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tilesmith.cli", *arguments], capture_output=True, text=True, cwd=cwd
    )


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version(flag: str) -> None:
    done = command(flag)
    assert (done.stdout, done.returncode) == (f"tilesmith {tilesmith.__version__}\n", 0)


def test_the_version_is_answered_without_the_parser() -> None:
    code = "import sys; sys.argv = ['tilesmith', '--version']\nfrom tilesmith.cli import main\n"
    code += "try: main()\nfinally: print(sorted({'typer', 'rich', 'numpy', 'torch'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("arguments", [["-h"], ["cache", "-h"], ["doctor", "-h"], []])
def test_short_help(arguments: list[str], capsys: Captured) -> None:
    assert invoke(arguments) == 0
    assert capsys.readouterr().out.startswith("Usage: tilesmith")


def test_completion_is_offered(capsys: Captured) -> None:
    assert invoke(["-h"]) == 0
    assert "--install-completion" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["doctor"],
        ["settings"],
        ["cache", "show"],
        ["cache", "clear", "--older-than", "9999"],
        ["opt", "--list"],
    ],
)
def test_json_can_be_read(arguments: list[str], capsys: Captured, fresh_cache: Path) -> None:
    invoke([*arguments, "--json"])
    assert json.loads(capsys.readouterr().out)


def test_json_stands_alone_on_standard_output(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(PROGRAM)
    done = command("profile", "--json", "script.py", "--json", "-v", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["programs"]
    assert "printed by Python ['--json', '-v']" in done.stderr
    assert "printed by a child" in done.stderr


@pytest.mark.parametrize(
    ("typed", "given"), [("-q a", ["-q", "a"]), ("-- -q", ["-q"]), ("--out x", ["--out", "x"])]
)
def test_what_follows_a_script_is_its_own(
    typed: str, given: list[str], tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "script.py").write_text("import sys\nprint(sys.argv[1:])\n")
    assert invoke(["run", str(tmp_path / "script.py"), *typed.split()]) == 0
    assert capsys.readouterr().out == f"{given}\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("raise SystemExit(7)", 7),
        ("raise SystemExit('mine')", 1),
        ("1 / 0", 1),
        ("def (:", 1),
        ("", 0),
    ],
)
def test_run_ends_as_the_script_does(text: str, code: int, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "script.py").write_text(text)
    assert invoke(["run", str(tmp_path / "script.py")]) == code
    told = capsys.readouterr().err
    assert ("ZeroDivisionError" in told) == (text == "1 / 0")
    assert ("SyntaxError" in told) == (text == "def (:")
    assert ("mine" in told) == ("mine" in text)
    assert "runpy" not in told
    assert "cli/script.py" not in told


def test_a_package_that_a_script_lacks_is_named_with_its_extra(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "script.py").write_text("raise ModuleNotFoundError('No module named torch', name='torch')")
    assert invoke(["run", str(tmp_path / "script.py")]) == 1
    told = capsys.readouterr().err
    assert "pip install 'tilesmith[torch]'" in told
    assert "Traceback" not in told


def test_run_sets_what_its_options_say(tmp_path: Path, capsys: Captured) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from tilesmith.settings import current\nprint(current().checks, current().verbosity)\n"
    )
    assert invoke(["-q", "run", "--checks", "off", str(script)]) == 0
    assert capsys.readouterr().out == "off quiet\n"
    assert settings.current().checks == "on"


def test_an_error_of_ours_is_a_sentence_and_verbose_tells_where(tmp_path: Path, capsys: Captured) -> None:
    script = tmp_path / "script.py"
    script.write_text("import tilesmith\ntilesmith.load_arch('atari')\n")
    assert invoke(["run", str(script)]) == 1
    assert capsys.readouterr().err.startswith("unknown chip 'atari'\n  fix: ")
    assert invoke(["run", "-v", str(script)]) == 1
    assert f'File "{script}", line 2' in capsys.readouterr().err


def test_our_own_warnings_are_sentences_without_a_place_in_our_source() -> None:
    here, there = settings.__file__, "/somewhere/script.py"
    assert format_warning("it is so", UserWarning, here, 3) == "tilesmith: it is so\n"
    assert format_warning("it is so", UserWarning, there, 3).startswith(f"{there}:3: UserWarning: it is so")
    assert f"{here}:3" in format_warning("old", DeprecationWarning, here, 3)


def test_settings_of_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(
        '[tool.tilesmith]\nseed = 7\nchecks = false\ncache-dir = "kernels"\nsuppress = ["a", "b"]\n'
    )
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    monkeypatch.delenv("TILESMITH_CACHE_DIR")
    monkeypatch.setenv("TILESMITH_SEED", "9")
    now = settings.current()
    assert (now.seed, now.checks, now.suppress, now.cache_dir) == (9, "off", ("a", "b"), tmp_path / "kernels")
    assert settings.project_file() == file
    invoke(["doctor"])
    told = capsys.readouterr().out
    assert "seed = 9 by TILESMITH_SEED." in told
    assert f"checks = off by {file}." in told
    assert "numbers" not in told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("speed = 1", "speed, which is not a setting"),
        ('checks = "maybe"', "checks"),
        ("seed = ", "cannot be read"),
    ],
)
def test_mistakes_in_a_project_name_the_file(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.tilesmith]\n{text}\n")
    monkeypatch.chdir(tmp_path)
    assert invoke(["settings"]) == 1
    told = capsys.readouterr().err
    assert message in told
    assert f"at: {tmp_path / 'pyproject.toml'}" in told


def test_a_faulty_file_of_the_user_is_no_traceback(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "k.py").write_text("def maker():\n    return 1 / 0\n")
    assert invoke(["compile", f"{tmp_path / 'k.py'}:maker"]) == 1
    told = capsys.readouterr().err
    assert "ZeroDivisionError: division by zero" in told
    assert "Traceback" not in told


def test_a_script_that_fails_before_any_program_is_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("script.py").write_text("raise SystemExit(7)")
    assert invoke(["profile", "script.py"]) == 7
    assert not any(capsys.readouterr())
    assert not Path(".tilesmith").exists()


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("settings >&-", 0),
        ("--version >/dev/full", 1),
        ("settings >/dev/full", 1),
        ("opt -p all <&-", 1),
        ("opt --list | true", 0),
    ],
)
def test_streams_that_are_closed_full_or_gone(typed: str, code: int) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m tilesmith.cli {typed}'], capture_output=True, text=True
    )
    assert done.returncode == code
    assert done.stderr.count("  fix: ") == code
    assert "Traceback" not in done.stderr
    assert "this is a bug" not in done.stderr


def test_a_run_names_the_version_of_the_source_that_made_it(tmp_path: Path) -> None:
    assert circumstances(tmp_path).versions["tilesmith"] == tilesmith.__version__
