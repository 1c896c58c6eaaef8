"""The dataflow graph: which step of which role reads and writes which circular buffers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.analysis.memory_effects import Effects, buffer_effects
from tilesmith.compiler.analysis.roles import role_of, steps
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.pass_group import Pass
from tilesmith.errors import InternalFault


@dataclass(frozen=True)
class BuildTileDFGTT(Pass):
    """Note the graph as attribute `dfg` of the kernel; check that every circular buffer has two sides."""

    name = "build-tile-dfg-tt"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in operations_of(op, tile.FuncOp):
            func.attributes["dfg"] = graph_of(func)


def graph_of(func: tile.FuncOp) -> ArrayAttr[DictionaryAttr]:
    """One entry per step, in program order."""
    nodes: list[DictionaryAttr] = []
    for op in steps(func.body.block):
        role = role_of(op)
        if role is None:
            continue
        effects = buffer_effects(op)
        _check_roles(op, role, effects)
        nodes.append(_node(op, len(nodes), role, effects))
    return ArrayAttr(nodes)


def _node(op: Operation, index: int, role: str, effects: Effects) -> DictionaryAttr:
    return DictionaryAttr(
        {
            "index": tt.number(index),
            "step": StringAttr(op.title.data if isinstance(op, tt.StageOp) else op.name),
            "role": StringAttr(role),
            "reads": _names(effects.reads),
            "writes": _names(effects.writes),
        }
    )


def _names(places: Iterable[SSAValue]) -> ArrayAttr[StringAttr]:
    return ArrayAttr([_declaration(place).cb_name for place in dict.fromkeys(places)])


def _check_roles(op: Operation, role: str, effects: Effects) -> None:
    for place in effects.reads:
        cb = _declaration(place)
        if cb.consumer.data != role:
            raise InternalFault(
                f"circular buffer {cb.cb_name.data} is drained by the {cb.consumer.data},"
                f" but the {role} reads it in {op.name}",
                where=tile.location_of(op),
            )
    for place in effects.writes:
        cb = _declaration(place)
        if cb.producer.data != role:
            raise InternalFault(
                f"circular buffer {cb.cb_name.data} is filled by the {cb.producer.data},"
                f" but the {role} writes it in {op.name}",
                where=tile.location_of(op),
            )


def _declaration(place: SSAValue) -> tt.CBOp:
    if not isinstance(place.owner, tt.CBOp):
        raise InternalFault(f"expected a circular buffer declared by tt.cb, got {place.type}")
    return place.owner
