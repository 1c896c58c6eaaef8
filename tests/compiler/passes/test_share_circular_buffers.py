"""Circular buffers that are never full together become one, in kernels that need more than the core has."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import tilesmith
from tilesmith.compiler.dialects.context import compiler_context, parse
from tilesmith.compiler.dialects.tile import FuncOp
from tilesmith.compiler.dialects.tt import CBOp
from tilesmith.compiler.lowering.share_circular_buffers import ShareCircularBuffers, full_together
from tilesmith.compiler.pipeline import Choices, pipeline, run

_FRAGMENT = "!tile.buffer<[64, 64], f32, fragment>"
_TENSOR = "!tile.tensor<[64, 64], f32>"


def chain(length: int, keep: int = 0) -> ModuleOp:
    """`length` fragments, each made of the one before it and of fragment `keep`, which stays in use."""
    allocs = [f'%f{n} = tile.alloc "f{n}" : {_FRAGMENT}' for n in range(length)]
    maps = [
        f"tile.map(%f{n - 1}, %f{keep}) -> %f{n} dims [[0, 1], [0, 1]]"
        f" : ({_FRAGMENT}, {_FRAGMENT}) -> {_FRAGMENT} {{"
        f"^bb0(%x{n}: f32, %y{n}: f32, %i{n}: index, %j{n}: index):"
        f" %s{n} = arith.addf %x{n}, %y{n} : f32 tile.yield %s{n} : f32 }}"
        for n in range(max(1, keep + 1), length)
    ]
    moves = "sizes [64, 64] dims [0, 1]"
    load = f"tile.load %A[%zero, %zero] -> %f{keep} {moves} : {_TENSOR} -> {_FRAGMENT}"
    store = f'tile.store %f{length - 1} -> %B[%zero, %zero] {moves} accumulate "" : {_FRAGMENT} -> {_TENSOR}'
    body = "\n".join([*allocs, "%zero = arith.constant 0 : index", load, *maps, store])
    return parse(
        f"builtin.module {{ tile.func @chain(%A: {_TENSOR}, %B: {_TENSOR}) {{ %one = arith.constant 1 : index"
        f" tile.grid (%bx) in (%one) {{ {body} }} }} }}"
    )


def before_sharing(module: ModuleOp) -> ModuleOp:
    steps = pipeline(Choices())
    count = next(n for n, step in enumerate(steps) if isinstance(step, ShareCircularBuffers))
    run(compiler_context(), module, steps[:count])
    return module


def shared(module: ModuleOp) -> ModuleOp:
    run(compiler_context(), module, (ShareCircularBuffers(),))
    return module


def names(module: ModuleOp) -> list[str]:
    return [op.cb_name.data for op in module.walk() if isinstance(op, CBOp)]


def test_a_kernel_that_fits_keeps_its_names() -> None:
    module = before_sharing(chain(8))
    before = names(module)
    assert names(shared(module)) == before


def test_fragments_that_follow_each_other_share_two_buffers() -> None:
    module = before_sharing(chain(40))
    before = names(module)
    after = names(shared(module))
    assert len(before) > 32
    assert len(after) <= 5
    assert set(after) < set(before)


def test_what_stays_in_use_is_not_shared() -> None:
    module = shared(before_sharing(chain(40)))
    kept = next(op for op in module.walk() if isinstance(op, CBOp) and op.cb_name.data == "f0")
    func = next(op for op in module.walk() if isinstance(op, FuncOp))
    partners = {one for pair in full_together(func) if kept.cb in pair for one in pair}
    assert partners >= {
        op.cb for op in module.walk() if isinstance(op, CBOp) and op.consumer.data == "compute"
    }


@pytest.mark.parametrize("length", [8, 40])
def test_the_result_is_the_same(length: int) -> None:
    a = np.arange(64 * 64, dtype=np.float32).reshape(64, 64) / 4096
    np.testing.assert_allclose(tilesmith.compile(chain(length))(a), a * length, rtol=1e-5)
