"""The tt dialect: what only compute kernels do, call by call.

Tiles come from circular buffers into slots of DST, are worked on there, and are packed into circular buffers.
`tile` operands count tiles from the front of a circular buffer (for packing: from its reserved end), `slot`
operands count tiles of DST. A `tt_compute.dst` scope is one hand-over from math to pack. Engines are set up
by `insert-compute-init-tt`, the calls that guard DST come with `insert-dst-management-tt`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerAttr, IntegerType, StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, Dialect, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from tilesmith.compiler.dialects.tt import CBType, number

ELTWISE = ("add", "sub", "mul")
MOVES = ("copy", "transpose")


@irdl_op_definition
class DstOp(IRDLOperation):
    """An acquire/release section: math fills `slots` slots of DST, pack empties them. `wide`: of 32 bits."""

    name = "tt_compute.dst"

    slots = prop_def(IntegerAttr)
    wide = prop_def(BoolAttr)
    math = region_def("single_block")
    pack = region_def("single_block")
    traits = traits_def(NoTerminator())

    def __init__(self, slots: int, wide: bool) -> None:
        super().__init__(
            properties={"slots": number(slots), "wide": BoolAttr.from_bool(wide)},
            regions=[Region(Block()), Region(Block())],
        )


@irdl_op_definition
class MoveTileOp(IRDLOperation):
    """A tile of a circular buffer into a slot: as it is ("copy") or turned over its diagonal."""

    name = "tt_compute.move_tile"

    fn = prop_def(StringAttr)
    cb = operand_def(CBType)
    tile = operand_def(IndexType())
    slot = operand_def(IndexType())
    assembly_format = "$fn $cb `[` $tile `]` `to` $slot attr-dict `:` type($cb)"

    def __init__(self, cb: SSAValue, tile: SSAValue, slot: SSAValue, fn: str = "copy") -> None:
        super().__init__(operands=[cb, tile, slot], properties={"fn": StringAttr(fn)})

    def verify_(self) -> None:
        if self.fn.data not in MOVES:
            raise VerifyException(f"expected a move of {MOVES}, got {self.fn.data!r}")


@irdl_op_definition
class EltwiseTilesOp(IRDLOperation):
    """The matrix unit adds, subtracts or multiplies two tiles. A product is added to what the slot holds.

    With `adds` so is a sum or a difference.
    """

    name = "tt_compute.eltwise_tiles"

    fn = prop_def(StringAttr)
    a = operand_def(CBType)
    a_tile = operand_def(IndexType())
    b = operand_def(CBType)
    b_tile = operand_def(IndexType())
    slot = operand_def(IndexType())
    adds = opt_prop_def(UnitAttr)
    assembly_format = (
        "$fn $a `[` $a_tile `]` `,` $b `[` $b_tile `]` (`added` $adds^)? `to` $slot attr-dict"
        " `:` type($a) `,` type($b)"
    )

    def __init__(
        self,
        fn: str,
        a: SSAValue,
        a_tile: SSAValue,
        b: SSAValue,
        b_tile: SSAValue,
        slot: SSAValue,
        adds: bool = False,
    ) -> None:
        properties: dict[str, Attribute | None] = {"fn": StringAttr(fn), "adds": UnitAttr() if adds else None}
        super().__init__(operands=[a, a_tile, b, b_tile, slot], properties=properties)

    def verify_(self) -> None:
        if self.fn.data not in ELTWISE:
            raise VerifyException(f"expected an operation of {ELTWISE}, got {self.fn.data!r}")


@irdl_op_definition
class MatmulBlockOp(IRDLOperation):
    """Products of `rows` tiles of a, `stride` apart, with `columns` tiles of b in a row, added to the slots.

    Tile r, c goes to slot `slot` + r * columns + c. `transpose` turns each tile of b over its diagonal.
    """

    name = "tt_compute.matmul_block"

    a = operand_def(CBType)
    a_tile = operand_def(IndexType())
    b = operand_def(CBType)
    b_tile = operand_def(IndexType())
    slot = operand_def(IndexType())
    transpose = prop_def(BoolAttr)
    columns = prop_def(IntegerAttr)
    rows = prop_def(IntegerAttr)
    stride = prop_def(IntegerAttr)
    assembly_format = (
        "$a `[` $a_tile `]` `,` $b `[` $b_tile `]` `to` $slot `rows` $rows `columns` $columns"
        " `stride` $stride `transpose` $transpose attr-dict `:` type($a) `,` type($b)"
    )

    def __init__(
        self,
        a: SSAValue,
        a_tile: SSAValue,
        b: SSAValue,
        b_tile: SSAValue,
        slot: SSAValue,
        *,
        rows: int,
        columns: int,
        stride: int,
        transpose: bool,
    ) -> None:
        super().__init__(
            operands=[a, a_tile, b, b_tile, slot],
            properties={
                "transpose": BoolAttr.from_bool(transpose),
                "columns": number(columns),
                "rows": number(rows),
                "stride": number(stride),
            },
        )


@irdl_op_definition
class VectorOp(IRDLOperation):
    """A function of the vector unit on slots: see `isa/sfpu.py` for which slots it reads and writes."""

    name = "tt_compute.vector"

    fn = prop_def(StringAttr)
    slots = var_operand_def(IndexType())
    params = var_operand_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(self, fn: str, slots: Sequence[SSAValue], params: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[list(slots), list(params)], properties={"fn": StringAttr(fn)})


@irdl_op_definition
class PackTileOp(IRDLOperation):
    """A slot into the next reserved page of a circular buffer, or into page `tile` of those reserved."""

    name = "tt_compute.pack_tile"

    slot = operand_def(IndexType())
    cb = operand_def(CBType)
    tile = opt_operand_def(IndexType())
    assembly_format = "$slot `to` $cb (`[` $tile^ `]`)? attr-dict `:` type($cb)"

    def __init__(self, slot: SSAValue, cb: SSAValue, tile: SSAValue | None = None) -> None:
        super().__init__(operands=[slot, cb, tile])


@irdl_op_definition
class TilizeBlockOp(IRDLOperation):
    """`rows` x `columns` tiles of `out` from row-major lines. It holds DST itself, and undoes its set-up."""

    name = "tt_compute.tilize_block"

    cb = operand_def(CBType)
    out = operand_def(CBType)
    rows = prop_def(IntegerAttr)
    columns = prop_def(IntegerAttr)
    assembly_format = "$cb `to` $out `rows` $rows `columns` $columns attr-dict `:` type($cb) `,` type($out)"

    def __init__(self, cb: SSAValue, out: SSAValue, rows: int, columns: int) -> None:
        super().__init__(operands=[cb, out], properties={"rows": number(rows), "columns": number(columns)})


@irdl_op_definition
class PackUntilizeOp(IRDLOperation):
    """The first `columns` slots as lines: part `part` of lines of `whole` tiles, in the next pages."""

    name = "tt_compute.pack_untilize"

    cb = operand_def(CBType)
    columns = prop_def(IntegerAttr)
    whole = prop_def(IntegerAttr)
    part = prop_def(IntegerAttr)
    assembly_format = "`to` $cb `columns` $columns `of` $whole `part` $part attr-dict `:` type($cb)"

    def __init__(self, cb: SSAValue, columns: int, whole: int, part: int) -> None:
        super().__init__(
            operands=[cb],
            properties={"columns": number(columns), "whole": number(whole), "part": number(part)},
        )


@irdl_op_definition
class AccumulateOp(IRDLOperation):
    """From here on packing adds to what the page holds (or, with false, overwrites it)."""

    name = "tt_compute.accumulate"

    enabled = operand_def(IntegerType(1))
    assembly_format = "$enabled attr-dict"

    def __init__(self, enabled: SSAValue) -> None:
        super().__init__(operands=[enabled])


# ---- set-up of the engines ----


@irdl_op_definition
class StartOp(IRDLOperation):
    """Set up all engines once: what SrcA and SrcB are unpacked from, what is packed into."""

    name = "tt_compute.start"

    srca = operand_def(CBType)
    srcb = operand_def(CBType)
    out = operand_def(CBType)
    assembly_format = "$srca `,` $srcb `to` $out attr-dict `:` type($srca) `,` type($srcb) `,` type($out)"

    def __init__(self, srca: SSAValue, srcb: SSAValue, out: SSAValue) -> None:
        super().__init__(operands=[srca, srcb, out])


@irdl_op_definition
class ReconfigOp(IRDLOperation):
    """The formats of SrcA and SrcB change to those of these circular buffers."""

    name = "tt_compute.reconfig"

    srca = opt_operand_def(CBType)
    srcb = opt_operand_def(CBType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(self, srca: SSAValue | None, srcb: SSAValue | None) -> None:
        super().__init__(operands=[srca, srcb])


@irdl_op_definition
class PackReconfigOp(IRDLOperation):
    """The format that is packed changes to that of this circular buffer."""

    name = "tt_compute.pack_reconfig"

    out = operand_def(CBType)
    assembly_format = "$out attr-dict `:` type($out)"

    def __init__(self, out: SSAValue) -> None:
        super().__init__(operands=[out])


@irdl_op_definition
class InitMoveOp(IRDLOperation):
    """Unpack and math get ready for `move_tile` of this function."""

    name = "tt_compute.init_move"

    fn = prop_def(StringAttr)
    cb = operand_def(CBType)
    assembly_format = "$fn $cb attr-dict `:` type($cb)"

    def __init__(self, fn: str, cb: SSAValue) -> None:
        super().__init__(operands=[cb], properties={"fn": StringAttr(fn)})


@irdl_op_definition
class InitEltwiseOp(IRDLOperation):
    """Unpack and math get ready for `eltwise_tiles` of this function."""

    name = "tt_compute.init_eltwise"

    fn = prop_def(StringAttr)
    a = operand_def(CBType)
    b = operand_def(CBType)
    adds = opt_prop_def(UnitAttr)
    assembly_format = "$fn $a `,` $b (`added` $adds^)? attr-dict `:` type($a) `,` type($b)"

    def __init__(self, tiles: EltwiseTilesOp) -> None:
        properties: dict[str, Attribute | None] = {"fn": tiles.fn, "adds": tiles.adds}
        super().__init__(operands=[tiles.a, tiles.b], properties=properties)


@irdl_op_definition
class InitMatmulOp(IRDLOperation):
    """Unpack and math get ready for `matmul_block` of this shape."""

    name = "tt_compute.init_matmul"

    a = operand_def(CBType)
    b = operand_def(CBType)
    transpose = prop_def(BoolAttr)
    columns = prop_def(IntegerAttr)
    rows = prop_def(IntegerAttr)
    stride = prop_def(IntegerAttr)
    assembly_format = (
        "$a `,` $b `rows` $rows `columns` $columns `stride` $stride `transpose` $transpose attr-dict"
        " `:` type($a) `,` type($b)"
    )

    def __init__(self, block: MatmulBlockOp) -> None:
        super().__init__(
            operands=[block.a, block.b],
            properties={name: block.properties[name] for name in ("transpose", "columns", "rows", "stride")},
        )


@irdl_op_definition
class InitTilizeOp(IRDLOperation):
    """Unpack and math get ready for `tilize_block`."""

    name = "tt_compute.init_tilize"

    cb = operand_def(CBType)
    out = operand_def(CBType)
    columns = prop_def(IntegerAttr)
    assembly_format = "$cb `to` $out `columns` $columns attr-dict `:` type($cb) `,` type($out)"

    def __init__(self, block: TilizeBlockOp) -> None:
        super().__init__(operands=[block.cb, block.out], properties={"columns": block.columns})


@irdl_op_definition
class InitUntilizeOp(IRDLOperation):
    """The packer gets ready for `pack_untilize` of lines of `whole` tiles, `columns` at a time."""

    name = "tt_compute.init_untilize"

    cb = operand_def(CBType)
    columns = prop_def(IntegerAttr)
    whole = prop_def(IntegerAttr)
    assembly_format = "$cb `columns` $columns `of` $whole attr-dict `:` type($cb)"

    def __init__(self, cb: SSAValue, columns: int, whole: int) -> None:
        super().__init__(operands=[cb], properties={"columns": number(columns), "whole": number(whole)})


@irdl_op_definition
class EndUntilizeOp(IRDLOperation):
    """The packer packs tiles again."""

    name = "tt_compute.end_untilize"

    cb = operand_def(CBType)
    assembly_format = "$cb attr-dict `:` type($cb)"

    def __init__(self, cb: SSAValue) -> None:
        super().__init__(operands=[cb])


@irdl_op_definition
class InitVectorOp(IRDLOperation):
    """The vector unit gets ready for the functions that share this one's init."""

    name = "tt_compute.init_vector"

    fn = prop_def(StringAttr)
    assembly_format = "$fn attr-dict"

    def __init__(self, fn: str) -> None:
        super().__init__(properties={"fn": StringAttr(fn)})


# ---- who holds DST ----


class _Guard(IRDLOperation):
    """One of the four calls that hand DST from math to pack and back."""

    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()


@irdl_op_definition
class AcquireOp(_Guard):
    name = "tt_compute.acquire"


@irdl_op_definition
class CommitOp(_Guard):
    name = "tt_compute.commit"


@irdl_op_definition
class WaitOp(_Guard):
    name = "tt_compute.wait"


@irdl_op_definition
class ReleaseOp(_Guard):
    name = "tt_compute.release"


TTComputeDialect = Dialect(
    "tt_compute",
    [
        *(DstOp, MoveTileOp, EltwiseTilesOp, MatmulBlockOp, VectorOp, PackTileOp, AccumulateOp),
        *(TilizeBlockOp, PackUntilizeOp, InitTilizeOp, InitUntilizeOp, EndUntilizeOp),
        *(StartOp, ReconfigOp, PackReconfigOp, InitMoveOp, InitEltwiseOp, InitMatmulOp, InitVectorOp),
        *(AcquireOp, CommitOp, WaitOp, ReleaseOp),
    ],
    [],
)
