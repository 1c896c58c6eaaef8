"""Operators with the attributes models seldom use, through `torch.compile`: as torch computes them."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils import _pytree as pytree

from tilesmith.models.report import Report
from tilesmith.zoo.sample import noise

Case = tuple[Callable[..., Any], tuple[Tensor, ...]]
TWICE = torch.tensor([2, 0, 2])
SPECIAL = torch.tensor([[1.0, inf, 3.0], [4.0, 5.0, nan], [7.0, 8.0, -inf]])
SPREAD = torch.tensor([[1, 1], [0, 2], [3, 3]])
EMPTY_ROWS = torch.tensor([[1.0, -inf, 3.0, 0.5], [-inf, -inf, 2.0, -inf], [inf, 1.0, -1.0, 4.0]])
attend = functional.scaled_dot_product_attention


def _product(name: str, *shapes: tuple[int, ...]) -> dict[str, Case]:
    operator = getattr(torch, name)
    args = tuple(noise(*shape, seed=number) for number, shape in enumerate(shapes))
    dropped = (torch.full(shapes[0], nan), *args[1:])
    return {
        f"{name} with factors": (lambda *given: operator(*given, alpha=2.0, beta=0.5), args),
        f"{name} without its first": (lambda *given: operator(*given, alpha=-1.5, beta=0), dropped),
    }


def _filled(x: Tensor, at: Tensor) -> Tensor:
    made = x.clone()
    made[:, at] = inf
    return made


def _nucleus(scores: Tensor) -> Tensor:
    """Keep the likeliest tokens that make up 80 %, as generation does."""
    ordered, at = torch.sort(scores, descending=True)
    before = ordered.softmax(-1).cumsum(-1) - ordered.softmax(-1)
    return torch.full_like(scores, -inf).scatter(1, at, ordered.masked_fill(before > 0.8, -inf))


CASES: dict[str, Case] = {
    **_product("addmm", (5, 7), (5, 3), (3, 7)),
    **_product("baddbmm", (2, 5, 7), (2, 5, 3), (2, 3, 7)),
    **_product("addbmm", (5, 7), (2, 5, 3), (2, 3, 7)),
    **_product("addmv", (5,), (5, 3), (3,)),
    **_product("addr", (5, 3), (5,), (3,)),
    "addmm of one number": (lambda x, a, b: torch.addmm(x, a, b), (noise(1), noise(5, 3), noise(3, 7))),
    "causal with more keys": (
        lambda q, k: attend(q, k, k, is_causal=True),
        (noise(1, 2, 3, 8), noise(1, 2, 6, 8, seed=1)),
    ),
    "causal with fewer keys": (
        lambda q, k: attend(q, k, k, is_causal=True),
        (noise(1, 2, 6, 8), noise(1, 2, 3, 8, seed=1)),
    ),
    "attention without scores": (
        lambda q, k: attend(q, k, k, scale=0.0),
        (noise(1, 2, 6, 8), noise(1, 2, 3, 8, seed=1)),
    ),
    "attention against the scores": (
        lambda q, k: attend(q, k, k, scale=-0.5),
        (noise(1, 2, 6, 8), noise(1, 2, 3, 8, seed=1)),
    ),
    "attention of one query batch": (
        lambda q, k: attend(q, k, k),
        (noise(1, 2, 6, 8), noise(3, 2, 3, 8, seed=1)),
    ),
    "attention of one head of keys": (
        lambda q, k, v: attend(q, k, v),
        (noise(3, 2, 6, 8), noise(1, 1, 3, 8, seed=1), noise(3, 2, 3, 8, seed=2)),
    ),
    "attention without heads": (lambda q: attend(q, q, q + 1, is_causal=True), (noise(2, 6, 8),)),
    "attention with two batches": (
        lambda q, k, m: attend(q, k, k, m),
        (noise(2, 1, 2, 6, 8), noise(2, 3, 2, 6, 8, seed=1), noise(3, 1, 6, 6) > -0.5),
    ),
    "index_fill twice": (lambda x, at: x.index_fill(1, at, 7.0), (noise(3, 4), TWICE)),
    "index_put twice": (lambda x, at, y: x.index_put((at,), y), (noise(4, 3), TWICE, SPECIAL)),
    "index_put and add": (
        lambda x, at, y: x.index_put((at,), y, accumulate=True),
        (noise(4, 3), TWICE, noise(3, 3)),
    ),
    "index_copy twice": (lambda x, at, y: x.index_copy(0, at, y), (noise(4, 3), TWICE, SPECIAL)),
    "index_add with a factor": (
        lambda x, at, y: x.index_add(0, at, y, alpha=3),
        (noise(4, 3), TWICE, noise(3, 3)),
    ),
    "columns set to infinity": (_filled, (noise(4, 3), TWICE)),
    "scatter of a number": (lambda x, at: x.scatter(1, at, -inf), (noise(3, 4), SPREAD)),
    "scatter of infinities": (
        lambda x, at, y: x.scatter(1, at, y),
        (noise(3, 4), SPREAD, torch.tensor([[1.0, -inf], [inf, nan], [3.0, 4.0]])),
    ),
    "scatter_add": (lambda x, at, y: x.scatter_add(1, at, y), (noise(3, 4), SPREAD, noise(3, 2))),
    "gather beside infinities": (
        lambda x, at: x.gather(0, at),
        (SPECIAL, torch.tensor([[0, 1, 2], [1, 0, 0]])),
    ),
    "rows beside infinities": (lambda x, at: x[at], (SPECIAL, TWICE)),
    "one row": (lambda x, at: (x[at[0]], functional.embedding(at[1], x)), (noise(4, 3), TWICE)),
    "nothing is gathered": (lambda x, at: (x.gather(0, at), x[at]), (noise(4, 3), torch.zeros(0, 3).long())),
    "of one number": (
        lambda x, at: (x.index_select(0, at), x.gather(0, at), x.index_add(0, at, x), x.argmax(0), x.amax(0)),
        (torch.tensor(3.0), torch.tensor(0)),
    ),
    "a mask wider than its tensor": (
        lambda x, y: x.masked_scatter(y > 0, y),
        (noise(5), noise(5, 5)),
    ),
    "topk of rows with infinities": (lambda x: torch.topk(x, 2)[0], (EMPTY_ROWS,)),
    "sort of rows with infinities": (lambda x: torch.sort(x)[0], (EMPTY_ROWS,)),
    "nucleus": (_nucleus, (noise(2, 16) * 3,)),
    "antialias": (
        lambda x: functional.interpolate(x, (4, 5), mode="bilinear", antialias=True),
        (noise(1, 2, 9, 11),),
    ),
    "bilinear by a factor": (
        lambda x: functional.interpolate(x, scale_factor=1.7, mode="bilinear"),
        (noise(1, 2, 5, 7),),
    ),
    "line by a factor": (
        lambda x: functional.interpolate(x, scale_factor=1.7, mode="linear"),
        (noise(1, 2, 5),),
    ),
    "whole numbers on a line": (
        lambda x: (x.sum(), torch.linspace(4.3, -3, 50, dtype=torch.int64)),
        (noise(2, 3),),
    ),
    "labels of a margin loss that end early": (
        lambda x: functional.multilabel_margin_loss(x, torch.tensor([[1, 3, -1, 2], [0, -1, 0, 0]])),
        (noise(2, 4),),
    ),
    "spread of one element": (lambda x: (x.std(1) > 0.5, x.var(1).relu(), x / 0), (noise(4, 1),)),
    "half of the columns turned": (
        lambda x: torch.cat([-x[..., 4:8], x[..., :4]], -1),
        (noise(2, 3, 16),),
    ),
    "every other column turned": (
        lambda x: torch.cat([-x[..., 4::2], x[..., :4]], -1)[..., :4],
        (noise(2, 3, 8),),
    ),
}

RUN = (
    *("addmm with factors", "addmm without its first", "causal with more keys", "causal with fewer keys"),
    *("attention without scores", "attention with two batches", "index_put twice", "scatter of infinities"),
    *("gather beside infinities", "topk of rows with infinities", "nucleus", "half of the columns turned"),
    "spread of one element",
)
"""Those that run on the emulator: each has something of its own there."""


def _compiled(function: Callable[..., Any], device: str) -> Callable[..., Any]:
    torch._dynamo.reset()
    options: dict[str, Any] = {"device": device, **({"checks": "off"} if device == "tenstorrent" else {})}
    return torch.compile(function, backend="tilesmith", options=options, dynamic=False)


def _agree(made: Any, wanted: Any, within: float) -> None:
    for one, other in zip(pytree.tree_leaves(made), pytree.tree_leaves(wanted), strict=True):
        torch.testing.assert_close(one, other, rtol=within, atol=within, equal_nan=True)


@pytest.mark.parametrize("name", CASES)
def test_graph_rewrites_keep_attributes(name: str) -> None:
    function, args = CASES[name]
    _agree(_compiled(function, "cpu")(*args), function(*args), 1e-4)


@pytest.mark.filterwarnings("ignore::tilesmith.errors.TilesmithWarning")
@pytest.mark.parametrize("name", RUN)
def test_attributes_come_out_on_the_device(name: str, reports: list[Report]) -> None:
    """Without NaN where it would be moved: kernels take it for infinity."""
    function, args = CASES[name]
    rounded = tuple(one.bfloat16().float() if one.is_floating_point() else one for one in args)
    if "without its first" not in name:
        rounded = tuple(torch.where(one.isnan(), 2, one).to(one.dtype) for one in rounded)
    args = rounded
    _agree(_compiled(function, "tenstorrent")(*args), function(*args), 0.03)
    assert reports[-1].kernels


OUTSIDE: dict[str, Case] = {
    "rows": (lambda x, at: x[at] * 2, (noise(4, 3), torch.tensor([1, 9]))),
    "two dimensions": (lambda x, at: x[at, at] * 2, (noise(4, 3), torch.tensor([1, 3]))),
    "gather from the end": (lambda x, at: x.gather(1, at) * 2, (noise(2, 3), torch.tensor([[1], [-1]]))),
    "embedding": (lambda x, at: functional.embedding(at, x) * 2, (noise(4, 3), torch.tensor([1, 9]))),
    "one_hot": (lambda x, at: x @ functional.one_hot(at, 3).float(), (noise(4, 2), torch.tensor([1, 3]))),
    "target": (lambda x, at: functional.cross_entropy(x, at), (noise(4, 3), torch.tensor([1, 2, 3, 0]))),
    "scatter": (lambda x, at: x.scatter(1, at, 2.0), (noise(2, 3), torch.tensor([[1], [3]]))),
    "index_put": (lambda x, at: x.index_put((at,), x), (noise(2, 3), torch.tensor([0, 3]))),
    "index_add": (lambda x, at: x.index_add(0, at, x), (noise(2, 3), torch.tensor([0, 3]))),
    "masked_scatter": (lambda x, y: x.masked_scatter(x > -100, y), (noise(2, 3), noise(2))),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_an_index_outside_is_an_error_as_in_torch(name: str) -> None:
    function, args = OUTSIDE[name]
    with pytest.raises((IndexError, RuntimeError)) as wanted:
        function(*args)
    with pytest.raises(wanted.type):
        _compiled(function, "cpu" if name != "embedding" else "tenstorrent")(*args)


def test_a_copy_that_is_returned_is_one() -> None:
    def copies(x: Tensor) -> tuple[Tensor, ...]:
        made = x + 1
        return x.clone(), x.clone().view(-1), made, made.clone(), x + 1

    given = noise(3, 3)
    kept, wanted = given.clone(), copies(given)
    for device in ("cpu", "tenstorrent"):
        results = _compiled(copies, device)(given)
        for number, result in enumerate(results):
            result.fill_(number)
        assert torch.equal(given, kept)
        assert [float(result.flatten()[0]) for result in results] == [0, 1, 2, 3, 4]
    assert torch.equal(_compiled(copies, "tenstorrent")(given)[0], wanted[0])


def test_random_numbers_are_drawn_with_every_call() -> None:
    drawn = _compiled(lambda x: x * torch.randint(0, 1 << 20, (8,)), "cpu")
    assert not torch.equal(drawn(torch.ones(8)), drawn(torch.ones(8)))


def test_the_report_says_where_infinity_spreads(reports: list[Report]) -> None:
    _compiled(lambda x: x.cumsum(-1), "tenstorrent")(noise(4, 8))
    assert "cumsum sums by a product with ones and zeros" in str(reports[-1])
    assert reports[-1].to_json()["limits"] == list(reports[-1].limits)


GRADIENTS: dict[str, Case] = {
    "bilinear by a factor": CASES["bilinear by a factor"],
    "repeated by a factor": (lambda x: functional.interpolate(x, scale_factor=1.5), (noise(1, 2, 4, 6),)),
    "sum of windows": (lambda x: functional.avg_pool2d(x, 2, divisor_override=1), (noise(1, 2, 4, 6),)),
    "addmm with factors": CASES["addmm with factors"],
    "causal with more keys": CASES["causal with more keys"],
    "index_put twice": (lambda x, at, y: x.index_put((at,), y, True), (noise(4, 3), TWICE, noise(3, 3))),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_keep_attributes(name: str) -> None:
    function, args = GRADIENTS[name]

    def gradients(run: Callable[..., Tensor]) -> list[Tensor]:
        given = [one.clone().requires_grad_(one.is_floating_point()) for one in args]
        run(*given).square().sum().backward()
        return [one.grad for one in given if one.grad is not None]

    _agree(gradients(_compiled(function, "cpu")), gradients(function), 1e-4)
