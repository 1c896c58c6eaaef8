"""Calls of the operations that neither the comparison with ttnn nor the matrix of tests calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.op_matrix.run import memory_config

from tilesmith import ttnn
from tilesmith.ops.device import MeshDevice

Call = Callable[[MeshDevice], object]
SHAPE = (64, 64)

_OF_TWO = ("floor_div", "fmod", "remainder", "mul", "sub")
_IN_PLACE = (
    "add_", "div_", "divide_", "eq_", "ge_", "gt_", "ldexp_", "le_", "logaddexp2_", "logaddexp_",
    "logical_and_", "logical_or_", "logical_xor_", "lt_", "mul_", "multiply_", "ne_", "rsub_",
    "squared_difference_", "sub_", "subtract_",
)  # fmt: skip
_SHIFTS = ("bitwise_left_shift", "bitwise_right_shift", "logical_right_shift")
_OF_ONE = ("sigmoid_accurate", "ones_like", "empty_like", "reallocate", "unsqueeze_to_4D")


def ones(device: MeshDevice, dtype: ttnn.DataType = ttnn.bfloat16, memory: str = "dram") -> ttnn.Tensor:
    place = memory_config(memory, SHAPE)
    made: ttnn.Tensor = ttnn.ones(
        list(SHAPE), dtype=dtype, layout=ttnn.TILE_LAYOUT, device=device, memory_config=place
    )
    return made


def _two(name: str, dtype: ttnn.DataType) -> Call:
    return lambda device: getattr(ttnn, name)(ones(device, dtype), ones(device, dtype))


def _one(name: str, *args: object) -> Call:
    return lambda device: getattr(ttnn, name)(ones(device), *args)


OTHERS: Mapping[str, Call] = {
    **{name: _two(name, ttnn.bfloat16) for name in (*_OF_TWO, *_IN_PLACE, "copy")},
    **{name: _two(name, ttnn.int32) for name in _SHIFTS},
    **{name: _one(name) for name in _OF_ONE},
    "rdiv": _one("rdiv", 2.0),
    "rpow": _one("rpow", 2.0),
    "chunk": _one("chunk", 2, 0),
    "view": _one("view", [2, 32, 64]),
    "expand": lambda device: ttnn.expand(ttnn.slice(ones(device), [0, 0], [1, 64]), [64, 64]),
    "tilize_with_zero_padding": lambda device: ttnn.tilize_with_zero_padding(
        ttnn.to_layout(ones(device), ttnn.ROW_MAJOR_LAYOUT)
    ),
    "interleaved_to_sharded": _one("interleaved_to_sharded", memory_config("height", SHAPE)),
    "sharded_to_interleaved": lambda device: ttnn.sharded_to_interleaved(ones(device, memory="height")),
    "reshard": lambda device: ttnn.reshard(ones(device, memory="height"), memory_config("width", SHAPE)),
}
# These give memory or move data between the host and a device; the last takes a program of the user's.
WITHOUT_PROGRAMS = frozenset(
    {"from_torch", "to_torch", "allocate_tensor_on_device", "deallocate", "generic_op"}
)
