"""One accessor per parameter in use."""

from __future__ import annotations

import pytest
from tests.compiler.passes import samples
from tests.compiler.passes.conftest import Golden
from tests.compiler.passes.layouts import after, of_type

from tilesmith.compiler.dialects.context import parse
from tilesmith.compiler.dialects.tt import AccessorOp
from tilesmith.compiler.transforms.attach_tensor_accessor_tt import AttachTensorAccessorTT
from tilesmith.compiler.transforms.infer_tt_layout import InferTTLayout


@pytest.mark.parametrize("name", ["add", "gemm", "softmax"])
def test_sample(name: str, golden: Golden) -> None:
    golden(str(after(samples.module(name), InferTTLayout(), AttachTensorAccessorTT())))


def test_a_parameter_that_nothing_uses_has_none() -> None:
    tensor = "!tile.tensor<[32, 32], bf16>"
    module = parse(f"builtin.module {{ tile.func @idle(%A: {tensor}) {{ %0 = arith.constant 1 : index }} }}")
    after(module, AttachTensorAccessorTT())
    assert not of_type(module, AccessorOp)


def test_accessors_come_first() -> None:
    module = after(samples.module("add"), InferTTLayout(), AttachTensorAccessorTT())
    accessors = of_type(module, AccessorOp)
    assert [op.tensor.name_hint for op in accessors] == ["A", "B", "C"]
    block = accessors[0].parent_block()
    assert block is not None
    assert list(block.ops)[:3] == accessors
