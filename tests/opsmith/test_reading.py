"""Specs in all forms are understood, and what is wrong with one is told with section, row and line."""

from __future__ import annotations

import doctest
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest
from tests.opsmith.specs_at_hand import (
    GRID_SAMPLE,
    MASKED_SOFTMAX,
    MAX_INDEX,
    SPECS,
    STACK_ROWS,
    changed,
    line_of,
)

from tilesmith.errors import SpecError
from tilesmith.opsmith.calls import breaking_calls, first_broken
from tilesmith.opsmith.model import KernelRole, PageKind, Source
from tilesmith.opsmith.reading import case_calls, read_spec


def test_long_form() -> None:
    spec = read_spec(MASKED_SOFTMAX)
    assert (spec.form, spec.name, spec.category) == ("long", "masked_softmax", "normalization")
    assert [(one.name, one.required, one.default) for one in spec.parameters] == [
        ("input_tensor", True, None),
        ("mask", True, None),
        ("scale", False, "1.0"),
        ("memory_config", False, "None"),
    ]
    assert [cb.index for cb in spec.cbs] == [0, 1, 2, 24, 25, 26, 27, 16]
    assert [cb.name for cb in spec.cbs if cb.once] == ["cb_scaler"]
    assert [one.role for one in spec.kernels] == [KernelRole.READER, KernelRole.COMPUTE, KernelRole.WRITER]
    assert [one.tensor for one in spec.kernel(KernelRole.READER).compile_time if one.tensor] == [
        "input_tensor",
        "mask",
    ]
    assert spec.decisions[0][0] == "Whole rows in L1"
    assert spec.bounds.pcc == 0.999


def test_compact_form() -> None:
    spec = read_spec(STACK_ROWS)
    assert spec.form == "compact"
    assert not spec.has_compute
    assert spec.cbs[0].page is PageKind.STICK
    reader = spec.kernel(KernelRole.READER)
    assert [one.source for one in reader.runtime].count(Source.ADDRESS) == 1
    assert spec.reference == "return torch.stack(list(tensors), dim=dim)"


def test_design_form_with_two_outputs() -> None:
    spec = read_spec(MAX_INDEX)
    assert spec.form == "design"
    assert [(one.name, one.dtype) for one in spec.outputs] == [
        ("values", "input_tensor"),
        ("indices", "UINT32"),
    ]
    assert [cb.tensor for cb in spec.cbs] == ["input_tensor", "values", "indices"]
    assert [one.name for one in spec.kernel(KernelRole.WRITER).runtime] == [
        "values_addr",
        "indices_addr",
        "first",
        "units",
    ]


def test_spec_of_grid_sample() -> None:
    spec = read_spec(GRID_SAMPLE)
    assert [cb.index for cb in spec.cbs] == [0, 1]
    assert not spec.has_compute
    assert [one.aspect for one in spec.deviations][:2] == ["reader kernel", "writer kernel"]
    assert "Batch size mismatch between input and grid" in [one.message for one in spec.requirements]


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_every_rule_has_a_call_that_breaks_it_first(path: Path) -> None:
    spec = read_spec(path)
    valid = next(iter(case_calls(spec).values()))
    broken, without = breaking_calls(valid, spec.parameters, spec.requirements)
    assert first_broken(spec.requirements, valid) is None
    assert not without
    for one in broken:
        assert first_broken(spec.requirements, one.call) is one.requirement


@dataclass(frozen=True)
class Mistake:
    """A change to a spec, what is to be said of it, and a text on the line to be named."""

    spec: Path
    old: str
    new: str
    said: str
    at: str = ""

    @property
    def line_text(self) -> str:
        return self.at or self.new.splitlines()[0]


