"""Every error says what was wrong, where, and what to do; and survives the way between processes."""

from __future__ import annotations

import inspect
import pickle

import pytest

from tilesmith import errors
from tilesmith.errors import (
    EmulatorGap,
    InternalFault,
    KernelCompileError,
    KernelFindings,
    ProgramError,
    TilesmithError,
    UserError,
)

FAMILIES = (UserError, EmulatorGap, InternalFault)
ALL = [
    error
    for _, error in inspect.getmembers(errors, inspect.isclass)
    if issubclass(error, TilesmithError) and error is not TilesmithError
]


@pytest.mark.parametrize("error", ALL, ids=lambda error: error.__name__)
def test_each_belongs_to_one_family_and_is_explained(error: type[TilesmithError]) -> None:
    assert sum(issubclass(error, family) for family in FAMILIES) == 1
    assert error.__doc__


def test_the_text_has_all_three_parts() -> None:
    text = str(ProgramError("two kernels on one RISC", where="host.py:12", remedy="remove one"))
    assert text == "two kernels on one RISC\n  at: host.py:12\n  fix: remove one"


def test_gaps_and_faults_ask_for_a_report() -> None:
    assert "not your mistake" in str(EmulatorGap("no stochastic rounding"))
    assert "bug in tilesmith" in str(InternalFault("impossible"))


def test_findings_are_counted_and_listed() -> None:
    error = KernelFindings(["first finding", "second finding"])
    assert error.what == "the kernels broke 2 rules"
    assert "second finding" in str(error)
    assert KernelFindings(["one"]).what == "the kernels broke 1 rule"


def test_errors_cross_process_boundaries() -> None:
    error = KernelCompileError("refused", output="line 1", sources=["a.cpp"], where="g++", remedy="fix it")
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error)
    assert (copy.output, copy.sources) == ("line 1", ("a.cpp",))
