"""Kernels of one block that do a few things to whole tensors, and what they should give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

import tilesmith
from tilesmith.compiler.dialects.context import parse
from tilesmith.compiler.dialects.elements import numpy_type
from tilesmith.compiler.dialects.interpreter import interpret

Array = NDArray[Any]


@dataclass(frozen=True)
class Buffer:
    """A tensor and the buffer it is loaded to (or, for a result, stored from)."""

    name: str
    shape: tuple[int, ...]
    element: str = "f32"
    is_result: bool = False
    is_local: bool = False

    @property
    def kind(self) -> str:
        return f"!tile.buffer<{list(self.shape)}, {self.element}, shared>"

    @property
    def tensor(self) -> str:
        return f"!tile.tensor<{list(self.shape)}, {self.element}>"

    @property
    def place(self) -> str:
        return f"[{', '.join(['%origin'] * len(self.shape))}]"

    @property
    def sizes(self) -> str:
        return f"sizes {list(self.shape)} dims {list(range(len(self.shape)))}"


def kernel(buffers: Sequence[Buffer], work: str) -> ModuleOp:
    """One block that loads, works and stores. In `work`, {X} stands for the type of the buffer %X."""
    tensors = [one for one in buffers if not one.is_local]
    lines = ["builtin.module {"]
    args = ", ".join(f"%{one.name}_tensor: {one.tensor}" for one in tensors)
    lines += [f"  tile.func @kernel({args}) {{", "  %one = arith.constant 1 : index"]
    lines += ["  tile.grid (%bx) in (%one) {"]
    lines += [f'  %{one.name} = tile.alloc "{one.name}" : {one.kind}' for one in buffers]
    lines += ["  %origin = arith.constant 0 : index", "  %zero = arith.constant 0.0 : f32"]
    for one in tensors:
        if not one.is_result:
            lines.append(
                f"  tile.load %{one.name}_tensor{one.place} -> %{one.name} {one.sizes}"
                f" : {one.tensor} -> {one.kind}"
            )
    for one in buffers:
        work = work.replace(f"{{{one.name}}}", one.kind)
    lines.append(work)
    for one in tensors:
        if one.is_result:
            lines.append(
                f"  tile.store %{one.name} -> %{one.name}_tensor{one.place} {one.sizes}"
                f' accumulate "" : {one.kind} -> {one.tensor}'
            )
    return parse("\n".join([*lines, "  }", "  }", "}"]))


def run(
    module: ModuleOp, buffers: Sequence[Buffer], values: Mapping[str, Array], **options: Any
) -> dict[str, tuple[Array, Array]]:
    """Each result on the emulator, checks on, and as the interpreter has it."""
    results = [one for one in buffers if one.is_result]
    given = {f"{name}_tensor": array for name, array in values.items()}
    expected = {**given, **{f"{one.name}_tensor": _zeros(one, module) for one in results}}
    expected = {name: array.copy() for name, array in expected.items()}
    actual = {name: array.copy() for name, array in expected.items()}
    compiled = tilesmith.compile(module, out_idx=[], **options)
    compiled(*(actual[f"{one.name}_tensor"] for one in buffers if not one.is_local))
    interpret(module, expected, {})
    return {
        one.name: (
            actual[f"{one.name}_tensor"].astype(np.float32),
            expected[f"{one.name}_tensor"].astype(np.float32),
        )
        for one in results
    }


def values_of(
    buffers: Sequence[Buffer], module: ModuleOp, low: float = -2.0, high: float = 2.0
) -> dict[str, Array]:
    """Random numbers for everything that is loaded."""
    rng = np.random.default_rng(3)
    return {
        one.name: rng.uniform(low, high, one.shape).astype(_type(one, module))
        for one in buffers
        if not one.is_result and not one.is_local
    }


def _zeros(one: Buffer, module: ModuleOp) -> Array:
    return np.zeros(one.shape, _type(one, module))


def _type(one: Buffer, module: ModuleOp) -> Any:
    func = next(iter(module.ops))
    return numpy_type(func.tensors[f"{one.name}_tensor"].type.element_type)
