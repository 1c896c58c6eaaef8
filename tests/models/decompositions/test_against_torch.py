"""Every decomposition by itself gives what torch's own operator gives, whatever the sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils import _pytree as pytree

from tilesmith.models.custom_ops.eager import on_host
from tilesmith.models.decompositions import table
from tilesmith.models.decompositions.registry import REGISTRY, Decomposition
from tilesmith.models.single_op import _graph_of

aten = torch.ops.aten
Args = tuple[Any, ...]
Call = Args | tuple[Args, dict[str, Any]]


@dataclass
class Draw:
    """What a case is drawn from."""

    data: st.DataObject

    def size(self, least: int = 1, most: int = 6) -> int:
        return self.data.draw(st.integers(least, most))

    def shape(self, rank: int, least: int = 1) -> list[int]:
        return [self.size(least) for _ in range(rank)]

    def some(self, least: int = 1, most: int = 4) -> list[int]:
        """A shape of any rank."""
        return self.shape(self.size(least, most))

    def flag(self) -> bool:
        return self.data.draw(st.booleans())

    def dim(self, rank: int) -> int:
        return self.data.draw(st.integers(-rank, rank - 1))

    def any_of(self, *values: Any) -> Any:
        return self.data.draw(st.sampled_from(values))

    def x(self, *shape: int) -> Tensor:
        """Numbers that are all different: none of a row equals another."""
        generator = torch.Generator().manual_seed(self.data.draw(st.integers(0, 999)))
        count = torch.Size(shape).numel()
        return ((torch.randperm(count, generator=generator) - count // 2) / 8).reshape(shape).clone()

    def index(self, below: int, *shape: int, wraps: bool = False) -> Tensor:
        generator = torch.Generator().manual_seed(self.data.draw(st.integers(0, 999)))
        return torch.randint(-below if wraps else 0, below, shape, generator=generator)


Case = Callable[[Draw], Any]


def _norm_args(d: Draw, rank: int) -> tuple[Tensor, Tensor | None, Tensor | None]:
    x = d.x(d.size(2), d.size(2), *d.shape(rank - 2, 2))
    weight = d.x(x.shape[1]) if d.flag() else None
    return x, weight, d.x(x.shape[1]) if d.flag() else None


def _not_last(d: Draw) -> tuple[list[int], int]:
    shape = d.shape(d.size(2, 4))
    return shape, d.size(0, len(shape) - 2)


def _softmax_gradient(d: Draw, log: bool) -> Args:
    shape, dim = _not_last(d)
    result = d.x(*shape).log_softmax(dim) if log else d.x(*shape).softmax(dim)
    return d.x(*shape), result, dim, torch.float32


def _convolution(d: Draw, dims: int, transposed: bool = False, groups: int = 1) -> Args:
    taps, stride, dilation = d.shape(dims)[:dims], d.shape(dims), [d.size(1, 2) for _ in range(dims)]
    taps = [min(one, 3) for one in taps]
    stride = [min(one, 3) for one in stride]
    padding = [d.size(0, (tap - 1) * wide) for tap, wide in zip(taps, dilation, strict=True)]
    extra = [d.size(0, step - 1) for step in stride] if transposed else [0] * dims
    sizes = [d.size(5, 9) for _ in range(dims)]
    inner, outer = d.size(2 if groups > 1 else 1, 3), d.size(1, 3)
    weight = (groups * inner, outer, *taps) if transposed else (groups * outer, inner, *taps)
    bias = d.x(groups * outer) if d.flag() else None
    x = d.x(d.size(1, 2), groups * inner, *sizes)
    return x, d.x(*weight), bias, stride, padding, dilation, transposed, extra, groups


def _conv2d(d: Draw, groups: int = 2) -> Args:
    x, weight, bias, stride, padding, dilation, *_ = _convolution(d, 2, groups=groups)
    return x, weight, bias, stride, padding, dilation, groups


def _conv1d(d: Draw) -> Args:
    x, weight, bias, stride, padding, dilation, *_ = _convolution(d, 1)
    return x, weight, bias, stride, padding, dilation, 1


def _without_batch(args: Args) -> Args:
    return args[0][0], *args[1:]


def _scatter(d: Draw) -> Args:
    shape = d.some(1, 3)
    dim = d.dim(len(shape))
    own = [*shape]
    own[dim] = d.size()
    return d.x(*shape), dim, d.index(shape[dim], *own), d.x(*own)


def _gather(d: Draw) -> Args:
    x, dim, index, _ = _scatter(d)
    return x, dim, index


def _index(d: Draw) -> Args:
    x = d.x(*d.shape(3))
    chosen = d.any_of((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
    own = d.some(1, 2)
    return x, [d.index(x.shape[dim], *own, wraps=True) if dim in chosen else None for dim in range(3)]


def _index_put(d: Draw) -> Args:
    x, indices = _index(d)
    accumulate = d.flag()
    return x, indices, d.x(*x[tuple(slice(None) if i is None else i for i in indices)].shape), accumulate


def _masked_scatter(d: Draw) -> Args:
    x = d.x(*d.shape(2))
    mask = d.index(2, *(x.shape if d.flag() else (x.shape[0], 1))).bool()
    return x, mask, d.x(x.numel() // x.shape[-1], x.shape[-1])


def _attention(d: Draw) -> Any:
    lead, width = d.any_of([], [2], [2, 1, 3]), d.size()
    rows, keys = d.size(), d.size()
    mask = d.index(2, rows, keys).bool() | torch.eye(rows, keys).bool().any(1, True).logical_not()
    mask[:, 0] = True
    q, k, v = d.x(*lead, rows, width), d.x(*lead, keys, width), d.x(*lead, keys, d.size())
    return (q, k, v, mask if d.flag() else None, 0.0, False), {"scale": d.any_of(None, 0.5)}


def _attention_gradient(d: Draw) -> Any:
    shape = [d.size(1, 2), d.size(1, 2), d.size(2), d.size(2)]
    q, k, v, grad = (d.x(*shape) for _ in range(4))
    out, sums = aten._scaled_dot_product_flash_attention_for_cpu(q, k, v)
    return grad, q, k, v, out, sums, 0.0, False


def _pool(d: Draw) -> Args:
    taps = [d.size(1, 3), d.size(1, 3)]
    padding = [d.size(0, tap // 2) for tap in taps]
    padding[0] = max(padding[0], min(1, taps[0] // 2))
    ceil = d.flag() or not any(padding)
    image = d.x(d.size(1, 2), d.size(1, 2), *(d.size(6, 9) for _ in range(2)))
    return image, taps, [d.size(1, 3), d.size(1, 3)], padding, ceil, False, None


def _even_pool_gradient(d: Draw) -> Args:
    window, count = [d.size(1, 3), d.size(1, 3)], d.shape(2)
    x = d.x(1, 2, count[0] * window[0], count[1] * window[1])
    return d.x(1, 2, *count), x, window, window, [0, 0], False, True, None


def _max_pool_gradient(d: Draw) -> Args:
    window = [d.size(1, 3), d.size(1, 3)]
    stride = [d.size(1, 3), d.size(1, 3)]
    x = d.x(1, 2, d.size(5, 8), d.size(5, 8))
    out, indices = aten.max_pool2d_with_indices(x, window, stride)
    return d.x(*out.shape), x, window, stride, [0, 0], [1, 1], False, indices


def _uneven(d: Draw) -> Args:
    high, wide = d.size(3, 7), d.size(3, 7)
    return d.x(1, 2, high, wide), [high - 1, d.size(1, wide)]


def _resized(d: Draw) -> Args:
    return d.x(1, 2, *d.shape(2)), d.shape(2), d.flag(), None


def _resized_wide(d: Draw) -> Args:
    """torch's filters read an image of one column in the wrong order."""
    return d.x(1, 2, *d.shape(2, 2)), d.shape(2, 2), d.flag(), None


