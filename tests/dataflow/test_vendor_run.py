"""Kernels nobody here wrote, run from an installed ttnn: its exp, its matmul, its padding of an edge."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import tilesmith
from tilesmith.runtime import Device, Tensor, TensorAccessorArgs

CORE = tilesmith.CoreCoord(0, 0)
# Per kernel file: configuration, compile-time arguments, runtime arguments.
Texts = Mapping[
    str, tuple[tilesmith.DataMovementConfig | tilesmith.ComputeConfig, Sequence[int], Sequence[int]]
]
_TTNN = importlib.util.find_spec("ttnn")
pytestmark = [pytest.mark.real, pytest.mark.skipif(_TTNN is None, reason="ttnn is not installed")]


@pytest.fixture(scope="module", params=["wormhole", "blackhole"])
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    with tilesmith.open_device(request.param) as opened:
        yield opened


@pytest.fixture
def sources(tmp_path: Path) -> Sequence[Path]:
    """Where the vendor's kernels find each other; its own API headers are not among them."""
    assert _TTNN is not None
    assert _TTNN.submodule_search_locations is not None
    package = Path(_TTNN.submodule_search_locations[0]) / "ttnn"
    (tmp_path / "ttnn").symlink_to(package)
    return tmp_path, package / "cpp"


def program(
    sources: Sequence[Path],
    texts: Texts,
    cbs: Sequence[int],
    defines: Mapping[str, str] | None = None,
) -> tilesmith.Program:
    kernels = tuple(
        tilesmith.Kernel(
            sources[1] / "ttnn" / "operations" / name,
            CORE,
            config,
            compile_time_args=compile_time,
            named_compile_time_args={"cb_in0": 0, "cb_in1": 1, "cb_out": 16},
            runtime_args={CORE: runtime},
            defines=defines or {},
            compiler_include_paths=sources,
        )
        for name, (config, compile_time, runtime) in texts.items()
    )
    buffers = (
        tilesmith.CircularBuffer(4096, CORE, (tilesmith.CBFormat(cb, tilesmith.bfloat16, 2048),))
        for cb in cbs
    )
    return tilesmith.Program(kernels, tuple(buffers))


def words(*tensors: Tensor) -> list[int]:
    return [word for tensor in tensors for word in TensorAccessorArgs(tensor).get_compile_time_args()]


def test_exp(device: Device, sources: Sequence[Path]) -> None:
    values = np.random.default_rng(0).standard_normal((64, 96)).astype(np.float32)
    x = device.from_numpy(values, tilesmith.bfloat16)
    out = device.empty(values.shape, tilesmith.bfloat16)
    folder, pages = "eltwise/unary/device/kernels", x.num_pages
    texts: Texts = {
        f"{folder}/dataflow/reader_unary_interleaved_start_id.cpp": (
            tilesmith.ReaderConfig(), words(x), (x.address, pages, 0),
        ),
        f"{folder}/dataflow/writer_unary_interleaved_start_id.cpp": (
            tilesmith.WriterConfig(), [2, *words(out)], (out.address, pages, 0),
        ),
        f"{folder}/compute/eltwise_sfpu.cpp": (tilesmith.ComputeConfig(), (), (pages,)),
    }  # fmt: skip
    chain = {"SFPU_OP_EXP_INCLUDE": "1", "SFPU_OP_CHAIN_0": "exp_tile_init(); exp_tile(0);"}
    device.run(program(sources, texts, (0, 2), chain))
    np.testing.assert_allclose(out.to_numpy(), np.exp(x.to_numpy()), rtol=2**-7)


@pytest.mark.parametrize("inner", [64, 50], ids=["whole tiles", "a padded edge"])
def test_matmul(device: Device, sources: Sequence[Path], inner: int) -> None:
    generator = np.random.default_rng(inner)
    a = device.from_numpy(generator.standard_normal((64, inner)).astype(np.float32), tilesmith.bfloat16)
    b = device.from_numpy(generator.standard_normal((inner, 96)).astype(np.float32), tilesmith.bfloat16)
    out = device.empty((64, 96), tilesmith.bfloat16)
    rows, depth, columns = 2, 2, 3
    shape = (rows, depth, columns, rows * depth, depth * columns, 1, 0, 0, rows * columns, rows * columns)
    folder = "matmul/device/kernels"
    texts: Texts = {
        f"{folder}/dataflow/reader_bmm_8bank_output_tiles_partitioned.cpp": (
            tilesmith.ReaderConfig(), [inner % 32, 0, *words(a, b)], (a.address, b.address, *shape),
        ),
        "eltwise/unary/device/kernels/dataflow/writer_unary_interleaved_start_id.cpp": (
            tilesmith.WriterConfig(), [16, *words(out)], (out.address, rows * columns, 0),
        ),
        f"{folder}/compute/bmm.cpp": (tilesmith.ComputeConfig(), (1, rows, depth, columns), ()),
    }  # fmt: skip
    device.run(program(sources, texts, (0, 1, 16)))
    np.testing.assert_allclose(out.to_numpy(), a.to_numpy() @ b.to_numpy(), rtol=2**-6, atol=0.25)
