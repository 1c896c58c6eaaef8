"""The notebook runs from the first cell to the last, and shows what it promises."""

from __future__ import annotations

from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "tilelang" / "walkthrough.ipynb"


@pytest.mark.slow
def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILESMITH_ADVICE_SECONDS")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    where = {"metadata": {"path": str(NOTEBOOK.parent)}}
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=where).execute()
    printed = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", ()))
    for promised in (
        "tile.gemm",
        "tt_compute.matmul",
        "void kernel_main()",
        "noc.use-before-barrier",
        "L1BudgetError",
    ):
        assert promised in printed


def test_what_is_stored_was_executed() -> None:
    """A reader without the package sees every cell's output."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [output for cell in cells for output in cell.outputs if output.output_type == "error"]
    shown = [
        output["data"].get("text/html", "") for cell in cells for output in cell.outputs if "data" in output
    ]
    assert any(html.startswith("<iframe srcdoc=") for html in shown), "the report of %%tilesmith"
    assert sum("<table" in html for html in shown) >= 4, "kernel, profile, program, comparison"
