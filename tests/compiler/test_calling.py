"""Arguments against parameters: what fits, what shapes say, and what is refused with which words."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch
from tests.compiler.dialects.modules import Kernel, index, module_of, region
from xdsl.dialects.builtin import ArrayAttr, IntegerType, ModuleOp, StringAttr, bf16, f32, i32
from xdsl.ir import SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.types import TensorType
from tilesmith.compiler.signature import Signature, signature_of
from tilesmith.errors import BadCallError


def _copies(k: Kernel) -> None:
    buffer = k.buffer("a", [4, 8], bf16)
    k.load("A", buffer)
    k.store(buffer, "B")
    k.store(buffer, "C", accumulate="add")


def _module(*symbols: str) -> ModuleOp:
    tensors: dict[str, Any] = {
        "A": (["m", 8], bf16),
        "B": (["m", 8], bf16),
        "C": ([4, 8], f32),
        "unused": ([1], f32),
    }
    return module_of(tensors, _copies, symbols=("m", *symbols))


@pytest.fixture
def signature() -> Signature:
    return signature_of([_module()])


def _given(**changes: Any) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "A": torch.zeros(5, 8, dtype=torch.bfloat16),
        "B": torch.zeros(5, 8, dtype=torch.bfloat16),
        "C": torch.zeros(4, 8),
        "unused": 1.0,
    }
    return {**arguments, **changes}


def test_outputs_are_written_and_never_read(signature: Signature) -> None:
    assert signature.outputs == ("B",)
    assert signature.inputs == ("A", "C", "unused")
    assert {name for name, one in signature.tensors.items() if one.is_written} == {"B", "C"}


def test_out_idx_names_the_outputs() -> None:
    assert signature_of([_module()], out_idx=[-2, 0]).outputs == ("C", "A")
    assert signature_of([_module()], out_idx=[]).inputs == ("A", "B", "C", "unused")


def test_reads_and_writes_through_views_and_scalar_code_count() -> None:
    def body(k: Kernel) -> None:
        view = tile.ViewOp(k.tensors["B"], TensorType.of([8], f32)).tensor

        def copy_one() -> SSAValue | None:
            tile.WriteOp(view, [index(0)], tile.ReadOp(k.tensors["A"], [index(0)], f32).value)
            return None

        tile.ScalarOp([k.tensors["A"]], [view], region([], copy_one))

    signature = signature_of([module_of({"A": ([8], f32), "B": ([2, 4], f32)}, body)])
    assert signature.outputs == ("B",)
    assert signature.tensors["A"].is_read


def test_symbols_come_from_shapes(signature: Signature) -> None:
    call = signature.bind(_given())
    assert call.symbols == {"m": 5}
    assert call.arrays["A"].dtype == ml_dtypes.bfloat16
    assert call.arrays["unused"].tolist() == [1.0]


def test_whole_numbers_are_passed_in_the_users_order() -> None:
    module = _module("n")
    func = next(iter(module.ops))
    names = ["A", "n", "B", "C", "unused"]
    func.attributes["parameters"] = ArrayAttr([StringAttr(name) for name in names])
    signature = signature_of([module])
    assert signature.order == tuple(names)
    assert signature.bind(_given(n=np.int64(7))).symbols == {"m": 5, "n": 7}
    with pytest.raises(BadCallError, match="n is a float"):
        signature.bind(_given(n=1.5))
    with pytest.raises(BadCallError, match="nothing says how large n is"):
        signature.bind(_given())


def test_the_number_of_arguments(signature: Signature) -> None:
    assert signature.names_of(4) == signature.order
    assert signature.names_of(3) == signature.inputs
    with pytest.raises(BadCallError, match=r"takes 4 arguments \(3 without outputs\), got 2") as caught:
        signature.names_of(2)
    assert "give A, C, unused" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message", "remedy"),
    [
        ({"A": torch.zeros(5, 8)}, "A has elements of float32", "convert it to bfloat16"),
        ({"A": torch.zeros(8, dtype=torch.bfloat16)}, r"A has shape \[8\]", "give it 2 dimensions"),
        ({"C": torch.zeros(4, 9)}, r"C has shape \[4, 9\]", "dimension 1 must be 8"),
        (
            {"B": torch.zeros(6, 8, dtype=torch.bfloat16)},
            r"B has shape \[6, 8\]",
            r"dimension 0 must be 5 \(m is 5 in another argument\)",
        ),
        ({"A": [[1.0]]}, "A is a list", "pass a torch tensor or a numpy array"),
    ],
)
def test_what_does_not_fit_is_refused(
    signature: Signature, changes: dict[str, Any], message: str, remedy: str
) -> None:
    with pytest.raises(BadCallError, match=message) as caught:
        signature.bind(_given(**changes))
    assert re.search(remedy, str(caught.value))


@pytest.mark.parametrize("given", [np.int8, np.uint8, np.bool_])
def test_bytes_fit_whatever_they_are_called(given: Any) -> None:
    signature = signature_of([module_of({"A": ([4], IntegerType(8))}, lambda _: None)])
    call = signature.bind({"A": np.zeros(4, given)})
    assert call.arrays["A"].dtype == np.int8


def test_integers_do_not_pass_for_floats() -> None:
    signature = signature_of([module_of({"A": ([4], i32)}, lambda _: None)])
    with pytest.raises(BadCallError, match="elements of float32"):
        signature.bind({"A": np.zeros(4, np.float32)})


def test_integers_of_four_bits_come_two_to_a_byte() -> None:
    values = np.arange(-8, 8, dtype=np.int8).reshape(2, 8)
    packed = (values[:, ::2] & 15) | (values[:, 1::2] << 4)
    signature = signature_of([module_of({"A": ([2, 8], IntegerType(4))}, lambda _: None)])
    assert (signature.bind({"A": packed}).arrays["A"] == values).all()
    assert (signature.bind({"A": values}).arrays["A"] == values).all()
