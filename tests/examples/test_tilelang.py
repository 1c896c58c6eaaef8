"""The TileLang examples run as scripts and agree with torch."""

from __future__ import annotations

from types import ModuleType

import pytest
from examples.tilelang import attention, convolution, dequant_gemm, gemm, norm, softmax

EXAMPLES = (attention, convolution, dequant_gemm, gemm, norm, softmax)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_example(example: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    example.main()
    told = capsys.readouterr().out
    assert "outside the tolerance" not in told
    assert "NaN and infinity in the same places" in told
