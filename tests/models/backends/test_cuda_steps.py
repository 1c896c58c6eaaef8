"""The steps of the CUDA backend on the CPU: kernels written with torch, libraries as they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
import torch
from tests.models.backends.matrix_kernels import MatrixKernel
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.attention import SDPBackend

import tilesmith
from tilesmith.formats import DataFormat
from tilesmith.kernels.rotary import Rotary
from tilesmith.models.backends.cuda import CudaExecutable, attention_call
from tilesmith.models.backends.cuda import executable as cuda_executable
from tilesmith.models.backends.cuda import runner as cuda_runner
from tilesmith.models.backends.cuda.choice import chosen_steps
from tilesmith.models.backends.cuda.kernels import key_of
from tilesmith.models.backends.cuda.library import Call, Way
from tilesmith.models.backends.cuda.rotary import is_rotation
from tilesmith.models.backends.cuda.runner import Runner
from tilesmith.models.backends.cuda.uploads import Part, fill_together
from tilesmith.models.backends.cuda.values import fill
from tilesmith.models.passes.fuse_rotary import rotation
from tilesmith.models.planning.steps import Launch, Upload
from tilesmith.models.planning.views import Axis, Storage, View
from tilesmith.runtime.memory_config import Layout


class Layer(nn.Module):
    """Attention and a unit of two products, with norms after or before them."""

    def __init__(self, norm_first: bool, bias: bool = True) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.qkv, self.out = nn.Linear(64, 192, bias), nn.Linear(64, 64, bias)
        self.up, self.down = nn.Linear(64, 256, bias), nn.Linear(256, 64, bias)
        self.first, self.second = nn.LayerNorm(64), nn.RMSNorm(64, 1e-5)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        y = self.first(x) if self.norm_first else x
        q, k, v = self.qkv(y).view(batch, length, 3, 2, 32).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(q, k, v, is_causal=self.norm_first)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, length, 64))
        y = self.second(x)
        made = self.down(functional.gelu(self.up(y)))
        result: Tensor = (x if self.norm_first else y) + made
        return result


def executable(model: nn.Module, x: Tensor, level: str = "O2") -> CudaExecutable:
    compiled = tilesmith.compile(model.eval(), backend="cuda", optimization_level=level)
    compiled.prepare(x)
    assert isinstance(compiled.executable, CudaExecutable)
    return compiled.executable


def on_cpu(found: CudaExecutable, x: Tensor) -> Tensor:
    runner = Runner(found._module, found.plan, torch.device("cpu"))
    kernels = {key_of(step): MatrixKernel(step) for step in found.steps if isinstance(step, Launch)}
    runner.bind(found.steps, kernels)
    runner.run([torch.randn_like(x)], runner.own_memory())
    made: Tensor = runner.run([x], runner.own_memory())[0]
    return made


@pytest.mark.parametrize(
    ("shape", "norm_first", "level"),
    [
        ((1, 64, 64), False, "O1"),
        ((3, 32, 64), False, "O2"),
        ((1, 64, 64), True, "O2"),
        ((2, 37, 64), False, "O2"),
        ((40, 64, 64), True, "O2"),
    ],
)
def test_steps_compute_what_the_model_does(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], norm_first: bool, level: str
) -> None:
    monkeypatch.setattr(attention_call, "_BACKENDS", {"math": SDPBackend.MATH})
    model, x = Layer(norm_first).bfloat16(), torch.randn(shape).bfloat16()
    made = on_cpu(executable(model, x, level), x)
    with torch.no_grad():
        torch.testing.assert_close(made.float(), model.float()(x.float()), atol=0.05, rtol=0.05)


def test_a_batch_is_one_matrix_for_products() -> None:
    found = executable(Layer(False).bfloat16(), torch.randn(4, 64, 64).bfloat16())
    rows = {
        step.numbers["m"] for step in found.plan.steps if isinstance(step, Launch) and "k" in step.numbers
    }
    assert rows == {256}


def test_a_library_leaves_its_epilogue_to_the_norm_after_it() -> None:
    found = executable(Layer(False).bfloat16(), torch.randn(64, 64, 64).bfloat16())
    names = [step.name if isinstance(step, Call) else "" for step in found.steps]
    assert "cublas product" in names
    norms = [step for step in found.steps if isinstance(step, Launch) and step.template.name == "rms_norm"]
    assert any("of_acc0" in step.storages for step in norms)
    assert "cublas product + bias: linear" in str(found.report)


def test_levels_choose_differently() -> None:
    x = torch.randn(8, 64, 64).bfloat16()
    plain, ruled = executable(Layer(True).bfloat16(), x, "O1"), executable(Layer(True).bfloat16(), x, "O2")
    assert not any(isinstance(step, Call) for step in plain.steps)
    assert any(isinstance(step, Call) for step in ruled.steps)


def test_results_and_inputs_are_not_copied_where_they_lie_as_kernels_have_them() -> None:
    x = torch.randn(64, 64).bfloat16()
    found = executable(nn.Linear(64, 64).bfloat16(), x)
    runner = Runner(found._module, found.plan, torch.device("cpu"))
    runner.bind(found.steps, {})
    own = runner.own_memory()
    made = runner.run([x], own)[0]
    assert made.data_ptr() in {one.data_ptr() for one in own.values()}


class Step(nn.Module):
    """A token after a cache: few rows, and keys joined with those before."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(256, 768, bias=False), nn.Linear(256, 256)

    def forward(self, x: Tensor, cache: Tensor) -> Tensor:
        q, k, v = self.qkv(x).view(1, 1, 3, 4, 64).permute(2, 0, 3, 1, 4)
        k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        seen = functional.scaled_dot_product_attention(q, k, v)
        made: Tensor = x + self.out(seen.transpose(1, 2).reshape(1, 1, 256))
        return made


