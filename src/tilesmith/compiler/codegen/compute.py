"""C++ for compute kernels: tiles into DST, work on them, packing, and the set-up of the engines."""

from __future__ import annotations

import struct

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.codegen.cpp import Emitter, emits
from tilesmith.compiler.dialects import tt_compute as ttc
from tilesmith.isa.sfpu import VECTOR_FUNCTIONS, Param, VectorFunction

_GUARDS: dict[type[Operation], str] = {
    ttc.AcquireOp: "tile_regs_acquire",
    ttc.CommitOp: "tile_regs_commit",
    ttc.WaitOp: "tile_regs_wait",
    ttc.ReleaseOp: "tile_regs_release",
}
_MOVES = {"copy": "api/compute/tile_move_copy.h", "transpose": "api/compute/transpose.h"}
_BITS_OF = """
// The bits of a float, as the vector unit takes its parameters.
inline uint32_t bits_of(float value) {
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    return bits;
}
"""


# ---- on slots ----


@emits(ttc.MoveTileOp)
def _move(e: Emitter, op: ttc.MoveTileOp) -> None:
    e.include(_MOVES[op.fn.data])
    e.line(f"{op.fn.data}_tile({e.cb(op.cb)}, {e.value(op.tile)}, {e.value(op.slot)});")


@emits(ttc.EltwiseTilesOp)
def _eltwise(e: Emitter, op: ttc.EltwiseTilesOp) -> None:
    e.include("api/compute/eltwise_binary.h")
    tiles = f"{e.cb(op.a)}, {e.cb(op.b)}, {e.value(op.a_tile)}, {e.value(op.b_tile)}"
    e.line(f"{op.fn.data}_tiles({tiles}, {e.value(op.slot)});")


@emits(ttc.MatmulBlockOp)
def _matmul(e: Emitter, op: ttc.MatmulBlockOp) -> None:
    e.include("api/compute/matmul.h")
    tiles = f"{e.cb(op.a)}, {e.cb(op.b)}, {e.value(op.a_tile)}, {e.value(op.b_tile)}, {e.value(op.slot)}"
    e.line(f"matmul_block({tiles}, {_block_shape(op)});")


def _block_shape(op: ttc.MatmulBlockOp | ttc.InitMatmulOp) -> str:
    sizes = (op.columns, op.rows, op.stride)
    return ", ".join([str(int(bool(op.transpose))), *(str(size.value.data) for size in sizes)])


@emits(ttc.VectorOp)
def _vector(e: Emitter, op: ttc.VectorOp) -> None:
    function = _vector_function(e, op.fn.data)
    slots = [e.value(slot) for slot in op.slots]
    params = [_param(e, value, how) for value, how in zip(op.params, function.params, strict=True)]
    e.line(function.call.format(*slots, *params) + ";")


def _vector_function(e: Emitter, name: str) -> VectorFunction:
    function = VECTOR_FUNCTIONS[name]
    e.include(function.header)
    if function.define:
        e.define(function.define)
    if function.helper:
        e.helper(name, function.helper)
    return function


def _param(e: Emitter, value: SSAValue, how: Param) -> str:
    if how != "bits":
        return e.value(value)
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, FloatAttr):
        return float_bits(owner.value.value.data)
    e.helper("bits_of", _BITS_OF)
    return f"bits_of({e.value(value)})"


def float_bits(value: float) -> str:
    """A float as the vector unit takes it, with the number itself beside the bits.

    >>> float_bits(0.5)
    '0x3f000000u /* 0.5 */'
    """
    try:
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        bits = 0x7F800000 | (0x80000000 if value < 0 else 0)
    return f"0x{bits:08x}u /* {value:g} */"


@emits(ttc.PackTileOp)
def _pack(e: Emitter, op: ttc.PackTileOp) -> None:
    e.include("api/compute/pack.h")
    if op.tile is None:
        e.line(f"pack_tile({e.value(op.slot)}, {e.cb(op.cb)});")
    else:
        e.line(f"pack_tile<true>({e.value(op.slot)}, {e.cb(op.cb)}, {e.value(op.tile)});")


