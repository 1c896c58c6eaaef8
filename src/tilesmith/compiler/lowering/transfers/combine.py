"""What an accumulating store makes of two elements."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.lowering.transfers.build import Body
from tilesmith.compiler.lowering.transfers.elements import is_float

_FLOATS: dict[str, type[Operation]] = {
    "add": arith.AddfOp,
    "max": arith.MaximumfOp,
    "min": arith.MinimumfOp,
}
_INTEGERS: dict[str, type[Operation]] = {"add": arith.AddiOp, "max": arith.MaxSIOp, "min": arith.MinSIOp}


def combined(body: Body, how: str, there: SSAValue, new: SSAValue) -> SSAValue:
    """The element in the tensor and the new one, added or compared; floats if either is one."""
    if is_float(there.type) or is_float(new.type):
        there, new = as_float(body, there), as_float(body, new)
        return body.op(_FLOATS[how](there, new)).results[0]  # type: ignore[call-arg, arg-type]
    return body.op(_INTEGERS[how](there, new)).results[0]  # type: ignore[call-arg, arg-type]


def as_float(body: Body, value: SSAValue) -> SSAValue:
    return value if is_float(value.type) else body.op(arith.SIToFPOp(value, f32)).results[0]
