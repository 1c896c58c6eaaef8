"""The C++ of readers and writers, as somebody last read it and agreed."""

from __future__ import annotations

import pytest
from tests.compiler.passes.conftest import Golden
from tests.compiler.passes.movement import scalar_sample
from tests.compiler.passes.test_transfers import MOVES
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects import tt
from tilesmith.compiler.pipeline import Choices, lower


def source(module: ModuleOp, role: str, arch: str = "wormhole") -> str:
    lower(module, Choices(arch=arch))
    kernels = [op for op in module.walk() if isinstance(op, tt.KernelOp) and op.role.data == role]
    (text,) = [kernel.source.data for kernel in kernels if kernel.source is not None]
    return text


@pytest.mark.parametrize("name", ["tiles_past_the_edge", "rows_of_any_number", "heads_of_a_batch", "limits"])
@pytest.mark.parametrize("role", ["reader", "writer"])
def test_moves(name: str, role: str, golden: Golden) -> None:
    golden(source(MOVES[name].module(), role), "cpp")


def test_through_scratch(golden: Golden) -> None:
    """Blackhole reads whole lines of 64 bytes: rows of 16-bit faces are put in place element by element."""
    golden(source(MOVES["heads_of_a_batch"].module(), "reader", "blackhole"), "cpp")


def test_accumulate(golden: Golden) -> None:
    golden(source(MOVES["maxima_of_integers"].module(), "writer"), "cpp")


def test_gather(golden: Golden) -> None:
    golden(source(scalar_sample("gather"), "reader"), "cpp")


def test_scatter(golden: Golden) -> None:
    golden(source(scalar_sample("scatter"), "writer"), "cpp")
