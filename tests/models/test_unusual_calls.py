"""Calls that nobody expects: other sizes, dtypes, options and control flow. Each runs, or says why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.models.planning.capturing import Applied
from torch import Tensor, nn
from torch.nn import functional

import tilesmith
from tilesmith.errors import BadCallError, SettingsError
from tilesmith.models.executable_cache import collect_reports
from tilesmith.models.report import Report
from tilesmith.zoo.sample import noise

FAST: dict[str, Any] = {"checks": "off", "numbers": "fast"}


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch._dynamo.reset()


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    return torch.compile(function, backend="tilesmith", options=FAST)


def test_a_number_that_changes() -> None:
    made, x = compiled(lambda x, s: x * s), noise(4, 32)
    for number in (2.0, 3.5, 4.25):
        assert torch.equal(made(x, number), x * number)


def _branch(x: Tensor) -> Tensor:
    return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))  # type: ignore[no-any-return]


def _loop(x: Tensor) -> Tensor:
    from torch._higher_order_ops.while_loop import while_loop

    start = (torch.tensor(0), x)
    made: Tensor = while_loop(lambda i, _: i < 3, lambda i, x: (i + 1, x * 2), start)[1]
    return made


@pytest.mark.parametrize("function", [_branch, _loop])
def test_control_flow_runs_on_the_host(function: Callable[[Tensor], Tensor], reports: list[Report]) -> None:
    x = noise(4, 32)
    with torch.no_grad():
        torch.testing.assert_close(compiled(function)(x), function(x), rtol=1e-2, atol=1e-2)
    assert "control flow" in str(reports[-1])


def test_flex_attention_runs_on_the_host() -> None:
    from torch.nn.attention.flex_attention import flex_attention

    q = noise(1, 2, 128, 32)
    with torch.no_grad():
        made = compiled(lambda q: flex_attention(q, q, q))(q)
    torch.testing.assert_close(made, functional.scaled_dot_product_attention(q, q, q), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("beta", "threshold"), [(2.0, 20.0), (1.0, 1.0), (0.5, 3.0)])
def test_softplus_with_its_arguments(beta: float, threshold: float) -> None:
    work = lambda x: functional.softplus(x, beta, threshold)  # noqa: E731
    x = noise(4, 32) * 5
    torch.testing.assert_close(tilesmith.compile(Applied(work), **FAST)(x), work(x), rtol=1e-2, atol=1e-2)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Conv2d(3, 4, 3), (3, 8, 8)),
        (nn.Conv2d(3, 4, 3, padding="same"), (3, 8, 8)),
        (nn.Conv1d(3, 4, 3), (3, 9)),
        (nn.ConvTranspose2d(3, 4, 3, stride=2), (3, 5, 5)),
    ],
)
def test_one_image_without_a_batch(layer: nn.Module, shape: tuple[int, ...]) -> None:
    x = noise(*shape)
    with torch.no_grad():
        made, wanted = tilesmith.compile(layer.eval(), **FAST)(x), layer(x)
    assert made.shape == wanted.shape
    assert (made - wanted).norm() < 2e-2 * wanted.norm()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[:0].mean(0),
        lambda x: x[:, :0].sum(1),
        lambda x: x[:, :0] @ x[:, :0].T,
        lambda x: functional.linear(x[:, :0], torch.zeros(5, 0), torch.ones(5)),
        lambda x: torch.cat([x[:, :0], x], 1) * 2,
    ],
)
def test_empty_tensors(function: Callable[[Tensor], Tensor]) -> None:
    x = noise(4, 32)
    with torch.no_grad():
        torch.testing.assert_close(compiled(function)(x), function(x), equal_nan=True, rtol=1e-2, atol=1e-2)


def test_a_fidelity_that_does_not_exist() -> None:
    with pytest.raises(SettingsError, match="HiFi5"):
        tilesmith.compile(nn.Linear(8, 8), fidelity="HiFi5")


@pytest.mark.parametrize("dtype", [torch.float16, torch.int64])
def test_an_input_of_another_dtype_than_the_weights_is_refused(dtype: torch.dtype) -> None:
    model = tilesmith.compile(nn.Linear(32, 32), **FAST)
    model(noise(4, 32))
    with pytest.raises(BadCallError, match="is given tensors of"):
        model((noise(4, 32) * 3).to(dtype))


def test_sizes_beyond_what_was_promised_are_refused() -> None:
    sizes = ({0: torch.export.Dim("batch", max=64)},)
    model = tilesmith.compile(nn.Linear(32, 8), dynamic_shapes=sizes, **FAST)
    assert model(noise(4, 32)).shape == (4, 8)
    assert model(noise(64, 32)).shape == (64, 8)
    with pytest.raises(BadCallError, match="size 65 in dimension 0"):
        model(noise(65, 32))
    with pytest.raises(BadCallError, match="size 33 in dimension 1"):
        model(noise(4, 33))
    with pytest.raises(BadCallError, match="float16"):
        model(noise(4, 32).half())


class _Scaling(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.factor = 2.0
        self.shift = torch.zeros(32)

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factor + self.shift


def test_attributes_that_change_are_noticed() -> None:
    model, x = _Scaling(), noise(4, 32)
    made = tilesmith.compile(model, backend="cpu")
    made(x)
    for change in (
        lambda: setattr(model, "factor", 3.0),
        lambda: setattr(model, "shift", torch.ones(32)),
        lambda: model.shift.fill_(5),
    ):
        change()
        torch.testing.assert_close(made(x), model(x))


def test_writes_through_data_are_noticed() -> None:
    model, x = nn.Linear(32, 32), noise(4, 32)
    made = tilesmith.compile(model, backend="cpu")
    with torch.no_grad():
        made(x)
        for place in (model.weight.data[3], model.bias.data[2:3]):
            place.copy_(torch.full_like(place, 7.0))
            torch.testing.assert_close(made(x), model(x))
        model.weight.data[:] = model.weight.data.flip(0).clone()
        torch.testing.assert_close(made(x), model(x))


def test_all_sizes_share_the_weights() -> None:
    model: Any = tilesmith.compile(nn.Linear(64, 64), **FAST)
    with torch.no_grad():
        for rows in (1, 40, 70):
            model(noise(rows, 64))
    executables = [one for graph in model._graphs.values() for one in graph.executables._executables.values()]
    weights = {id(one.tensor(upload.view.storage)) for one in executables for upload in one.plan.constants}
    assert (len(executables), len(weights)) == (3, 2)


def test_cross_entropy_of_images_backward() -> None:
    x, target = noise(2, 5, 4, 4).requires_grad_(), torch.arange(32).reshape(2, 4, 4) % 5
    other = x.detach().clone().requires_grad_()
    compiled(lambda x: functional.cross_entropy(x, target))(x).backward()
    functional.cross_entropy(other, target).backward()
    torch.testing.assert_close(x.grad, other.grad, rtol=1e-2, atol=1e-3)


def test_named_arguments_in_any_order() -> None:
    class Difference(nn.Module):
        def forward(self, a: Tensor, b: Tensor) -> Tensor:
            return a - 2 * b

    made = tilesmith.compile(Difference(), backend="cpu")
    a, b = noise(4, 32), noise(4, 32)
    torch.testing.assert_close(made(a=a, b=b), a - 2 * b)
    torch.testing.assert_close(made(b=b, a=a), a - 2 * b)
    torch.testing.assert_close(made(a, b=b), a - 2 * b)


def test_attention_over_other_lengths_stays_one_kernel_and_lies_as_in_torch() -> None:
    def heads(x: Tensor) -> Tensor:
        split = x.unflatten(2, (2, 4)).transpose(1, 2)
        made = functional.scaled_dot_product_attention(split, split, split, is_causal=True)
        return made.transpose(1, 2).flatten(2)

    def run(function: Callable[[Tensor], Tensor], length: int) -> tuple[Tensor, ...]:
        x = noise(3, length, 8).requires_grad_()
        made = function(x)
        return made.detach(), *torch.autograd.grad(made.square().sum(), [x])

    torch._dynamo.reset()
    compiled = torch.compile(heads, backend="tilesmith", options=FAST | {"precision": "float32"})
    with collect_reports() as reports:
        for length in (4, 7, 9):
            for made, wanted in zip(run(compiled, length), run(heads, length), strict=True):
                assert made.stride() == wanted.stride()
                torch.testing.assert_close(made, wanted, atol=1e-4, rtol=1e-4)
    assert all(report.kernels and not report.host for report in reports)


@pytest.mark.parametrize(
    "options",
    [
        {"divisor_override": 5},
        {"count_include_pad": False},
        {"ceil_mode": True},
        {"ceil_mode": True, "count_include_pad": False},
    ],
)
@pytest.mark.parametrize("level", ["O0", "O2"])
def test_averages_of_windows_that_count_less_than_their_pixels(level: str, options: dict[str, Any]) -> None:
    x = noise(2, 6, 12, 17)
    average = Applied(lambda x: functional.avg_pool2d(x, 3, 2, 1, **options))
    made = tilesmith.compile(average, optimization_level=level, **FAST)(x)
    torch.testing.assert_close(made, average(x), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("learns", [False, True])
def test_dropout_draws_what_torch_draws(learns: bool) -> None:
    x = noise(5, 33).requires_grad_(learns)
    drawn = []
    for call in (functional.dropout, compiled(functional.dropout)):
        torch.manual_seed(3)
        drawn.append(call(x, 0.3) == 0)
    assert torch.equal(*drawn)
    assert bool(drawn[0].any())
