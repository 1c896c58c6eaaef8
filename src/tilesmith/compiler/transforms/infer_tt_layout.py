"""Pass 1: the layout and format of every tensor and buffer."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.passes import ModulePass

from tilesmith.compiler.pass_group import PassGroup
from tilesmith.compiler.transforms.assign_layouts import AssignLayouts
from tilesmith.compiler.transforms.converting_transfers import ConvertTransfers
from tilesmith.compiler.transforms.fold_unit_dims import FoldUnitDims
from tilesmith.compiler.transforms.layout_conversion import ConvertLayouts
from tilesmith.compiler.transforms.merge_product_steps import MergeProductSteps
from tilesmith.compiler.transforms.neutral_padding import CleanPadding
from tilesmith.compiler.transforms.scalarize_untileable import ScalarizeUntileable
from tilesmith.compiler.transforms.schedule_products import ScheduleProducts
from tilesmith.compiler.transforms.self_copies import SplitSelfCopies
from tilesmith.compiler.transforms.verify_initialized import VerifyInitialized


@dataclass(frozen=True)
class InferTTLayout(PassGroup):
    """Fill in layout and format of every type. `formats` are the user's choices: "B=Bfp8_b,bias=Float32".

    What no layout lets work tile by tile becomes scalar code; a buffer used in two layouts gets a copy; where
    padding counts, it is cleaned. For a chip, products take as many steps as suit its L1.
    """

    name = "infer-tt-layout"

    formats: str = ""
    arch: str = ""
    fidelity: str = "HiFi4"

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        return (
            SplitSelfCopies(),
            ConvertTransfers(),
            VerifyInitialized(),
            FoldUnitDims(),
            ScalarizeUntileable(),
            AssignLayouts(formats=self.formats),
            ConvertLayouts(),
            CleanPadding(),
            MergeProductSteps(arch=self.arch),
            ScheduleProducts(arch=self.arch, fidelity=self.fidelity),
        )
