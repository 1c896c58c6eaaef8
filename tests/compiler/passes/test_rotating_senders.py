"""Cores of a rectangle that take turns in reading: who is told what, and when the next block is asked for."""

from __future__ import annotations

import pytest

from tilesmith.compiler.compile import compile_kernel
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Input
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.operands import Operand
from tilesmith.schedules import Rectangle


def reader(mesh: Rectangle, role: str = "reader") -> str:
    plain = Epilogue((Result(Input("acc0"), Operand("y")),))
    product = Linear(plain, transposed=False, block=(64, 64, 64), mesh=mesh)
    return compile_kernel(product.prim_func(), "n150").sources()[f"linear_{role}"]


@pytest.mark.parametrize("role", ["reader", "writer"])
def test_the_sender_is_told_that_there_is_room_before_the_next_block_is_asked_for(role: str) -> None:
    """Asking for a block of many tiles takes as long as sending one."""
    loop = reader(Rectangle(4, 4, 1, 1, 4), role).split("for (int32_t turn")[1]
    places = [loop.index(call) for call in ("tell_sender(", "noc_async_read_page(", "receive_block(")]
    assert places == sorted(places)


def test_turns_go_on_over_the_blocks_of_a_core() -> None:
    """The first block of a sum is read while the last of the one before is sent."""
    text = reader(Rectangle(4, 4, 2, 1, 3))
    assert "step = block * 3 + turn" in text
    assert "next_turn < 6" in text


def test_cores_side_by_side_have_blocks_side_by_side() -> None:
    """Blocks that lie some banks apart would begin at the same few for all cores."""
    assert "% 2 * 4 + core_x" in reader(Rectangle(4, 4, 2, 1, 3))
