"""Values that rounding would change: integers, comparisons, positions, losses, NaN and infinity."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

import tilesmith
from tilesmith.errors import TilesmithWarning
from tilesmith.models.report import Report
from tilesmith.zoo.sample import noise

BIG = torch.tensor([[100000001, 3], [16777217, -100000001]]).repeat(1, 8)
LOWEST = torch.finfo(torch.float32).min
SPECIAL = torch.tensor([nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 3e38]).repeat(2, 4)


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch._dynamo.reset()


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    return torch.compile(function, backend="tilesmith", options={"checks": "off"})


INTEGERS: dict[str, tuple[Callable[..., Any], tuple[Tensor, ...]]] = {
    "cat": (lambda a: torch.cat([a, a]), (BIG,)),
    "stack of int32": (lambda a: torch.stack([a, a]), (BIG.int(),)),
    "sum": (lambda a: (a.sum(1), a.sum()), (BIG,)),
    "sum of int32": (lambda a: a.sum(), (BIG.int(),)),
    "amax": (lambda a: (a.amax(1), a.min()), (BIG,)),
    "matmul": (lambda a: a @ a.T, (BIG,)),
    "einsum of int32": (lambda a: torch.einsum("ij,kj->ik", a, a), (BIG.int(),)),
    "where a float decides": (lambda a, x: torch.where(x > 0, a, -a), (BIG, noise(2, 16))),
    "gather": (lambda a, x: a.gather(1, (x > 0).long()), (BIG, noise(2, 16))),
    "plus a truth value": (lambda a, x: a + (x > 0), (BIG, noise(2, 16))),
    "products of a cast": (lambda x: x.floor().long() * 100000001 + 1, (noise(2, 16),)),
    "a count and a constant": (lambda x: (x > 0).long().sum(1) + 100000001, (noise(2, 16),)),
    "comparison": (lambda a, x: (a == 100000000) & (x > -9), (BIG, noise(2, 16))),
    "uint8 wraps": (
        lambda x: (x > 0).to(torch.uint8) * 200 + (x > -9).to(torch.uint8) * 100,
        (noise(2, 16),),
    ),
    "a count": (lambda x: (x > 0).sum(1) * 4097, (noise(2, 700),)),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_are_exact(name: str) -> None:
    function, args = INTEGERS[name]
    with torch.no_grad():
        made, wanted = compiled(function)(*args), function(*args)
    torch.testing.assert_close(made, wanted, rtol=0, atol=0)


def test_integers_on_the_host_are_reported(reports: list[Report]) -> None:
    with torch.no_grad():
        compiled(lambda a, x: torch.where(x > 0, a, -a))(BIG, noise(2, 16))
    assert "whole numbers" in str(reports[-1])


EXACT: dict[str, tuple[Callable[..., Any], tuple[Tensor, ...]]] = {
    "equality": (lambda x, w: (x == x * 1.001) | (x @ w > 1e9), (torch.ones(4, 32), torch.zeros(32, 32))),
    "less": (lambda x, w: (x < 1.001) & (x @ w < 1), (torch.ones(4, 32), torch.zeros(32, 32))),
    "positions": (
        lambda x, w: (x @ w) * 0 + (torch.arange(1000, 1032) <= x[:, :1] * 0 + 1013).float(),
        (torch.ones(4, 32), torch.zeros(32, 32)),
    ),
}


@pytest.mark.parametrize("name", EXACT)
def test_what_is_compared_is_not_rounded(name: str) -> None:
    """Also beside products, whose operands are."""
    function, args = EXACT[name]
    with torch.no_grad():
        assert torch.equal(compiled(function)(*args), function(*args))


def test_angles_are_not_rounded() -> None:
    """As rotary embeddings make them: positions times frequencies, with a product of one column."""
    frequencies = 1.0 / 10000 ** (torch.arange(16) / 16)

    def rotary(positions: Tensor, x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
        angles = (frequencies[:, None] @ positions[None].float()).T
        return (x @ w) * angles.cos(), angles.sin()

    args = torch.arange(4000, 4032), noise(32, 32), noise(32, 16, seed=2)
    with torch.no_grad():
        made, wanted = compiled(rotary)(*args), rotary(*args)
    assert (made[1] - wanted[1]).abs().max() < 1e-4
    assert (made[0] - wanted[0]).abs().max() < 0.1


def test_a_loss_is_no_staircase() -> None:
    x, w = noise(8, 32), noise(32, 10, seed=2)
    target = torch.arange(8)
    made = compiled(lambda x, w: functional.cross_entropy(x @ w, target))
    with torch.no_grad():
        wanted = functional.cross_entropy(x.bfloat16().float() @ w.bfloat16().float(), target)
        loss = made(x, w)
    assert abs(float(loss - wanted)) < 2e-4 * float(wanted)


@pytest.mark.parametrize(
    "function",
    [
        torch.relu,
        lambda x: x.clamp(-1, 1),
        lambda x: x + x.flip(1),
        lambda x: x - x,
        lambda x: x * x.flip(1),
        lambda x: x / x.flip(1),
        lambda x: x < x.flip(1),
        lambda x: torch.maximum(x, x.flip(1)),
        lambda x: x.softmax(-1),
        lambda x: x.amax(1),
        torch.log,
        functional.gelu,
        lambda x: (x + 0).isnan(),
        lambda x: functional.max_pool2d(x.reshape(1, 1, 4, 16), 2),
    ],
)
def test_nan_and_infinity_are_as_torch_has_them(function: Callable[[Tensor], Tensor]) -> None:
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore", TilesmithWarning)
        torch.testing.assert_close(
            compiled(function)(SPECIAL), function(SPECIAL), equal_nan=True, rtol=1e-2, atol=1e-3
        )


def test_memory_that_nobody_wrote_is_no_nan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Circular padding writes a new tensor slice by slice; here what it starts from is NaN."""
    x = noise(1, 2, 3, 4, 5).bfloat16()
    wanted = functional.pad(x, (1,) * 6, mode="circular")
    monkeypatch.setattr(torch.utils.deterministic, "fill_uninitialized_memory", True)
    torch.use_deterministic_algorithms(True)
    try:
        with torch.no_grad():
            made = compiled(lambda x: functional.pad(x, (1,) * 6, mode="circular"))(x)
    finally:
        torch.use_deterministic_algorithms(False)
    assert torch.equal(made, wanted)


