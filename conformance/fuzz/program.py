"""A random kernel: its tensors, its grid of blocks, its buffers and what a block does."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from conformance.fuzz.statements import Copy, Memory, State, Statement, Store, indented, run_all
from conformance.fuzz.values import Array, Value, drawn, is_float, numpy_type, wide

_UNWRITTEN = -77


@dataclass(frozen=True)
class Program:
    """`limits` names tensors of small integers, below the number given: indices, counts."""

    tensors: tuple[Memory, ...]
    buffers: tuple[Memory, ...]
    body: tuple[Statement, ...]
    blocks: int = 1
    special: frozenset[str] = frozenset()
    limits: tuple[tuple[str, int], ...] = ()
    dynamic: bool = False
    across: int = 1
    """How many blocks stand side by side: `bc` counts them, and `bx` those below each other."""

    def source(self) -> str:
        """A module with one prim_func called `kernel`."""
        used = self.used()
        parameters = ", ".join(
            f"{one.name}: T.Tensor({self._shape(one)}, '{one.dtype}')" for one in self.tensors
        )
        lines = ["import tilelang.language as T", ""]
        if self.dynamic:
            lines += ["rows = T.dynamic('rows')", ""]
        lines += ["@T.prim_func", f"def kernel({parameters}):"]
        lines += [f"    with T.Kernel({self._grid()}, threads=128) as {self._indices()}:"]
        lines += [f"        {one.declaration}" for one in self.buffers if one.name in used]
        return "\n".join([*lines, *(f"    {line}" for line in indented(self.body)), ""])

    def used(self) -> set[str]:
        text = "\n".join(indented(self.body))
        return {one.name for one in self.buffers if one.name in text}

    @property
    def rounds_ties_away(self) -> bool:
        """Whether results are written to buffers of bfloat16, where the packer takes ties away from zero."""
        return any(map(_rounds_ties_away, self.body))

    def _grid(self) -> str:
        below = f"T.ceildiv(rows, {self.buffers[0].shape[0]})" if self.dynamic else str(self.blocks)
        return f"{self.across}, {below}" if self.across > 1 else below

    def _indices(self) -> str:
        return "(bc, bx)" if self.across > 1 else "bx"

    def _shape(self, tensor: Memory) -> str:
        if not self.dynamic or tensor.name in dict(self.limits):
            return str(tensor.shape)
        return f"(rows, {', '.join(map(str, tensor.shape[1:]))})"

    def inputs(self, seed: int) -> dict[str, Array]:
        """Every tensor before the kernel runs; outputs hold what no kernel writes."""
        rng = np.random.default_rng(seed)
        limits = dict(self.limits)
        made: dict[str, Array] = {}
        for one in self.tensors:
            if one.name in limits:
                made[one.name] = rng.integers(0, limits[one.name], one.shape).astype(numpy_type(one.dtype))
            elif one.scope == "out":
                made[one.name] = np.full(one.shape, np.nan if is_float(one.dtype) else 1).astype(
                    numpy_type(one.dtype)
                )
            else:
                made[one.name] = drawn(rng, one.shape, one.dtype, one.name in self.special)
        return made

    def expected(self, inputs: dict[str, Array]) -> dict[str, Value]:
        """Every tensor after it has run."""
        tensors = {one.name: Value.exact(wide(inputs[one.name], one.dtype)) for one in self.tensors}
        for block, column in product(range(self.blocks), range(self.across)):
            state = State(dict(tensors), {"bx": np.asarray(block), "bc": np.asarray(column)})
            for one in self.buffers:
                empty = (
                    np.full(one.shape, float(_UNWRITTEN))
                    if is_float(one.dtype)
                    else np.full(one.shape, _UNWRITTEN)
                )
                state.memories[one.name] = Value(empty, np.full(one.shape, np.inf))
            run_all(self.body, state)
        return {one.name: tensors[one.name] for one in self.tensors if one.scope in ("out", "both")}


def _rounds_ties_away(statement: Statement) -> bool:
    if isinstance(statement, Store):
        return statement.memory.dtype == "bfloat16"
    if isinstance(statement, Copy):
        return statement.dest.memory.dtype == "bfloat16" != statement.source.memory.dtype
    inner = [part for name in ("body", "then", "otherwise") for part in getattr(statement, name, ())]
    return any(map(_rounds_ties_away, inner))
