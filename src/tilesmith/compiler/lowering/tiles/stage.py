"""Building a compute stage: acquire/release sections, circular buffers of its own, and where it goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, FloatAttr, IntegerAttr, IntegerType, UnitAttr, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.compiler.analysis.tile_geometry import page_bytes, tiles_of
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.compiler.dialects.types import BufferType
from tilesmith.compiler.lowering.transfers.build import Body, Index
from tilesmith.errors import InternalFault


@dataclass(frozen=True)
class Dst:
    """What one acquire/release section holds: half of the registers; the other half is being packed.

    `rounds` says that the matrix unit may round what it adds to eleven bits, `multiplies` that its phases are
    enough for a product of two tiles to keep them, `fast` that functions may be approximations.
    """

    wide: bool
    rounds: bool = False
    multiplies: bool = True
    fast: bool = False

    @property
    def capacity(self) -> int:
        """Slots in a section.

        >>> Dst(wide=True).capacity, Dst(wide=False).capacity
        (4, 8)
        """
        return 4 if self.wide else 8


class Stage(Body):
    """The body of a compute stage while it grows."""

    def __init__(self, dst: Dst) -> None:
        super().__init__()
        self.dst = dst

    def dst_section(self, slots: int) -> ttc.DstOp:
        """An acquire/release section of DST; `inside` its two blocks goes what math and pack do."""
        scope = ttc.DstOp(slots, self.dst.wide)
        self.op(scope)
        return scope

    @contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        outer, self.block = self.block, block
        yield
        self.block = outer

    def move(self, cb: SSAValue, at: Index, slot: Index, fn: str = "copy") -> None:
        self.op(ttc.MoveTileOp(cb, self.value(at), self.value(slot), fn))

    def vector(self, fn: str, slots: Sequence[Index], params: Sequence[SSAValue] = ()) -> None:
        self.op(ttc.VectorOp(fn, [self.value(slot) for slot in slots], params))

    def spread_row(self, slot: Index, into: Index) -> None:
        """Row 0 of a slot, all over another."""
        self.vector("fill", [into], [self.number(1.0)])
        self.vector("spread_row", [slot, into])

    def spread_column(self, slot: Index, into: Index) -> None:
        """Column 0 of a slot, all over another; the slot is left transposed."""
        self.vector("transpose", [slot])
        self.spread_row(slot, into)
        self.vector("transpose", [into])

    def pack(self, slot: Index, cb: SSAValue, at: Index | None = None) -> None:
        self.op(ttc.PackTileOp(self.value(slot), cb, None if at is None else self.value(at)))

    def number(self, value: float) -> SSAValue:
        return self.op(arith.ConstantOp(FloatAttr(value, f32))).results[0]

    def flag(self, value: bool) -> SSAValue:
        return self.op(arith.ConstantOp(IntegerAttr(int(value), IntegerType(1)))).results[0]

    def as_float(self, value: Index) -> SSAValue:
        """A scalar of any type as f32; numbers known now are converted now."""
        if isinstance(value, int):
            return self.number(float(value))
        if isinstance(value.type, Float32Type):
            return value
        if value.type == IntegerType(1):
            return self.op(arith.UIToFPOp(value, f32)).results[0]
        if not isinstance(value.type, IntegerType):
            value = self.op(arith.IndexCastOp(value, IntegerType(32))).results[0]
        return self.op(arith.SIToFPOp(value, f32)).results[0]

    def place_before(
        self,
        op: Operation,
        title: str,
        ins: Sequence[SSAValue],
        outs: Sequence[SSAValue],
        rotates: bool = False,
    ) -> tt.StageOp:
        """Put the stage before an operation. One that `rotates` pops and pushes what it updates itself."""
        stage = tt.StageOp("compute", title, list(dict.fromkeys(ins)), outs, self.region)
        stage.location = op.location
        if rotates:
            stage.attributes["rotates"] = UnitAttr()
        Rewriter.insert_op(stage, InsertPoint.before(op))
        return stage


def buffer_of(cb: SSAValue) -> BufferType:
    """The buffer a circular buffer holds."""
    buffer_type = tile.place_of(cb)
    if not isinstance(buffer_type, BufferType):
        raise InternalFault(f"expected a circular buffer, got {cb.type}")
    return buffer_type


def name_of(cb: SSAValue) -> str:
    owner = cb.owner
    return owner.cb_name.data if isinstance(owner, tt.CBOp) else cb.name_hint or "buffer"


def largest_divisor(number: int, limit: int) -> int:
    """The largest divisor of a number that is not above a limit.

    >>> largest_divisor(12, 8), largest_divisor(7, 4)
    (6, 1)
    """
    return next(size for size in range(min(number, limit), 0, -1) if number % size == 0)


def temporary(op: Operation, name: str, buffer_type: BufferType) -> SSAValue:
    """A circular buffer from compute to compute, declared with the others of the kernel `op` is in."""
    block = kernel_block(op)
    declared = [one for one in block.ops if isinstance(one, tt.CBOp)]
    taken = {one.cb_name.data for one in declared}
    names = [name, *(f"{name}_{number}" for number in range(2, len(taken) + 3))]
    unused = next(one for one in names if one not in taken)
    cb = tt.CBOp(unused, buffer_type, tiles_of(buffer_type), 1, page_bytes(buffer_type), "compute", "compute")
    at = InsertPoint.after(declared[-1]) if declared else InsertPoint.at_start(block)
    Rewriter.insert_op(cb, at)
    return cb.cb


def kernel_block(op: Operation) -> Block:
    """The body of the kernel an operation is in."""
    at: Operation | None = op
    while at is not None and not isinstance(at, tile.FuncOp | tt.KernelOp):
        at = at.parent_op()
    if at is None:
        raise InternalFault(f"{op.name} is in no kernel")
    return at.body.block
