"""Transfers on the emulator, with its checks on: what arrives is what the tile dialect says."""

from __future__ import annotations

import pytest
from tests.compiler.passes.layouts import after, tensors
from tests.compiler.passes.movement import Move, Side, run_against_interpreter
from xdsl.dialects.builtin import Float8E4M3FNType, IntegerType, Signedness, f32, i8, i32

from tilesmith.compiler.transforms.infer_tt_layout import InferTTLayout

CHIPS = ("wormhole", "blackhole")
u8 = IntegerType(8, Signedness.UNSIGNED)


def square(shape: tuple[int, ...], block: tuple[int, int]) -> Side:
    return Side(shape, block, (0, 1), (("y", block[0]), ("x", block[1])))


def blocks(shape: tuple[int, int], block: tuple[int, int], **more: object) -> Move:
    """Every block of a matrix, to the same place in another one."""
    grid = (-(-shape[1] // block[1]), -(-shape[0] // block[0]))
    return Move(square(shape, block), square(shape, block), block, grid, **more)  # type: ignore[arg-type]


MOVES = {
    "whole_tiles": blocks((128, 192), (64, 96)),
    "tiles_past_the_edge": blocks((130, 161), (64, 64)),
    "one_block_larger_than_the_tensor": blocks((20, 50), (64, 64)),
    "rows_that_are_no_tiles": blocks((100, 100), (20, 40)),
    "float32": blocks((100, 90), (20, 40), element=f32),
    "int32": blocks((50, 90), (20, 40), element=i32),
    "int8": blocks((50, 101), (20, 40), element=i8),
    "uint8": blocks((50, 101), (20, 40), element=u8),
    "float8": blocks((50, 101), (20, 40), element=Float8E4M3FNType()),
    "heads_of_a_batch": Move(
        Side((2, 48, 3, 64), (1, 16, 1, 64), (-1, 0, -1, 1), (("x", 1), ("y", 16), ("z", 1), 0)),
        Side((2, 3, 48, 64), (1, 1, 16, 64), (-1, -1, 0, 1), (("x", 1), ("z", 1), ("y", 16), 0)),
        (16, 64),
        (2, 3, 3),
    ),
    "batch_of_matrices": Move(
        Side((4, 40, 24), (2, 40, 24), (0, 1, 2), (("x", 2), 0, 0)),
        Side((4, 40, 24), (2, 40, 24), (0, 1, 2), (("x", 2), 0, 0)),
        (2, 40, 24),
        (2,),
    ),
    "limits": Move(
        Side((64, 64), (32, 32), (0, 1), (16, 16), (20, 13)),
        Side((64, 64), (32, 32), (0, 1), (8, 4), (30, 31)),
        (32, 32),
    ),
    "transposed": Move(Side((40, 24), (40, 24), (1, 0)), Side((24, 40), (24, 40), (0, 1)), (24, 40)),
    "a_column_of_a_matrix": Move(Side((40, 24), (40, 1), (0, -1), (0, 5)), Side((40,), (40,), (0,)), (40,)),
    "a_vector": Move(
        Side((100,), (32,), (0,), (("x", 32),)), Side((100,), (32,), (0,), (("x", 32),)), (32,), (4,)
    ),
    "a_long_vector": Move(Side((5000,), (5000,), (0,)), Side((5000,), (5000,), (0,)), (5000,)),
    "before_the_start": Move(
        Side((40, 24), (32, 32), (0, 1), (-3, -7)), Side((64, 64), (32, 32), (0, 1)), (32, 32)
    ),
    "a_view_with_longer_rows": Move(
        Side((24, 40), (12, 80), (0, 1), view=(12, 80)), Side((12, 80), (12, 80), (0, 1)), (12, 80)
    ),
    "a_view_with_shorter_rows": Move(
        Side((6, 120), (18, 40), (0, 1), view=(18, 40)), Side((18, 40), (18, 40), (0, 1)), (18, 40)
    ),
    "a_view_in_many_pieces": Move(
        Side((24, 41), (123,), (0,), (("x", 123),), view=(984,)),
        Side((984,), (123,), (0,), (("x", 123),)),
        (123,),
        (8,),
    ),
    "a_view_from_anywhere": Move(
        Side((24, 41), (90,), (0,), (("x", 7),), view=(984,)),
        Side((8, 90), (1, 90), (-1, 0), (("x", 1), 0)),
        (90,),
        (8,),
    ),
    "a_flat_view": Move(
        Side((24, 40), (96,), (0,), (("x", 96),), view=(960,)),
        Side((24, 40), (96,), (0,), (("x", 96),), view=(960,)),
        (96,),
        (10,),
    ),
    "sums": blocks((50, 60), (32, 32), element=f32, accumulate="add"),
    "maxima_of_integers": blocks((50, 60), (32, 32), element=i32, accumulate="max"),
    "rows_of_any_number": Move(
        Side(("m", 96), (32, 96), (0, 1), (("x", 32), 0)),
        Side(("m", 96), (32, 96), (0, 1), (("x", 32), 0)),
        (32, 96),
        (4,),
        symbols={"m": 100},
    ),
}


@pytest.mark.parametrize("target", CHIPS)
@pytest.mark.parametrize("name", MOVES)
def test_moves(name: str, target: str) -> None:
    move = MOVES[name]
    run_against_interpreter(move.module(), target, move.symbols)


def test_sums_of_blocks_that_meet() -> None:
    """All blocks add to the same place: one core does them, in order."""
    source = Side((128, 40), (32, 40), (0, 1), (("x", 32), 0))
    move = Move(source, Side((32, 40), (32, 40), (0, 1)), (32, 40), (4,), f32, "add")
    run_against_interpreter(move.module())


def test_results_of_8_bits_are_rounded_once() -> None:
    """What is only read is bfloat16 in DRAM; what is written stays Float32 until it is read back."""
    module = after(MOVES["float8"].module(), InferTTLayout())
    assert tensors(module) == {"A": "row_major Float16_b", "C": "row_major Float32"}
