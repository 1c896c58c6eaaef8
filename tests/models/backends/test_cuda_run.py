"""The CUDA backend on a GPU: tensors stay there, results may be kept, streams and weights are respected."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

import tilesmith
from tilesmith.models.backends.cuda import CudaExecutable
from tilesmith.models.torch_backend import tilesmith_backend

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")


def model() -> nn.Sequential:
    layers = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.Linear(512, 256), nn.LayerNorm(256))
    return layers.eval().to("cuda", torch.bfloat16)


def rows(count: int = 64) -> Tensor:
    return torch.randn(count, 256, device="cuda", dtype=torch.bfloat16)


def close(made: Tensor, exact: Tensor) -> None:
    torch.testing.assert_close(made, exact, atol=0.06, rtol=0.05)


@torch.no_grad()
def test_results_that_are_kept_stay_as_they_are() -> None:
    layers = model()
    compiled = tilesmith.compile(layers, backend="cuda")
    inputs = [rows() for _ in range(6)]
    made = [compiled(x) for x in inputs]
    assert all(one.is_cuda for one in made)
    for one, x in zip(made, inputs, strict=True):
        close(one, layers(x))
    executable = compiled.executable
    assert isinstance(executable, CudaExecutable)
    assert executable.why_no_graph == ""


@torch.no_grad()
def test_weights_that_change_are_noticed() -> None:
    layers = model()
    compiled = tilesmith.compile(layers, backend="cuda")
    x = rows()
    for _ in range(3):
        compiled(x)
    first = layers[0]
    assert isinstance(first, nn.Linear)
    first.weight.mul_(-1)
    close(compiled(x), layers(x))


@torch.no_grad()
def test_streams_and_graphs_of_the_caller() -> None:
    layers = model()
    compiled = tilesmith.compile(layers, backend="cuda")
    x = rows()
    compiled(x), compiled(x)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        made = compiled(x)
    close(compiled(x), layers(x))
    torch.cuda.current_stream().wait_stream(side)
    close(made, layers(x))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = compiled(x)
    x.copy_(rows())
    graph.replay()
    close(kept, layers(x))


@torch.no_grad()
def test_memory_does_not_grow() -> None:
    compiled = tilesmith.compile(model(), backend="cuda")
    x = rows()
    for _ in range(10):
        compiled(x)
    before = torch.cuda.memory_allocated()
    for _ in range(1000):
        compiled(x)
    assert torch.cuda.memory_allocated() == before


@torch.no_grad()
def test_tensors_of_the_cpu_come_back_to_it() -> None:
    layers = model().cpu()
    x = rows().cpu()
    made = tilesmith.compile(layers, backend="cuda")(x)
    assert not made.is_cuda
    close(made, layers(x))


def test_training_through_torch_compile() -> None:
    layers = model().train().float()
    compiled = torch.compile(
        layers, backend=tilesmith_backend, options={"device": "cuda", "precision": "float32"}
    )
    x = rows().float()
    compiled(x).square().mean().backward()
    found = [one.grad.clone() for one in layers.parameters() if one.grad is not None]
    layers.zero_grad()
    layers(x).square().mean().backward()
    for made, one in zip(found, layers.parameters(), strict=True):
        torch.testing.assert_close(made, one.grad, atol=1e-3, rtol=0.02)
