"""Traces: complete after every pass, and honest about the one that failed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compiler.passes import samples
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.pipeline import Choices, lower
from tilesmith.compiler.trace import Trace
from tilesmith.errors import KernelError


def test_it_is_an_observer_of_the_pipeline(tmp_path: Path) -> None:
    with Trace(tmp_path / "t.html", title="a < b") as trace:
        lower(samples.module("add"), Choices(), trace)
    text = trace.path.read_text(encoding="utf-8")
    assert "<title>a &lt; b</title>" in text
    assert ">codegen-tt <small>" in text
    assert "http" not in text.replace('lang="en"', "")


def test_what_was_written_before_a_failure_stays(tmp_path: Path) -> None:
    trace = Trace(tmp_path / "t.html")

    def fail(name: str, module: ModuleOp) -> None:
        trace(name, module)
        if name == "propagate-tt-layout":
            raise KernelError("a <b> went wrong")

    with pytest.raises(KernelError), trace:
        lower(samples.module("add"), Choices(), fail)
    text = trace.path.read_text(encoding="utf-8")
    assert "propagate-tt-layout" in text
    assert "a &lt;b&gt; went wrong" in text
    assert "grid-to-core-grid" not in text


def test_changed_lines_are_marked(tmp_path: Path) -> None:
    trace = Trace(tmp_path / "t.html")
    module = samples.module("add")
    trace("import", module)
    trace("nothing", module)
    lower(module, Choices(), lambda *_: None)
    trace("all", module)
    nothing, everything = trace.path.read_text(encoding="utf-8").split("<h2")[2:]
    assert "0 new, 0 gone" in nothing
    assert 'class="new"' not in nothing
    assert 'class="gone"' in everything
