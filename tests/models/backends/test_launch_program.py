"""A launch becomes a program only if plan and kernel agree on how tensors lie, and the kernel fits."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

import pytest

from tilesmith.arch import load_arch
from tilesmith.errors import InternalFault
from tilesmith.formats import DataFormat
from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Apply, Input
from tilesmith.kernels.operands import Operand
from tilesmith.models.backends.l1_placement import bank_bytes
from tilesmith.models.backends.launch_program import kernel_of, program_of, stored_format
from tilesmith.models.options import ModelOptions
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import Storage, new_storage
from tilesmith.runtime import Layout, Tensor

ARCH, OPTIONS = load_arch("n150"), ModelOptions()


def launch(layout: Layout = Layout.TILE) -> Launch:
    storages = {name: new_storage(32, 64, layout, "bfloat16") for name in "xy"}
    exp = Epilogue((Result(Apply("exp", (Input("x"),)), Operand("y")),), (Operand("x"),))
    numbers = {"m": 32, "n": 64, "nb1": 1, "nb2": 1}
    return Launch(Elementwise(exp, (32, 64)), storages, numbers, ("exp",), (storages["y"],))


def unplaced(_storage: Storage) -> Tensor:
    raise LookupError


def test_products_alone_are_made_in_the_fidelity_of_the_model() -> None:
    low = replace(OPTIONS, fidelity="LoFi")
    assert kernel_of(launch(), ARCH, low) is kernel_of(launch(), ARCH, replace(OPTIONS, fidelity="HiFi4"))
    assert kernel_of(replace(launch(), fidelity="LoFi"), ARCH, low) is not kernel_of(launch(), ARCH, low)


def test_a_layout_that_was_not_planned_is_our_fault_and_says_whose_kernel() -> None:
    with pytest.raises(LookupError):  # it agrees, and asks for its tensors
        program_of(launch(), ARCH, OPTIONS, unplaced)
    with pytest.raises(InternalFault, match=r"the kernel of exp reads \w in another layout"):
        program_of(launch(Layout.ROW_MAJOR), ARCH, OPTIONS, unplaced)


def test_a_kernel_that_does_not_fit_is_our_fault_and_says_whose(monkeypatch: pytest.MonkeyPatch) -> None:
    from tilesmith.errors import L1BudgetError
    from tilesmith.models.backends import launch_program

    def too_large(*_: object) -> NoReturn:
        raise L1BudgetError("buffers take 2 MB", where="n150", remedy="use smaller blocks")

    monkeypatch.setattr(launch_program, "compiled", too_large)
    with pytest.raises(InternalFault, match="chose for exp needs more L1 than a core has: buffers take 2 MB"):
        kernel_of(launch(), ARCH, OPTIONS)


def test_a_storage_takes_whole_aligned_tiles_of_its_fullest_bank() -> None:
    assert bank_bytes(new_storage(32, 64, Layout.TILE, "bfloat16"), ARCH) == 2048  # two tiles in two banks
    cores = len(ARCH.l1_banks)
    assert bank_bytes(new_storage(32, 32 * (cores + 1), Layout.TILE, "bfloat16"), ARCH) == 4096
    assert stored_format(new_storage(32, 64, Layout.TILE, "int8")) is DataFormat.UInt8
