"""One case of a comparison with torch: a kernel, its inputs, what it must give and how close it must come.

The output is the kernel's last parameter. It starts as NaN, so an element nobody writes is a mismatch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np
import torch

import tilesmith
from tilesmith.compiler.dialects.interpreter import interpret
from tilesmith.compiler.importer.tilelang import import_prim_func
from tilesmith.testing import Tolerance, assert_close

# Relative to the element, relative to the largest element, and the correlation. A result is stored once, so
# an element may be off by one unit of its format; the rest happens on the way: the matrix unit reads TF32 at
# best, a value that passes through a bf16 buffer is rounded there, and in Bfp8_b sixteen share an exponent.
BF16 = Tolerance(relative=2.0**-7, of_peak=2.0**-7, pcc=0.999)
FP32 = Tolerance(relative=2.0**-9, of_peak=2.0**-9, pcc=0.9999)
BFP8 = Tolerance(relative=2.0**-6, of_peak=2.0**-5, pcc=0.999)
EXACT = Tolerance(relative=0.0, of_peak=0.0, pcc=1.0)


@dataclass(frozen=True)
class Case:
    """`build` makes the kernel when it is needed: tracing takes time, collecting tests should not."""

    name: str
    build: Callable[[], Any]
    inputs: Callable[[], tuple[torch.Tensor, ...]]
    reference: Callable[..., torch.Tensor]
    tolerance: Tolerance = BF16
    formats: Mapping[str, str] = field(default_factory=dict)
    out_dtype: torch.dtype = torch.bfloat16
    initial: float = float("nan")

    def __str__(self) -> str:
        return self.name


def made(
    *shapes: tuple[int, ...], dtype: torch.dtype = torch.bfloat16, seed: int = 0
) -> tuple[torch.Tensor, ...]:
    """Tensors of normal random values, the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(shape, generator=generator).to(dtype) for shape in shapes)


def wide(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """In float64, so that the reference adds no rounding of its own."""
    return tuple(tensor.double() if tensor.is_floating_point() else tensor for tensor in tensors)


def _empty_output(case: Case, expected: torch.Tensor) -> torch.Tensor:
    initial = case.initial if case.out_dtype.is_floating_point or case.initial == case.initial else -99
    return torch.full(expected.shape, initial, dtype=case.out_dtype)


def check_on_emulator(case: Case, target: str = "wormhole") -> None:
    """Compile, run with every check on (a finding raises) and compare."""
    inputs = case.inputs()
    expected = case.reference(*wide(*inputs))
    out = _empty_output(case, expected)
    compiled = tilesmith.compile(case.build(), target=target, formats=dict(case.formats))
    compiled(*inputs, out)
    assert_close(out, expected, case.tolerance)


def check_by_interpreter(case: Case) -> None:
    """Import the kernel, run it as the tile dialect defines it, and compare."""
    inputs = case.inputs()
    expected = case.reference(*wide(*inputs))
    kernel = case.build()
    tensors = [*inputs, _empty_output(case, expected)]
    names = [kernel.buffer_map[parameter].name for parameter in kernel.params]
    arrays = {name: as_numpy(tensor) for name, tensor in zip(names, tensors, strict=True)}
    interpret(import_prim_func(kernel), arrays, {})
    assert_close(arrays[names[-1]], expected, case.tolerance)


def as_numpy(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    """A copy of the same element type."""
    if tensor.dtype is torch.bfloat16:
        return np.array(tensor.view(torch.int16).numpy()).view(ml_dtypes.bfloat16)
    return np.array(tensor.numpy())
