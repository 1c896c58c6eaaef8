"""Which template, or the host, and why: each rule of the planner, a call it holds for and one it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from tests.models.planning.capturing import captured
from torch import Tensor
from torch.nn import functional
from torch.utils import _pytree as pytree

from tilesmith.models.planning.plan import plan
from tilesmith.models.planning.steps import Choice, Download, HostCall, Plan
from tilesmith.models.single_op import _graph_of

aten = torch.ops.aten
Call = tuple[Callable[..., Any], tuple[Tensor, ...]]


def x(*shape: int) -> Tensor:
    return torch.ones(shape)


VECTOR, MATRIX, IMAGE, IMAGES = x(32), x(32, 32), x(1, 32, 8, 8), x(2, 32, 8, 8)
HEADS, MANY = x(1, 2, 32, 32), x(2, 3, 2, 3, 32, 32)


def planned(call: Call) -> Plan:
    """The plan of a call. No pass runs before, so a rule sees the call as it is written here."""
    function, args = call
    return plan(captured(function, *args))


@dataclass(frozen=True)
class Rule:
    """A reason the planner gives, a call it refuses for that, and one like it that a template does."""

    reason: str
    refused: Call
    template: str
    taken: Call


def attention(**options: Any) -> Callable[..., Any]:
    return lambda a: functional.scaled_dot_product_attention(a, a, a, **options)


def pooled_plus(a: Tensor, b: Tensor) -> Tensor:
    return functional.max_pool2d(a, 2) + b


def added(alpha: float) -> Callable[..., Any]:
    return lambda c, a, b: torch.addmm(c, a, b, alpha=alpha)


HOST = [
    Rule("a product with a vector", (torch.matmul, (MATRIX, VECTOR)), "linear", (torch.mm, (MATRIX, MATRIX))),
    Rule(
        "a product that is scaled when it is added",
        (added(2), (MATRIX, MATRIX, MATRIX)),
        "linear",
        (added(1), (MATRIX, MATRIX, MATRIX)),
    ),
    Rule(
        "attention over other shapes than (batch, head, row, column) of one batch",
        (attention(), (MATRIX,)),
        "attention",
        (attention(), (HEADS,)),
    ),
    Rule(
        "attention that drops weights by chance",
        (attention(dropout_p=0.5), (HEADS,)),
        "attention",
        (attention(is_causal=True), (HEADS,)),
    ),
    Rule(
        "a norm over more than the last dimension",
        (lambda a: functional.layer_norm(a, [32, 32]), (x(2, 32, 32),)),
        "layer_norm",
        (lambda a: functional.layer_norm(a, [32]), (x(2, 32, 32),)),
    ),
    Rule(
        "a softmax along another dimension than the last",
        (lambda a: a.softmax(0), (MATRIX,)),
        "softmax",
        (lambda a: a.softmax(-1), (MATRIX,)),
    ),
    Rule(
        "one row of a table, not several",
        (functional.embedding, (torch.tensor(3), MATRIX)),
        "embedding",
        (functional.embedding, (torch.tensor([3]), MATRIX)),
    ),
    Rule(
        "a reduction of one number",
        (lambda a: (a.sum() * 2).sum(), (MATRIX,)),
        "sum_along_columns",
        (lambda a: (a.sum(-1) * 2).sum(), (MATRIX,)),
    ),
    Rule(
        "a group norm of something else than images",
        (lambda a: functional.group_norm(a, 2), (x(2, 64),)),
        "group_norm",
        (lambda a: functional.group_norm(a, 2), (x(1, 64, 8, 8),)),
    ),
    Rule(
        "387 channels in 3 groups share tiles too widely",
        (lambda a: functional.group_norm(a, 3), (x(1, 387, 4, 4),)),
        "group_norm",
        (lambda a: functional.group_norm(a, 7), (x(1, 231, 4, 4),)),
    ),
    Rule(
        "a pool of something else than a batch of images",
        (lambda a: functional.max_pool2d(a, 2), (x(32, 8, 8),)),
        "max_window",
        (lambda a: functional.max_pool2d(a, 2), (IMAGE,)),
    ),
    Rule(
        "an average of windows that count less than all their pixels",
        (lambda a: functional.avg_pool2d(a, 3, padding=1, count_include_pad=False), (IMAGE,)),
        "sum_window",
        (lambda a: functional.avg_pool2d(a, 3, padding=1), (IMAGE,)),
    ),
    Rule(
        "a pool whose windows differ in size",
        (lambda a: functional.adaptive_avg_pool2d(a, 3), (IMAGE,)),
        "sum_window",
        (lambda a: functional.adaptive_avg_pool2d(a, 4), (IMAGE,)),
    ),
    Rule(
        "pixels are repeated a different number of times",
        (lambda a: functional.interpolate(a + 1, size=(12, 12)), (IMAGE,)),
        "sum_window",
        (lambda a: functional.interpolate(a + 1, size=(16, 16)), (IMAGE,)),
    ),
    Rule(
        "a convolution in groups with a weight that is an input",
        (lambda a, w: functional.conv2d(a, w, groups=2), (IMAGE, x(32, 16, 3, 3))),
        "convolution",
        (functional.conv2d, (IMAGE, x(32, 32, 3, 3))),
    ),
    Rule(
        "a convolution that is not over two dimensions",
        (functional.conv3d, (x(1, 4, 4, 8, 8), x(4, 4, 2, 3, 3))),
        "linear",
        (functional.conv2d, (IMAGE, x(32, 32, 1, 1))),
    ),
    # ---- what partition keeps on the host ----
    Rule("complex numbers", (torch.fft.fft, (VECTOR,)), "vectorwise", (lambda a: a * a.abs() + 1, (VECTOR,))),
    Rule(
        "the chip has no float64",
        (lambda a: a.double() * 2, (VECTOR,)),
        "vectorwise",
        (lambda a: a * 2.0, (VECTOR,)),
    ),
    Rule(
        "whole numbers and truth values made from the model's inputs",
        (lambda a: a * 2, (torch.ones(32, dtype=torch.int64),)),
        "vectorwise",
        (lambda a: (a > 0) * 2, (VECTOR,)),
    ),
    Rule("an empty tensor", (lambda a: a * 2, (x(0),)), "vectorwise", (lambda a: a * 2, (x(1),))),
    Rule(
        "the chip's division would round before the remainder is taken",
        (lambda a: torch.remainder(a, 2.0), (VECTOR,)),
        "vectorwise",
        (lambda a: torch.div(a, 2.0), (VECTOR,)),
    ),
    Rule(
        "the angles come with the call",
        (lambda a: a.sin(), (VECTOR,)),
        "vectorwise",
        (lambda a: (a * 2).sin(), (VECTOR,)),
    ),
    Rule(
        "inputs lose NaN on their way through the matrix unit",
        (lambda a: a.isnan(), (VECTOR,)),
        "vectorwise",
        (lambda a: (a * 2).isnan(), (VECTOR,)),
    ),
    Rule(
        "no kernel does this operator",
        (lambda a: torch.linalg.qr(a)[0], (MATRIX,)),
        "elementwise",
        (lambda a: a.sqrt(), (MATRIX,)),
    ),
    Rule(
        "a copy of what is on the host",
        (lambda a: a.clone(), (MATRIX,)),
        "elementwise",
        (lambda a: (a + 1).clone() * 2, (MATRIX,)),
    ),
]
SPLIT = [
    Rule(
        "an expression is reduced along other dimensions than the last",
        (lambda a: (a * 2).sum((0, 2)), (x(2, 40, 40, 3),)),
        "sum_along_rows",
        (lambda a: (a * 2).sum(0), (x(40, 40),)),
    ),
    Rule(
        "its operands walk 6 dimensions in different orders",
        (lambda a, b: (a * 2) + (b * 3).permute(3, 2, 1, 0, 4, 5), (MANY, x(3, 2, 3, 2, 32, 32))),
        "elementwise",
        (lambda a, b: (a * 2) + (b * 3).permute(0, 1, 2, 3, 4, 5), (MANY, MANY)),
    ),
    Rule(
        "an image is combined with a tensor of shape [1, 1, 4, 4]",
        (pooled_plus, (IMAGE, x(4, 4))),
        "max_window",
        (pooled_plus, (IMAGE, x(32, 1, 1))),
    ),
    Rule(
        "a value for each image and channel",
        (pooled_plus, (IMAGES, x(2, 32, 1, 1))),
        "max_window",
        (pooled_plus, (IMAGES, x(1, 32, 1, 1))),
    ),
]


def with_reason(made: Plan, reason: str) -> list[Choice]:
    return [choice for choice in made.choices if any(reason in why for why in choice.refused)]


@pytest.mark.parametrize("rule", HOST, ids=lambda rule: rule.reason)
def test_a_rule_leaves_a_call_to_the_host(rule: Rule) -> None:
    made = planned(rule.refused)
    assert any(not choice.template for choice in with_reason(made, rule.reason)), made.choices
    assert any(rule.reason in step.reason for step in made.steps if isinstance(step, HostCall))


@pytest.mark.parametrize("rule", SPLIT, ids=lambda rule: rule.reason)
def test_a_rule_splits_a_group_into_kernels(rule: Rule) -> None:
    made = planned(rule.refused)
    assert len(with_reason(made, rule.reason)) > 1, made.choices
    assert all(choice.template for choice in made.choices)


@pytest.mark.parametrize("rule", [*HOST, *SPLIT], ids=lambda rule: rule.reason)
def test_a_template_does_the_call_beside_it(rule: Rule) -> None:
    made = planned(rule.taken)
    assert not with_reason(made, rule.reason)
    assert any(rule.template in choice.template for choice in made.choices), made.choices
    assert not [step for step in made.steps if isinstance(step, HostCall)]


@pytest.mark.parametrize(("dim", "template"), [(0, ""), (-1, "softmax_backward")])
def test_the_gradient_of_a_softmax(dim: int, template: str) -> None:
    leaves, spec = pytree.tree_flatten(((MATRIX, MATRIX, dim, torch.float32), {}))
    made = plan(_graph_of(aten._softmax_backward_data.default, leaves, spec))
    assert [choice.template for choice in made.choices] == [template]


def test_every_reason_is_told_part_by_part() -> None:
    made = planned((lambda a, b: torch.matmul(a, b) * 2, (MATRIX, VECTOR)))
    assert [(choice.template, choice.refused) for choice in made.choices] == [
        ("", ("a product with a vector", "a product with a vector")),
        ("vectorwise", ("a product with a vector",)),
    ]


def test_what_was_tried_and_refused_leaves_nothing_behind() -> None:
    """What a refused kernel would have read is brought to the host once, by the call that needs it there."""
    made = planned((lambda a, b: torch.matmul(a * 2, b * 3) + 1, (MATRIX, VECTOR)))
    downloads = [step.node for step in made.steps if isinstance(step, Download)]
    assert downloads == ["mul", "mul_1", "add"]
    position = {type(step): number for number, step in enumerate(made.steps)}
    assert position[HostCall] < position[Download]
