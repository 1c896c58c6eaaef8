"""What the engines must be set up for before each call, as comparable keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.walk import walk
from tilesmith.compiler.lowering.tiles.stage import buffer_of
from tilesmith.isa.sfpu import VECTOR_FUNCTIONS

SRCA, SRCB, FPU, SFPU, PACK = "srca", "srcb", "fpu", "sfpu", "pack"
"""What can be set up: the formats of the unpackers, the matrix unit, the vector unit, the packer's format."""


@dataclass(frozen=True)
class Need:
    """One engine set up one way: `key` tells ways apart, `source` is the circular buffer behind a format."""

    engine: str
    key: object
    make: Callable[[], Operation]
    source: SSAValue | None = None


@dataclass(frozen=True)
class Formats:
    """Which circular buffers go to DST with all their 32 bits; to the engines that is a format of its own."""

    whole: frozenset[SSAValue]

    def of(self, cb: SSAValue) -> str:
        name = buffer_of(cb).format.data
        return f"{name} whole" if cb in self.whole else name


def unpacked_whole(kernel: Operation) -> frozenset[SSAValue]:
    """Float32 buffers the matrix unit never works on: it would want them as TF32."""
    moved, worked_on = set[SSAValue](), set[SSAValue]()
    for op in walk(kernel):
        if isinstance(op, ttc.MoveTileOp):
            moved.add(op.cb)
        elif isinstance(op, ttc.EltwiseTilesOp | ttc.MatmulBlockOp):
            worked_on |= {op.a, op.b}
    return frozenset(cb for cb in moved - worked_on if buffer_of(cb).format.data == "Float32")


_WITH_NEEDS = (
    ttc.MoveTileOp,
    ttc.EltwiseTilesOp,
    ttc.MatmulBlockOp,
    ttc.TilizeBlockOp,
    ttc.InitUntilizeOp,
    ttc.VectorOp,
    ttc.PackTileOp,
)


def needs_of(op: Operation, formats: Formats) -> list[Need]:
    """What an operation needs, in the order it is set up."""
    if type(op) not in _WITH_NEEDS:
        return []
    if isinstance(op, ttc.MoveTileOp):
        cb, name = op.cb, op.fn.data
        return [
            _srca(cb, formats),
            Need(FPU, (name, formats.of(cb)), lambda: ttc.InitMoveOp(name, cb)),
        ]
    if isinstance(op, ttc.EltwiseTilesOp):
        name, a, b = op.fn.data, op.a, op.b
        return [
            _srca(a, formats),
            _srcb(b, formats),
            Need(
                FPU,
                (name, op.adds is not None, formats.of(a), formats.of(b)),
                lambda: ttc.InitEltwiseOp(op),
            ),
        ]
    if isinstance(op, ttc.MatmulBlockOp):
        shape = (bool(op.transpose), *(size.value.data for size in (op.columns, op.rows, op.stride)))
        # in0 of the call, a, is unpacked to SrcB.
        return [
            _srca(op.b, formats),
            _srcb(op.a, formats),
            Need(FPU, ("matmul", *shape, formats.of(op.a), formats.of(op.b)), lambda: ttc.InitMatmulOp(op)),
        ]
    if isinstance(op, ttc.TilizeBlockOp):
        # The call undoes its set-up, so each has its own.
        tilize = Need(FPU, object(), lambda: ttc.InitTilizeOp(op))
        return [_srca(op.cb, formats), _packed(op.out), tilize]
    if isinstance(op, ttc.InitUntilizeOp):
        return [_packed(op.cb)]
    if isinstance(op, ttc.VectorOp):
        fn = op.fn.data
        function = VECTOR_FUNCTIONS[fn]
        engine = SFPU if function.unit == "vector" else FPU
        return [Need(engine, function.init, lambda: ttc.InitVectorOp(fn))]
    if isinstance(op, ttc.PackTileOp):
        return [_packed(op.cb)]
    return []


def _packed(out: SSAValue) -> Need:
    return Need(PACK, buffer_of(out).format.data, lambda: ttc.PackReconfigOp(out), out)


def _srca(cb: SSAValue, formats: Formats) -> Need:
    return Need(SRCA, formats.of(cb), lambda: ttc.ReconfigOp(cb, None), cb)


def _srcb(cb: SSAValue, formats: Formats) -> Need:
    return Need(SRCB, formats.of(cb), lambda: ttc.ReconfigOp(None, cb), cb)
