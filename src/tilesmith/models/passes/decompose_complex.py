"""Complex numbers as pairs of real ones: the chip has none.

Rotary positions are written with them in some models, and so are Fourier transforms, which become products.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule, Node

from tilesmith.models.decompositions.fft import LONGEST, dft_matrix, half_back, scale_of
from tilesmith.models.passes.edit import insert, insert_constant, replace, tidy, value_of
from tilesmith.models.planning.dtypes import is_complex
from tilesmith.models.planning.op_tables import VIEWS

aten = torch.ops.aten

_SAME = {
    *(target for target, view in VIEWS.items() if view == "same"),
    *(aten.clone.default, aten.resolve_conj.default, aten.resolve_neg.default),
}
_VIEWS = {target for target, view in VIEWS.items() if view not in ("same", "split", "flip", "unfold")}


def decompose_complex(module: GraphModule) -> None:
    """Every complex value that comes from real ones becomes two; what reads one reads the pair."""
    pairs = _Pairs(module)
    for node in list(module.graph.nodes):
        if node.op != "call_function":
            continue
        if is_complex(node):
            pairs.visit(node)
        elif node.target in _BACK and node.args[0] in pairs.known:
            if node.target is aten.view_as_real.default:
                _hand_out(pairs, node)
            replace(module, node, _BACK[node.target](pairs, node))
    tidy(module)


def _hand_out(pairs: _Pairs, node: Node) -> None:
    """Those who take one part of a pair get it itself."""
    pair = pairs.known[node.args[0]]
    last = value_of(node).dim() - 1
    for user in list(node.users):
        part = pair.imaginary if user.args[-1] == 1 else pair.real
        if user.target is aten.select.int and user.args[1] in (-1, last) and part is not None:
            replace(pairs.module, user, part)


@dataclass
class _Pair:
    """A complex value: its real part, and its imaginary part unless that is zero."""

    real: Node
    imaginary: Node | None


class _Pairs:
    def __init__(self, module: GraphModule) -> None:
        self.module = module
        self.known: dict[Any, _Pair] = {}

    def visit(self, node: Node) -> None:
        make = _MAKERS.get(node.target)
        result = make(self, node) if make is not None else None
        if result is not None:
            dtype = value_of(node).dtype.to_real()
            other = None if result.imaginary is None else self.cast(node, result.imaginary, dtype)
            self.known[node] = _Pair(self.cast(node, result.real, dtype), other)

    def cast(self, at: Node, part: Node, dtype: torch.dtype) -> Node:
        """A part in the dtype of the complex value's parts: integers are made complex, too."""
        if value_of(part).dtype == dtype:
            return part
        return insert(self.module, at, aten._to_copy.default, (part,), {"dtype": dtype})

    def of(self, at: Node, value: Any) -> _Pair | None:
        """The pair of an argument; a constant, or a value that only the host can make, is split in two."""
        if not isinstance(value, Node):
            return None if isinstance(value, complex) else _Pair(value, None)
        if value in self.known:
            return self.known[value]
        if not is_complex(value):
            return _Pair(value, None)
        plain = self.call(
            at, aten.resolve_conj.default, value
        )  # a pair of a conjugate that is only marked so
        both = self.call(at, aten.view_as_real.default, plain)
        real, imaginary = (self.call(at, aten.select.int, both, -1, part) for part in (0, 1))
        self.known[value] = _Pair(real, imaginary)
        return self.known[value]

    def call(self, at: Node, target: Any, *args: Any) -> Node:
        return insert(self.module, at, target, args)

    def both(self, at: Node, target: Any, a: Node | None, b: Node | None) -> Node | None:
        """A sum or difference in which either may be missing."""
        if a is None or b is None:
            alone = b if a is None else a
            if alone is None or a is not None or target is aten.add.Tensor:
                return alone
            return self.call(at, aten.neg.default, alone)
        return self.call(at, target, a, b)

    def times(self, at: Node, a: Node | None, b: Node | None) -> Node | None:
        return None if a is None or b is None else self.call(at, aten.mul.Tensor, a, b)

    def along(self, at: Node, x: Node | None, dim: int, matrix: torch.Tensor) -> Node | None:
        """A product of the lines along a dimension with a matrix."""
        if x is None:
            return None
        held = insert_constant(self.module, at, matrix.to(value_of(x).dtype))
        last = value_of(x).dim() - 1
        turned = x if dim == last else self.call(at, aten.transpose.int, x, dim, last)
        result = self.call(at, aten.matmul.default, turned, held)
        return result if dim == last else self.call(at, aten.transpose.int, result, dim, last)


# ---- complex values ----


def _halves(pairs: _Pairs, node: Node) -> _Pair:
    real, imaginary = (pairs.call(node, aten.select.int, node.args[0], -1, part) for part in (0, 1))
    return _Pair(real, imaginary)


def _given(_: _Pairs, node: Node) -> _Pair:
    real, imaginary = node.args
    assert isinstance(real, Node)
    assert isinstance(imaginary, Node)
    return _Pair(real, imaginary)


def _cast(pairs: _Pairs, node: Node) -> _Pair | None:
    return pairs.of(node, node.args[0])


def _turned(pairs: _Pairs, node: Node) -> _Pair | None:
    source = pairs.of(node, node.args[0])
    if source is None or source.imaginary is None:
        return source
    return _Pair(source.real, pairs.call(node, aten.neg.default, source.imaginary))


def _viewed(pairs: _Pairs, node: Node) -> _Pair | None:
    source = pairs.of(node, node.args[0])
    if source is None:
        return None
    parts = [source.real] if source.imaginary is None else [source.real, source.imaginary]
    result = [pairs.call(node, node.target, part, *node.args[1:]) for part in parts]
    return _Pair(result[0], result[1] if len(result) > 1 else None)


