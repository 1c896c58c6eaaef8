"""Operators registered with PyTorch: their schema, shapes and gradients, and that they run as programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from tilesmith import settings
from tilesmith.models import custom_ops
from tilesmith.zoo.running import relative_l2

ours = torch.ops.tilesmith
_sdpa = torch.nn.functional.scaled_dot_product_attention


@dataclass(frozen=True)
class Case:
    """An operator, arguments for it (shapes for tensors), and what torch computes in its place."""

    operator: Any
    arguments: tuple[Any, ...]
    reference: Callable[..., Any]


def _attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool, scale: float) -> Tensor:
    return _sdpa(q, k, v, mask, is_causal=causal, scale=scale, enable_gqa=q.shape[1] != k.shape[1])


_X, _W = ("shape", 4, 40), ("shape", 40)  # rows that end inside a tile
_Q, _K = ("shape", 1, 4, 32, 32), ("shape", 1, 2, 32, 32)
CASES = {
    "matmul": Case(ours.matmul, (("shape", 2, 32, 32), ("shape", 2, 32, 32)), torch.matmul),
    "attention": Case(ours.attention, (_Q, _K, _K, None, True, 0.2), _attention),
    "softmax": Case(ours.softmax, (_X,), lambda x: torch.softmax(x, -1)),
    "layer_norm": Case(ours.layer_norm, (_X, [40], _W, _W, 1e-5), torch.layer_norm),
    "rms_norm": Case(ours.rms_norm, (_X, [40], _W, 1e-5), torch.rms_norm),
}


def _arguments(case: Case, dtype: torch.dtype = torch.float32, small: int = 0) -> list[Any]:
    """Tensors for the shapes; `small` is the most any dimension has, for checks that try each element."""
    made: list[Any] = []
    for number, argument in enumerate(case.arguments):
        if isinstance(argument, tuple):
            shape = [min(size, small or size) for size in argument[1:]]
            source = torch.Generator().manual_seed(number)
            made.append(torch.randn(shape, generator=source).to(dtype).requires_grad_())
        elif isinstance(argument, list):
            made.append([min(size, small or size) for size in argument])
        else:
            made.append(argument)
    return made


@pytest.mark.parametrize("name", CASES)
def test_schema_shapes_and_autograd_are_registered(name: str) -> None:
    case = CASES[name]
    arguments = _arguments(case, torch.float64)
    results = torch.library.opcheck(case.operator.default, tuple(arguments))
    assert set(results.values()) == {"SUCCESS"}


ROWS, MARKS = torch.randn(4, 40).double(), torch.ones(4, 1).double()
HEADS = torch.randn(1, 2, 4, 8).double()
WITHOUT_GRADIENTS: dict[str, tuple[Any, ...]] = {
    "cache_update": (torch.zeros(1, 4, 2), torch.tensor([1, 2]), torch.ones(1, 2, 2)),
    "equality": (MARKS, MARKS.T),
    "group_rows": (torch.tensor([2, 0, 1, 0]), 2),
    "grouped_linear": (torch.randn(3, 4), torch.randn(2, 4, 5), torch.tensor([[1], [0], [2]]), False),
    "in_bounds": (torch.tensor([-1, 2]), 4, True),
    "paged_attention": (HEADS, HEADS, HEADS, torch.tensor([[0, 0]]), torch.tensor([6])),
    "integer_linear": (torch.ones(4, 8), torch.ones(3, 8, dtype=torch.int8)),
    "integer_conv2d": (
        torch.ones(1, 1, 5, 5),
        torch.ones(2, 1, 3, 3, dtype=torch.int8),
        [1, 1],
        [1, 1],
        [1, 1],
        1,
    ),
    "softmax_backward": (ROWS, ROWS.softmax(-1)),
    "layer_norm_backward": (ROWS, ROWS, ROWS[0], 1e-5),
    "rms_norm_backward": (ROWS, ROWS, None, 1e-5),
    "attention_backward": (HEADS, HEADS, HEADS, HEADS, None, True, 0.5),
}


@pytest.mark.parametrize("name", WITHOUT_GRADIENTS)
def test_operators_that_gradients_are_made_of_are_registered_too(name: str) -> None:
    results = torch.library.opcheck(getattr(ours, name).default, WITHOUT_GRADIENTS[name])
    assert set(results.values()) == {"SUCCESS"}


def test_no_operator_is_left_out() -> None:
    registered = {name.split("::")[1].split(".")[0] for name in _registered()}
    assert registered == {*CASES, *WITHOUT_GRADIENTS}


def _registered() -> list[str]:
    names: list[str] = torch._C._dispatch_get_all_op_names()
    return [name for name in names if name.startswith("tilesmith::")]


@pytest.mark.parametrize("name", CASES)
def test_gradients_agree_with_differences(name: str) -> None:
    case = CASES[name]
    assert torch.autograd.gradcheck(case.operator, _arguments(case, torch.float64, small=4))


@pytest.mark.parametrize("name", CASES)
def test_float32_runs_as_programs_in_both_directions(name: str) -> None:
    case = CASES[name]
    arguments, copies = _arguments(case), _arguments(case)
    with settings.using(checks="off", numbers="fast"):
        made = case.operator(*arguments)
        slope = torch.randn(made.shape, generator=torch.Generator().manual_seed(9))
        made.backward(slope)
    wanted = case.reference(*copies)
    wanted.backward(slope)
    assert relative_l2(made, wanted) < 1e-3
    for argument, copy in zip(arguments, copies, strict=True):
        if isinstance(argument, Tensor):
            assert argument.grad is not None
            assert relative_l2(argument.grad, copy.grad) < 1e-3


def test_an_operator_stays_one_node_in_an_exported_graph() -> None:
    class Model(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            made: Tensor = custom_ops.softmax(x) * 2
            return made

    program = torch.export.export(Model(), (torch.zeros(4, 32),))
    targets = [node.target for node in program.graph.nodes if node.op == "call_function"]
    assert ours.softmax.default in targets


def test_equality_picks_rows() -> None:
    with settings.using(checks="off", numbers="fast"):
        made = custom_ops.equality(torch.arange(300)[:, None], torch.tensor([[3, 299, 0]]))
    assert made.argmax(0).tolist() == [3, 299, 0]
    assert made.sum() == 3


def test_shapes_that_do_not_fit_are_refused_in_a_sentence() -> None:
    with pytest.raises(RuntimeError, match="cannot multiply"):
        torch.export.export(_Product(), (torch.zeros(4, 8), torch.zeros(4, 8)))


class _Product(torch.nn.Module):
    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        made: Tensor = custom_ops.matmul(a, b)
        return made


functional = torch.nn.functional
DEFAULTS: dict[str, tuple[Callable[..., Tensor], Callable[..., Tensor], list[tuple[int, ...]]]] = {
    "attention of 4-D tensors": (
        ours.attention,
        _sdpa,
        [(1, 2, 32, 32)] * 3,
    ),
    "attention of 3-D tensors": (ours.attention, _sdpa, [(2, 32, 32)] * 3),
    "causal attention": (
        lambda q, k, v: ours.attention(q, k, v, is_causal=True),
        lambda q, k, v: _sdpa(q, k, v, is_causal=True),
        [(2, 32, 32)] * 3,
    ),
    "attention of 3-D tensors with shared keys": (
        ours.attention,
        lambda q, k, v: _sdpa(q, k, v, enable_gqa=True),
        [(4, 32, 32), (2, 32, 32), (2, 32, 32)],
    ),
    "softmax": (ours.softmax, lambda x: functional.softmax(x, -1), [(4, 40)]),
    "softmax of columns": (
        lambda x: ours.softmax(x, 0),
        lambda x: functional.softmax(x, 0),
        [(4, 40)],
    ),
    "softmax of the middle": (
        lambda x: ours.softmax(x, dim=-2),
        lambda x: functional.softmax(x, -2),
        [(2, 5, 40)],
    ),
    "layer_norm": (lambda x: ours.layer_norm(x, [40]), lambda x: functional.layer_norm(x, [40]), [(4, 40)]),
    "layer_norm of two dimensions": (
        lambda x, w, b: ours.layer_norm(x, (3, 40), w, b),
        lambda x, w, b: functional.layer_norm(x, (3, 40), w, b),
        [(4, 3, 40), (3, 40), (3, 40)],
    ),
    "layer_norm with a bias alone": (
        lambda x, b: ours.layer_norm(x, [40], bias=b),
        lambda x, b: functional.layer_norm(x, [40], bias=b),
        [(4, 40), (40,)],
    ),
    "rms_norm": (lambda x: ours.rms_norm(x, [40]), lambda x: functional.rms_norm(x, [40]), [(4, 40)]),
    "rms_norm of two dimensions": (
        lambda x, w: ours.rms_norm(x, (3, 40), w),
        lambda x, w: functional.rms_norm(x, (3, 40), w),
        [(4, 3, 40), (3, 40)],
    ),
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_arguments_left_out_are_those_of_torch(name: str) -> None:
    made_by, wanted_by, shapes = DEFAULTS[name]
    source = torch.Generator().manual_seed(0)
    given = [torch.randn(shape, generator=source).requires_grad_() for shape in shapes]
    copies = [one.detach().clone().requires_grad_() for one in given]
    with settings.using(checks="off", numbers="fast"):
        made = made_by(*given)
        slope = torch.randn(made.shape, generator=source)
        made.backward(slope)
    wanted = wanted_by(*copies)
    wanted.backward(slope)
    assert relative_l2(made, wanted) < 1e-3
    for one, copy in zip(given, copies, strict=True):
        assert one.grad is not None
        assert copy.grad is not None
        assert relative_l2(one.grad, copy.grad) < 1e-3


@pytest.mark.parametrize(
    ("operator", "arguments"),
    [
        (ours.attention, (HEADS[0], HEADS[0], HEADS[0])),
        (ours.softmax, (ROWS, 0)),
        (ours.layer_norm, (HEADS, (4, 8), torch.ones(4, 8).double())),
        (ours.rms_norm, (HEADS, (4, 8))),
    ],
)
def test_calls_with_defaults_are_registered(operator: Any, arguments: tuple[Any, ...]) -> None:
    given = tuple(
        one.clone().requires_grad_() if isinstance(one, Tensor) and one.dim() > 2 else one
        for one in arguments
    )
    results = torch.library.opcheck(operator.default, given)
    assert set(results.values()) == {"SUCCESS"}


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda x: ours.softmax(x, 2), "has no dimension 2"),
        (lambda x: ours.layer_norm(x, [41]), "does not end with the normalized_shape"),
        (lambda x: ours.attention(x, x, x), "takes tensors"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(call: Callable[[Tensor], Tensor], sentence: str) -> None:
    with pytest.raises(RuntimeError, match=sentence):
        call(torch.zeros(4, 40))