def _convolution_gradient(d: Draw) -> Args:
    x, weight, bias, stride, padding, dilation, transposed, extra, groups = _convolution(d, 2)
    out = aten.convolution(x, weight, bias, stride, padding, dilation, transposed, extra, groups)
    geometry = (stride, padding, dilation, transposed, extra, groups)
    return d.x(*out.shape), x, weight, [weight.shape[0]], *geometry, [True, True, True]


def _outer(d: Draw, *lead: int) -> Args:
    return d.x(*lead, d.size(), 1), d.x(*lead, 1, d.size())


def _grouped(d: Draw) -> Args:
    groups, rows = d.size(), d.size(1, 9)
    ends = torch.sort(d.index(rows + 1, groups)).values
    ends[-1] = rows
    return d.x(rows, 3), d.x(groups, 3, d.size()), ends


def _batch_norm(d: Draw) -> Args:
    x, weight, bias = _norm_args(d, 3)
    channels = x.shape[1]
    return x, weight, bias, d.x(channels), d.x(channels).abs() + 1, 0.1, 1e-3


def _padded(d: Draw) -> Args:
    x = d.x(*d.shape(3, 3))
    return x, [d.size(-1, 3) for _ in range(2 * d.size(1, 3))], d.any_of(0.0, 1.5)


