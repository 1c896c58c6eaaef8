"""Random PyTorch models of a few operators, on the emulator and in torch.

    python conformance/random_models.py --count 100 --json
    python conformance/random_models.py --first 41 --count 1          one case again
    python conformance/random_models.py --count 20 --gradients        forward and backward, by torch.compile
    python conformance/random_models.py --backend cuda                on a GPU instead of the emulator

Shapes have up to four dimensions with many ones among them; operands are broadcast in every way, and some
inputs lie in memory in another order of dimensions. Values are float32 between kernels, so that a result in
the wrong place cannot pass for rounding; results lie in memory as PyTorch's do.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

import tilesmith
from tilesmith.models.executable_cache import collect_reports
from tilesmith.models.torch_backend import tilesmith_backend
from tilesmith.zoo.running import relative_l2

SIZES = (1, 1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 40, 64)
LARGEST = 20_000
"""No tensor has many more elements than this."""
ALLOWED = 0.01
OPTIONS: dict[str, Any] = {"precision": "float32", "checks": "off", "numbers": "fast"}

BACKEND = "tenstorrent"

Operand = Callable[[Sequence[int]], Tensor]
"""Asks for another input of a shape."""
Step = Callable[[random.Random, Tensor, Operand], Tensor]


def _elementwise(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    return rng.choice(UNARY)(x)


def _with_another(rng: random.Random, x: Tensor, operand: Operand) -> Tensor:
    kept = list(x.shape)[x.dim() - rng.randint(0, x.dim()) :]
    y = operand([1 if rng.random() < 0.4 else size for size in kept])
    return rng.choice(BINARY)(x, y)


def _reduced(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    dims = rng.sample(range(x.dim()), rng.randint(1, x.dim()))
    made: Tensor = rng.choice((torch.mean, torch.amax, torch.sum))(x, dims, keepdim=True)
    return x - made if rng.random() < 0.5 else made.squeeze(dims) * 0.25


def _turned(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    return x.permute(rng.sample(range(x.dim()), x.dim()))


def _part(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    dim = rng.randrange(x.dim())
    first = rng.randrange(x.shape[dim])
    last, step = rng.randint(first + 1, x.shape[dim]), rng.choice((1, 1, 2))
    return x[(slice(None),) * dim + (slice(first, last, step),)]


def _picked(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    dim = rng.randrange(x.dim())
    numbers = [rng.randrange(x.shape[dim]) for _ in range(rng.randint(1, 5))]
    return x.index_select(dim, torch.tensor(numbers))


def _joined(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    dim = rng.randrange(x.dim())
    return torch.cat([x, x * 2, x.narrow(dim, 0, 1)], dim)


def _reshaped(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    if x.dim() > 1 and rng.random() < 0.5:
        first = rng.randrange(x.dim() - 1)
        return x.flatten(first, first + 1)
    return x.unsqueeze(rng.randint(0, x.dim())) if x.dim() < 5 else x


def _repeated(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    return x.expand([3 if size == 1 and rng.random() < 0.5 else size for size in x.shape])


def _product(rng: random.Random, x: Tensor, operand: Operand) -> Tensor:
    scale = float(x.shape[-1]) ** -0.5
    if x.dim() > 1 and rng.random() < 0.4:
        return torch.matmul(x, x.transpose(-1, -2)).mul(scale)
    return torch.matmul(x, operand([x.shape[-1], rng.choice(SIZES)])).mul(scale)


def _normed(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    if rng.random() < 0.5 or x.shape[-1] == 1:
        dim = rng.randrange(x.dim())
        return x.softmax(dim) * x.shape[dim]
    return functional.layer_norm(x, x.shape[-1:])


def _doubtful(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    """What may make NaN of numbers, then perhaps what would hide it."""
    x = rng.choice(MAKE_NAN)(x)
    return rng.choice(HIDE_NAN)(x) if rng.random() < 0.7 else x


def _recurrent(rng: random.Random, x: Tensor, operand: Operand) -> Tensor:
    """A layer of an LSTM or a GRU over a few rows, with weights that gradients are asked of."""
    rows = x.reshape(1, -1, x.shape[-1])[:, :4]
    gates, hidden = rng.choice(((4, 5), (3, 8)))
    weights = [operand([gates * hidden, size]) * 0.3 for size in (x.shape[-1], hidden)]
    biases = [operand([gates * hidden]) * 0.3 for _ in range(2)]
    state = operand([1, 1, hidden])
    if gates == 4:
        return torch.lstm(rows, (state, state), [*weights, *biases], True, 1, 0.0, True, False, True)[0]
    return torch.gru(rows, state, [*weights, *biases], True, 1, 0.0, True, False, True)[0]


def _crowded(rng: random.Random, x: Tensor, operand: Operand) -> Tensor:
    """More tensors than a kernel has circular buffers for, met one after another."""
    for _ in range(rng.randint(12, 40)):
        kept = list(x.shape)[x.dim() - rng.randint(0, x.dim()) :]
        x = x * 0.5 + operand([1 if rng.random() < 0.4 else size for size in kept])
    return x


def _padded(rng: random.Random, x: Tensor, _operand: Operand) -> Tensor:
    return functional.pad(x, (rng.randint(0, 3), rng.randint(0, 3)))


UNARY: tuple[Callable[[Tensor], Tensor], ...] = (
    *(torch.sin, torch.cos, torch.tanh, torch.sigmoid, torch.relu, torch.abs, torch.neg, torch.square),
    *(functional.gelu, functional.silu, functional.softplus),
    *(lambda x: x.clamp(-1, 1), lambda x: x.clamp(max=2).exp(), lambda x: (x * x + 0.5).rsqrt()),
    lambda x: (x * x + 0.5).log(),
)
MAKE_NAN: tuple[Callable[[Tensor], Tensor], ...] = (
    *(torch.log, torch.sqrt, torch.rsqrt, torch.acos, lambda x: x**0.5, lambda x: x * 2 - x),
    *(lambda x: x / x.sum(-1, keepdim=True), lambda x: x - x.amax(-1, keepdim=True), lambda x: x * 0),
)
HIDE_NAN: tuple[Callable[[Tensor], Tensor], ...] = (
    *(torch.relu, lambda x: x.clamp(-1, 1), lambda x: (x > 0).to(x.dtype), torch.sigmoid, torch.exp),
    *(lambda x: x.amax(-1, keepdim=True).clamp(max=2), lambda x: x.sum(-1, keepdim=True).clamp(-2, 2)),
    *(lambda x: x.softmax(-1), lambda x: x.argmax(-1, keepdim=True).to(x.dtype), lambda x: 1 / (x + 1.5)),
    lambda x: torch.copysign(torch.ones_like(x), x.nan_to_num().relu() * -1),  # the sign of zeros
    lambda x: x.cumsum(-1, dtype=torch.float64).to(x.dtype),
    lambda x: x.nan_to_num().bfloat16().floor().to(x.dtype),
)
BINARY: tuple[Callable[[Tensor, Tensor], Tensor], ...] = (
    *(torch.add, torch.mul, torch.maximum),
    *(lambda x, y: y - x, lambda x, y: torch.where(y > 0, x, x * 0.5)),
)
ANY_RANK: tuple[Step, ...] = (_elementwise, _with_another, _with_another, _reshaped)
STEPS: tuple[Step, ...] = (
    *(*ANY_RANK, _reduced, _turned, _part, _picked, _joined),
    *(_repeated, _product, _normed, _padded),
)
DOUBTFUL: tuple[Step, ...] = (*STEPS, *(_doubtful,) * 6)
"""With NaN: a third of the models take these."""
RECURRENT: tuple[Step, ...] = (*STEPS, *(_recurrent,) * 8)
"""With recurrent layers: one model in eleven."""
CROWDED: tuple[Step, ...] = (*STEPS, *(_crowded,) * 8)
"""With more tensors than one kernel can read: one model in thirteen."""


class RandomModel(nn.Module):
    """The steps that a seed gives, with the results on the way that are outputs too."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed

    def forward(self, x: Tensor, *others: Tensor) -> tuple[Tensor, ...]:
        left = iter(others)
        return self.outputs(x, lambda _: next(left))

    def outputs(self, x: Tensor, operand: Operand) -> tuple[Tensor, ...]:
        rng = random.Random(self.seed)
        made = []
        crowded = CROWDED if self.seed % 13 == 12 else DOUBTFUL if self.seed % 3 == 2 else STEPS
        steps = RECURRENT if self.seed % 11 == 10 else crowded
        for _ in range(rng.randint(2, 6)):
            x = rng.choice(steps if x.dim() else ANY_RANK)(rng, x, operand)
            if x.numel() > LARGEST or rng.random() < 0.15:
                made.append(x)
            if x.numel() > LARGEST:
                return tuple(made)
        return (*made, x)


