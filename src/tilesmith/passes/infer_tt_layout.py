"""Pass 1: the layout and format of every tensor and buffer."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tilesmith.dialects.tile import AllocOp, FuncOp
from tilesmith.dialects.types import BufferType, TensorType


@dataclass(frozen=True)
class InferTTLayout(ModulePass):
    """Fill in layout and format of every type. `formats` are the user's wishes: "B=Bfp8_b,bias=Float32"."""

    name = "infer-tt-layout"

    formats: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in [one for one in op.walk() if isinstance(one, FuncOp)]:
            for tensor in func.tensors.values():
                kind = tensor.type
                assert isinstance(kind, TensorType)
                format = "Float16_b" if str(kind.element_type) == "bf16" else "Float32"
                layout = "tile" if len(kind.dims) > 1 else "row_major"
                new = TensorType.of(kind.dims, kind.element_type, layout, format)
                Rewriter.replace_value_with_new_type(tensor, new)
            for alloc in [one for one in func.walk() if isinstance(one, AllocOp)]:
                old = alloc.buffer.type
                assert isinstance(old, BufferType)
                format = "Float16_b" if str(old.element_type) == "bf16" else "Float32"
                layout = "tiled" if len(old.dims) > 1 else "column"
                Rewriter.replace_value_with_new_type(
                    alloc.buffer, BufferType.of(old.dims, old.element_type, old.scope.data, layout, format)
                )
