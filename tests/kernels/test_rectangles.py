"""Products on cores that share operands: rows of cores one, columns of cores the other or none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch

from tilesmith.arch import load_arch
from tilesmith.compiler.codegen.program import build_program
from tilesmith.compiler.compile import compile_kernel
from tilesmith.compiler.launch import shared_device, tensor_types
from tilesmith.formats import DataFormat
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Apply, Input
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.operands import STRIDES, Operand
from tilesmith.runtime import Layout
from tilesmith.schedules import Mesh, Rectangle

PLAIN = Epilogue((Result(Input("acc0"), Operand("y")),))
GATED = Epilogue((Result(Apply("mul", (Input("acc0"), Input("acc1"))), Operand("y")),))
FINISHED = Epilogue(
    (Result(Apply("add", (Apply("add", (Input("acc0"), Input("bias"))), Input("residual"))), Operand("y")),),
    (Operand("bias", "row"), Operand("residual")),
)


@dataclass(frozen=True)
class Case:
    sizes: tuple[int, int, int]
    block: tuple[int, int, int]
    mesh: Rectangle | Mesh | None
    target: str = "n150"
    format: str = "Float16_b"
    transposed: bool = False
    weights: int = 1
    finished: bool = False
    batches: int = 1


CASES = {
    "one block each": Case((128, 64, 64), (32, 32, 32), Rectangle(2, 4, 1, 1, 2)),
    "more turns than cores": Case((64, 64, 192), (32, 32, 32), Rectangle(2, 2, 1, 1, 6)),
    "several blocks each": Case((128, 128, 64), (32, 64, 32), Rectangle(1, 2, 2, 2, 2)),
    "turns that go on over blocks": Case((192, 128, 128), (32, 32, 32), Rectangle(2, 3, 2, 2, 4)),
    "turns of blocks that do not fill a round": Case(
        (64, 192, 96), (32, 32, 32), Rectangle(3, 2, 2, 1, 3), "p150", weights=2
    ),
    "turns over blocks with a residual": Case(
        (192, 128, 160), (32, 32, 32), Rectangle(2, 3, 2, 2, 5), transposed=True, finished=True
    ),
    "blocks beyond both ends": Case((96, 160, 64), (64, 64, 32), Rectangle(3, 2, 1, 1, 2)),
    "one turn": Case((64, 64, 64), (32, 32, 64), Rectangle(2, 2, 1, 1, 1)),
    "outputs first": Case((64, 96, 64), (32, 32, 32), Rectangle(3, 2, 1, 1, 2), transposed=True),
    "two weights": Case((64, 64, 64), (32, 32, 32), Rectangle(2, 2, 1, 1, 2), weights=2),
    "a bias and a residual": Case((64, 96, 64), (32, 32, 32), Rectangle(3, 2, 1, 1, 2), finished=True),
    "batches of rows that end inside a tile": Case(
        (40, 96, 64), (64, 32, 32), Rectangle(3, 2, 1, 1, 2, 1), batches=2
    ),
    "blocks of batches": Case((64, 64, 64), (32, 32, 32), Rectangle(2, 3, 1, 2, 2, 2), batches=3),
    "block floats": Case((64, 64, 64), (32, 32, 32), Rectangle(2, 2, 1, 1, 2), format="Bfp8_b"),
    "a row of cores beyond the columns": Case((32, 224, 64), (32, 96, 32), Mesh(3, 1, 1), finished=True),
    "rows of cores beyond columns and depth": Case((32, 352, 160), (32, 96, 64), Mesh(2, 2, 1)),
    "weights beyond columns and depth": Case(
        (64, 160, 224), (32, 64, 128), Mesh(3, 1, 2), transposed=True, weights=2
    ),
    "block floats beyond columns and depth": Case(
        (32, 160, 160), (32, 96, 128), Mesh(2, 1, 1), format="Bfp8_b", transposed=True
    ),
    "cores that share nothing, beyond columns and depth": Case(
        (64, 160, 96), (32, 96, 64), None, transposed=True, finished=True
    ),
    "columns beyond the gap": Case((64, 320, 96), (32, 32, 32), Rectangle(10, 2, 1, 1, 3), "p150"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_rectangle_of_cores_multiplies_as_torch_does(case: Case) -> None:
    m, n, k = case.sizes
    torch.manual_seed(0)
    x = torch.randn(case.batches, m, k).bfloat16().float()
    weights = [torch.randn(k, n).bfloat16().float() for _ in range(case.weights)]
    bias, residual = torch.randn(n).bfloat16().float(), torch.randn(m, n).bfloat16().float()
    wanted = torch.stack([x @ w for w in weights]).prod(0)
    given = {"x": _in_tiles(x), "y": _in_tiles(torch.zeros(case.batches, m, n))}
    given |= {f"w{i}": w.T.contiguous() if case.transposed else w for i, w in enumerate(weights)}
    epilogue = PLAIN if case.weights == 1 else GATED
    if case.finished:
        epilogue, wanted = FINISHED, wanted + bias + residual
        given |= {"bias": bias[None], "residual": residual}
    template = Linear(epilogue, case.weights, case.transposed, block=case.block, mesh=case.mesh)
    made = _run(template, case, {name: one.numpy() for name, one in given.items()})
    made = made.reshape(case.batches, -1, n)[:, :m]
    error = np.abs(made - wanted.numpy()).max() / wanted.abs().max().item()
    assert error < (2**-5 if case.format == "Bfp8_b" else 2**-7)


def _in_tiles(batches: torch.Tensor) -> torch.Tensor:
    """Batches one below the other, each in whole tiles."""
    rows = -batches.shape[1] % 32
    return torch.nn.functional.pad(batches, (0, 0, 0, rows)).flatten(0, 1)


def _run(template: Linear, case: Case, given: dict[str, np.ndarray]) -> np.ndarray:
    m, n, k = case.sizes
    arch = load_arch(case.target)
    formats = {name: case.format for name in given if name != "bias"}
    (module,) = compile_kernel(template.prim_func(), arch, formats=formats).modules
    device = shared_device(arch)
    numbers = {"m": m, "n": n, "k": k, "nb1": 1, "nb2": case.batches}
    tensors = {}
    for name, kind in tensor_types(module).items():
        layout = Layout.TILE if kind.layout.data == "tile" else Layout.ROW_MAJOR
        tensors[name] = device.empty(given[name].shape, DataFormat[kind.format.data], layout)
        tensors[name].copy_from_numpy(given[name])
        numbers |= {f"{name}_rows": given[name].shape[0], f"{name}_cols": given[name].shape[1]}
        numbers |= {f"{name}_{stride}": 0 for stride in STRIDES}
        if name in "xy":
            numbers[f"{name}_row2"] = -(-m // 32)
    report = device.run(build_program(module, arch, tensors, numbers), checks="on")
    assert not report.findings
    return tensors["y"].to_numpy().astype(np.float32)