def test_a_step_of_decoding_copies_its_cache_once() -> None:
    model, x = Step().eval().bfloat16(), torch.randn(1, 1, 256).bfloat16()
    cache = torch.randn(2, 1, 4, 40, 64).bfloat16()
    compiled = tilesmith.compile(model, backend="cuda")
    compiled.prepare(x, cache)
    found = compiled.executable
    assert isinstance(found, CudaExecutable)
    names = [step.template.name for step in found.steps if isinstance(step, Launch)]
    assert names.count("gather") == 4
    copies = [step for step in found.steps if isinstance(step, Launch) and step.template.name == "gather"]
    assert {step.numbers["m"] for step in copies} == {1, 40}  # rows of the cache are copied together
    assert names.count("gemv") == 2
    runner = Runner(found._module, found.plan, torch.device("cpu"))
    launches = [step for step in found.steps if isinstance(step, Launch)]
    runner.bind(found.steps, {key_of(step): MatrixKernel(step) for step in launches})
    made = runner.run([x, cache], runner.own_memory())[0]
    with torch.no_grad():
        exact = model.float()(x.float(), cache.float())
    torch.testing.assert_close(made.float(), exact, atol=0.05, rtol=0.05)


def test_an_index_out_of_range_stops_the_run() -> None:
    storage = Storage(1, 4, Layout.ROW_MAJOR, DataFormat.Int32, 0)
    step = Upload("tokens", View(storage, (Axis(1, 1, 0), Axis(4, 0, 1))), below=10)
    matrix = torch.zeros(1, 4, dtype=torch.int32)
    fill(matrix, step, torch.tensor([[0, 9, 3, 4]]))
    assert matrix.tolist() == [[0, 9, 3, 4]]
    for wrong in (10, -1, 2**32):
        with pytest.raises(RuntimeError, match="out of range"):
            fill(matrix, step, torch.tensor([[0, wrong, 3, 4]]))


@pytest.mark.parametrize(
    ("heads", "rows", "keys", "by"),
    [(12, 512, 512, "attention"), (192, 128, 128, "flash attention"), (12, 1, 513, "cudnn attention")],
)
def test_attention_is_ours_where_all_heads_run_at_once(heads: int, rows: int, keys: int, by: str) -> None:
    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.out = nn.Linear(heads * 64, 32, bias=False)

        def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            seen = functional.scaled_dot_product_attention(q, k, v)
            made: Tensor = self.out(seen.transpose(1, 2).reshape(1, rows, heads * 64))
            return made

    q, k, v = (torch.randn(1, heads, size, 64, dtype=torch.bfloat16) for size in (rows, keys, keys))
    compiled = tilesmith.compile(Attention().bfloat16(), backend="cuda")
    assert by in [line.kernel for line in compiled.prepare(q, k, v).kernels]