CB_OUT = "| c_16 | cb_out | Tiles of a row of the output | Compute (normalise) | Writer |"
ROW_CB = "| c_0 | cb_row | Row-major sticks on their way | Reader | Writer | 2 | Block |"
PAGES = "| CB ID | Name | Purpose | Producer | Consumer | Pages | Lifetime |\n"
PAGES += "|-------|------|---------|----------|----------|-------|----------|\n"
SIZED = "| CB ID | Name | Purpose | Producer | Consumer | Pages | Lifetime | Page Size |\n"
SIZED += "|---|---|---|---|---|---|---|---|\n"
TILE_CB = "| c_3 | cb_tile | Tiles on their way | Reader | Compute | 2 | Block | 2000 bytes |"
MISTAKES = {
    "unknown buffer in the text": Mistake(
        MASKED_SOFTMAX, "reader -> c_0, c_1, c_2", "reader -> c_0, c_9, c_2", "no circular buffer c_9"
    ),
    "unknown buffer in a table": Mistake(
        GRID_SAMPLE,
        "pixels into cb_input |",
        "pixels into cb_pixels |",
        "row 1: there is no circular buffer cb_pixels",
    ),
    "buffer the chip does not have": Mistake(
        MASKED_SOFTMAX, "| c_16 | cb_out", "| c_40 | cb_out", "row 8: there is no circular buffer 40"
    ),
    "two buffers of one index": Mistake(
        MASKED_SOFTMAX, "| c_16 | cb_out", "| c_0 | cb_out", "row 8: c_0 exists twice"
    ),
    "page smaller than a row": Mistake(
        STACK_ROWS,
        PAGES + ROW_CB,
        SIZED + ROW_CB + " 32 bytes |",
        "a page of cb_row has 32 bytes",
        at="| 32 bytes |",
    ),
    "page that is no tile": Mistake(
        STACK_ROWS,
        PAGES + ROW_CB,
        f"{SIZED}{ROW_CB} stick |\n{TILE_CB}",
        "row 2: a page of cb_tile has 2000 bytes, but a tile of BFLOAT16 has 2048",
        at="cb_tile",
    ),
    "more than L1 holds": Mistake(
        MASKED_SOFTMAX,
        "| c_26 | cb_exp | Exponentials | Compute (exp) | Compute (sum, normalise) | Wt tiles",
        "| c_26 | cb_exp | Exponentials | Compute (exp) | Compute (sum, normalise) | 900 * Wt tiles",
        "cb_exp alone takes",
    ),
    "block that wraps": Mistake(
        STACK_ROWS,
        PAGES + ROW_CB,
        PAGES.replace("Lifetime |\n", "Lifetime | Block Size |\n", 1).replace("|\n|", "|\n|---|", 1)
        + ROW_CB
        + " 4 |",
        "2 pages and takes 4 at a time",
        at="| 4 |",
    ),
    "parameter that is missing": Mistake(
        MASKED_SOFTMAX,
        "| scale | float | No | > 0 | 1.0 | Factor on the scores |\n",
        "",
        "row 3: where the value of scale comes from is not said",
        at="| 2 | scale | float |",
    ),
    "size that is no size": Mistake(
        MASKED_SOFTMAX, CB_OUT + " 2 * Wt", CB_OUT + " 2 * blocks", "row 8: 'blocks' in '2 * blocks'"
    ),
    "rule that cannot be checked": Mistake(
        MASKED_SOFTMAX,
        "| mask Shape | same as input |",
        "| mask Shape | pretty |",
        "row 10: mask Shape: 'pretty'",
    ),
    "rule about no parameter": Mistake(
        MASKED_SOFTMAX,
        "| mask Shape | same as input |",
        "| mask Shape | `mask.H == image.H` |",
        "row 10: 'image' is neither a size nor a parameter",
    ),
    "case that breaks a rule": Mistake(
        MASKED_SOFTMAX,
        "(1, 1, 64, 128)",
        "(1, 1, 64, 100)",
        "row 6: the test case 'multi_tile' breaks this rule",
        at="| Width | multiple of 32 |",
    ),
    "case with an unknown parameter": Mistake(
        MASKED_SOFTMAX, "scale=0.125", "factor=0.125", "row 3: factor is not a parameter"
    ),
    "two producers": Mistake(
        MASKED_SOFTMAX,
        "input | Reader | Compute |",
        "input | Reader/Writer | Compute |",
        "names several kernels as producer",
    ),
    "cells that do not fit the columns": Mistake(
        MASKED_SOFTMAX, "| Layout | TILE |", "| Layout | TILE | really |", "row 2: 4 cells under 3 columns"
    ),
    "type that is unknown": Mistake(
        MASKED_SOFTMAX, "| scale | float |", "| scale | complex |", "row 3: the type 'complex' is not known"
    ),
    "optional tensor": Mistake(
        MASKED_SOFTMAX,
        "| mask | Tensor | Yes |",
        "| mask | Tensor | No |",
        "row 2: mask is an optional tensor",
    ),
    "default that is missing": Mistake(
        MASKED_SOFTMAX, "| > 0 | 1.0 |", "| > 0 | - |", "row 3: an optional parameter needs a default"
    ),
    "default of another type": Mistake(
        MASKED_SOFTMAX, "| > 0 | 1.0 |", "| > 0 | one |", "row 3: the default 'one' is not of type float"
    ),
    "name that generated code uses": Mistake(
        MASKED_SOFTMAX, "| scale | float |", "| units | float |", "row 3: generated code uses the name units"
    ),
    "parameter twice": Mistake(
        MASKED_SOFTMAX, "| scale | float |", "| mask | float |", "row 3: mask is a parameter twice"
    ),
    "argument out of order": Mistake(
        MASKED_SOFTMAX, "| 1 | mask_addr |", "| 3 | mask_addr |", "row 2: index 3 comes after 1 arguments"
    ),
    "argument that differs from core to core": Mistake(
        STACK_ROWS,
        "| reader | 0 | cb_row | uint32_t | The circular buffer |",
        "| reader | 0 | start | uint32_t | `units` first |",
        "row 1: where the value of start comes from is not said",
    ),
    "argument behind a list": Mistake(
        STACK_ROWS,
        "| reader | 0 | num_rows | uint32_t | Rows of this core |\n| reader | 1 | start_row |",
        "| reader | 0 | tensors_addr | uint32_t | Addresses |\n| reader | 1 | start_row |",
        "row 2: start_row comes behind a list",
        at="| reader | 1 | start_row |",
    ),
    "argument twice": Mistake(
        MASKED_SOFTMAX,
        "| 1 | mask_addr |",
        "| 1 | input_addr |",
        "row 2: the reader has two arguments input_addr",
    ),
    "address of no tensor": Mistake(
        MASKED_SOFTMAX,
        "| 1 | mask_addr |",
        "| 1 | image_addr |",
        "row 2: image_addr is the address of no tensor",
    ),
    "output of no known shape": Mistake(
        STACK_ROWS, "input.shape[:dim] + [num_tensors]", "input.shape[:axis] + [num_tensors]", "'axis' in"
    ),
    "output without dtype": Mistake(
        MASKED_SOFTMAX,
        "| Dtype | Same as input |\n",
        "",
        "the data type of output is not said",
        at="### Output Tensor",
    ),
    "work without units": Mistake(
        MASKED_SOFTMAX,
        "| Granularity | Tile-row |\n",
        "",
        "the number of units of work is not said",
        at="## Work Dist",
    ),
    "fidelity that is unknown": Mistake(
        MASKED_SOFTMAX,
        "**math_fidelity**: HiFi4",
        "**math_fidelity**: HiFi9",
        "math_fidelity: HiFi9 is not known",
    ),
    "reference that is no Python": Mistake(
        MASKED_SOFTMAX,
        "return torch.softmax(score, dim=-1)",
        "return torch.softmax(",
        "is not Python",
        at="```python",
    ),
    "reference that returns nothing": Mistake(
        MASKED_SOFTMAX,
        "return torch.softmax(score",
        "result = torch.softmax(score",
        "returns nothing",
        at="```python",
    ),
    "block that never ends": Mistake(
        STACK_ROWS, "k at dimension dim\n```\n", "k at dimension dim\n", "never ends", at="```"
    ),
    "name that is no name": Mistake(
        MASKED_SOFTMAX,
        "**Operation Name**: masked_softmax",
        "**Operation Name**: Masked Softmax",
        "cannot be the",
    ),
}
# The total is taken from the unit's name only if it is not given.
MISTAKES["work without units"] = Mistake(
    STACK_ROWS,
    "- **Work unit**: row of the output\n- **Total units**: `output.rows`\n",
    "- **Work unit**: chunk\n",
    "the number of units of work is not said",
)


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_mistake_is_told_with_its_line(mistake: Mistake, tmp_path: Path) -> None:
    path = changed(mistake.spec, mistake.old, mistake.new, tmp_path)
    with pytest.raises(SpecError) as error:
        read_spec(path)
    assert mistake.said in error.value.what
    assert error.value.where == f"{path}:{line_of(path, mistake.line_text)}"


