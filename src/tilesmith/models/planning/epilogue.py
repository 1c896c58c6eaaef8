"""The end of every kernel: the elementwise operators of its group as an epilogue, and room for its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torch.fx import Node

from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Expr
from tilesmith.kernels.operands import Access, Operand
from tilesmith.models.planning.fusion import Group, shape_of
from tilesmith.models.planning.iteration_space import Placed
from tilesmith.models.planning.lowering import Lowering, inline, new_view
from tilesmith.models.planning.views import TILE, View
from tilesmith.runtime import Layout


@dataclass(frozen=True)
class Finish:
    """An epilogue, the operands it reads and writes, and where the result is."""

    epilogue: Epilogue
    operands: dict[str, Placed]
    out: View


def finish(
    lowering: Lowering,
    group: Group,
    known: Mapping[Node, Expr],
    extra: Mapping[str, Node] | None = None,
    out: View | None = None,
) -> Finish:
    """The epilogue of a group over what its main work leaves; `extra` are tensors `known` names already."""
    node = group.output
    shape = shape_of(node)
    inlined = inline(group.after, known, lowering.constants, "e")
    place = lowering.spread if group.spreads else lowering.placed
    reads = {name: place(source, shape) for name, source in {**(extra or {}), **inlined.reads}.items()}
    result = out or new_view(shape, "block", lowering.storage_type(node))
    rows, cols = (1, 1, *shape)[-2:]
    access: Access = "block" if result.storage.layout is Layout.TILE else "rows"
    epilogue = Epilogue(
        (Result(inlined.stored(node, result.storage.dtype), Operand("y", access, result.storage.dtype)),),
        tuple(Operand(name, one.access, one.view.storage.dtype) for name, one in reads.items()),
        mask_rows=rows % TILE != 0,
        mask_columns=cols % TILE != 0,
    )
    full = (1,) * (2 - len(shape)) + shape
    return Finish(epilogue, {**reads, "y": Placed(access, result.expand(full))}, result)
