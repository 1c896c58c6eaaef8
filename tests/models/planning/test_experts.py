"""Mixtures of experts: rows meet the weights of their own experts only, in any routing."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.models.planning.capturing import captured, operators, same_after
from torch import Tensor
from torch.nn import functional

import tilesmith
from tilesmith.models.custom_ops import group_rows, grouped_linear
from tilesmith.models.custom_ops.experts import grouped_formula
from tilesmith.models.passes.fuse_experts import fuse_experts
from tilesmith.models.passes.remove_noops import remove_noops

WIDTH, INNER, EXPERTS = 40, 48, 5


class Grouped(torch.nn.Module):
    def __init__(self, weight: Tensor, outputs_first: bool) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(weight)
        self.outputs_first = outputs_first

    def forward(self, x: Tensor, ids: Tensor) -> Tensor:
        result: Tensor = grouped_linear(x * 2, self.weight, ids, self.outputs_first)
        return result + 1


def routings(rows: int) -> dict[str, Tensor]:
    draw = torch.Generator().manual_seed(rows)
    mixed = torch.randint(0, EXPERTS, (rows, 1), generator=draw)
    return {
        "mixed": mixed,
        "sorted": mixed.sort(0).values,
        "one expert": torch.full((rows, 1), EXPERTS - 1),
        "one expert has none": torch.where(mixed == 2, 0, mixed),
        "beyond both ends": torch.randint(-1, EXPERTS + 1, (rows, 1), generator=draw),
    }


@pytest.mark.parametrize("numbers", ["fast", "chip"])
@pytest.mark.parametrize("outputs_first", [True, False])
@pytest.mark.parametrize("rows", [3, 70])
def test_each_row_has_its_own_weight(rows: int, outputs_first: bool, numbers: Any) -> None:
    draw = torch.Generator().manual_seed(0)
    shape = (EXPERTS, INNER, WIDTH) if outputs_first else (EXPERTS, WIDTH, INNER)
    model = Grouped(torch.randn(shape, generator=draw), outputs_first).eval()
    x = torch.randn(rows, WIDTH, generator=draw)
    run = tilesmith.compile(model, precision="float32", checks="on", numbers=numbers)
    with torch.no_grad():
        for ids in routings(rows).values():
            wanted = model(x, ids)
            assert (run(x, ids) - wanted).abs().max() < 4e-3 * wanted.abs().max()
    assert run.report.host == ()
    assert [line.kernel for line in run.report.kernels].count("grouped_linear") == 1


def test_rows_without_an_expert_are_zero() -> None:
    weight = torch.ones(2, 3, 4, dtype=torch.float64)
    found = grouped_linear(
        torch.ones(3, 4, dtype=torch.float64), weight, torch.tensor([[1], [-1], [2]]), True
    )
    assert found.tolist() == [[4.0] * 3, [0.0] * 3, [0.0] * 3]
    with pytest.raises(RuntimeError, match="a weight for each group"):
        torch.compile(grouped_linear, backend="eager")(
            torch.ones(2, 5), weight.float(), torch.tensor([[1]]), True
        )


def test_rows_are_grouped_by_comparing() -> None:
    for seed in range(20):
        ids = torch.randint(0, 6, (37,), generator=torch.Generator().manual_seed(seed))
        for found, wanted in zip(grouped_formula(ids, 2), group_rows(ids[:36], 2), strict=True):
            assert len(found) == len(wanted) + 1
        for found, wanted in zip(grouped_formula(ids[:36], 2), group_rows(ids[:36], 2), strict=True):
            assert torch.equal(found, wanted)


# ---- as transformers writes them ----


def experts(x: Tensor, scores: Tensor, up: Tensor, down: Tensor, count: int = 2) -> Tensor:
    """What integrations/moe.py of transformers does in a compiled model."""
    weights, chosen = scores.topk(count, -1)
    numbers = chosen.reshape(-1)
    ordered, order = torch.sort(numbers)
    rows = x[order // count]
    counts = torch.histc(ordered.float(), bins=EXPERTS, min=0, max=EXPERTS - 1)
    ends = torch.cumsum(counts, 0, dtype=torch.int32)
    first, second = _grouped(rows, up.transpose(-2, -1), ends).chunk(2, -1)
    made = _grouped(functional.silu(first) * second, down.transpose(-2, -1), ends)
    weighted = made * weights.reshape(-1)[order].unsqueeze(-1)
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order))
    return weighted[back].view(len(x), count, -1).sum(1)


def _grouped(x: Tensor, weight: Tensor, ends: Tensor) -> Tensor:
    pytest.importorskip("transformers.integrations.moe")
    result: Tensor = torch.ops.transformers.grouped_mm_fallback(x, weight, ends)
    return result


def _arguments(tokens: int) -> tuple[tuple[Tensor, Tensor], dict[str, Tensor]]:
    draw = torch.Generator().manual_seed(tokens)
    given = torch.randn(tokens, WIDTH, generator=draw), torch.randn(tokens, EXPERTS, generator=draw)
    up = torch.randn(EXPERTS, 2 * INNER, WIDTH, generator=draw) / 6
    return given, {"up": up, "down": torch.randn(EXPERTS, WIDTH, INNER, generator=draw) / 6}


@pytest.mark.parametrize(("tokens", "order"), [(3, 0), (30, 1)])
def test_experts_are_found(tokens: int, order: int) -> None:
    args, weights = _arguments(tokens)
    module = captured(experts, *args, **weights)
    remove_noops(module)
    left = same_after(fuse_experts, module, *args)
    assert left["tilesmith::grouped_linear"] == 2
    assert left["tilesmith::group_rows"] == order
    assert not left.keys() & {"sort", "histc", "cumsum", "index_put", "transformers::grouped_mm_fallback"}


def test_rows_that_know_of_each_other_keep_their_order() -> None:
    def mixed(x: Tensor, scores: Tensor, up: Tensor, down: Tensor) -> Tensor:
        return experts(x.cumsum(0), scores, up, down)

    def disturbed(x: Tensor, numbers: Tensor, up: Tensor) -> Tensor:
        ordered, order = torch.sort(numbers)
        counts = torch.histc(ordered.float(), bins=EXPERTS, min=0, max=EXPERTS - 1)
        made = _grouped(x[order], up.transpose(-2, -1), torch.cumsum(counts, 0, dtype=torch.int32))
        back = torch.empty_like(order)
        back[order] = torch.arange(len(order))
        return made.cumsum(0)[back]

    args, weights = _arguments(3)
    module = captured(mixed, *args, **weights)
    remove_noops(module)
    assert "sort" not in same_after(fuse_experts, module, *args)
    numbers = torch.tensor([3, 1, 1, 0])
    module = captured(disturbed, torch.randn(4, WIDTH), numbers, up=weights["up"])
    remove_noops(module)
    left = same_after(fuse_experts, module, torch.randn(4, WIDTH), numbers)
    assert (left["sort"], left["tilesmith::grouped_linear"]) == (1, 1)


@pytest.mark.parametrize("tokens", [3, 30])
def test_a_mixture_needs_no_host(tokens: int) -> None:
    args, weights = _arguments(tokens)

    class Mixture(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.up, self.down = (torch.nn.Parameter(weights[name]) for name in ("up", "down"))

        def forward(self, x: Tensor, scores: Tensor) -> Tensor:
            return experts(x * 2, scores * 3, self.up, self.down)

    model = Mixture().eval()
    run = tilesmith.compile(model, precision="float32", checks="on")
    with torch.no_grad():
        wanted = model(*args)
        assert (run(*args) - wanted).abs().max() < 4e-3 * wanted.abs().max()
    assert run.report.host == ()
    assert operators(captured(experts, *args, **weights))["sort"] == 1