@dataclass(frozen=True)
class Outcome:
    """How far a model is from torch, and what it left to the host."""

    seed: int
    error: float
    host: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return self.error <= ALLOWED


def case(seed: int) -> tuple[RandomModel, list[Tensor]]:
    """A model and its inputs."""
    rng, generator = random.Random(f"shape {seed}"), torch.Generator().manual_seed(seed)
    shape = [rng.choice(SIZES) for _ in range(rng.randint(0, 4))]
    while torch.Size(shape).numel() > LARGEST:
        shape.pop()
    inputs = [torch.randn(shape, generator=generator)]
    if seed % 4 == 1:
        order = rng.sample(range(len(shape)), len(shape))
        inputs[0] = inputs[0].permute(order).contiguous().permute(torch.tensor(order).argsort().tolist())
    if seed % 6 == 5:
        infinite = torch.where(torch.rand(shape, generator=generator) < 0.5, -inf, inf)
        inputs[0] = torch.where(torch.rand(shape, generator=generator) < 0.1, infinite, inputs[0])

    def operand(wanted: Sequence[int]) -> Tensor:
        inputs.append(torch.randn(list(wanted), generator=generator))
        return inputs[-1]

    model = RandomModel(seed)
    model.outputs(inputs[0], operand)
    return model, inputs


