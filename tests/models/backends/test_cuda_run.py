"""The CUDA backend on a GPU: tensors stay there, results may be kept, streams and weights are respected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import tilesmith
from tilesmith.models.backends.cuda import CudaExecutable
from tilesmith.models.backends.cuda.graphs import Graphs, Recorded
from tilesmith.models.torch_backend import tilesmith_backend
from tilesmith.zoo import gpu_bench, measured

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
    for _ in range(10_000):
        compiled(x)
    assert torch.cuda.memory_allocated() == before


@torch.no_grad()
def test_two_streams_at_once() -> None:
    layers = model()
    compiled = tilesmith.compile(layers, backend="cuda")
    inputs = [rows(), rows()]
    wanted = [layers(x) for x in inputs]
    compiled(inputs[0]), compiled(inputs[0])
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    for stream in streams:
        stream.wait_stream(torch.cuda.current_stream())
    sums = [torch.zeros_like(one, dtype=torch.float32) for one in wanted]
    torch.cuda.synchronize()
    for _ in range(200):
        for stream, x, total in zip(streams, inputs, sums, strict=True):
            with torch.cuda.stream(stream):
                total += compiled(x)
    torch.cuda.synchronize()
    for total, one in zip(sums, wanted, strict=True):
        close((total / 200).to(one.dtype), one)


def test_two_threads_at_once() -> None:
    layers = model()
    compiled = tilesmith.compile(layers, backend="cuda")
    inputs = [rows(), rows()]
    with torch.no_grad():
        wanted = [layers(x) for x in inputs]
        compiled(inputs[0])

    def work(x: Tensor) -> Tensor:
        total = torch.zeros(64, 256, device="cuda")
        with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):
            torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
            for _ in range(200):
                total += compiled(x)
            torch.cuda.current_stream().synchronize()
        return total / 200

    torch.cuda.synchronize()
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(work, inputs))
    for total, one in zip(made, wanted, strict=True):
        close(total.to(one.dtype), one)


def test_calls_in_inference_mode_and_out_of_it() -> None:
    layers = model()
    compiled = tilesmith.compile(layers, backend="cuda")
    x = rows()
    with torch.no_grad():
        wanted = layers(x)
    for mode in (True, True, False, False, True):
        with torch.inference_mode(mode), torch.no_grad():
            close(compiled(x).clone(), wanted)
    executable = compiled.executable
    assert isinstance(executable, CudaExecutable)
    assert executable.why_no_graph == ""


@torch.no_grad()
def test_arguments_by_name_in_any_order() -> None:
    class Difference(nn.Module):
        def forward(self, a: Tensor, b: Tensor) -> dict[str, Tensor]:
            return {"made": a - 2 * b}

    compiled = tilesmith.compile(Difference(), backend="cuda")
    a, b = rows(), rows()
    for _ in range(3):
        close(compiled(a=a, b=b)["made"], a - 2 * b)
        close(compiled(b=b, a=a)["made"], a - 2 * b)
        close(compiled(a, b=b)["made"], a - 2 * b)


@torch.no_grad()
def test_an_attribute_that_changes_is_noticed() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(256, 256)
            self.by = 2.0

        def forward(self, x: Tensor) -> Tensor:
            made: Tensor = self.inner(x) * self.by
            return made

    scaled = Scaled().to("cuda", torch.bfloat16)
    compiled = tilesmith.compile(scaled, backend="cuda")
    x = rows()
    for _ in range(3):
        compiled(x)
    scaled.by = 3.0
    close(compiled(x), scaled(x))
    scaled.inner.bias = nn.Parameter(torch.ones(256, device="cuda", dtype=torch.bfloat16))
    close(compiled(x), scaled(x))
    scaled.inner.weight.data = torch.zeros_like(scaled.inner.weight)
    close(compiled(x), scaled(x))


@torch.no_grad()
def test_a_table_beside_the_ways_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    times = partial(gpu_bench.torch_times, ways=["eager", "graph"])
    monkeypatch.setattr(measured, "torch_times", times)
    figures = measured.bench_host(model(), [rows()], "cuda", ["O2"], calls=4)
    assert set(figures[0].torch_us) == {"eager", "graph"}
    assert all(us > 0 for us in figures[0].torch_us.values())
    assert torch.cuda.get_device_name() in measured.measured_table(figures)


@torch.no_grad()
def test_tensors_of_the_cpu_come_back_to_it() -> None:
    layers = model().cpu()
    x = rows().cpu()
    made = tilesmith.compile(layers, backend="cuda")(x)
    assert not made.is_cuda
    close(made, layers(x))


def test_training_through_torch_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forward and backward graphs are both recorded, and follow weights that are learned."""
    recorded: list[Graphs] = []
    record = Graphs.record

    def noting(graphs: Graphs, inputs: Sequence[Any]) -> Recorded:
        recorded.append(graphs)
        return record(graphs, inputs)

    monkeypatch.setattr(Graphs, "record", noting)
    layers, other = model().train().float(), model().train().float()
    other.load_state_dict(layers.state_dict())
    compiled: Callable[..., Tensor] = torch.compile(
        layers, backend=tilesmith_backend, options={"device": "cuda", "precision": "float32"}
    )
    both: tuple[Callable[..., Tensor], ...] = (compiled, other)
    steps = [torch.optim.SGD(one.parameters(), 0.05) for one in (layers, other)]
    for _ in range(5):
        x = rows().float()
        for trained, step in zip(both, steps, strict=True):
            step.zero_grad()
            trained(x).square().mean().backward()
        for made, one in zip(layers.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(made.grad, one.grad, atol=1e-3, rtol=0.02)
        for step in steps:
            step.step()
    assert len(set(recorded)) == 2
    assert len(recorded) <= 6


DOUBTFUL: dict[str, Callable[..., Tensor]] = {
    "relu": torch.relu,
    "clamp": lambda x: x.clamp(-1, 1),
    "maximum": lambda x: torch.maximum(x, x.flip(-1)),
    "minimum": lambda x: torch.minimum(x.flip(0), x),
    "amax": lambda x: x.amax(-1),
    "amin": lambda x: x.amin(0),
    "times zero": lambda x: x.sin() * 0 + x * 0,
    "zero over": lambda x: 0 / x,
    "argmax": lambda x: x.argmax(-1),
    "cumsum": lambda x: x.cumsum(-1),
    "softmax": lambda x: x.softmax(-1),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", DOUBTFUL)
@torch.no_grad()
def test_nan_and_infinity_are_those_of_torch(name: str, dtype: torch.dtype) -> None:
    class Doubtful(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return DOUBTFUL[name](x)

    x = torch.randn(64, 96, device="cuda", dtype=dtype)
    x[3, 5], x[40, 70], x[7, 9], x[7, 11], x[20, 0] = torch.nan, -torch.nan, torch.inf, -torch.inf, 0
    made = tilesmith.compile(Doubtful(), backend="cuda")(x)
    torch.testing.assert_close(made, DOUBTFUL[name](x), atol=0.05, rtol=0.05, equal_nan=True)


def test_gradients_that_are_not_finite_stay_in_their_rows() -> None:
    class Chosen(nn.Module):
        def forward(self, x: Tensor, rows: Tensor) -> Tensor:
            return x.index_select(0, rows).log()

    x = torch.randn(40, 48, device="cuda").abs()
    x[5, 7], x[9] = 0, torch.inf
    rows = torch.tensor([5, 9, 11, 5], device="cuda")
    compiled = torch.compile(Chosen(), backend=tilesmith_backend, options={"device": "cuda"})
    grads = []
    for run in (compiled, Chosen()):
        given = x.clone().requires_grad_()
        run(given, rows).square().sum().backward()
        grads.append(given.grad)
    torch.testing.assert_close(grads[0], grads[1], atol=0.05, rtol=0.05, equal_nan=True)