def _product(pairs: _Pairs, node: Node) -> _Pair | None:
    a, b = (pairs.of(node, value) for value in node.args[:2])
    if a is None or b is None:
        return None
    crossed = pairs.times(node, a.real, b.real), pairs.times(node, a.imaginary, b.imaginary)
    real = pairs.both(node, aten.sub.Tensor, *crossed)
    straight = pairs.times(node, a.real, b.imaginary), pairs.times(node, a.imaginary, b.real)
    assert real is not None
    return _Pair(real, pairs.both(node, aten.add.Tensor, *straight))


def _sum(pairs: _Pairs, node: Node) -> _Pair | None:
    a, b = (pairs.of(node, value) for value in node.args[:2])
    if a is None or b is None or node.kwargs:
        return None
    real = pairs.call(node, node.target, a.real, b.real)
    imaginary = pairs.both(node, node.target, a.imaginary, b.imaginary)
    if imaginary is not None and value_of(imaginary).shape != value_of(real).shape:
        imaginary = pairs.call(node, aten.expand.default, imaginary, list(value_of(real).shape))
    return _Pair(real, imaginary)


# ---- Fourier transforms ----


def _lines(node: Node) -> tuple[list[int], int] | None:
    """The dimensions and the norm of a transform, if its lines are not too long for products."""
    given: list[Any] = list(node.args)
    shape = value_of(node).shape
    dims = [int(dim) % len(shape) for dim in given[1]]
    return None if max((shape[dim] for dim in dims), default=LONGEST + 1) > LONGEST else (dims, int(given[2]))


def _transformed(pairs: _Pairs, node: Node) -> _Pair | None:
    found, source = _lines(node), pairs.of(node, node.args[0])
    if found is None or source is None:
        return None
    dims, norm = found
    sizes = [int(value_of(node).shape[dim]) for dim in dims]
    return _over(pairs, node, source, dims, bool(node.args[3]), scale_of(norm, sizes))


def _over(pairs: _Pairs, at: Node, source: _Pair, dims: list[int], forward: bool, scale: float) -> _Pair:
    real, imaginary = source.real, source.imaginary
    for dim in dims:
        cosines, sines = dft_matrix(int(value_of(real).shape[dim]))
        cosines, sines, scale = cosines * scale, (-sines if forward else sines) * scale, 1.0
        straight = pairs.along(at, real, dim, cosines), pairs.along(at, imaginary, dim, sines)
        crossed = pairs.along(at, real, dim, sines), pairs.along(at, imaginary, dim, cosines)
        result = pairs.both(at, aten.sub.Tensor, *straight)
        assert result is not None
        real, imaginary = result, pairs.both(at, aten.add.Tensor, *crossed)
    return _Pair(real, imaginary)


def _of_real(pairs: _Pairs, node: Node) -> _Pair | None:
    """Of a real line the first half of the frequencies is enough; the last dimension is halved first."""
    found, source = _lines(node), node.args[0]
    assert isinstance(source, Node)
    if found is None:
        return None
    (*dims, last), norm = found
    shape = value_of(source).shape
    scale = scale_of(norm, [int(shape[dim]) for dim in (*dims, last)])
    cosines, sines = dft_matrix(int(shape[last]), int(value_of(node).shape[last]))
    real, imaginary = (pairs.along(node, source, last, part) for part in (cosines * scale, -sines * scale))
    assert real is not None
    return _over(pairs, node, _Pair(real, imaginary), dims, True, 1.0)


def _to_real(pairs: _Pairs, node: Node) -> Node:
    given: list[Any] = list(node.args)
    (*dims, last), norm = [int(dim) % value_of(node).dim() for dim in given[1]], given[2]
    sizes = [int(value_of(node).shape[dim]) for dim in (*dims, last)]
    over = _over(pairs, node, pairs.known[node.args[0]], dims, False, 1.0)
    cosines, sines = (part * scale_of(norm, sizes) for part in half_back(sizes[-1]))
    straight = pairs.along(node, over.real, last, cosines), pairs.along(node, over.imaginary, last, sines)
    result = pairs.both(node, aten.add.Tensor, *straight)
    assert result is not None
    return result


# ---- back to real values ----


def _both_parts(pairs: _Pairs, node: Node) -> Node:
    pair = pairs.known[node.args[0]]
    other = pair.imaginary or pairs.call(node, aten.mul.Tensor, pair.real, 0.0)
    result = [pairs.call(node, aten.unsqueeze.default, one, -1) for one in (pair.real, other)]
    return pairs.call(node, aten.cat.default, result, -1)


def _length(pairs: _Pairs, node: Node) -> Node:
    pair = pairs.known[node.args[0]]
    squares = pairs.times(node, pair.real, pair.real), pairs.times(node, pair.imaginary, pair.imaginary)
    summed = pairs.both(node, aten.add.Tensor, *squares)
    return pairs.call(node, aten.sqrt.default, summed)


_MAKERS: dict[Any, Callable[[_Pairs, Node], _Pair | None]] = {
    aten.view_as_complex.default: _halves,
    aten.complex.default: _given,
    aten._to_copy.default: _cast,
    aten._conj.default: _turned,
    aten.mul.Tensor: _product,
    aten.add.Tensor: _sum,
    aten.sub.Tensor: _sum,
    aten._fft_c2c.default: _transformed,
    aten._fft_r2c.default: _of_real,
    **dict.fromkeys(_SAME, _cast),
    **dict.fromkeys(_VIEWS, _viewed),
}
_BACK: dict[Any, Callable[[_Pairs, Node], Node]] = {
    aten.view_as_real.default: _both_parts,
    aten.abs.default: _length,
    aten._fft_c2r.default: _to_real,
}