@pytest.mark.parametrize(("rows", "fused"), [(512, True), (4096, False)])
def test_a_gated_unit_is_one_kernel_where_its_tiles_run_at_once(rows: int, fused: bool) -> None:
    class Gated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gate, self.up = nn.Linear(256, 2048, bias=False), nn.Linear(256, 2048, bias=False)

        def forward(self, x: Tensor) -> Tensor:
            made: Tensor = functional.silu(self.gate(x)) * self.up(x)
            return made

    compiled = tilesmith.compile(Gated().bfloat16(), backend="cuda")
    report = compiled.prepare(torch.randn(rows, 256, dtype=torch.bfloat16))
    assert ("gated_linear" in [line.kernel for line in report.kernels]) is fused


def _run_on_cpu(model: nn.Module, inputs: list[Tensor]) -> tuple[CudaExecutable, Tensor]:
    compiled = tilesmith.compile(model.eval(), backend="cuda")
    compiled.prepare(*inputs)
    found = compiled.executable
    assert isinstance(found, CudaExecutable)
    runner = Runner(found._module, found.plan, torch.device("cpu"))
    launches = [step for step in found.steps if isinstance(step, Launch)]
    runner.bind(found.steps, {key_of(step): MatrixKernel(step) for step in launches})
    made: Tensor = runner.run(inputs, runner.own_memory())[0]
    return found, made


class Rotated(nn.Module):
    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        half = x.shape[-1] // 2
        return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("shape", [(1, 4, 64, 64), (2, 3, 40, 128), (1, 2, 1, 32)])