def test_a_call_on_the_host_is_reported() -> None:
    model: Any = tilesmith.compile(torch.nn.ReLU(), checks="off")
    model(noise(4, 32))
    assert model.report.recomputed == 0
    with pytest.warns(TilesmithWarning, match="computed on the host: NaN"):
        model(SPECIAL)
    assert model.report.recomputed == 1
    assert "kernels take NaN for infinity" in str(model.report)


def test_infinity_that_a_model_puts_stays_on_the_device() -> None:
    model: Any = tilesmith.compile(_Hiding(), checks="off")
    x = noise(4, 32)
    torch.testing.assert_close(model(x), _Hiding()(x), rtol=1e-2, atol=1e-2)
    assert model.report.recomputed == 0


class _Hiding(torch.nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return (x * 2).masked_fill(x < 0, -inf)


@pytest.mark.parametrize("hidden", [LOWEST, -inf])
def test_attention_hides_with_any_mask(hidden: float, reports: list[Report]) -> None:
    """A row of which all is hidden is the mean of all values, or zeros, as torch has it."""
    q = noise(1, 2, 40, 32)
    mask = torch.where(torch.arange(40)[:, None] > torch.arange(40), 0.0, hidden)
    model = compiled(functional.scaled_dot_product_attention)
    with torch.no_grad():
        made, wanted = model(q, q, q, mask), functional.scaled_dot_product_attention(q, q, q, mask)
    assert (made - wanted).abs().max() < 0.05
    assert reports[-1].recomputed == 0


def test_a_truth_mask_that_hides_a_row_gives_zeros() -> None:
    q = noise(1, 2, 32, 32)
    mask = torch.arange(32)[:, None] > torch.arange(32)
    with torch.no_grad():
        made = compiled(functional.scaled_dot_product_attention)(q, q, q, mask)
    assert made[0, :, 0].abs().max() == 0


def test_a_cast_to_half_overflows() -> None:
    x = torch.tensor([[70000.0, 1.0, -1e6, 65504.0]] * 8)
    made = compiled(lambda x: (x * 2).half().float().clamp(-1e5, 1e5))
    with torch.no_grad():
        assert made(x).tolist() == [[1e5, 2.0, -1e5, 1e5]] * 8


@pytest.mark.parametrize("mean", [300, 3000])
def test_group_norm_of_values_far_from_zero(mean: int) -> None:
    x = (noise(2, 64, 8, 8) * 2 + mean).bfloat16()
    made = tilesmith.compile(torch.nn.GroupNorm(4, 64).bfloat16(), checks="off")(x)
    wanted = functional.group_norm(x.float(), 4)
    assert (made.float() - wanted).norm() < 5e-3 * wanted.norm()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: functional.batch_norm(x, None, None, training=True),
        functional.instance_norm,
        lambda x: functional.layer_norm(x, x.shape[2:]),
        lambda x: x.var((2, 3)),
        lambda x: torch.fmod(x, 0.3),
        lambda x: torch.remainder(x, -0.3),
        lambda x: torch.sin(x * 100),
    ],
)
def test_values_far_from_zero(function: Callable[[Tensor], Tensor]) -> None:
    x = noise(2, 8, 8, 8) + 300
    with torch.no_grad():
        torch.testing.assert_close(compiled(function)(x), function(x), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.copysign(x + 2, -x),
        lambda x: torch.copysign(torch.full_like(x, 3.0), x * -2),
        lambda x: torch.signbit((x * -1).t()).float(),
        lambda x: torch.atan2(x * -1, x * -1),
    ],
    ids=["copysign", "copysign of a product", "signbit of a view", "atan2"],
)
def test_a_computed_zero_has_its_sign(function: Callable[[Tensor], Tensor], reports: list[Report]) -> None:
    x = torch.tensor([0.0, -0.0, 1.0, -1.0]).repeat(2, 4)
    torch.testing.assert_close(compiled(function)(x), function(x), rtol=1e-2, atol=1e-2)
    assert "asks for the sign of zero" in str(reports[-1])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.cumsum(-1, dtype=torch.float64),
        lambda x: x.sum(dtype=torch.float64),
        lambda x: torch.linalg.vector_norm(x, dim=1, dtype=torch.float64),
        lambda x: x.mean().double() * 1.1,
    ],
    ids=["cumsum", "sum of all", "vector_norm", "a mean made double"],
)
def test_float64_asked_for_is_float64(function: Callable[[Tensor], Tensor]) -> None:
    x = noise(5, 40)
    torch.testing.assert_close(compiled(function)(x), function(x), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.bfloat16().int(),
        lambda x: (x.half() * 3).long(),
        lambda x: (x * 2 + 1).bfloat16().clamp(-9, 9).t().int(),
        lambda x: x.bfloat16().floor(),
        lambda x: (x.bfloat16() > 8).int(),
        lambda x: x.half().float(),
        lambda x: (x.bfloat16() == x).int(),
    ],
    ids=["int", "half product", "computed", "floor", "compared", "shown", "equal"],
)
def test_a_cast_that_decides_something_rounds(function: Callable[[Tensor], Tensor]) -> None:
    x = torch.cat(
        [noise(3, 8) * 20, torch.tensor([[7.999, 8.0156, 255.5, 256.5, 257.0, 1.0117, -7.999, 6.9997]])]
    )
    assert torch.equal(compiled(function)(x), function(x))


def test_a_cast_before_a_product_stays_on_the_device(reports: list[Report]) -> None:
    weight = noise(32, 32)
    compiled(lambda x: ((x * 2).bfloat16() @ weight.bfloat16()).float())(noise(32, 32))
    assert "a cast has rounded it" not in str(reports[-1])
