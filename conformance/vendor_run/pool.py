"""Maximum and average over windows: halo first, then two readers in turn and compute, core by core."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from conformance.accessors import accessor_words
from conformance.vendor_run.bench import BF16, TILE, Bench, Result, bits
from conformance.vendor_run.halo import MINUS_INFINITY, MOVERS, images, put_images, with_halo
from conformance.vendor_run.sliding import Window, config_tensor
from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import CBFormat, CircularBuffer, ComputeConfig, FaceGeometry, Kernel
from tilesmith.runtime import Tensor
from tilesmith.runtime.memory_config import Layout, height_sharded

KERNELS = "pool/generic/device/kernels"
FACE = 16
BUFFERS = 2  # windows in flight for each reader
MOST_TILES = 8  # along the channels, in one reduction
SCALAR, SECOND_SCALAR, CLEAR, RAW, INDICES, IN, OUT, CONFIG = 0, 1, 2, 3, 4, (5, 6), 7, 8
NONE = 32  # the number of a buffer that is not there


@dataclass(frozen=True)
class Pool:
    """What get_factory_parameters makes of a window."""

    window: Window
    average: bool
    counts_padding: bool = True

    @property
    def area(self) -> int:
        return self.window.kernel**2

    @property
    def tiles_across(self) -> int:
        return -(-self.window.channels // TILE)

    @property
    def blocks(self) -> int:
        return -(-self.tiles_across // MOST_TILES)

    @property
    def rows(self) -> int:
        """Rows that are tilized for one window."""
        return self.area if self.area <= FACE else TILE

    @property
    def page(self) -> int:
        """Elements of one window in its buffer."""
        return min(self.tiles_across, MOST_TILES) * TILE * self.rows

    @property
    def one_scalar(self) -> bool:
        return not self.average or self.counts_padding or not self.window.pad

    @property
    def faces(self) -> FaceGeometry:
        return FaceGeometry(min(self.area, FACE), 2 if self.area <= FACE else 4)


def pool(bench: Bench, pool: Pool) -> Result:
    """pool_multi_core_program_factory over a height-sharded tensor with halo; rows come out row-major."""
    window = pool.window
    x = images(window)
    source = put_images(bench, window, x, Layout.ROW_MAJOR)
    padded = with_halo(bench, window, source, 0 if pool.average else MINUS_INFINITY)
    memory = height_sharded(window.grid, (window.out_height, window.channels))
    shape = (window.outputs, window.channels)
    out = bench.device.empty(shape, BF16, layout=Layout.ROW_MAJOR, memory_config=memory)
    rows = [window.segments(shard, 0, window.out_height) for shard in window.shards]
    indices = config_tensor(bench, window, rows)
    scalars = None if pool.one_scalar else config_tensor(bench, window, _scalars(pool))
    kernels = [_reader(bench, pool, number, indices, scalars) for number in range(len(MOVERS))]
    kernels.append(_compute(bench, pool))
    bench.run(kernels, _buffers(pool, padded, indices, scalars, out))
    return out.to_torch(), wanted(pool, x)


def wanted(pool: Pool, x: torch.Tensor) -> torch.Tensor:
    """Averages with the reciprocals that the host gives, which are cut off to bfloat16."""
    window = pool.window
    image = x.float().permute(0, 3, 1, 2)
    sizes = (window.kernel, window.stride, window.pad)
    if not pool.average:
        found = torch.nn.functional.max_pool2d(image, *sizes)
    else:
        sums = torch.nn.functional.avg_pool2d(image, *sizes, divisor_override=1)
        ones = torch.ones(1, 1, window.height, window.width)
        areas = torch.nn.functional.avg_pool2d(ones, *sizes, divisor_override=1)
        if pool.counts_padding:
            areas = torch.full_like(areas, pool.area)
        found = sums * (1 / areas).to(torch.float32).view(torch.int32).bitwise_and(-65536).view(torch.float32)
    return found.permute(0, 2, 3, 1).reshape(window.outputs, window.channels)


def _cut(value: float) -> int:
    """The upper half of a float32."""
    return bits(value) >> 16


def _scalars(pool: Pool) -> list[list[int]]:
    """For each core: first output, reciprocal of its area, first output with another."""
    window, found = pool.window, []
    for first, last in (shard.outputs for shard in window.shards):
        runs: list[list[int]] = []
        for number, output in enumerate(range(first, last + 1)):
            value = _cut(1 / _area(window, output))
            if not runs or runs[-1][1] != value:
                runs.append([number, value, number])
            runs[-1][2] = number + 1
        runs[-1][2] = window.out_height
        found.append([word for run in runs for word in run])
    return found


def _area(window: Window, output: int) -> int:
    down, across = window.out_size
    y, x = output // across % down * window.stride - window.pad, output % across * window.stride - window.pad
    tall = min(y + window.kernel, window.height) - max(y, 0)
    return tall * (min(x + window.kernel, window.width) - max(x, 0))


def _buffers(
    pool: Pool, padded: Tensor, indices: Tensor, scalars: Tensor | None, out: Tensor
) -> list[CircularBuffer]:
    window, cores, size = pool.window, pool.window.grid, tile_bytes(BF16)
    stick = 2 * window.channels
    row = FaceGeometry(1, 2)

    def local(index: int, pages: int, page: int, faces: FaceGeometry | None = None) -> CircularBuffer:
        return CircularBuffer(pages * page, cores, CBFormat(index, BF16, page, face_geometry=faces))

    def config(index: int, tensor: Tensor) -> CircularBuffer:
        form = CBFormat(index, DataFormat.UInt16, tensor.size_per_bank)
        return CircularBuffer(tensor.size_per_bank, cores, form, tensor)

    scalar_rows = FaceGeometry(1, 4)
    window_page = -(-pool.page // TILE**2) * TILE**2 * 2
    found = [local(SCALAR, BUFFERS, size, scalar_rows), local(CLEAR, 1, size), config(INDICES, indices)]
    found.append(CircularBuffer(window.halo_height * stick, cores, CBFormat(RAW, BF16, stick), padded))
    found += [local(index, BUFFERS, window_page, pool.faces) for index in IN]
    pages = window.out_height * (window.channels // FACE)
    form = CBFormat(OUT, BF16, 2 * FACE, face_geometry=row)
    found.append(CircularBuffer(pages * 2 * FACE, cores, form, out))
    if scalars is not None:
        found += [local(SECOND_SCALAR, BUFFERS, size, scalar_rows), config(CONFIG, scalars)]
    return found


def _reader(bench: Bench, pool: Pool, number: int, indices: Tensor, scalars: Tensor | None) -> Kernel:
    window = pool.window
    stick = 2 * window.channels
    whole = 2 * TILE * (pool.tiles_across % MOST_TILES if pool.blocks > 1 else pool.tiles_across)
    scalar = _cut(1 / pool.area if pool.average else 1.0) << 16
    clear = 0 if pool.average else MINUS_INFINITY
    second, config = (NONE, NONE) if scalars is None else (SECOND_SCALAR, CONFIG)
    arguments = {
        0: window.out_height, 1: window.kernel, 2: window.kernel, 3: 2 * window.pad,
        4: whole or 2 * TILE * MOST_TILES, 5: window.width, 6: window.channels, 7: 1, 8: number, 9: scalar,
        10: clear, 11: pool.blocks, 12: pool.page, 13: TILE, 14: 0, 15: IN[0], 16: IN[1], 17: RAW,
        18: INDICES, 19: SCALAR, 20: second, 21: CLEAR, 22: int(pool.average), 23: int(pool.one_scalar),
        24: config, 25: stick, 26: stick, 27: BUFFERS, 28: window.stride, 29: 1, 30: 1, 31: 0, 32: 0, 33: 0,
        34: 0, 35: indices.address, 36: indices.aligned_page_size,
    }  # fmt: skip
    values = [arguments.get(index, 0) for index in range(55)]
    return bench.plain(
        f"{KERNELS}/dataflow/reader_pool_2d.cpp", window.grid, MOVERS[number],
        compile_time_args=(
            *values, *accessor_words(indices), *(accessor_words(scalars) if scalars is not None else ()),
        ),
        runtime_args={core: _work(window, place) for place, core in enumerate(window.line)},
    )  # fmt: skip


def _work(window: Window, place: int) -> tuple[int, int]:
    first, last = window.shards[place].outputs
    return last - first + 1, place


def _compute(bench: Bench, pool: Pool) -> Kernel:
    window = pool.window
    second = NONE if pool.one_scalar else SECOND_SCALAR
    arguments = (
        pool.tiles_across, pool.area, 1, 0, window.channels, pool.blocks, TILE, *IN, SCALAR, second, OUT,
        int(pool.one_scalar), NONE, 0, 0, 0, *([0] * 21), NONE,
    )  # fmt: skip
    name = "AVG" if pool.average else "MAX"
    defines = {"REDUCE_OP": f"PoolType::{name}", "REDUCE_DIM": "ReduceDim::REDUCE_COL"}
    return bench.plain(
        f"{KERNELS}/compute/compute_pool_2d.cpp", window.grid,
        ComputeConfig(fp32_dest_acc_en=pool.average and pool.area > TILE), compile_time_args=arguments,
        defines=defines, runtime_args={core: _work(window, at) for at, core in enumerate(window.line)},
    )  # fmt: skip
