"""What happens to tiles becomes stages of calls on DST slots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tilesmith.compiler.analysis.roles import COMPUTE, role_of, steps
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.lowering.tiles.clean import lower_clean
from tilesmith.compiler.lowering.tiles.copy import lower_copy
from tilesmith.compiler.lowering.tiles.dst_width import needs_wide_dst
from tilesmith.compiler.lowering.tiles.fill import lower_fill
from tilesmith.compiler.lowering.tiles.first_product import StartWithProduct
from tilesmith.compiler.lowering.tiles.gemm import lower_gemm
from tilesmith.compiler.lowering.tiles.map import lower_map
from tilesmith.compiler.lowering.tiles.reduce import lower_reduce
from tilesmith.compiler.lowering.tiles.stage import Dst
from tilesmith.compiler.pass_group import FunctionPass, PassGroup

_LOWERINGS: dict[type[Operation], Callable[[Any, Dst], None]] = {
    tile.GemmOp: lower_gemm,
    tile.MapOp: lower_map,
    tile.FillOp: lower_fill,
    tile.CopyOp: lower_copy,
    tile.ReduceOp: lower_reduce,
    tile.CleanOp: lower_clean,
}


@dataclass(frozen=True)
class LowerTTTileIntrinsics(PassGroup):
    """Every tile operation of the compute role becomes `tt.stage`s."""

    name = "lower-tt-tile-intrinsics"
    approximate: str = "none"
    fidelity: str = "HiFi4"

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        return (StartWithProduct(), LowerTileOps(self.approximate, self.fidelity))


@dataclass(frozen=True)
class LowerTileOps(FunctionPass):
    """Lower each tile operation of the compute role to stages of calls on DST slots."""

    name = "lower-tile-ops"
    approximate: str = "none"
    fidelity: str = "HiFi4"

    def rewrite(self, func: tile.FuncOp) -> None:
        work = [op for op in steps(func.body.block) if role_of(op) == COMPUTE]
        dst = Dst(
            any(needs_wide_dst(op) for op in work),
            rounds=self.approximate != "none",
            multiplies=self.fidelity in ("HiFi3", "HiFi4"),
            fast=self.approximate == "fast",
        )
        for op in work:
            if not isinstance(op, tt.StageOp):
                _LOWERINGS[type(op)](op, dst)
