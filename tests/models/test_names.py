"""Every public name for models, imported and used: the way a user would write it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.fx import GraphModule

import tilesmith
from tilesmith.dashboard import PerformanceCollector
from tilesmith.errors import SettingsError

FAST = {"checks": "off", "numbers": "fast"}
MODEL = nn.Linear(32, 32).eval()
X = torch.ones(4, 32)


def test_models_are_compiled_in_three_ways() -> None:
    with torch.no_grad():
        wanted = MODEL(X)
    compiler = tilesmith.Compiler.create(tilesmith.CompilerConfig(backend="cpu"))
    other = tilesmith.Compiler(tilesmith.CompilerConfig(backend="cpu", optimization_level="O1"))
    made = [
        compiler.compile(MODEL)(X),
        other.compile(MODEL)(X),
        tilesmith.compile(MODEL, backend="cpu", optimization_level="O3")(X),
        tilesmith.compile_model(MODEL, backend="cpu", optimization_level="O0")(X),
    ]
    assert all(torch.allclose(one, wanted, atol=1e-6) for one in made)


@pytest.mark.parametrize("name", ["tenstorrent", "cpu", "cuda"])
def test_backends_are_made_by_name(name: str) -> None:
    assert tilesmith.Backend.create(name).name == name


@pytest.mark.parametrize("name", ["tenstorrent", "cpu", "cuda"])
def test_a_backend_takes_the_configuration_of_a_compiler(name: str) -> None:
    config = tilesmith.CompilerConfig(optimization_level="O1", options={"precision": "float32"})
    made = tilesmith.Backend.create(name, config)
    assert (made.name, made.options.optimization_level, made.options.precision) == (name, "O1", "float32")


def test_a_backend_from_a_configuration_compiles() -> None:
    config = tilesmith.CompilerConfig(backend="tenstorrent", options=FAST)
    backend = tilesmith.Backend.create("tenstorrent", config)
    made = tilesmith.CompiledModel(MODEL, backend)(X)
    assert (made - MODEL(X)).norm() < 0.01 * MODEL(X).norm()


def test_what_is_no_configuration_is_refused_at_once() -> None:
    with pytest.raises(SettingsError, match="cannot be a dict"):
        tilesmith.Backend.create("cpu", {"precision": "float32"})  # type: ignore[arg-type]
    config = tilesmith.CompilerConfig(strategy=tilesmith.TenstorrentStrategy())
    with pytest.raises(SettingsError, match="has a strategy"):
        tilesmith.Backend.create("cpu", config)


def test_a_strategy_of_your_own_comes_before_the_backends_passes() -> None:
    class Doubled(tilesmith.OptimizationStrategy):
        """Every constant that is added counts twice."""

        def optimize(self, graph: GraphModule) -> GraphModule:
            for node in graph.graph.nodes:
                if node.target is torch.ops.aten.add.Tensor:
                    node.args = (node.args[0], 2 * node.args[1])
            graph.recompile()
            return graph

    class Added(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x + 3

    config = tilesmith.CompilerConfig(backend="cpu", strategy=Doubled())
    assert tilesmith.Compiler.create(config).compile(Added())(torch.zeros(1)).tolist() == [6]
    assert issubclass(tilesmith.TenstorrentStrategy, tilesmith.OptimizationStrategy)


def test_a_run_is_profiled_watched_and_collected(tmp_path: Path) -> None:
    seen: list[Any] = []

    class Watching:
        def handle(self, event: Any) -> None:
            seen.append(event)

    monitor = tilesmith.PerformanceMonitor()
    monitor.add_observer(Watching())
    with monitor, tilesmith.settings.using(**FAST):
        folder = tilesmith.profile(MODEL, X, backend="tenstorrent", output_dir=tmp_path)
    assert [event.name for event in seen] == ["linear"]
    assert seen[0].microseconds > 0
    assert tilesmith.PerformanceProfiler(folder).find_bottlenecks()[0].program == "linear"
    with tilesmith.MemoryProfiler() as memory, tilesmith.settings.using(**FAST):
        compiled = tilesmith.compile(MODEL)
        compiled(X)
    assert memory.get_report().peak_dram > 0
    with tilesmith.settings.using(**FAST):
        metrics = PerformanceCollector(tmp_path).collect_metrics(compiled, X)
    assert metrics.throughput > 0


def test_operators_have_short_names() -> None:
    a = torch.eye(32)
    with tilesmith.settings.using(**FAST):
        assert torch.equal(tilesmith.matmul(a, a), a)
        assert torch.allclose(tilesmith.softmax(X), torch.full((4, 32), 1 / 32), atol=1e-3)
    double = X.double()
    assert tilesmith.layer_norm(double, (32,), None, None, 1e-5).abs().max() == 0
    assert tilesmith.rms_norm(double, (32,), None, 0.0).unique().tolist() == [1]
    heads = double.reshape(1, 1, 4, 32)
    assert tilesmith.attention(heads, heads, heads, None, False, 1.0).unique().tolist() == [1]


def test_decorators_compile_what_they_stand_before() -> None:
    @tilesmith.fuse_ops(backend="cpu")
    def linear_relu(x: Tensor, weight: Tensor) -> Tensor:
        return torch.relu(x @ weight)

    @tilesmith.optimize_layout(backend="cpu")
    class Attention(nn.Module):
        def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            return torch.nn.functional.scaled_dot_product_attention(query, key, value)

    assert linear_relu(X, -torch.eye(32)).abs().max() == 0
    heads = X.reshape(1, 1, 4, 32)
    assert torch.allclose(Attention().eval()(heads, heads, heads), heads)


class Scaled(nn.Module):
    def forward(self, x: Tensor, *, scale: Tensor, shift: float = 0.0) -> Tensor:
        return x * scale + shift


def test_inputs_of_a_profile_have_names(tmp_path: Path) -> None:
    model = tilesmith.compile(Scaled().eval(), **FAST)
    folders = [
        tilesmith.profile(model, {"x": X, "scale": X}, output_dir=tmp_path / "a"),
        tilesmith.profile(model, x=X, scale=X, output_dir=tmp_path / "b"),
        tilesmith.profile(model, X, scale=X, shift=2.0, output_dir=tmp_path / "c"),
        PerformanceCollector(tmp_path).collect_metrics(model, {"x": X, "scale": X}).folder,
    ]
    for folder in folders:
        assert tilesmith.PerformanceProfiler(folder).profile.programs