def _slice_scatter(d: Draw) -> Args:
    shape = d.some(1, 3)
    dim = d.dim(len(shape))
    start, end, step = d.size(-3, 3), d.any_of(None, d.size(-2, 7)), d.size(1, 2)
    x = d.x(*shape)
    part = aten.slice(x, dim, start, end, step)
    return x, d.x(*part.shape), dim, start, end, step


def _in_slice(d: Draw) -> Args:
    sizes = d.some(1, 3)
    dim = d.dim(len(sizes))
    start = d.size(0, sizes[dim] - 1)
    end = d.size(start + 1, sizes[dim])
    own = [*sizes]
    own[dim] = end - start
    return d.x(*own), sizes, dim, start, end, 1


def _selected(d: Draw) -> tuple[list[int], int, int]:
    sizes = d.some(1, 3)
    dim = d.dim(len(sizes))
    return sizes, dim, d.size(-sizes[dim], sizes[dim] - 1)


def _select_scatter(d: Draw) -> Args:
    sizes, dim, index = _selected(d)
    x = d.x(*sizes)
    return x, d.x(*x.select(dim, index).shape), dim, index


def _select_gradient(d: Draw) -> Args:
    sizes, dim, index = _selected(d)
    return d.x(*torch.empty(sizes).select(dim, index).shape), sizes, dim, index


def _reduced(d: Draw) -> Args:
    shape = d.some(1, 3)
    return d.x(*shape), d.dim(len(shape)), d.flag()


def _variance(d: Draw) -> Any:
    shape = d.shape(3, 2)
    dims = d.any_of(None, [0], [-1], [0, 2])
    return (d.x(*shape), dims), {"correction": d.any_of(0, 1), "keepdim": d.flag()}


def _learning_norm(d: Draw) -> Args:
    x, weight, bias = _norm_args(d, 4)
    return x, weight, bias, d.x(x.shape[1]), d.x(x.shape[1]).abs(), True, 0.1, 1e-3


def _group_norm_gradient(d: Draw) -> Args:
    batch, each, groups, area = d.size(1, 2), d.size(), d.size(1, 3), d.size(2)
    x = d.x(batch, channels := groups * each, area)
    rows = x.reshape(batch, groups, -1)
    scale = (rows.var(-1, correction=0) + 1e-3).rsqrt()
    weight = d.x(channels) if d.flag() else None
    sizes = (batch, channels, area, groups)
    return d.x(*x.shape), x, rows.mean(-1), scale, weight, *sizes, [True, weight is not None, d.flag()]


def _lstm(d: Draw) -> Args:
    steps, batch, wide, hidden = d.shape(4)
    weights = d.x(4 * hidden, wide) / 9, d.x(4 * hidden, hidden) / 9, d.x(4 * hidden) / 9, d.x(4 * hidden) / 9
    state = d.x(1, batch, hidden), d.x(1, batch, hidden)
    return d.x(steps, batch, wide), *weights, *state, d.flag(), [], 2, hidden, 1, True, False, False, False


