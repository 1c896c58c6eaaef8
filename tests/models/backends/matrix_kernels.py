"""What kernels of a plan compute, written with torch on matrices: the CUDA backend without a GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from tilesmith.kernels.expression import Apply, Expr, Input
from tilesmith.kernels.operands import Operand
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import TILE

_OPS: dict[str, Callable[..., Tensor]] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "relu": torch.relu,
    "neg": torch.neg,
    "exp": torch.exp,
    "silu": torch.nn.functional.silu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
}


def evaluate(expr: Expr, values: Mapping[str, Tensor]) -> Tensor:
    if isinstance(expr, Input):
        return values[expr.name]
    if isinstance(expr, Apply):
        return _OPS[expr.op](*(evaluate(arg, values) for arg in expr.args))
    return torch.tensor(expr.value)


class MatrixKernel:
    """A launch as a function of its matrices."""

    def __init__(self, step: Launch) -> None:
        self.step = step
        self.template: Any = step.template
        self.names = list(dict.fromkeys(one.name for one in self.template.tensors))
        self.operands = {one.name: one for one in self.template.tensors}

    def __call__(self, *tensors: Tensor) -> None:
        held = dict(zip(self.names, tensors, strict=True))
        for name, tensor in held.items():
            storage = self.step.storages[name]
            assert tuple(tensor.shape) == (storage.rows, storage.cols)
        n = self.step.numbers
        work = getattr(self, f"_{type(self.template).__name__.lower()}")
        for b1 in range(n.get("nb1", 1)):
            for b2 in range(n.get("nb2", 1)):
                made, size = work(held, b1, b2)
                self._store(held, b1, b2, made, size)

    def _part(self, held: Mapping[str, Tensor], name: str, b1: int, b2: int, rows: int, cols: int) -> Tensor:
        row, col = self._start(self.operands[name], b1, b2)
        access, tensor = self.operands[name].access, held[name]
        if access in ("block", "rows"):
            return tensor[row : row + rows, col : col + cols]
        if access == "row":
            return tensor[row : row + 1, col : col + cols]
        return tensor[row, col : col + rows][:, None] if access == "column" else tensor[row, col]

    def _start(self, operand: Operand, b1: int, b2: int) -> tuple[int, int]:
        n, name = self.step.numbers, operand.name
        down = TILE if operand.access == "block" else 1
        along = TILE if operand.access in ("block", "rows") else 1
        return tuple(
            scale * (n[f"{name}_{way}"] + b1 * n[f"{name}_{way}1"] + b2 * n[f"{name}_{way}2"])
            for way, scale in (("row", down), ("col", along))
        )  # type: ignore[return-value]

    def _read(self, held: Mapping[str, Tensor], names: Any, b1: int, b2: int, size: Any) -> dict[str, Tensor]:
        return {one.name: self._part(held, one.name, b1, b2, *size).float() for one in names}

    def _store(self, held: Mapping[str, Tensor], b1: int, b2: int, made: Any, size: Any) -> None:
        epilogue = self.template.epilogue
        values = {**made, **self._read(held, epilogue.reads, b1, b2, size)}
        for result in epilogue.results:
            out = self._part(held, result.out.name, b1, b2, *size)
            out.copy_(evaluate(result.value, values).expand(size))

    # ---- templates ----

    def _elementwise(self, _: Any, __: int, ___: int) -> Any:
        return {}, (self.step.numbers["m"], self.step.numbers["n"])

    def _linear(self, held: Mapping[str, Tensor], b1: int, b2: int) -> Any:
        n, template = self.step.numbers, self.template
        m, cols, k = n["m"], n["n"], n["k"]
        x = self._part(held, "x", b1, b2, *((k, m) if template.x_transposed else (m, k))).float()
        rows = x.t() if template.x_transposed else x
        made = {}
        for number in range(template.weights):
            w = self._part(
                held, f"w{number}", b1, b2, *((cols, k) if template.transposed else (k, cols))
            ).float()
            weight = w.t() if template.transposed else w
            made[f"acc{number}"] = rows[:, : weight.shape[0]] @ weight[: rows.shape[1]]
        return made, (m, cols)

    def _gemv(self, held: Mapping[str, Tensor], b1: int, b2: int) -> Any:
        m, cols, k = self.step.numbers["m"], self.step.numbers["n"], self.template.depth
        x = self._part(held, "x", b1, b2, m, k).float()
        names = [f"w{number}" for number in range(self.template.weights)]
        made = {f"acc{i}": x @ self._part(held, w, b1, b2, cols, k).float().t() for i, w in enumerate(names)}
        return made, (m, cols)

    def _rotary(self, held: Mapping[str, Tensor], b1: int, b2: int) -> Any:
        size = (self.step.numbers["m"], self.template.width)
        lower, upper = self._part(held, "x", b1, b2, *size).float().chunk(2, 1)
        return {"acc0": torch.cat((-upper, lower), 1)}, size

    def _gather(self, held: Mapping[str, Tensor], b1: int, b2: int) -> Any:
        n, m, cols = self.step.numbers, self.step.numbers["m"], self.step.numbers["n"]
        at = ((b1 * n["nb2"] + b2) * m + torch.arange(m)[:, None]) * cols + torch.arange(cols)
        row, col = torch.tensor(n["x_row"]), torch.tensor(n["x_col"])
        for dim in reversed(range(6)):
            index = at % n[f"d{dim}"] if dim else at
            at = at // n[f"d{dim}"]
            row, col = row + index * n[f"s{dim}_row"], col + index * n[f"s{dim}_col"]
        return {"acc0": held["x"][row, col].float()}, (m, cols)

    def _rowwise(self, held: Mapping[str, Tensor], b1: int, b2: int) -> Any:
        template = self.template
        size = (self.step.numbers["m"], template.columns)
        x = evaluate(template.source, self._read(held, template.inputs, b1, b2, size))
        inner = x - x.mean(-1, keepdim=True) if template.operation == "layer_norm" else x
        if template.operation == "softmax":
            return {"acc0": x.softmax(-1)}, size
        return {"acc0": inner * (inner.square().mean(-1, keepdim=True) + template.epsilon).rsqrt()}, size

    def _embedding(self, held: Mapping[str, Tensor], b1: int, b2: int) -> Any:
        size = (self.step.numbers["m"], self.step.numbers["n"])
        ids = self._part(held, "ids", b1, b2, size[0], 1)[:, 0]
        return {"acc0": held["table"][ids.long(), : size[1]].float()}, size

    def _attention(self, held: Mapping[str, Tensor], b1: int, b2: int) -> Any:
        template, m, n = self.template, self.step.numbers["m"], self.step.numbers["n"]
        shared = b2 // template.group
        q = self._part(held, "q", b1, b2, m, template.width).float()
        k = self._part(held, "k", b1, shared, n, template.width).float()
        v = self._part(held, "v", b1, shared, n, template.value_width).float()
        scores = q @ k.t() * template.scale
        if template.mask is not None:
            scores = scores + self._part(held, "mask", b1, b2, m, n).float()
        if template.causal:
            scores = scores.masked_fill(torch.ones(m, n).tril(n - m) == 0, -torch.inf)
        return {"acc0": scores.softmax(-1) @ v}, (m, template.value_width)
