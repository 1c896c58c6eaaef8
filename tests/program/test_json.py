"""Programs survive the way through JSON unchanged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesmith.errors import ProgramError
from tilesmith.formats import DataFormat, TileShape
from tilesmith.program import (
    BufferView,
    CBFormat,
    CircularBuffer,
    ComputeConfig,
    CoreCoord,
    CoreRange,
    CoreRangeSet,
    DataMovementConfig,
    FaceGeometry,
    Kernel,
    MathFidelity,
    Processor,
    Program,
    Semaphore,
    SourceType,
)

words = st.integers(0, 2**32 - 1)
coords = st.builds(CoreCoord, st.integers(0, 12), st.integers(0, 9))
core_sets = st.sets(coords, min_size=1, max_size=6).map(CoreRangeSet.from_cores)
texts = st.text(max_size=12)
configs = st.one_of(
    st.builds(DataMovementConfig, st.sampled_from(Processor), st.integers(0, 1)),
    st.builds(
        ComputeConfig,
        st.sampled_from(MathFidelity),
        st.booleans(),
        st.booleans(),
        st.booleans(),
        st.booleans(),
        st.lists(st.integers(0, 31)).map(tuple),
    ),
)
kernels = st.builds(
    Kernel,
    texts,
    core_sets,
    configs,
    st.sampled_from(SourceType),
    st.lists(words),
    st.lists(st.tuples(texts, words)),
    st.lists(st.tuples(texts, texts)),
    st.dictionaries(coords, st.lists(words).map(tuple)),
    st.lists(words),
    st.lists(texts),
    texts,
)
formats = st.builds(
    CBFormat,
    st.integers(0, 63),
    st.sampled_from(DataFormat),
    st.integers(1, 4096),
    st.none() | st.builds(TileShape, st.sampled_from([16, 32]), st.sampled_from([16, 32])),
    st.none() | st.builds(FaceGeometry, st.integers(1, 16), st.sampled_from([1, 2, 4])),
)
cbs = st.builds(
    CircularBuffer,
    words,
    core_sets,
    st.lists(formats, min_size=1, max_size=3),
    st.none() | st.builds(BufferView, words, words, core_sets),
    words,
)
programs = st.builds(
    Program,
    st.lists(kernels, max_size=3),
    st.lists(cbs, max_size=3),
    st.lists(st.builds(Semaphore, words, core_sets, words), max_size=2),
)


@settings(deadline=None, max_examples=30)
@given(programs)
def test_round_trip_is_exact(program: Program) -> None:
    again = Program.from_json(program.to_json())
    assert again == program
    assert again.to_json() == program.to_json()
    assert again.structure == program.structure


def _document(**changes: Any) -> str:
    one = Kernel("k.cpp", CoreRange((0, 0)), ComputeConfig())
    return json.dumps({**json.loads(Program([one]).to_json()), **changes})


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[]",
        "{}",
        _document(schema=2),
        _document(kernels=[{}]),
        _document(kernels=3),
        _document(kernels=[{**json.loads(_document())["kernels"][0], "surprise": 1}]),
        _document(kernels=[{**json.loads(_document())["kernels"][0], "config": {"kind": "quantum"}}]),
    ],
)
def test_what_is_no_program_is_refused(text: str) -> None:
    with pytest.raises(ProgramError):
        Program.from_json(text)


def test_places_of_declaration_survive() -> None:
    one = Kernel("k.cpp", CoreRange((0, 0)), ComputeConfig())
    assert "test_json.py:" in one.declared_at
    assert Program.from_json(Program([one]).to_json()).kernels[0].declared_at == one.declared_at