def _shape_and(*rest: Any) -> Case:
    return lambda d: (d.x(*d.some()), *rest)


def _sorted_along(d: Draw) -> Any:
    shape = d.some(1, 3)
    return (d.x(*shape), d.dim(len(shape)), d.flag())


CASES: dict[str, Case] = {
    "aten::_adaptive_avg_pool2d": _uneven,
    "aten::_adaptive_avg_pool2d_backward": lambda d: (d.x(1, 2, *d.shape(2)), d.x(1, 2, *d.shape(2))),
    "aten::_grouped_mm": _grouped,
    "aten::_log_softmax": lambda d: (d.x(*(drawn := _not_last(d))[0]), drawn[1], False),
    "aten::_log_softmax_backward_data": lambda d: _softmax_gradient(d, True),
    "aten::_native_batch_norm_legit.no_stats": lambda d: (*_norm_args(d, 3), True, 0.1, 1e-3),
    "aten::_native_batch_norm_legit_functional": _learning_norm,
    "aten::_native_batch_norm_legit_no_training": _batch_norm,
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward": _attention_gradient,
    "aten::_softmax": lambda d: (d.x(*(drawn := _not_last(d))[0]), drawn[1], False),
    "aten::_softmax_backward_data": lambda d: _softmax_gradient(d, False),
    "aten::_unsafe_index.Tensor": _index,
    "aten::_unsafe_index_put": _index_put,
    "aten::_upsample_bicubic2d_aa.vec": _resized_wide,
    "aten::_upsample_bilinear2d_aa.vec": _resized_wide,
    "aten::adaptive_avg_pool2d": _uneven,
    "aten::addmm": lambda d: (
        (d.x(n := d.size(), m := d.size()), d.x(n, k := d.size()), d.x(k, m)),
        {"alpha": 2.5, "beta": d.any_of(0, 1, -2)},
    ),
    "aten::argmax": _reduced,
    "aten::argmin": _reduced,
    "aten::avg_pool2d": _pool,
    "aten::avg_pool2d_backward": _even_pool_gradient,
    "aten::bmm": lambda d: _outer(d, d.size()),
    "aten::constant_pad_nd": _padded,
    "aten::conv1d has_no_batch": lambda d: _without_batch(_conv1d(d)),
    "aten::conv1d has_sizes_of_padding": _conv1d,
    "aten::conv2d has_no_batch": lambda d: _without_batch(_conv2d(d, 1)),
    "aten::conv2d has_given_groups": _conv2d,
    "aten::conv2d.padding": lambda d: (d.x(2, 7, 7), d.x(3, 2, 3, 3), None, [1, 1], "same", [1, 1], 1),
    "aten::convolution": lambda d: d.any_of(
        lambda: _convolution(d, 1, d.flag()), lambda: _convolution(d, 3), lambda: _convolution(d, 2, True)
    )(),
    "aten::convolution_backward": _convolution_gradient,
    "aten::copy": lambda d: (d.x(*(shape := d.some())), d.x(*shape[-1:])),
    "aten::cumsum": lambda d: _reduced(d)[:2],
    "aten::embedding_dense_backward": lambda d: (
        *(d.x(*(own := d.some(1, 2)), 3), d.index(rows := d.size(), *own), rows),
        *(d.any_of(-1, 0), False),
    ),
    "aten::full_like": _shape_and(2.5),
    "aten::gather": _gather,
    "aten::grid_sampler_2d": lambda d: (
        *(d.x(1, 2, *d.shape(2, 2)), d.x(1, *d.shape(2), 2) / 4),
        *(0, d.size(0, 1), d.flag()),
    ),
    "aten::group_norm": lambda d: (d.x(1, 4098, 1, d.size(1, 2)), 2, None, None, 1e-3),
    "aten::histc": lambda d: (d.x(d.size(1, 20)), d.size(), -1.0, 1.0),
    "aten::index.Tensor": _index,
    "aten::index_add": lambda d: (
        (d.x(*(shape := d.shape(2))), 0, d.index(shape[0], n := d.size()), d.x(n, shape[1])),
        {"alpha": d.any_of(1, 2)},
    ),
    "aten::index_put": _index_put,
    "aten::index_select": lambda d: (
        d.x(*(shape := d.some(1, 3))),
        *(dim := d.dim(len(shape)), d.index(shape[dim], d.size())),
    ),
    "aten::layer_norm": lambda d: (
        d.x(d.size(), *(own := d.shape(2, 2))),
        *(own, *(d.x(*own) if d.flag() else None for _ in range(2)), 1e-3),
    ),
    "aten::linalg_vector_norm": lambda d: (d.x(*d.shape(3)), 2, d.any_of(None, [0], [0, -1]), d.flag()),
    "aten::linear": lambda d: (d.x(d.size(), d.size(), 1), d.x(n := d.size(), 1), d.x(n)),
    "aten::log_softmax.int": lambda d: (d.x(*(drawn := _not_last(d))[0]), drawn[1]),
    "aten::masked_scatter": _masked_scatter,
    "aten::matmul": lambda d: _outer(d, d.size(), d.size()),
    "aten::max": _shape_and(),
    "aten::max.dim": _reduced,
    "aten::max_pool2d_with_indices_backward": _max_pool_gradient,
    "aten::min": _shape_and(),
    "aten::min.dim": _reduced,
    "aten::mkldnn_rnn_layer": _lstm,
    "aten::mm": lambda d: _outer(d),
    "aten::native_dropout": lambda d: (d.x(*d.some()), 0.5, False),
    "aten::native_group_norm": lambda d: (
        d.x(n := d.size(), 4, wide := d.size(2)),
        *(d.x(4), d.x(4), n, 4, wide, d.any_of(1, 2), 1e-3),
    ),
    "aten::native_group_norm_backward": _group_norm_gradient,
    "aten::native_layer_norm": lambda d: (
        *(d.x(d.size(), wide := d.size(2)), [wide], d.x(wide)),
        *(d.x(wide) if d.flag() else None, 1e-3),
    ),
    "aten::new_full": _shape_and([2, 3], 2.5),
    "aten::new_ones": _shape_and([2, 3]),
    "aten::new_zeros": _shape_and([2, 3]),
    "aten::ones_like": _shape_and(),
    "aten::prod.dim_int": _reduced,
    "aten::repeat": lambda d: (d.x(*d.shape(2)), d.shape(d.size(2, 3))),
    "aten::roll": lambda d: (d.x(*d.shape(2)), *d.any_of(([2], [0]), ([-3, 1], [0, 1]), ([4], []))),
    "aten::scaled_dot_product_attention": _attention,
    "aten::scatter.src": lambda d: (*_distinct(d), d.x(2, 3)),
    "aten::scatter.value": lambda d: (*_distinct(d), 2.5),
    "aten::scatter_add": _scatter,
    "aten::select_backward": _select_gradient,
    "aten::select_scatter": _select_scatter,
    "aten::slice_backward": _in_slice,
    "aten::slice_scatter": _slice_scatter,
    "aten::softmax.int": lambda d: (d.x(*(drawn := _not_last(d))[0]), drawn[1]),
    "aten::sort": _sorted_along,
    "aten::topk": lambda d: (d.x(*(shape := d.some(1, 3))), d.size(1, shape[-1]), -1, d.flag()),
    "aten::tril": lambda d: (d.x(*d.shape(3)), d.size(-2, 2)),
    "aten::triu": lambda d: (d.x(*d.shape(3)), d.size(-2, 2)),
    "aten::upsample_bicubic2d.vec": _resized,
    "aten::upsample_bilinear2d.vec": _resized,
    "aten::upsample_bilinear2d_backward": lambda d: (
        *(d.x(1, 2, *(size := d.shape(2))), size, [1, 2, *d.shape(2)]),
        *(d.flag(), None, None),
    ),
    "aten::upsample_linear1d.vec": lambda d: (d.x(1, 2, d.size()), [d.size()], d.flag(), None),
    "aten::upsample_nearest2d_backward": lambda d: (
        d.x(1, 2, (high := d.size()) * (a := d.size(1, 3)), (wide := d.size()) * (b := d.size(1, 3))),
        *([high * a, wide * b], [1, 2, high, wide], None, None),
    ),
    "aten::var.correction": _variance,
    "aten::var_mean.correction": _variance,
    "aten::zeros_like": _shape_and(),
    "transformers::grouped_mm_fallback": _grouped,
}
"""Arguments for each decomposition; where an operator has several, its condition is named too."""


