"""Programs on a mesh of chips that are not there: python mesh_script.py FAMILY ROWS COLUMNS DIRECTORY.

A process of its own, since ttnn reads its environment once. Prints how many collectives ttnn took, how many
kernels g++ read with its headers, and "accepted" at the end.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tilesmith import collectives
from tilesmith.arch import find_board
from tilesmith.compiler.compile import compile_kernel
from tilesmith.compiler.data_parallel import data_parallel
from tilesmith.compiler.dialects.reading import read_file
from tilesmith.errors import DeviceError
from tilesmith.formats import DataFormat
from tilesmith.program import (
    CBFormat,
    CircularBuffer,
    CoreCoord,
    Kernel,
    Program,
    ReaderConfig,
    SourceType,
    WriterConfig,
)
from tilesmith.runtime import Mesh, MeshTensor, TensorAccessorArgs, open_mesh
from tilesmith.runtime.ttnn_library import load_ttnn
from tilesmith.testing.header_check import ROLES, all_complaints, calls_in, distinct
from tilesmith.testing.mock_cluster import mock_environment
from tilesmith.testing.stand_in_compiler import LOG

BOARDS = {
    ("wormhole", 2): "n300",
    ("wormhole", 8): "t3000",
    ("wormhole", 32): "galaxy",
    ("blackhole", 4): "p150x4",
}
KERNEL = Path(__file__).parents[1] / "compiler" / "passes" / "sample_ir" / "add.mlir"
READER = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(0));
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); page++) {
        cb_reserve_back(0, 1);
        noc_async_read_page(page, tensor, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
"""
WRITER = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(0));
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(1); page++) {
        cb_wait_front(0, 1);
        noc_async_write_page(page, tensor, get_read_ptr(0));
        noc_async_write_barrier();
        cb_pop_front(0, 1);
    }
}
"""


def copy_program(source: MeshTensor, target: MeshTensor, pages: int) -> Program:
    core = CoreCoord(0, 0)
    kernels = [
        Kernel(
            text, core, config, SourceType.SOURCE_CODE,
            compile_time_args=TensorAccessorArgs(tensor.local).get_compile_time_args(),
            runtime_args={core: (tensor.local.address, pages)},
        )
        for text, config, tensor in ((READER, ReaderConfig(), source), (WRITER, WriterConfig(), target))
    ]  # fmt: skip
    return Program(kernels, [CircularBuffer(4096, core, CBFormat(0, DataFormat.Float16_b, 2048))])


def main(family: str, rows: int, columns: int, directory: Path) -> None:
    chips = rows * columns
    variables = mock_environment(family, directory, chips)
    os.environ.update(variables)
    ttnn = load_ttnn()
    ttnn.set_fabric_config(ttnn.FabricConfig.FABRIC_1D)
    with open_mesh((rows, columns), "ttnn") as mesh:
        values = np.arange(chips * 32 * 64, dtype=np.float32).reshape(chips * 32, 64)
        split = mesh.from_numpy(values, DataFormat.Float16_b, shard_dim=0)
        whole = mesh.from_numpy(values[:32], DataFormat.Float16_b)
        assert split.local.shape == (32, 64)
        assert len(split.parts()) == len(whole.parts()) == chips
        mesh.run(copy_program(split, whole, 2))
        kernels = {line for line in _noted(variables) if line.endswith(("brisc", "ncrisc"))}
        assert kernels
        # Chips with programs of their own; others have nothing to do.
        some = enumerate(mesh.coordinates[:2])
        mesh.run({chip: copy_program(whole, split, 1 + number) for number, chip in some})
        run_compiled(mesh)
        print(f"{run_collectives(mesh, BOARDS[family, chips])} collectives")
    print(f"{read_kernels(Path(variables[LOG]))} kernels")
    check_refusal(rows + 40, columns)
    print("accepted")


def run_compiled(mesh: Mesh) -> None:
    """A compiled kernel, with its tensors split over all chips."""
    kernel = compile_kernel(read_file(str(KERNEL)), target=mesh.arch)
    values = np.ones((256 * mesh.num_chips, 256), ml_dtypes.bfloat16)
    result = data_parallel(kernel, mesh, {"A": values, "B": values}, split={"A": 0, "B": 0, "C": 0})
    assert result["C"].shape == values.shape


def run_collectives(mesh: Mesh, board: str) -> int:
    """Every collective along every axis: one for every chip, and its channels are those of the emulator.

    tilesmith leaves collectives on chips to ttnn's own; here the board says that ours may be tried.
    """
    vars(mesh.chips)["board"] = find_board(board, mesh.shape)
    done = 0
    for axis in (0, 1):
        size = mesh.shape[axis]
        if size == 1:
            continue
        parts = [np.zeros((32 * size, 64 * size), np.float32)] * mesh.num_chips
        tensor = mesh.from_parts(parts, DataFormat.Float16_b)
        collectives.all_gather(tensor, 0, axis)
        collectives.all_reduce(tensor, axis)
        collectives.all_reduce(mesh.from_parts([part[:32] for part in parts], DataFormat.Float32), axis)
        collectives.reduce_scatter(tensor, 1, axis)
        collectives.all_to_all(tensor, 1, 0, axis)
        collectives.broadcast(tensor, 0, axis)
        collectives.point_to_point(tensor, 0, size - 1, axis)
        done += 7
    return done


def read_kernels(log: Path) -> int:
    """How many different kernels reached the compiler; g++ has nothing against any."""
    calls = distinct(call for call in calls_in(log) if call.role in ROLES)
    compiler = shutil.which("g++")
    if compiler is not None:
        assert not all_complaints(calls, compiler)
    return len(calls)


def check_refusal(rows: int, columns: int) -> None:
    with pytest.raises(DeviceError, match="could not open a mesh"):
        open_mesh((rows, columns), "ttnn")


def _noted(variables: dict[str, str]) -> list[str]:
    lines = Path(variables[LOG]).read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["directory"] for line in lines]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
