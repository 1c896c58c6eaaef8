"""Wrong arguments are refused in the words of ttnn 0.81.1, heard from it on its mock device."""

from __future__ import annotations

import pytest

from tilesmith import ttnn

REFUSALS = {
    "ttnn.tilize(T([2, 33, 65], layout=RM))": "Input tensor width (65) must be divisible by tile width (32)",
    "ttnn.reshape(T([2, 33, 65]), [7, 65])": "Invalid arguments to reshape",
    "ttnn.permute(T([2, 33, 65]), (2, 0))": "does not match the length of the desired ordering",
    "ttnn.transpose(T([2, 33, 65]), -1, 5)": "should be between 0 and 2 however is 5",
    "ttnn.concat([], 1)": "expected a non-empty list of Tensors!",
    "ttnn.concat([T([2, 33, 65]), T([2, 31, 64])], 1)": "All dimensions must be the same size except",
    "ttnn.concat([T([2, 33]), T([2, 31], layout=RM)], 1)": "expected all input tensors to be in tile layout",
    "ttnn.concat([T([2, 33]), T([2, 31], ttnn.float32)], 1)": "All Tensors should have same dtypes.",
    "ttnn.slice(T([2, 33, 65]), [0, 0], [1, 32])": "Input rank 3 and begins 2 must have the same size",
    "ttnn.slice(T([2, 33]), [0, 0], [3, 32])": "Ends 3 must be less than or equal to the shape",
    "ttnn.slice(T([2, 33]), [0, 5], [2, 3])": "End 3 must be greater than or equal to start 5",
    "ttnn.unsqueeze(T([33, 65]), 5)": "expected to be in range of [-3,2], but got 5",
    "ttnn.expand(T([1, 33, 65]), [4, 33, 64])": "Only size 1 dimensions can be expanded in the output shape",
    "ttnn.matmul(T([2, 33, 65]), T([64, 31]))": "Mismatch: width=65 height=64",
    "ttnn.matmul(T([2, 33, 65]), T([3, 65, 31]))": "batch dimension 0 mismatch: a=2 vs b=3",
    "ttnn.matmul(T([33, 65], layout=RM), T([65, 31]))": "Inputs to matmul must be tilized",
    "ttnn.matmul(T([33, 65], ttnn.int32), T([65, 31]))": "Unsupported data format for input A: DataType",
    "ttnn.linear(T([33, 65]), T([65, 31]), bias=T([1, 30]))": "Broadcasting rule violation at dimension",
    "ttnn.linear(T([33, 65]), T([65, 31]), activation='foo')": "Unknown unary op: foo",
    "ttnn.addmm(T([1, 31]), T([33, 65]), T([65, 31]))": "input_tensor must have shape matching",
    "ttnn.addmm(T([33, 31]), T([33, 65]), T([65, 31]), alpha=0.0)": "alpha parameter cannot be 0",
    "ttnn.addmm(T([3, 3], ttnn.int32), T([3, 5]), T([5, 3]))": "types are supported for input_tensor",
    "ttnn.topk(T([2, 64], ttnn.int32), 4)": "Input tensor must be BFLOAT16, BFLOAT8_B, or FLOAT32",
    "ttnn.topk(T([2, 64]), 4, indices_tensor=T([2, 9], ttnn.uint16))": "Indices tensor has incorrect",
    "ttnn.topk(T([2, 64]), 2, 0, indices_tensor=T([2, 64], ttnn.uint16))": "on the last dimension",
    "ttnn.topk(T([2, 64]), 4, output_tensor=(T([2, 4]), T([2, 4])))": "Preallocated indices tensor must be",
    "ttnn.max(T([2, 0]), -1)": "Expected reduction dim 1 to have non-zero size",
    "ttnn.manual_seed(seeds=T([4], ttnn.uint32, RM), user_ids=7)": "user_ids must not be",
    "ttnn.softmax(T([2, 33, 65]), 3)": "expected to be in range of [-3, 2], but got 3",
    "ttnn.softmax(T([2, 33], layout=RM), -1)": "Inputs to softmax must be tilized",
    "ttnn.softmax(T([2, 33], ttnn.int32), -1)": "Input tensor must be FLOAT32, BFLOAT16, or BFLOAT8_B",
    "ttnn.layer_norm(T([2, 65]), weight=T([64]))": "Input and gamma padded widths must match",
    "ttnn.layer_norm(T([2, 65], layout=RM))": "requires W (65) to be a multiple of tile width (32)",
    "ttnn.layer_norm(T([2, 65]), residual_input_tensor=T([2, 64]))": "Input and residual logical and padded",
    "ttnn.sum(T([2, 33, 65]), 5)": "Unsupported dim 5 at index 0.",
    "ttnn.sum(T([2, 33, 65]), [-1, -1])": "reduce dim list contains a duplicate axis after sorting",
    "ttnn.mean(T([2, 33], ttnn.int32), -1)": "ttnn.mean does not support integer inputs",
    "ttnn.embedding(T([2, 5], ttnn.int32, RM), T([9, 64], layout=RM))": "Input must be UINT32 or BFLOAT16",
    "ttnn.embedding(T([2, 5], ttnn.uint32, RM), T([9, 64], ttnn.float32, RM))": "must have BFLOAT16 dtype",
    "ttnn.add(T([2, 33, 65]), T([64]))": "dimension index -1 (output rank 3), dim a: 65, dim b: 64",
    "ttnn.add(T([2, 33]), T([2, 33], ttnn.int32))": "Mixed dtype is not supported for binary operation",
    "ttnn.add(T([2, 33]), T([2, 33]), output_tensor=T([2, 32]))": "does not match the broadcasted output",
    "ttnn.add(T([2, 33]), ttnn.zeros([2, 33]))": "Input tensor B must be on device",
    "ttnn.exp(T([2, 33], ttnn.int32))": "UnaryOpType::EXP does not support integer input dtype",
    "ttnn.clamp(T([2, 33]))": "Only one of 'min' or 'max' can be None",
    "ttnn.div(T([2, 33]), T([2, 33]), rounding_mode='up')": "Incorrect rounding mode",
    "ttnn.bitwise_and(T([2, 33]), T([2, 33]))": "binary operation BinaryOpType::BITWISE_AND",
    "ttnn.generic_op([T([2, 33])], ttnn.ProgramDescriptor())": "got 1 tensors.",
}


@pytest.mark.parametrize("call", REFUSALS)
def test_a_wrong_call_is_refused_in_ttnns_words(call: str, device: ttnn.MeshDevice) -> None:
    def tensor(
        shape: list[int],
        dtype: ttnn.DataType = ttnn.bfloat16,
        layout: ttnn.Layout = ttnn.TILE_LAYOUT,
    ) -> ttnn.Tensor:
        made: ttnn.Tensor = ttnn.empty(shape, dtype, layout, device)
        return made

    with pytest.raises(RuntimeError) as refusal:
        eval(call, {"ttnn": ttnn, "T": tensor, "RM": ttnn.ROW_MAJOR_LAYOUT})
    assert REFUSALS[call] in str(refusal.value)
