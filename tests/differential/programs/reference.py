"""What a random program computes, by torch on the whole matrices, and how far rounding may carry it.

The bound comes from the program itself: it is computed again with every operation and every store off by a
random part of what the chip may round there. What that moves, the chip may move.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from tests.differential.programs.expressions import Rounding
from tests.differential.programs.spec import Buffer, Copy, Gemm, Map, Program, Reduce, Repeat, Step, Where

from tilesmith.testing import Tolerance

Tensors = dict[str, torch.Tensor]

_OF_AN_OPERATION = 2.0**-9  # operands of the matrix unit are TF32, and vector functions are approximations
_OF_A_STORE = {"bfloat16": 2.0**-8, "float32": 2.0**-11}
_RUNS, _MARGIN = 4, 3.0
_UNIT = {"bfloat16": 2.0**-7, "float32": 2.0**-10}

_REDUCTIONS = {
    "sum": lambda x, dim: x.sum(dim),
    "max": lambda x, dim: x.amax(dim),
    "min": lambda x, dim: x.amin(dim),
    "abssum": lambda x, dim: x.abs().sum(dim),
    "absmax": lambda x, dim: x.abs().amax(dim),
}


def expected(
    program: Program, inputs: Mapping[str, torch.Tensor]
) -> dict[str, tuple[torch.Tensor, Tolerance]]:
    """Every output by the name of its buffer, with the tolerance for it."""
    exact = _run(program, inputs, None)
    shaken = [_run(program, inputs, torch.Generator().manual_seed(seed)) for seed in range(_RUNS)]
    results = {}
    for buffer in program.outputs:
        value = exact[buffer.name]
        moved = max(float((run[buffer.name] - value).abs().max()) for run in shaken)
        results[buffer.name] = value, _tolerance(value, moved, _UNIT[buffer.dtype])
    return results


def _tolerance(value: torch.Tensor, moved: float, unit: float) -> Tolerance:
    peak = float(value.abs().max())
    absolute, of_peak = _MARGIN * moved, unit / 4
    # Against a nearly constant result rounding is noise, and noise does not correlate.
    spread = float(value.std()) if value.numel() > 1 else 0.0
    noise = ((unit + of_peak) * peak + absolute) / spread if spread else 1.0
    # Values that differ by less than their rounding may correlate either way.
    return Tolerance(unit, of_peak, max(-1.0, 1.0 - max(1e-3, noise**2)), absolute)


def _run(program: Program, inputs: Mapping[str, torch.Tensor], generator: torch.Generator | None) -> Tensors:
    values: Tensors = {b.name: _as_block(inputs[b.source].double(), b) for b in program.inputs}
    values["#row"] = torch.arange(program.m, dtype=torch.float64)[:, None]
    values["#column"] = torch.arange(program.n, dtype=torch.float64)[None, :]
    for step in program.steps:
        _step(program, step, inputs, values, generator)
    return {
        b.name: values[b.name].expand(_block_shape(program, b)).reshape(program.shape(b.kind))
        for b in program.outputs
    }


def _as_block(value: torch.Tensor, buffer: Buffer) -> torch.Tensor:
    """Vectors as matrices that broadcast."""
    return {"block": value, "row": value[None], "column": value[..., None]}[buffer.kind]


def _block_shape(program: Program, buffer: Buffer) -> tuple[int, int]:
    return {"block": (program.m, program.n), "row": (1, program.n), "column": (program.m, 1)}[buffer.kind]


def _rounding(generator: torch.Generator | None, unit: float) -> Rounding:
    if generator is None:
        return lambda value: value
    return lambda value: (
        value * (1 + unit * (2 * torch.rand(value.shape, generator=generator, dtype=torch.float64) - 1))
    )


def _step(
    program: Program,
    step: Step,
    inputs: Mapping[str, torch.Tensor],
    values: Tensors,
    generator: torch.Generator | None,
) -> None:
    rounding = _rounding(generator, _OF_AN_OPERATION)
    match step:
        case Map(dest, expression):
            result = expression.value(values, rounding).expand(_block_shape(program, dest))
            values[dest.name] = _rounding(generator, _OF_A_STORE[dest.dtype])(result)
        case Repeat(count, body):
            for _ in range(count):
                _step(program, body, inputs, values, generator)
        case Where(axis, body):
            before = values[body.dest.name]
            _step(program, body, inputs, values, generator)
            index, size = ("#column", program.block_n) if axis == "bx" else ("#row", program.block_m)
            even = (values[index] // size) % 2 == 0
            values[body.dest.name] = torch.where(even, values[body.dest.name], before)
        case Copy(dest, source):
            values[dest.name] = _rounding(generator, _OF_A_STORE[dest.dtype])(values[source.name])
        case Reduce(dest, source, operation):
            dim = 1 if dest.kind == "column" else 0
            whole = rounding(values[source.name])
            result = _REDUCTIONS[operation](whole, dim).reshape(_block_shape(program, dest))
            values[dest.name] = _rounding(generator, _OF_A_STORE[dest.dtype])(result)
        case Gemm():
            _gemm(step, inputs, values, rounding)


def _gemm(gemm: Gemm, inputs: Mapping[str, torch.Tensor], values: Tensors, rounding: Rounding) -> None:
    a, b = rounding(inputs[gemm.a].double()), rounding(inputs[gemm.b].double())
    product = (a.T if gemm.transpose_a else a) @ (b.T if gemm.transpose_b else b)
    values[gemm.dest.name] = product if gemm.clear else rounding(values[gemm.dest.name]) + product