def _distinct(d: Draw) -> Args:
    """Where torch says what is written: no two elements go to one place."""
    index = torch.stack([torch.randperm(5)[:3] for _ in range(2)])
    return d.x(2, 5), 1, index


def key_of(entry: Decomposition) -> str:
    several = sum(one.name == entry.name for one in REGISTRY) > 1
    return f"{entry.name} {entry.when.__name__}" if several else entry.name


assert table.MODULES  # imported: they register what they have
ENTRIES = {key_of(entry): entry for entry in REGISTRY}


def _reference(entry: Decomposition, args: Args, kwargs: dict[str, Any]) -> Any:
    if "grouped_mm" not in entry.name:
        op = aten.histc.default if entry.op == "aten::histc" else entry.op
        return op(*args, **kwargs)
    x, weight, ends = args
    starts = [0, *ends.tolist()]
    parts = [x[a:b] @ w for a, b, w in zip(starts, ends.tolist(), weight, strict=False)]
    return torch.cat(parts)


def _drawn(name: str, data: st.DataObject) -> tuple[Args, dict[str, Any]]:
    drawn = CASES[name](Draw(data))
    has_options = len(drawn) == 2 and isinstance(drawn[1], dict)
    return drawn if has_options else (tuple(drawn), {})


def test_every_decomposition_has_a_case() -> None:
    assert set(CASES) == set(ENTRIES)


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(data=st.data())
def test_a_decomposition_gives_what_torch_gives(name: str, data: st.DataObject) -> None:
    args, kwargs = _drawn(name, data)
    entry = ENTRIES[name]
    with torch.no_grad(), on_host():
        made, wanted = entry.function(*args, **kwargs), _reference(entry, args, kwargs)
    for ours, theirs in zip(_tensors(made), _tensors(wanted), strict=False):
        assert ours.shape == theirs.shape or not theirs.numel()
        if theirs.numel():
            torch.testing.assert_close(
                ours.to(theirs.dtype), theirs, rtol=2e-4, atol=2e-4, equal_nan=True, check_stride=False
            )


