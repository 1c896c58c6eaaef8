"""Running one case: inputs on the device, the operation, its golden function in torch, and the comparison."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import Any

import torch

from conformance.op_matrix.case import Case, Input
from conformance.op_matrix.tolerances import tolerance
from tilesmith import ttnn
from tilesmith.errors import TilesmithError
from tilesmith.testing.compare import compare

LAYOUTS = {"tile": ttnn.TILE_LAYOUT, "row_major": ttnn.ROW_MAJOR_LAYOUT}


@dataclass(frozen=True)
class Outcome:
    """`problem` is empty when the result was right."""

    case: Case
    problem: str


def run_case(case: Case, device: ttnn.MeshDevice) -> Outcome:
    """Run a case and compare; a refusal is a problem too."""
    try:
        return Outcome(case, _difference(case, device))
    except (TilesmithError, AssertionError, TypeError, ValueError, RuntimeError) as error:
        return Outcome(case, f"{type(error).__name__}: {str(error)[:400]}")


def tensors_of(case: Case, device: ttnn.MeshDevice) -> list[ttnn.Tensor]:
    """The inputs of a case on a device."""
    return [_tensor(one, index, case, device) for index, one in enumerate(case.inputs)]


def call(case: Case, tensors: list[ttnn.Tensor], device: ttnn.MeshDevice) -> Any:
    """What the operation of a case gives."""
    return _call(getattr(ttnn, case.operation), case, tensors, device)


def _difference(case: Case, device: ttnn.MeshDevice) -> str:
    tensors = tensors_of(case, device)
    plain = [_plain(tensor) for tensor in tensors]
    operation = getattr(ttnn, case.operation)
    got = call(case, tensors, device)
    wanted = (
        _call(ttnn.get_golden_function(operation), case, plain, None)
        if _has_golden(case)
        else _filled(case, plain)
    )
    pairs = zip(got, wanted, strict=True) if isinstance(got, list) else [(got, wanted)]
    return "; ".join(filter(None, (_compared(case, a, b) for a, b in pairs)))


def _compared(case: Case, got: ttnn.Tensor, wanted: torch.Tensor) -> str:
    if tuple(got.shape) != tuple(wanted.shape):
        return f"shape {list(got.shape)}, expected {list(wanted.shape)}"
    inputs = [one.dtype for one in case.inputs]
    comparison = compare(ttnn.to_torch(got), wanted, tolerance(case.operation, got.dtype, inputs))
    return "" if comparison.ok else str(comparison)


def _has_golden(case: Case) -> bool:
    return case.family != "creation"


def _filled(case: Case, plain: list[torch.Tensor]) -> torch.Tensor:
    return torch.full_like(plain[0], float(case.args[0]) if case.args else 0.0)


def _tensor(one: Input, index: int, case: Case, device: ttnn.MeshDevice) -> ttnn.Tensor:
    seed = torch.Generator().manual_seed(zlib.crc32(f"{case.name}{index}".encode()))
    dtype = getattr(ttnn, one.dtype)
    if dtype.is_integer:
        values = torch.randint(int(one.low), int(one.high), one.shape, generator=seed)
    else:
        values = torch.rand(one.shape, generator=seed) * (one.high - one.low) + one.low
        # Torch and the vector unit cut fractions off differently: types are changed of whole numbers.
        values = values.round() if case.operation == "typecast" else values
    memory = memory_config(one.memory, one.shape)
    made: ttnn.Tensor = ttnn.from_torch(
        values, dtype=dtype, layout=LAYOUTS[one.layout], device=device, memory_config=memory
    )
    return made


def _plain(tensor: ttnn.Tensor) -> torch.Tensor:
    """What the device really holds, in a type torch computes well with."""
    values: torch.Tensor = ttnn.to_torch(tensor)
    return values.float() if values.is_floating_point() else values.to(torch.int32)


def _call(function: Any, case: Case, tensors: list[Any], device: ttnn.MeshDevice | None) -> Any:
    options = {key: _option(key, value, case, device) for key, value in case.options}
    if case.operation in ("layer_norm", "rms_norm") and len(tensors) == 3:
        return function(tensors[0], weight=tensors[1], bias=tensors[2], **options)
    if case.operation == "linear":
        return function(tensors[0], tensors[1], bias=tensors[2], **options)
    if device is None and case.operation in ("add", "multiply") and options:
        return _fused(function, case, tensors)
    if device is None:
        options = {
            key: value for key, value in options.items() if key not in ("layout", "memory_config", "dtype")
        }
    operands = [tensors] if case.listed else tensors
    first = [torch.tensor(value) if device is None else value for value in case.first]
    args = [
        torch.tensor(value) if device is None and _is_operand(case, value) else value for value in case.args
    ]
    return function(*first, *operands, *args, **options)


def _is_operand(case: Case, value: Any) -> bool:
    return case.family in ("binary", "ternary") and isinstance(value, float)


def _option(key: str, value: Any, case: Case, device: ttnn.MeshDevice | None) -> Any:
    if device is None:
        return value
    if key == "layout":
        return LAYOUTS[value]
    if key == "dtype":
        return getattr(ttnn, value)
    if key == "memory_config":
        return memory_config(value, case.inputs[0].shape)
    return list(value) if isinstance(value, tuple) else value


def _fused(function: Any, case: Case, tensors: list[torch.Tensor]) -> torch.Tensor:
    ((option, (step,)),) = case.options
    apply = {"relu": torch.relu, "exp": torch.exp, "sigmoid": torch.sigmoid}[step]
    a, b = tensors
    a = apply(a) if option == "input_tensor_a_activations" else a
    b = apply(b) if option == "input_tensor_b_activations" else b
    result: torch.Tensor = function(a, b)
    return apply(result) if option == "activations" else result


def memory_config(kind: str, shape: tuple[int, ...]) -> ttnn.MemoryConfig:
    """DRAM or L1; or shards on as many cores as the shape has whole tiles for."""
    if kind in ("dram", "l1"):
        return ttnn.DRAM_MEMORY_CONFIG if kind == "dram" else ttnn.L1_MEMORY_CONFIG
    height, width = math.prod(shape[:-1]), shape[-1]
    down, across = height // 32, width // 32
    grid, strategy = {
        "height": (ttnn.CoreGrid(y=1, x=down), ttnn.ShardStrategy.HEIGHT),
        "width": (ttnn.CoreGrid(y=1, x=across), ttnn.ShardStrategy.WIDTH),
        "block": (ttnn.CoreGrid(y=down, x=across), ttnn.ShardStrategy.BLOCK),
    }[kind]
    return ttnn.create_sharded_memory_config((height, width), grid, strategy)
