"""Products on a rectangle of cores, where rows of cores share one operand and columns the other."""

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
from tilesmith.kernels.linear import Linear, Rectangle
from tilesmith.kernels.operands import STRIDES, Operand
from tilesmith.runtime import Layout

PLAIN = Epilogue((Result(Input("acc0"), Operand("y")),))
GATED = Epilogue((Result(Apply("mul", (Input("acc0"), Input("acc1"))), Operand("y")),))


@dataclass(frozen=True)
class Case:
    sizes: tuple[int, int, int]
    block: tuple[int, int, int]
    mesh: Rectangle
    target: str = "n150"
    format: str = "Float16_b"
    transposed: bool = False
    weights: int = 1


CASES = {
    "one block each": Case((128, 64, 64), (32, 32, 32), Rectangle(2, 4, 1, 1, 2)),
    "more turns than cores": Case((64, 64, 192), (32, 32, 32), Rectangle(2, 2, 1, 1, 6)),
    "several blocks each": Case((128, 128, 64), (32, 64, 32), Rectangle(1, 2, 2, 2, 2)),
    "blocks beyond both ends": Case((96, 160, 64), (64, 64, 32), Rectangle(3, 2, 1, 1, 2)),
    "one turn": Case((64, 64, 64), (32, 32, 64), Rectangle(2, 2, 1, 1, 1)),
    "outputs first": Case((64, 96, 64), (32, 32, 32), Rectangle(3, 2, 1, 1, 2), transposed=True),
    "two weights": Case((64, 64, 64), (32, 32, 32), Rectangle(2, 2, 1, 1, 2), weights=2),
    "block floats": Case((64, 64, 64), (32, 32, 32), Rectangle(2, 2, 1, 1, 2), format="Bfp8_b"),
    "columns beyond the gap": Case((64, 320, 96), (32, 32, 32), Rectangle(10, 2, 1, 1, 3), "p150"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_rectangle_of_cores_multiplies_as_torch_does(case: Case) -> None:
    m, n, k = case.sizes
    epilogue = PLAIN if case.weights == 1 else GATED
    template = Linear(epilogue, case.weights, case.transposed, block=case.block, mesh=case.mesh)
    torch.manual_seed(0)
    x = torch.randn(m, k).bfloat16()
    weights = [torch.randn(n, k) if case.transposed else torch.randn(k, n) for _ in range(case.weights)]
    given = {"x": x, **{f"w{i}": w.bfloat16() for i, w in enumerate(weights)}, "y": torch.zeros(m, n)}
    made = _run(template, case, {name: one.float().numpy() for name, one in given.items()})
    factors = [given[f"w{i}"].float() for i in range(case.weights)]
    products = [x.float() @ (w.T if case.transposed else w) for w in factors]
    wanted = products[0] if case.weights == 1 else products[0] * products[1]
    error = np.abs(made - wanted.numpy()).max() / wanted.abs().max().item()
    assert error < (2**-5 if case.format == "Bfp8_b" else 2**-7)


def _run(template: Linear, case: Case, given: dict[str, np.ndarray]) -> np.ndarray:
    m, n, k = case.sizes
    arch = load_arch(case.target)
    formats = dict.fromkeys(given, case.format)
    (module,) = compile_kernel(template.prim_func(), arch, formats=formats).modules
    device = shared_device(arch)
    tensors = {
        name: device.empty(given[name].shape, DataFormat[case.format], Layout.TILE)
        for name in tensor_types(module)
    }
    numbers = {"m": m, "n": n, "k": k, "nb1": 1, "nb2": 1}
    for name, tensor in tensors.items():
        tensor.copy_from_numpy(given[name])
        numbers |= {f"{name}_rows": given[name].shape[0], f"{name}_cols": given[name].shape[1]}
        numbers |= {f"{name}_{stride}": 0 for stride in STRIDES}
    report = device.run(build_program(module, arch, tensors, numbers), checks="on")
    assert not report.findings
    return tensors["y"].to_numpy().astype(np.float32)
