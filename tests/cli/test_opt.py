"""`tilesmith opt`: passes on textual IR, and what it says when something is wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tilesmith import cli
from tilesmith.cli.app import app
from tilesmith.compiler.dialects.context import parse

runner = CliRunner()
SAMPLES = Path(__file__).parents[1] / "compiler" / "passes" / "sample_ir"


def opt(*args: str, text: str | None = None) -> str:
    done = runner.invoke(app, ["opt", *args], input=text)
    if done.exception is not None:
        raise done.exception
    return done.output


def test_without_passes_it_prints_what_it_read() -> None:
    text = (SAMPLES / "add.mlir").read_text(encoding="utf-8")
    assert opt(str(SAMPLES / "add.mlir")) == text
    assert opt("-", text=text) == text


def test_passes_by_name() -> None:
    out = opt(str(SAMPLES / "gemm.mlir"), "-p", "infer-tt-layout,propagate-tt-layout")
    assert "!tile.tensor<[256, 256], bf16, tile, Float16_b>" in out
    assert "tile.grid" in out
    parse(out).verify()


def test_a_pass_takes_options() -> None:
    out = opt(str(SAMPLES / "gemm.mlir"), "-p", 'infer-tt-layout{formats="B=Bfp8_b"}')
    assert "%B: !tile.tensor<[256, 256], bf16, tile, Bfp8_b>" in out


def test_all_passes_give_kernels() -> None:
    out = opt(str(SAMPLES / "add.mlir"), "-p", "all", "--arch", "blackhole")
    assert out.count("void kernel_main()") == 3


def test_passes_in_two_steps_give_the_same() -> None:
    """What is printed after a pass holds everything the next one needs."""
    names = [line.partition("{")[0] for line in opt("--list").splitlines() if not line.startswith(" ")]
    whole = opt(str(SAMPLES / "gemm.mlir"), "-p", ",".join(names))
    for middle in (3, 6, 9, 12):
        first = opt(str(SAMPLES / "gemm.mlir"), "-p", ",".join(names[:middle]))
        assert opt("-", "-p", ",".join(names[middle:]), text=first) == whole


def test_list_names_every_pass_with_its_options() -> None:
    out = opt("--list")
    assert "infer-tt-layout{formats, arch, fidelity}\n    " in out
    assert out.index("infer-tt-layout") < out.index("codegen-tt")


def test_trace(tmp_path: Path) -> None:
    path = tmp_path / "trace.html"
    opt(str(SAMPLES / "add.mlir"), "-p", "all", "--trace", str(path))
    text = path.read_text(encoding="utf-8")
    assert text.count("<h2") == text.count("</h2>") == 1 + opt("--list").count("\n    ")
    assert 'class="new"' in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tile.func @f(%x: !tile.tensor<[8], f32>) {\n  %c = arith.nothing 1\n}", "<stdin>:2:"),
        ("tile.func @f(%x: !tile.tensor<[8], f32>) {\n\n  tile.grid () in () {}\n}", "at: <stdin>:3"),
        ("not IR", "cannot be read as IR"),
    ],
)
def test_mistakes_in_the_text_end_in_a_sentence(
    text: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    path = tmp_path / "wrong.mlir"
    path.write_text(text, encoding="utf-8")
    out = run_main(monkeypatch, capsys, "opt", str(path))
    assert message.replace("<stdin>", str(path)) in out
    assert "Traceback" not in out


@pytest.mark.parametrize("passes", ["no-such-pass", "infer-tt-layout{", "infer-tt-layout{nothing=1}"])
def test_mistakes_in_the_passes_end_in_a_sentence(
    passes: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run_main(monkeypatch, capsys, "opt", str(SAMPLES / "add.mlir"), "-p", passes)
    assert out.startswith(f"{passes!r} cannot be run")
    assert "--list" in out


def test_a_file_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "cannot read missing.mlir" in run_main(monkeypatch, capsys, "opt", "missing.mlir")


def run_main(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """What the command prints to standard error when it fails."""
    monkeypatch.setattr(sys, "argv", ["tilesmith", *args])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 1
    return capsys.readouterr().err