def _tensors(result: Any) -> Iterator[Tensor]:
    return (one for one in pytree.tree_leaves(result) if isinstance(one, Tensor))


_WHOLE = ("aten::mkldnn_rnn_layer",)
"""The graph here asks for every result, and its condition is that nobody asks for the last."""
_FOUND = [
    name
    for name, entry in ENTRIES.items()
    if entry.stage == "graph" and not isinstance(entry.op, str) and name not in _WHOLE
]


@pytest.mark.parametrize("name", _FOUND)
@settings(max_examples=1, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(data=st.data())
def test_its_condition_takes_such_calls(name: str, data: st.DataObject) -> None:
    entry = ENTRIES[name]
    leaves, spec = pytree.tree_flatten(_drawn(name, data))
    graph = _graph_of(entry.op, leaves, spec).graph
    call = next(node for node in graph.nodes if node.target is entry.op)
    assert table.find(call) is entry


def test_every_module_is_in_the_table() -> None:
    folder = Path(table.__file__).parent
    helpers = {"__init__", "fft", "quantized", "registry", "table"}
    assert {path.stem for path in folder.glob("*.py")} - helpers == {
        module.__name__.split(".")[-1] for module in table.MODULES
    }


@pytest.mark.parametrize("row", table.rows(), ids=lambda row: f"{row[0]} {row[1]}")
def test_the_table_says_when_and_what(row: tuple[str, str, str]) -> None:
    assert all(row)