def test_missing_section_is_named(tmp_path: Path) -> None:
    path = changed(MASKED_SOFTMAX, "### Circular Buffer Requirements", "### Buffers", tmp_path)
    with pytest.raises(SpecError, match="no section 'Circular Buffer Requirements'"):
        read_spec(path)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="there is no spec"):
        read_spec(tmp_path / "nothing.md")


def test_remarks_are_no_rules(tmp_path: Path) -> None:
    """In a column of quoted messages, words without quotation marks are remarks."""
    row = "| Width | multiple of 32 | Handled by padding |"
    path = changed(
        MASKED_SOFTMAX, '| Width | multiple of 32 | "width must be a multiple of 32" |', row, tmp_path
    )
    spec = read_spec(path)
    assert "Handled by padding" in [one.reason for one in spec.deviations]
    assert not any("width" in one.message for one in spec.requirements)


def test_usual_arguments_where_none_are_listed() -> None:
    spec = read_spec(GRID_SAMPLE)
    assert [one.name for one in spec.kernel(KernelRole.READER).compile_time] == [
        "cb_grid",
        "cb_input",
        "input_tensor_args",
        "grid_args",
    ]


def test_usual_arguments_of_a_list_come_last(tmp_path: Path) -> None:
    text = STACK_ROWS.read_text(encoding="utf-8")
    start, end = text.index("### Kernel Arguments"), text.index("### Hardware Constraints")
    path = tmp_path / "stack_rows_spec.md"
    path.write_text(text[:start] + text[end:], encoding="utf-8")
    runtime = read_spec(path).kernel(KernelRole.READER).runtime
    assert [one.name for one in runtime] == ["first", "units", "num_tensors", "tensors_addr"]


