"""How many versions of a buffer there are."""

from __future__ import annotations

import pytest
from tests.compiler.passes import layout_kernels, samples
from tests.compiler.passes.conftest import Golden
from tests.compiler.passes.layouts import after, inferred, of_type
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects.tile import AllocOp
from tilesmith.compiler.transforms.infer_tt_layout import InferTTLayout
from tilesmith.compiler.transforms.propagate_tt_layout import PropagateTTLayout


def depths(module: ModuleOp) -> dict[str, int]:
    return {
        op.buffer_name.data: op.depth.value.data for op in of_type(module, AllocOp) if op.depth is not None
    }


@pytest.mark.parametrize("name", ["add", "gemm", "softmax"])
def test_sample(name: str, golden: Golden) -> None:
    golden(str(after(samples.module(name), InferTTLayout(), PropagateTTLayout())))


@pytest.mark.parametrize(("stages", "expected"), [(0, 2), (1, 1), (2, 2), (3, 3), (4, 4)])
def test_stages_are_versions_and_there_are_two_without_them(stages: int, expected: int) -> None:
    module = inferred(layout_kernels.gemm(128, 128, 128, (32, 32, 32), stages))
    assert depths(after(module, PropagateTTLayout())) == {
        "A_shared": expected,
        "B_shared": expected,
        "C_local": 1,
    }


def test_fewer_versions_where_l1_is_too_small_for_those_asked_for() -> None:
    module = inferred(layout_kernels.gemm(1024, 1024, 1024, (256, 256, 256), 8))
    found = depths(after(module, PropagateTTLayout()))
    assert 1 < found["A_shared"] + found["B_shared"] < 16


def test_one_version_of_each_is_left_even_if_that_does_not_fit() -> None:
    module = inferred(layout_kernels.gemm(1024, 1024, 1024, (1024, 1024, 64), 2))
    assert set(depths(after(module, PropagateTTLayout())).values()) == {1}
