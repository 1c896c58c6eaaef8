"""Scalars of a map's body that are the same for whole tiles: computed once, outside sections of DST."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.lowering.tiles.access import out_axes
from tilesmith.compiler.lowering.tiles.expression import Apply, Fill, Node, Uniform
from tilesmith.compiler.lowering.tiles.stage import Stage, buffer_of
from tilesmith.compiler.lowering.transfers.build import Index


def uniforms_of(nodes: Iterable[Node]) -> list[Uniform]:
    """Every scalar the calls of a graph take, once each."""
    found: dict[Uniform, None] = {}
    for node in nodes:
        values = node.params if isinstance(node, Apply) else (node.value,) if isinstance(node, Fill) else ()
        found |= {value: None for value in values if isinstance(value, Uniform)}
    return list(found)


@dataclass
class Scalars:
    """The scalars of one map, as f32, where its stage has computed them."""

    op: tile.MapOp
    values: dict[Uniform, SSAValue] = field(default_factory=dict)

    def compute(self, stage: Stage, wanted: Iterable[Uniform], position: Mapping[int, Index]) -> None:
        """Compute what can be here: without a position, what is the same for all tiles; else the rest."""
        block = self.op.body.block
        known: dict[SSAValue, SSAValue] = {}
        for dim, arg in enumerate(block.args[len(self.op.ins) :]):
            if dim in position and dim in out_axes(buffer_of(self.op.out)).batch:
                known[arg] = stage.value(position[dim])
        for scalar in wanted:
            if scalar in self.values or not is_computable(scalar.value, block, known):
                continue
            value = stage.as_float(copied(stage, scalar.value, block, known))
            if value.name_hint is None:
                value.name_hint = scalar.value.name_hint or _name_for(scalar.value)
            if scalar.inverse:
                value = stage.op(arith.DivfOp(stage.number(1.0), value)).results[0]
            self.values[scalar] = value

    def has(self, wanted: Iterable[Uniform]) -> bool:
        return all(one in self.values for one in wanted)


def _name_for(value: SSAValue) -> str:
    """What a person would call a scalar without a name: whole numbers are mostly where something starts."""
    return "factor" if isinstance(value.type, Float32Type) else "offset"


def is_computable(value: SSAValue, body: Block, known: Mapping[SSAValue, SSAValue]) -> bool:
    """Whether a scalar depends on nothing of the body but what is known."""
    if isinstance(value, BlockArgument):
        return value.block is not body or value in known
    owner = value.owner
    assert isinstance(owner, Operation)
    return owner.parent is not body or all(is_computable(one, body, known) for one in owner.operands)


def copied(stage: Stage, value: SSAValue, body: Block, known: dict[SSAValue, SSAValue]) -> SSAValue:
    """A scalar of the body, computed in the stage."""
    owner = value.owner
    if value in known:
        return known[value]
    if not isinstance(owner, Operation) or owner.parent is not body:
        return value
    operands = {operand: copied(stage, operand, body, known) for operand in owner.operands}
    copy = owner.clone(value_mapper=operands)
    stage.op(copy)
    known[value] = copy.results[0]
    return known[value]
