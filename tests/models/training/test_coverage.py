"""Every operator that a survey found in models and their training is planned with none of it on the host.

Each is called by itself, as AOTAutograd would hand it to the backend.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from tilesmith.models.capture.training import training_decompositions
from tilesmith.models.options import ModelOptions
from tilesmith.zoo.planning import planned_graph
from tilesmith.zoo.sample import noise

aten = torch.ops.aten
X, Y, IMAGE, HEADS = noise(32, 64), noise(64, 32), noise(1, 8, 8, 8), noise(1, 2, 32, 32)
IDS = torch.arange(32)
WINDOW = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)

Case = tuple[Callable[..., Any], tuple[Any, ...]]

ELEMENTWISE = ["exp", "erf", "tanh", "sigmoid", "relu", "gelu", "silu", "rsqrt", "neg"]
WITH_NUMBER = [
    "add.Tensor",
    "sub.Tensor",
    "mul.Tensor",
    "mul.Scalar",
    "div.Tensor",
    "div.Scalar",
    "pow.Tensor_Scalar",
]
COMPARED = ["eq.Scalar", "ne.Scalar", "ge.Scalar", "le.Scalar", "lt.Scalar"]

CASES: dict[str, Case] = {
    **{name: (getattr(aten, name).default, (X.abs(),)) for name in ELEMENTWISE},
    **{
        name: (getattr(getattr(aten, name.split(".")[0]), name.split(".")[1]), (X, 3.0))
        for name in (*WITH_NUMBER, *COMPARED)
    },
    # Angles that come with the call are taken by the host: the chip might not reduce them exactly.
    "sin": (lambda x: aten.sin(x * 2), (X,)),
    "cos": (lambda x: aten.cos(x * 2), (X,)),
    "le.Tensor": (lambda x, y: aten.where.self(aten.le.Tensor(x, y), x, y), (X, X * 2)),
    "bitwise_and.Tensor": (lambda x, y: aten.bitwise_and.Tensor(x > 0, y > 0), (X, X * 2)),
    "bitwise_not": (lambda x: aten.bitwise_not(x > 0), (X,)),
    "logical_not": (aten.logical_not.default, (X,)),
    "clamp": (aten.clamp.default, (X, 0.0, 1.0)),
    "where.self": (lambda x: aten.where.self(x > 0, x, aten.scalar_tensor(0.0)), (X,)),
    "any.dim": (lambda x: aten.any.dim(x > 0, -1), (X,)),
    "full_like": (lambda x: x + aten.full_like(x, 2.0), (X,)),
    "mm": (aten.mm.default, (X, Y)),
    "bmm": (aten.bmm.default, (X[None], Y[None])),
    "addmm": (aten.addmm.default, (Y[0], X, Y)),
    "linear": (aten.linear.default, (X, Y.T.contiguous())),
    "embedding": (aten.embedding.default, (X, IDS)),
    "index.Tensor": (lambda x, ids: aten.index.Tensor(x, [ids]), (X, IDS)),
    "index_put": (lambda x, ids, y: aten.index_put(x, [ids], y, True), (X, IDS, X * 2)),
    "gather": (lambda x, ids: aten.gather(x, 1, ids[:, None]), (X, IDS)),
    "argmax": (aten.argmax.default, (X, -1)),
    "cumsum": (aten.cumsum.default, (X, 1)),
    "sum.dim_IntList": (aten.sum.dim_IntList, (X, [1])),
    "mean.dim": (aten.mean.dim, (X, [0])),
    "_softmax": (aten._softmax.default, (X, -1, False)),
    "scaled_dot_product_attention": (aten.scaled_dot_product_attention.default, (HEADS, HEADS, HEADS)),
    "layer_norm": (aten.layer_norm.default, (X, [64])),
    "native_layer_norm": (lambda x: aten.native_layer_norm(x, [64], None, None, 1e-5)[0], (X,)),
    "group_norm": (aten.group_norm.default, (IMAGE, 2)),
    "native_group_norm": (lambda x: aten.native_group_norm(x, None, None, 1, 8, 64, 2, 1e-5)[0], (IMAGE,)),
    "batch_norm": (
        lambda x, m: aten._native_batch_norm_legit_no_training(x, m, m, m, m + 1, 0.1, 1e-5)[0],
        (IMAGE, noise(8)),
    ),
    "batch_norm that learns": (
        lambda x, m: aten._native_batch_norm_legit_functional(x, m, m, m, m + 1, True, 0.1, 1e-5)[0],
        (IMAGE, noise(8)),
    ),
    "conv2d": (aten.conv2d.default, (IMAGE, noise(8, 8, 3, 3), None, [1, 1], [1, 1])),
    "convolution": (aten.convolution.default, (IMAGE, noise(8, 8, 3, 3), None, *WINDOW)),
    "convolution_backward": (
        lambda g, x, w: aten.convolution_backward(g, x, w, [8], *WINDOW, [True, True, True]),
        (IMAGE, IMAGE, noise(8, 8, 3, 3)),
    ),
    "max_pool2d": (aten.max_pool2d.default, (IMAGE, [2, 2])),
    "max_pool2d_with_indices_backward": (
        lambda g, x, i: aten.max_pool2d_with_indices_backward(g, x, [2, 2], [2, 2], [0, 0], [1, 1], False, i),
        (noise(1, 8, 4, 4), IMAGE, torch.zeros(1, 8, 4, 4, dtype=torch.int64)),
    ),
    "adaptive_avg_pool2d": (aten.adaptive_avg_pool2d.default, (IMAGE, [1, 1])),
    "upsample_nearest2d": (aten.upsample_nearest2d.vec, (IMAGE, None, [2.0, 2.0])),
    "cat": (lambda x: aten.cat([x, x], 1), (X,)),
    "slice_scatter": (lambda x, y: aten.slice_scatter(x, y, 0, 0, 8), (X, X[:8])),
    "views": (
        lambda x: aten.permute(
            aten.view(aten.expand(aten.unsqueeze(x * 2, 0), [2, 32, 64]), [2, 32, 2, 32]), [0, 2, 1, 3]
        ),
        (X,),
    ),
    "parts": (lambda x: aten.split_with_sizes(aten.slice(x * 2, 0, 0, 8), [32, 32], 1)[1] + 1, (X,)),
    "select and squeeze": (lambda x: aten.squeeze.dims(aten.select(x * 2, 0, 3)[None], [0]) + 1, (X,)),
}


@pytest.mark.parametrize("name", CASES)
def test_an_operator_of_the_survey_is_planned_without_the_host(name: str) -> None:
    call, given = CASES[name]
    tensors = [one for one in given if isinstance(one, Tensor)]

    def on_tensors(*values: Tensor) -> Any:
        rest = iter(values)
        made = call(*(next(rest) if isinstance(one, Tensor) else one for one in given))
        return made if isinstance(made, tuple) else (made,)

    module = make_fx(on_tensors, decomposition_table=training_decompositions(), tracing_mode="fake")(*tensors)
    made = planned_graph(module, ModelOptions())
    assert made.host_compute == ()
    assert made.report.kernels
