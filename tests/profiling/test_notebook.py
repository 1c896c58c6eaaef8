"""Objects in a notebook: short reprs, tables, and the cell magic."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from examples.metal.elementwise import host as elementwise

import tilesmith
from tilesmith.profiling import Profile
from tilesmith.profiling.magic import CellReport, run_cell
from tilesmith.program import CoreCoord, Kernel, Program, ReaderConfig, SourceType


class Shell:
    """As much of IPython's shell as the magic uses."""

    def __init__(self) -> None:
        self.magics: dict[str, Any] = {}

    def register_magic_function(self, function: Any, magic_kind: str, magic_name: str) -> None:
        assert magic_kind == "cell"
        self.magics[magic_name] = function

    def run_cell(self, cell: str) -> SimpleNamespace:
        try:
            exec(cell, {"tilesmith": tilesmith, "elementwise": elementwise})
        except Exception:
            return SimpleNamespace(success=False)
        return SimpleNamespace(success=True)


def test_a_profile_is_short_where_it_is_not_asked_for_more(profile: Profile) -> None:
    assert len(repr(profile)) < 120
    assert "three programs" in repr(profile)
    assert "<td>ttnn.matmul</td>" in profile._repr_html_()


def test_a_profile_prints_itself_in_a_notebook(profile: Profile, monkeypatch: pytest.MonkeyPatch) -> None:
    """rich would draw it there by itself, and leave nothing to print."""
    plain = str(profile)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    assert str(profile) == plain


def test_devices_tensors_and_programs_draw_themselves() -> None:
    kernel = Kernel(
        "void kernel_main() {}", CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE, name="<idle>"
    )
    program = Program([kernel])
    assert repr(program) == "Program(<idle>; 0 CBs on 1 cores)"
    assert "&lt;idle&gt;" in program._repr_html_()
    with tilesmith.open_device("n150") as device:
        tensor = device.empty((2, 33, 65))
        assert "8 x 8 at 1.0 GHz" in device._repr_html_()
        assert "[2, 64, 96]" in tensor._repr_html_()
    assert "closed" in device._repr_html_()


def test_a_compiled_model_draws_itself() -> None:
    model = tilesmith.compile(torch.nn.Linear(32, 32))
    assert "compiled when it is called" in model._repr_html_()
    model.prepare(torch.zeros(32, 32))
    assert "Linear for tenstorrent, 1 graphs" in repr(model)
    assert "<th>on the host</th><td>0</td>" in model._repr_html_()


def test_the_magic_draws_the_report_of_a_cell() -> None:
    shell = Shell()
    tilesmith.load_ipython_extension(shell)
    cell = "with tilesmith.open_device('wormhole') as device:\n    elementwise.run(device, (32, 32))"
    report = shell.magics["tilesmith"]("one sum --no-keep", cell)
    assert isinstance(report, CellReport)
    assert report.profile.title == "one sum"
    assert report._repr_html_().startswith('<iframe srcdoc="&lt;!')
    assert "one sum" in repr(report)


def test_the_magic_says_when_nothing_ran(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cell("", "x = 1", Shell()) is None
    assert "no program ran" in capsys.readouterr().out
    assert run_cell("", "1 / 0", Shell()) is None
