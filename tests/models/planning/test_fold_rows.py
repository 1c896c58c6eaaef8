"""Batches of single rows: what folds them into one matrix, and that results stay what they are."""

from __future__ import annotations

import pytest
import torch
from tests.models.planning.capturing import captured, same_after
from torch.fx import GraphModule
from torch.nn import functional

import tilesmith
from tilesmith.arch import load_arch
from tilesmith.kernels.epilogue import Epilogue, Result
from tilesmith.kernels.expression import Input
from tilesmith.kernels.operands import Operand
from tilesmith.kernels.rowwise import RowWise
from tilesmith.kernels.rowwise_streamed import StreamedRowWise
from tilesmith.models.passes.fold_query_groups import fold_query_groups
from tilesmith.models.passes.fold_single_rows import fold_single_rows
from tilesmith.models.passes.merge_reshapes import merge_reshapes
from tilesmith.models.planning.blocks import candidates
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import fresh


class Decode(torch.nn.Module):
    """One step of a decoder layer over a cache: `heads` of 32, `shared` by keys and values."""

    def __init__(self, width: int, heads: int, shared: int) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.heads, self.shared = heads, shared
        self.norm = torch.nn.RMSNorm(width)
        self.query = torch.nn.Linear(width, heads * 32)
        self.output = torch.nn.Linear(heads * 32, width, bias=False)

    def forward(
        self, x: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        batch = x.shape[0]
        query = self.query(self.norm(x)).view(batch, 1, self.heads, 32).transpose(1, 2)
        turned = torch.cat((-query[..., 16:], query[..., :16]), -1)
        query = query * 0.8 + turned * 0.6
        made = functional.scaled_dot_product_attention(
            query, key, value, mask, enable_gqa=self.heads != self.shared
        )
        rest: torch.Tensor = x + self.output(made.transpose(1, 2).reshape(batch, 1, -1))
        return rest + functional.silu(rest) * torch.softmax(rest, -1)


def _shapes(module: GraphModule) -> dict[str, tuple[int, ...]]:
    calls = [node for node in module.graph.nodes if node.op == "call_function"]
    values = {str(node.target): node.meta["val"] for node in calls}
    return {name: tuple(value.shape) for name, value in values.items() if isinstance(value, torch.Tensor)}


def test_a_sum_over_processes_stays_between_folded_rows() -> None:
    def forward(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        part = torch.ops._c10d_functional.all_reduce(functional.linear(x, w), "sum", "chips")
        total: torch.Tensor = torch.ops._c10d_functional.wait_tensor(part)
        return x + total

    module = captured(forward, torch.randn(5, 1, 64), w=torch.randn(64, 64))
    fold_single_rows(module)
    shapes = _shapes(module)
    assert shapes["_c10d_functional.all_reduce.default"] == (5, 64)
    assert shapes["aten.add.Tensor"] == (5, 64)


def test_rows_of_a_table_for_single_tokens_share_a_tile() -> None:
    ids, table = torch.tensor([[3], [1], [3], [0]]), torch.randn(8, 64)
    module = captured(
        lambda ids, table: functional.rms_norm(functional.embedding(ids, table), (64,)), ids, table=table
    )
    same_after(fold_single_rows, module, ids)
    assert _shapes(module)["aten.embedding.default"] == (4, 64)


def test_work_on_single_rows_becomes_work_on_a_matrix() -> None:
    x, w = torch.randn(5, 1, 64), torch.randn(96, 64)
    module = captured(lambda x, w: functional.silu(functional.linear(x, w)) + 1, x, w=w)
    same_after(fold_single_rows, module, x)
    shapes = _shapes(module)
    assert shapes["aten.linear.default"] == shapes["aten.silu.default"] == (5, 96)


def test_heads_stay_in_front_of_a_batch_that_becomes_rows() -> None:
    x, w = torch.randn(5, 3, 1, 64), torch.randn(64, 64)
    module = captured(lambda x, w: torch.matmul(x, w) * x, x, w=w)
    same_after(fold_single_rows, module, x)
    shapes = _shapes(module)
    assert shapes["aten.matmul.default"] == (3, 5, 64)


@pytest.mark.parametrize("shape", [(5, 2, 64), (1, 1, 64), (5, 64)])
def test_other_rows_stay(shape: tuple[int, ...]) -> None:
    x, w = torch.randn(shape), torch.randn(96, 64)
    module = captured(lambda x, w: functional.linear(x, w), x, w=w)
    assert same_after(fold_single_rows, module, x) == {"linear": 1}


@pytest.mark.parametrize("split", [(64, 32), 48])
def test_parts_of_a_split_are_folded_as_what_was_split(split: tuple[int, ...] | int) -> None:
    x, w = torch.randn(5, 1, 64), torch.randn(96, 64)
    module = captured(lambda x, w: functional.linear(x, w).split(split, -1)[1] * 2, x, w=w)
    same_after(fold_single_rows, module, x)
    assert _shapes(module)["aten.mul.Tensor"] == (5, 32 if split != 48 else 48)


def test_queries_of_a_group_become_rows() -> None:
    q, k = torch.randn(3, 8, 1, 32), torch.randn(3, 2, 40, 32)
    module = captured(lambda q, k: functional.scaled_dot_product_attention(q, k, k, enable_gqa=True), q, k)
    same_after(fold_query_groups, module, q, k)
    made = next(node for node in module.graph.nodes if "attention" in str(node.target))
    assert tuple(made.meta["val"].shape) == (3, 2, 4, 32)


def test_causal_queries_and_masks_of_heads_stay_as_they_are() -> None:
    q, k, mask = torch.randn(3, 8, 1, 32), torch.randn(3, 2, 40, 32), torch.randn(3, 8, 1, 40)

    def causal(q: torch.Tensor, k: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        seen = functional.scaled_dot_product_attention(q, k, k, is_causal=True, enable_gqa=True)
        return seen + functional.scaled_dot_product_attention(q, k, k, mask, enable_gqa=True)

    module = captured(causal, q, k, mask)
    assert "reshape" not in same_after(fold_query_groups, module, q, k, mask)


def test_reshapes_in_a_row_are_one() -> None:
    x = torch.randn(3, 8, 1, 32)
    module = captured(lambda x: x.reshape(3, 2, 4, 32).reshape(24, 1, 32).permute(1, 0, 2), x)
    assert same_after(merge_reshapes, module, x) == {"reshape": 1}


@pytest.mark.parametrize(("batch", "heads", "shared"), [(3, 4, 2), (33, 2, 2)])
def test_a_decode_step_is_right_on_the_chip(batch: int, heads: int, shared: int) -> None:
    model = Decode(64, heads, shared).eval()
    inputs = (torch.randn(batch, 1, 64), *torch.randn(2, batch, shared, 40, 32))
    compiled = tilesmith.compile(model, backend="tenstorrent", checks="on", numbers="chip")
    with torch.no_grad():
        expected, made = model(*inputs), compiled(*inputs)
    assert not compiled.report.host
    assert torch.norm(made - expected) < 0.02 * torch.norm(expected)


def test_masks_of_a_decode_step_hide_what_is_not_there_yet() -> None:
    model = Decode(64, 4, 2).eval()
    mask = torch.zeros(3, 1, 1, 40)
    mask[..., 17:] = -torch.inf
    inputs = (torch.randn(3, 1, 64), *torch.randn(2, 3, 2, 40, 32), mask)
    compiled = tilesmith.compile(model, backend="tenstorrent", checks="on", numbers="chip")
    with torch.no_grad():
        expected, made = model(*inputs), compiled(*inputs)
    assert torch.norm(made - expected) < 0.02 * torch.norm(expected)


def test_long_rows_that_are_few_are_shared() -> None:
    epilogue = Epilogue((Result(Input("acc0"), Operand("y")),))
    template = StreamedRowWise("rms_norm", 2048, epilogue, (Operand("x"),), Input("x"))
    storages = {name: fresh((32, 2048)).storage for name in ("x", "y")}
    step = Launch(template, storages, {"m": 32, "nb1": 1, "nb2": 1}, ("rms_norm",), ())
    first, *_, last = candidates(step, load_arch("n150"))
    assert isinstance(first, RowWise)
    assert first.chunk == 256
    assert last is template
