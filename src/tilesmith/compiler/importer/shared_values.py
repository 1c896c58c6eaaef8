"""Values of TileLang that several threads or elements make together, for which something is done before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilesmith.compiler.importer import collectives
from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.unsupported import refuse_call

if TYPE_CHECKING:
    from tilesmith.compiler.importer.tilelang_values import Values

# Which thread a value comes from: so many further down or up, across, or by its number.
_SHUFFLES = {
    "shfl_xor_sync": "xor",
    "shfl_down_sync": "add",
    "shfl_up_sync": "sub",
    "shfl_sync": "",
    "tvm_warp_shuffle": "",
    "tvm_warp_shuffle_up": "sub",
    "tvm_warp_shuffle_down": "add",
}


def warp_value(values: Values, name: str, call: Any) -> s.Expr:
    """A value that comes from other threads of the warp."""
    if name.startswith("warp_reduce_"):
        combiner = collectives.combiner_named(name.removeprefix("warp_reduce_"))
        work, result = collectives.reduce_in_warp(
            combiner, values.expr(call.args[0]), values.threads, values.at
        )
    else:
        collectives.check_warps(values.threads, values.at)
        value, other, width = (values.expr(arg) for arg in call.args[1:4])
        source = collectives.source_of(_SHUFFLES[name], values.threads[0][0], other, width)
        work, result = collectives.from_thread(value, source, values.threads, values.at)
    values.hoisted += work
    return result


def any_or_all(values: Values, name: str, call: Any) -> s.Expr:
    """Whether some or all of the elements from one on are true."""
    first, count = values.pointed_at(call.args[0]), int(call.args[1])
    combiner = "max" if name == "any_of" else "min"
    work, result = collectives.over_elements(combiner, first, count, values.at)
    values.hoisted += work
    return result


def atomic_value(values: Values, name: str, call: Any) -> s.Expr:
    """An atomic update whose old value is wanted."""
    combiner = name.removeprefix("atomic_").removesuffix("_ret_elem_op")
    if combiner not in ("add", "max", "min"):
        refuse_call(name, str(values.at))
    target = values.pointed_at(call.args[0])
    before = s.Variable("before", target.dtype)
    value = values.expr(call.args[1])
    values.hoisted.append(s.Store(target.memory, target.indices, value, combiner, values.at, before))
    return s.Name(before)