def try_case(seed: int, level: str = "O2") -> Outcome:
    """Run a model once, and compare every output."""
    model, inputs = case(seed)
    compiled = tilesmith.compile(model, backend=BACKEND, optimization_level=level, **OPTIONS)
    with torch.no_grad():
        made, wanted = compiled(*inputs), model(*inputs)
    if (lie := _strides(made)) != (others := _strides(wanted)):
        print(f"case {seed}: results lie by strides {lie}, torch's by {others}", file=sys.stderr, flush=True)
        return Outcome(seed, inf, ())
    error = _error(made, wanted)
    return Outcome(seed, error, tuple(line.op for line in compiled.report.host))


def try_gradients(seed: int) -> Outcome:
    """Compare the gradients of the sum of squares of all outputs, by every input."""
    model, inputs = case(seed)
    torch._dynamo.reset()
    # Exported first: PyTorch would take the random numbers of Python for inputs.
    drawn = torch.export.export(model, tuple(inputs)).module()
    compiled = torch.compile(drawn, backend=tilesmith_backend, options={**OPTIONS, "device": BACKEND})
    with collect_reports() as reports:
        error = _error(_gradients(compiled, inputs), _gradients(model, inputs))
    return Outcome(seed, error, tuple(line.op for one in reports for line in one.host))


def tried(seed: int, level: str, gradients: bool) -> Outcome:
    """The outcome of a case; one that raises is wrong, too."""
    try:
        return try_gradients(seed) if gradients else try_case(seed, level)
    except Exception as error:
        print(f"case {seed}: {type(error).__name__}: {str(error)[:500]}", file=sys.stderr, flush=True)
        return Outcome(seed, inf, ())


def _gradients(model: Callable[..., Any], inputs: Sequence[Tensor]) -> list[Tensor]:
    given = [one.clone().requires_grad_() for one in inputs]
    loss = torch.stack([one.square().mean() for one in model(*given)]).sum()
    if not loss.requires_grad:  # nothing but comparisons on the way
        return [torch.zeros_like(one) for one in given]
    made = torch.autograd.grad(loss, given, allow_unused=True)
    return [torch.zeros_like(one) if grad is None else grad for one, grad in zip(given, made, strict=True)]


def _strides(results: Sequence[Tensor]) -> list[list[int]]:
    """How results lie in memory, without dimensions of one element, where it means nothing."""
    return [[step for step, size in zip(one.stride(), one.shape, strict=True) if size > 1] for one in results]


def _error(made: Sequence[Tensor], wanted: Sequence[Tensor]) -> float:
    """The largest error; that of a vanishing result is relative to 1. NaN and infinity must be the same."""
    return max(_error_of(one, other) for one, other in zip(made, wanted, strict=True))


def _error_of(made: Tensor, wanted: Tensor) -> float:
    usual = wanted.isfinite()
    if not torch.equal(made[~usual].nan_to_num(7.0), wanted[~usual].nan_to_num(7.0)):
        return inf
    made, wanted = made[usual], wanted[usual]
    if not bool(made.isfinite().all()):
        return inf
    return min(relative_l2(made, wanted), float((made - wanted).abs().max())) if made.numel() else 0.0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--level", default="O2")
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--backend", default=BACKEND)
    parser.add_argument("--minutes", type=float, default=1e6, help="start no case after this")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    globals()["BACKEND"] = options.backend
    end, outcomes = time.monotonic() + 60 * options.minutes, []
    for seed in range(options.first, options.first + options.count):
        if time.monotonic() > end:
            break
        outcomes.append(tried(seed, options.level, options.gradients))
        if not outcomes[-1].ok:
            print(f"case {seed}: error {outcomes[-1].error:.3g}", file=sys.stderr, flush=True)
    wrong = [one.seed for one in outcomes if not one.ok]
    hosted = sum(bool(one.host) for one in outcomes)
    result = {"cases": len(outcomes), "wrong": wrong, "with_work_on_the_host": hosted}
    print(json.dumps(result) if options.json else result)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
