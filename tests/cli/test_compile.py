"""`tilesmith compile`: from a Python file to C++."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tilesmith import cli
from tilesmith.cli.app import app
from tilesmith.compiler.kernel_reference import Request, parsed

ROOT = Path(__file__).parents[2]
GEMM = ROOT / "examples" / "tilelang" / "gemm.py"
SAMPLE = ROOT / "tests" / "compiler" / "passes" / "sample_ir" / "add.mlir"


def run(*args: str) -> str:
    done = CliRunner().invoke(app, ["compile", *args])
    if done.exception is not None:
        raise done.exception
    return done.output


def test_it_prints_the_three_kernels() -> None:
    pytest.importorskip("tilelang")
    out = run(f"{GEMM}:gemm(64, 64, 64, stages=1)")
    assert out.count("void kernel_main() {") == 3
    assert "C_local += A_shared @ B_shared" in out


def test_it_writes_files_and_the_plan(tmp_path: Path) -> None:
    out = run(str(SAMPLE), "--out", str(tmp_path / "made"), "--arch", "blackhole")
    names = ["add_reader.cpp", "add_compute.cpp", "add_writer.cpp", "plan.json"]
    assert out.split() == [str(tmp_path / "made" / name) for name in names]
    plan = json.loads((tmp_path / "made" / "plan.json").read_text(encoding="utf-8"))
    assert plan["chip"]["name"] == "blackhole"


def test_formats_of_parameters(tmp_path: Path) -> None:
    run(str(SAMPLE), "--out", str(tmp_path), "--formats", "A=Bfp8_b", "--fidelity", "LoFi")
    plan = json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))
    assert plan["tensors"][0]["format"] == "Bfp8_b"
    assert plan["kernels"][1]["math_fidelity"] == "LoFi"


def test_a_kernel_that_needs_no_arguments(tmp_path: Path) -> None:
    pytest.importorskip("tilelang")
    path = tmp_path / "kernels.py"
    path.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from examples.tilelang.gemm import gemm\n"
        "kernel = gemm(32, 32, 32)\n"
        "def made():\n    return kernel\n",
        encoding="utf-8",
    )
    assert run(f"{path}:kernel") == run(f"{path}:made")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a/b.py:k", Request(Path("a/b.py"), "k")),
        ("b.py:k((1, 2), x='y')", Request(Path("b.py"), "k", ((1, 2),), (("x", "y"),))),
    ],
)
def test_what_a_user_may_write(text: str, expected: Request) -> None:
    assert parsed(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gemm.py", "names no kernel"),
        ("gemm.py:a.b(1)", "names no kernel"),
        ("gemm.py:k(1 +", "names no kernel"),
        ("gemm.py:k(open('x'))", "names no kernel"),
        ("missing.py:k", "there is no file missing.py"),
        (f"{GEMM}:nothing", "has no nothing"),
        ("missing.mlir", "cannot read missing.mlir"),
    ],
)
def test_mistakes_end_in_a_sentence(
    text: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tilesmith", "compile", text])
    with pytest.raises(SystemExit):
        cli.main()
    error = capsys.readouterr().err
    assert message in error
    assert "fix: " in error
