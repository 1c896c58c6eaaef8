"""The program of rows: each core takes whole rows of tiles and reads them once per pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tilesmith.formats import DataFormat
from tilesmith.ops.building import (
    OUT,
    Work,
    compute_kernel,
    data_movement_kernel,
    deal_out,
    page_writer,
    tile_buffer,
)
from tilesmith.ops.elementwise.steps import word_of
from tilesmith.ops.normalization.operation import Attributes
from tilesmith.ops.reduction.operation import neutral
from tilesmith.program import CircularBuffer, ComputeConfig, Kernel, Program
from tilesmith.program.kernel import FixedArgs
from tilesmith.runtime import Tensor

KERNELS = Path(__file__).parent / "kernels"
X, WEIGHT, BIAS, MASK, FIRST, SECOND = 0, 1, 2, 3, 24, 25
PASSES = {"softmax": 3, "layer_norm": 3, "rms_norm": 2}


class RowsFactory:
    """Intermediate results are columns of 32-bit numbers, whatever the input's format."""

    def create(self, attrs: Attributes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Program:
        x, output = inputs[0], outputs[0]
        width = -(-x.shape[-1] // 32)
        work = deal_out(output.device, output.num_pages // width, attrs.grid)
        shares = {core: (first * width, count * width) for core, (first, count) in work.shares.items()}
        tiles = Work(work.cores, FixedArgs(shares))
        defines = _defines(attrs, x)
        kernels = [
            _reader(attrs, inputs, work, width, defines),
            _compute(attrs, inputs, work, width, defines),
            page_writer(tiles, output),
        ]
        return Program(kernels, _buffers(attrs, inputs, output, work))


def _defines(attrs: Attributes, x: Tensor) -> dict[str, str]:
    uneven = attrs.operation == "layer_norm" and x.shape[-1] % 32 != 0
    wanted = {
        "WEIGHT": attrs.has_weight,
        "BIAS": attrs.has_bias,
        "CENTER": attrs.operation == "layer_norm",
        # Not MASK: the vendor's headers have that name for something else.
        "UNEVEN": uneven,
    }
    return {name: "1" for name, there in wanted.items() if there}


def _reader(
    attrs: Attributes, inputs: Sequence[Tensor], work: Work, width: int, defines: dict[str, str]
) -> Kernel:
    x = inputs[0]
    fill = neutral("max" if attrs.operation == "softmax" else "sum", x.dtype)
    common = [width, x.shape[-1] - (width - 1) * 32, fill, x.dtype.bits // 8]
    return data_movement_kernel(
        KERNELS / "read_rows.cpp",
        work,
        inputs,
        compile_time=[PASSES[attrs.operation]],
        common=common,
        defines=defines,
    )


def _compute(
    attrs: Attributes, inputs: Sequence[Tensor], work: Work, width: int, defines: dict[str, str]
) -> Kernel:
    common = [width]
    if attrs.operation != "softmax":
        common += [word_of(value, DataFormat.Float32) for value in (1 / inputs[0].shape[-1], attrs.epsilon)]
    wide = [cb for cb, one in zip(_places(attrs), inputs, strict=True) if one.dtype is DataFormat.Float32]
    config = ComputeConfig(fp32_dest_acc_en=True, unpack_to_dest_fp32=(*wide, MASK, FIRST, SECOND))
    name = "softmax.cpp" if attrs.operation == "softmax" else "norm.cpp"
    return compute_kernel(KERNELS / name, work, config, common=common, defines=defines)


def _buffers(attrs: Attributes, inputs: Sequence[Tensor], output: Tensor, work: Work) -> list[CircularBuffer]:
    buffers = [
        tile_buffer(cb, tensor.dtype, 2, work.cores)
        for cb, tensor in zip(_places(attrs), inputs, strict=True)
    ]
    buffers += [tile_buffer(cb, DataFormat.Float32, 1, work.cores) for cb in (MASK, FIRST, SECOND)]
    return [*buffers, tile_buffer(OUT, output.dtype, 2, work.cores)]


def _places(attrs: Attributes) -> list[int]:
    """The circular buffer of each input."""
    return [X, *([WEIGHT] if attrs.has_weight else []), *([BIAS] if attrs.has_bias else [])]