def test_rotary_embeddings_are_no_products(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    x, cos, sin = (torch.randn(size, dtype=dtype) for size in (shape, shape[2:], shape[2:]))
    found, made = _run_on_cpu(Rotated(), [x, cos, sin])
    assert [step.template.name for step in found.steps if isinstance(step, Launch)] == ["rotary"]
    exact = Rotated()(x.float(), cos.float(), sin.float())
    torch.testing.assert_close(made.float(), exact, atol=0.05, rtol=0.05)


def test_a_rotation_with_other_signs_stays_a_product() -> None:
    assert is_rotation(rotation(64))
    assert not is_rotation(-rotation(64))
    assert not is_rotation(torch.eye(64))
    assert not is_rotation(torch.zeros(64, 32))


def test_a_large_result_with_gaps_is_copied_by_a_kernel() -> None:
    model, x = nn.Linear(32, 4099, bias=False).bfloat16(), torch.randn(2, 160, 32).bfloat16()
    found, made = _run_on_cpu(model, [x])
    assert found.report.kernels[-1].kernel == "elementwise"
    assert made.is_contiguous()
    with torch.no_grad():
        torch.testing.assert_close(made.float(), model.float()(x.float()), atol=0.05, rtol=0.05)
    small, _ = _run_on_cpu(nn.Linear(32, 35, bias=False).bfloat16(), [x])
    assert len(small.report.kernels) == 1


class Heads(nn.Module):
    """Four results of single rows, which lie in tiles of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(64, 64, bias=False) for _ in range(4))

    def forward(self, x: Tensor, cos: Tensor) -> tuple[Tensor, ...]:
        heads = [layer(x).view(1, 1, 2, 32).transpose(1, 2) for layer in self.layers]
        return tuple(Rotated()(one, cos, cos) for one in heads)


def test_several_results_with_gaps_are_stored_without_by_their_kernels() -> None:
    model, x, cos = Heads().bfloat16(), torch.randn(1, 1, 64).bfloat16(), torch.randn(1, 32).bfloat16()
    compiled = tilesmith.compile(model.eval(), backend="cuda")
    compiled.prepare(x, cos)
    found = compiled.executable
    assert isinstance(found, CudaExecutable)
    launches = [step for step in found.steps if isinstance(step, Launch)]
    turned = [step for step in launches if isinstance(step.template, Rotary)]
    assert [len(step.outputs) for step in turned] == [2] * 4
    assert "elementwise" not in [step.template.name for step in launches]
    runner = Runner(found._module, found.plan, torch.device("cpu"))
    runner.bind(found.steps, {key_of(step): MatrixKernel(step) for step in launches})
    with torch.no_grad():
        exact = model.float()(x.float(), cos.float())
    for made, wanted in zip(runner.run([x, cos], runner.own_memory()), exact, strict=True):
        torch.testing.assert_close(made.float(), wanted, atol=0.05, rtol=0.05)


def test_stores_of_shallow_products_go_through_shared_memory() -> None:
    x = torch.randn(50_176, 64).bfloat16()
    plain = executable(nn.Linear(64, 256, bias=False).bfloat16(), x)
    assert [line.kernel for line in plain.report.kernels] == ["cudnn product"]
    biased = executable(nn.Sequential(nn.Linear(64, 256), nn.ReLU()).bfloat16(), x)
    assert [line.kernel for line in biased.report.kernels] == ["linear"]
    assert all("tma_store" in source for source in biased.sources().values())
    deep = executable(nn.Linear(1024, 256).bfloat16(), torch.randn(4096, 1024).bfloat16())
    assert [line.kernel for line in deep.report.kernels] == ["cublas product + bias"]


def test_a_plain_product_through_cudnn_is_that_product() -> None:
    model, x = nn.Linear(16, 64, bias=False).bfloat16(), torch.randn(16_384, 16).bfloat16()
    found, made = _run_on_cpu(model, [x])
    assert [line.kernel for line in found.report.kernels] == ["cudnn product"]
    with torch.no_grad():
        torch.testing.assert_close(made.float(), model.float()(x.float()), atol=0.05, rtol=0.05)


def test_a_search_compiles_few_kernels_where_a_library_has_one_routine() -> None:
    model = nn.Sequential(
        *(nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 128, 1), nn.AdaptiveAvgPool2d(1))
    ).bfloat16()
    found = executable(model, torch.randn(2, 64, 28, 28).bfloat16(), "O3")
    met: list[list[str]] = []

    def meet(ways: Sequence[Way]) -> list[float]:
        met.append([" + ".join(_name_of(step) for step in way) for way in ways])
        return [0.0] * len(ways)

    chosen_steps(found.plan, found.options.candidates, meet)
    convolution, product, _ = met
    assert convolution == [
        "cudnn convolution + bias + relu",
        "cudnn convolution + elementwise",
        "convolution",
    ]
    assert product.count("linear") == 2


def test_a_search_meets_every_template_of_a_step_of_decoding() -> None:
    compiled = tilesmith.compile(Step().eval().bfloat16(), backend="cuda", optimization_level="O3")
    compiled.prepare(torch.randn(1, 1, 256).bfloat16(), torch.randn(2, 1, 4, 40, 64).bfloat16())
    found = compiled.executable
    assert isinstance(found, CudaExecutable)
    assert chosen_steps(found.plan, found.options.candidates, lambda ways: [0.0] * len(ways))


def test_a_search_compiles_nothing_that_cannot_win() -> None:
    class Late(Step):
        """A token after many."""

    compiled = tilesmith.compile(Late().eval().bfloat16(), backend="cuda", optimization_level="O3")
    compiled.prepare(torch.randn(1, 1, 256).bfloat16(), torch.randn(2, 1, 4, 511, 64).bfloat16())
    found = compiled.executable
    assert isinstance(found, CudaExecutable)
    met: list[Way] = []

    def meet(ways: Sequence[Way]) -> list[float]:
        met.extend(ways)
        return [0.0] * len(ways)

    chosen_steps(found.plan, found.options.candidates, meet)
    names = {_name_of(step) for way in met for step in way}
    assert "cudnn attention" in names
    assert not names & {"attention", "untilize"}


def test_a_search_compiles_all_kernels_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = executable(Layer(norm_first=True).bfloat16(), torch.randn(2, 64, 64).bfloat16(), "O3")
    asked: list[set[Any]] = []

    def compiled(steps: Iterable[Launch], _arch: str) -> dict[Any, Any]:
        asked.append({key_of(step) for step in steps})
        return {}

    class Timer:
        log = ()

        def __init__(self, *_: object) -> None: ...

        def __call__(self, ways: Sequence[Way]) -> list[float]:
            return [0.0] * len(ways)

    monkeypatch.setattr(cuda_executable, "compile_all", compiled)
    monkeypatch.setattr(cuda_executable, "WayTimer", Timer)
    found._by_the_clock(Runner(found._module, found.plan, torch.device("cpu")))
    assert len(asked) == 1
    assert {key_of(step) for step in found.steps if isinstance(step, Launch)} <= asked[0]


def test_attention_reads_parts_of_an_input_where_they_are() -> None:
    class Stacked(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return functional.scaled_dot_product_attention(x[0], x[1], x[2])

    x = torch.randn(3, 1, 140, 64, 32).bfloat16()
    found, made = _run_on_cpu(Stacked(), [x])
    assert any(isinstance(step, Call) and "attention" in step.name for step in found.steps)
    torch.testing.assert_close(made.float(), Stacked()(x.float()), atol=0.02, rtol=0.02)


class Cached(nn.Module):
    """Tokens after others, in several layers."""

    def forward(self, x: Tensor, cache: Tensor) -> Tensor:
        for layer in range(3):
            k, v = (torch.cat((cache[layer, which], x), 2) for which in range(2))
            x = functional.scaled_dot_product_attention(x, k, v)
        return x


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("turned", [False, True])
def test_the_layers_of_a_cache_are_copied_at_once(
    dtype: torch.dtype, turned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies: list[int] = []

    def together(matrices: Tensor, parts: Sequence[Part], given: Tensor) -> None:
        copies.append(len(parts))
        fill_together(matrices, parts, given)

    monkeypatch.setattr(cuda_runner, "fill_together", together)
    x, cache = torch.randn(1, 4, 1, 64, dtype=dtype), torch.randn(3, 2, 1, 4, 64, 64, dtype=dtype)
    cache = cache.transpose(0, 1).contiguous().transpose(0, 1) if turned else cache
    _, made = _run_on_cpu(Cached(), [x, cache])
    assert copies == [6]
    torch.testing.assert_close(made.float(), Cached()(x.float(), cache.float()), atol=0.02, rtol=0.02)


class Decoding(nn.Module):
    """A step of decoding: the new key and value of each layer join those of the cache, and are results."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.ModuleList(nn.Linear(256, 768, bias=False) for _ in range(4))

    def forward(self, x: Tensor, cache: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, ...]:
        new: list[Tensor] = []
        for number, layer in enumerate(self.qkv):
            q, k, v = (one.view(1, 1, 4, 64).transpose(1, 2) for one in layer(x).split(256, -1))
            q, k = Rotated()(q, cos, sin), Rotated()(k, cos, sin)
            keys, values = torch.cat((cache[number, 0], k), 2), torch.cat((cache[number, 1], v), 2)
            x = x + functional.scaled_dot_product_attention(q, keys, values).transpose(1, 2).reshape(x.shape)
            new += [k, v]
        return (x, *new)


def test_new_keys_and_values_are_stored_where_the_cache_and_the_caller_want_them() -> None:
    torch.manual_seed(0)
    model = Decoding().bfloat16()
    x, cache = torch.randn(1, 1, 256).bfloat16(), torch.randn(4, 2, 1, 4, 64, 64).bfloat16()
    angles = torch.rand(1, 64)
    given = [x, cache, angles.cos().bfloat16(), angles.sin().bfloat16()]
    compiled = tilesmith.compile(model.eval(), backend="cuda")
    compiled.prepare(*given)
    found = compiled.executable
    assert isinstance(found, CudaExecutable)
    launches = [step for step in found.steps if isinstance(step, Launch)]
    assert [len(step.outputs) for step in launches if step.ops[:1] == ("copy",)] == [2] * 4
    assert (
        sorted(len(step.outputs) for step in launches if isinstance(step.template, Rotary))
        == [1] * 4 + [3] * 4
    )
    runner = Runner(found._module, found.plan, torch.device("cpu"))
    runner.bind(found.steps, {key_of(step): MatrixKernel(step) for step in launches})
    with torch.no_grad():
        exact = model.float()(*(one.float() for one in given))
    for _ in range(2):
        made = runner.run(given, runner.own_memory())
        for one, wanted in zip(made, exact, strict=True):
            torch.testing.assert_close(one.float(), wanted, atol=0.05, rtol=0.05)


def _name_of(step: Launch | Call) -> str:
    return step.name if isinstance(step, Call) else step.template.name
