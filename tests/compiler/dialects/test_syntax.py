"""Textual IR: what is printed can be parsed, and gives the same operations again."""

from __future__ import annotations

import pytest
from tests.compiler.passes import samples

from tilesmith.compiler.dialects.context import parse


def assert_round_trip(text: str) -> None:
    module = parse(text)
    module.verify()
    printed = str(module)
    again = parse(printed)
    assert again.is_structurally_equivalent(module)
    assert str(again) == printed


@pytest.mark.parametrize("name", samples.names())
def test_samples(name: str) -> None:
    assert_round_trip(str(samples.module(name)))


BUFFER = "!tile.buffer<[8], f32, shared>"
CB = f"!tt.cb_of<{BUFFER}>"
TENSOR = "!tile.tensor<[8], f32>"
WAIT = f"tt.cb_wait_front %cb, 2 : {CB}"
SETTING = f"""
    %c = arith.constant 1 : index
    %z = arith.constant 0.0 : f32
    %b = tile.alloc "b" : {BUFFER}
    %cb = tt.cb "b" {{pages = 1 : i64, depth = 1 : i64, page_size = 4096 : i64,
                     producer = "reader", consumer = "compute"}} : {CB}
"""


@pytest.mark.parametrize(
    "text",
    [
        'tile.func @f(%x: !tile.tensor<[8, "m"], f32>) symbols(%m) {}',
        f'tile.func @f(%x: {TENSOR}) attributes {{arg_names = ["x_1"], symbols = []}} {{}}',
        f'tt.kernel reader @f_reader(%x: {TENSOR}) symbols(%m) attributes {{source = "int x;"}} {{}}',
    ],
)
def test_functions(text: str) -> None:
    assert_round_trip(text)


@pytest.mark.parametrize(
    "text",
    [
        f'tile.grid (%bx) in (%c) attributes {{kind = "linear"}} {{ tile.fill %b, %z : {BUFFER}, f32 }}',
        f'tile.load %t[%c] limits[%c] -> %b sizes [8] dims [0] multicast "row" : {TENSOR} -> {BUFFER}',
        f'tile.store %b -> %t[%c] sizes [8] dims [0] accumulate "add" : {BUFFER} -> {TENSOR}',
        f"tile.copy %b[%c] -> %b[] sizes [4] dims [0] : {BUFFER} -> {BUFFER}",
        f'tile.copy %b[] -> %b[] sizes [8] dims [0] {{role = "compute"}} : {BUFFER} -> {BUFFER}',
        f"tile.scalar reads(%t) writes() : ({TENSOR}) -> () {{ %v = tile.read %t[%c] : {TENSOR} -> f32 }}",
        f'tt.stage "reader" "A title" ins() outs(%cb) : () -> ({CB}) {{ ^bb0: }}',
        f'tt.stage "reader" "" ins(%cb) outs() {{rotates}} : ({CB}) -> () {{ {WAIT} }}',
    ],
)
def test_operations(text: str) -> None:
    assert_round_trip(f"tile.func @f(%t: {TENSOR}) {{ {SETTING} {text} }}")


def test_kernels_share_the_names_of_their_parameters() -> None:
    """Each kernel is a scope of its own: the second `%A` needs no number."""
    kernel = "tt.kernel {role} @f_{role}(%A: !tile.tensor<[8], f32>) {{}}"
    text = str(parse("\n".join(kernel.format(role=role) for role in ("reader", "writer"))))
    assert text.count("(%A: ") == 2