@emits(ttc.TilizeBlockOp)
def _tilize(e: Emitter, op: ttc.TilizeBlockOp) -> None:
    e.include("api/compute/tilize.h")
    cb, out, columns = e.cb(op.cb), e.cb(op.out), op.columns.value.data
    for row in range(op.rows.value.data):
        e.line(f"tilize_block({cb}, {columns}, {out}, {row * columns}, {row * columns});")
    e.line(f"tilize_uninit({cb}, {out});")


@emits(ttc.PackUntilizeOp)
def _pack_untilize(e: Emitter, op: ttc.PackUntilizeOp) -> None:
    e.include("api/compute/pack_untilize.h")
    sizes = f"{op.columns.value.data}, {op.whole.value.data}"
    e.line(f"pack_untilize_dest<{sizes}>({e.cb(op.cb)}, 1, {op.part.value.data});")


@emits(ttc.AccumulateOp)
def _accumulate(e: Emitter, op: ttc.AccumulateOp) -> None:
    e.include("api/compute/pack.h")
    e.line(f"pack_reconfig_l1_acc({e.value(op.enabled)});")


@emits(*_GUARDS)
def _guard(e: Emitter, op: Operation) -> None:
    e.include("api/compute/reg_api.h")
    e.line(f"{_GUARDS[type(op)]}();")


# ---- set-up ----


@emits(ttc.StartOp)
def _start(e: Emitter, op: ttc.StartOp) -> None:
    e.include("api/compute/compute_kernel_hw_startup.h")
    e.line(f"compute_kernel_hw_startup({e.cb(op.srca)}, {e.cb(op.srcb)}, {e.cb(op.out)});")


@emits(ttc.ReconfigOp)
def _reconfig(e: Emitter, op: ttc.ReconfigOp) -> None:
    e.include("api/compute/reconfig_data_format.h")
    sides = {"_srca": op.srca, "_srcb": op.srcb}
    changed = {side: e.cb(cb) for side, cb in sides.items() if cb is not None}
    suffix = "" if len(changed) == len(sides) else "".join(changed)
    e.line(f"reconfig_data_format{suffix}({', '.join(changed.values())});")


@emits(ttc.PackReconfigOp)
def _pack_reconfig(e: Emitter, op: ttc.PackReconfigOp) -> None:
    e.include("api/compute/reconfig_data_format.h")
    e.line(f"pack_reconfig_data_format({e.cb(op.out)});")


@emits(ttc.InitMoveOp)
def _init_move(e: Emitter, op: ttc.InitMoveOp) -> None:
    e.include(_MOVES[op.fn.data])
    e.line(f"{op.fn.data}_init({e.cb(op.cb)});")


@emits(ttc.InitEltwiseOp)
def _init_eltwise(e: Emitter, op: ttc.InitEltwiseOp) -> None:
    e.include("api/compute/eltwise_binary.h")
    adds = ", true" if op.adds is not None else ""
    e.line(f"{op.fn.data}_init({e.cb(op.a)}, {e.cb(op.b)}{adds});")


@emits(ttc.InitMatmulOp)
def _init_matmul(e: Emitter, op: ttc.InitMatmulOp) -> None:
    e.include("api/compute/matmul.h")
    e.line(f"matmul_block_init({e.cb(op.a)}, {e.cb(op.b)}, {_block_shape(op)});")


@emits(ttc.InitTilizeOp)
def _init_tilize(e: Emitter, op: ttc.InitTilizeOp) -> None:
    e.include("api/compute/tilize.h")
    e.line(f"tilize_init({e.cb(op.cb)}, {op.columns.value.data}, {e.cb(op.out)});")


@emits(ttc.InitUntilizeOp)
def _init_untilize(e: Emitter, op: ttc.InitUntilizeOp) -> None:
    e.include("api/compute/pack_untilize.h")
    e.line(f"pack_untilize_dest_init<{op.columns.value.data}, {op.whole.value.data}>({e.cb(op.cb)});")


@emits(ttc.EndUntilizeOp)
def _end_untilize(e: Emitter, op: ttc.EndUntilizeOp) -> None:
    e.include("api/compute/pack_untilize.h")
    e.line(f"pack_untilize_uninit({e.cb(op.cb)});")


@emits(ttc.InitVectorOp)
def _init_vector(e: Emitter, op: ttc.InitVectorOp) -> None:
    e.line(f"{_vector_function(e, op.fn.data).init};")