def test_arguments_that_stubs_need_are_added(tmp_path: Path) -> None:
    path = changed(MASKED_SOFTMAX, "| 3 | Wt | uint32_t | Tiles in a row |\n", "", tmp_path)
    spec = read_spec(path)
    assert spec.kernel(KernelRole.WRITER).runtime[-1].name == "cb_out_pages"
    assert "runtime argument 3 is cb_out_pages" in [one.built for one in spec.deviations]


@pytest.mark.parametrize("kept", ["Compile-Time Arguments", "Runtime Arguments"])
def test_a_spec_that_lists_one_table_gets_the_usual_arguments_of_the_other(kept: str, tmp_path: Path) -> None:
    text = MASKED_SOFTMAX.read_text(encoding="utf-8")
    sections = {
        "Compile-Time Arguments": "## Runtime Arguments",
        "Runtime Arguments": "## Memory Access Patterns",
    }
    dropped = next(one for one in sections if one != kept)
    start = text.index(f"## {dropped}")
    path = tmp_path / "masked_softmax_spec.md"
    path.write_text(text[:start] + text[text.index(sections[dropped]) :], encoding="utf-8")
    spec = read_spec(path)
    whole = read_spec(MASKED_SOFTMAX)
    for kernel in spec.kernels:
        named = {one.name for one in kernel.compile_time}
        assert {cb.name for cb in spec.cbs if kernel.role in (cb.producer, cb.consumer)} <= named
        addresses = [one.tensor for one in kernel.runtime if one.source is Source.ADDRESS]
        assert addresses == [
            one.tensor for one in whole.kernel(kernel.role).runtime if one.source is Source.ADDRESS
        ]
    when = "compile-time" if kept == "Runtime Arguments" else "runtime"
    assert f"the spec lists no {when} arguments of the reader kernel" in [
        one.reason for one in spec.deviations
    ]


MODULES = (
    "calls",
    "data_types",
    "emit_cpp",
    "emit_python",
    "evaluate",
    "expressions",
    "layout",
    "log",
    "markdown",
)
MORE = ("model", "python_op", "requirements", "stage_tests", "stubs")


@pytest.mark.parametrize("name", [*MODULES, *MORE])
def test_examples_are_true(name: str) -> None:
    result = doctest.testmod(import_module(f"tilesmith.opsmith.{name}"))
    assert result.failed == 0
