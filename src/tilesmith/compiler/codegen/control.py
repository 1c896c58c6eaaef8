"""C++ for what all kernels share: control flow, variables, arguments, accessors, the protocol of CBs."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from tilesmith.compiler.codegen import cpp
from tilesmith.compiler.codegen.cpp import Emitter, Expr, cpp_type, emits, expresses
from tilesmith.compiler.codegen.placement import is_inlined
from tilesmith.compiler.dialects import tile, tt
from tilesmith.errors import InternalFault

_PROTOCOL: dict[type[Operation], str] = {
    tt.ReserveBackOp: "cb_reserve_back",
    tt.PushBackOp: "cb_push_back",
    tt.WaitFrontOp: "cb_wait_front",
    tt.PopFrontOp: "cb_pop_front",
}
_CB_HEADER = {"compute": "api/compute/cb_api.h"}


@emits(scf.ForOp)
def _for(e: Emitter, op: scf.ForOp) -> None:
    if op.iter_args:
        raise InternalFault("a loop carries values, which C++ for kernels does not")
    lower, upper = e.value(op.lb), e.value(op.ub, cpp.RELATION)
    step = e.value(op.step)
    with e.names.scope():
        name = e.declare(op.body.block.args[0], "i")
        advance = f"++{name}" if step == "1" else f"{name} += {step}"
        with e.block(f"for (int32_t {name} = {lower}; {name} < {upper}; {advance})"):
            e.body(op.body.block)


@emits(scf.IfOp)
def _if(e: Emitter, op: scf.IfOp) -> None:
    _branch(e, op, "if")


def _branch(e: Emitter, op: scf.IfOp, keyword: str) -> None:
    otherwise = op.false_region.blocks.first
    empty = otherwise is None or _is_empty(otherwise)
    with e.block(f"{keyword} ({e.value(op.cond)})"):
        e.body(op.true_region.block)
    if empty:
        return
    assert otherwise is not None
    e.reopen()
    nested = otherwise.first_op
    if isinstance(nested, scf.IfOp) and isinstance(nested.next_op, scf.YieldOp):
        _branch(e, nested, "} else if")
        return
    with e.block("} else"):
        e.body(otherwise)


def _is_empty(block: Block) -> bool:
    return all(isinstance(op, scf.YieldOp) for op in block.ops)


@emits(scf.WhileOp)
def _while(e: Emitter, op: scf.WhileOp) -> None:
    before, after = op.before_region.block, op.after_region.block
    condition = before.last_op
    assert isinstance(condition, scf.ConditionOp)
    if all(is_inlined(one) for one in before.ops if one is not condition):
        with e.block(f"while ({e.value(condition.condition)})"):
            e.body(after)
        return
    with e.block("while (true)"):
        for inner in before.ops:
            if inner is not condition:
                e.emit(inner)
        with e.block(f"if (!{e.operand(condition.condition)})"):
            e.line("break;")
        e.body(after)


@emits(scf.YieldOp)
def _yield(e: Emitter, op: scf.YieldOp) -> None:
    if op.operands:
        raise InternalFault("a branch or loop yields values, which C++ for kernels does not")


@emits(tile.VarOp)
def _variable(e: Emitter, op: tile.VarOp) -> None:
    first = e.value(op.initial)
    e.line(f"{cpp_type(op.initial.type)} {e.declare(op.var)} = {first};")


@expresses(tile.GetOp)
def _get(e: Emitter, op: tile.GetOp) -> Expr:
    return e.expression(op.var)


@emits(tile.SetOp)
def _set(e: Emitter, op: tile.SetOp) -> None:
    e.line(f"{e.value(op.var)} = {e.value(op.value)};")


@emits(tt.ArgOp)
def _argument(e: Emitter, op: tt.ArgOp) -> None:
    if op.position is None:
        raise InternalFault(f"argument {op.arg_name.data} has no position yet")
    if e.role == "compute":
        e.include("api/compute/common.h")  # has what gets arguments; data-movement kernels have it anyway
    call = "get_arg_val" if op.scope.data == "core" else "get_common_arg_val"
    e.line(f"const int32_t {e.declare(op.value)} = {call}<int32_t>({op.position.value.data});")


@emits(tt.AccessorOp)
def _accessor(e: Emitter, op: tt.AccessorOp) -> None:
    if op.address is None or op.compile_time_offset is None:
        raise InternalFault("an accessor is not bound to arguments yet")
    e.include("api/tensor/tensor_accessor.h")
    name = e.declare(op.accessor, "tensor")
    words = e.names.fresh(f"{name}_args")
    e.line(f"constexpr auto {words} = TensorAccessorArgs<{e.next_words}>();")
    # Sharded tensors have more words than interleaved ones, so each starts where the one before ends.
    e.next_words = f"{words}.next_compile_time_args_offset()"
    address = f"get_common_arg_val<uint32_t>({op.address.value.data})"
    e.line(f"const auto {name} = TensorAccessor({words}, {address});")


@emits(tt.CBOp)
def _declared_on_use(e: Emitter, op: tt.CBOp) -> None:
    """Circular buffers a kernel uses become constants above its body; see `kernel_source`."""


@emits(*_PROTOCOL)
def _protocol(e: Emitter, op: tt.ReserveBackOp | tt.PushBackOp | tt.WaitFrontOp | tt.PopFrontOp) -> None:
    e.include(_CB_HEADER.get(e.role, "api/dataflow/dataflow_api.h"))
    e.line(f"{_PROTOCOL[type(op)]}({e.cb(op.cb)}, {op.pages.value.data});")


@emits(tt.StageOp)
def _stage(e: Emitter, op: tt.StageOp) -> None:
    if op.title.data:
        e.comment(op.title.data)
    e.body(op.body.block)
    if not isinstance(op.next_op, tuple(_PROTOCOL)):
        e.gap()
