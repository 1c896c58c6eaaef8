"""Random PyTorch models of a few operators, on the emulator and in torch.

    python conformance/random_models.py --count 100 --json
    python conformance/random_models.py --first 41 --count 1          one case again
    python conformance/random_models.py --count 20 --gradients        forward and backward, by torch.compile
    python conformance/random_models.py --backend cuda                on a GPU instead of the emulator

Shapes have up to four dimensions with many ones among them; operands are broadcast in every way, and some
inputs lie in memory in another order of dimensions. Some models work on images, some on complex numbers.
Values are float32 between kernels, so that a result in the wrong place cannot pass for rounding; results lie
in memory as PyTorch's do.
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

import tilesmith
from conformance.random_complex import COMPLEX
from conformance.random_images import IMAGES, image_shape
from conformance.random_steps import ANY_RANK, CROWDED, DOUBTFUL, RECURRENT, SIZES, STEPS, Operand, Step
from tilesmith.models.executable_cache import collect_reports
from tilesmith.models.torch_backend import tilesmith_backend
from tilesmith.zoo.running import relative_l2

LARGEST = 20_000
"""No tensor has many more elements than this."""
ALLOWED = 0.01
OPTIONS: dict[str, Any] = {"precision": "float32", "checks": "off", "numbers": "fast"}

BACKEND = "tenstorrent"


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
        for _ in range(rng.randint(2, 6)):
            x = rng.choice(self.steps(x))(rng, x, operand)
            if x.numel() > LARGEST or rng.random() < 0.15:
                made.append(x)
            if x.numel() > LARGEST:
                return tuple(made)
        return (*made, x)

    def steps(self, x: Tensor) -> tuple[Step, ...]:
        """What may be done to a tensor. Images are kept in images, complex numbers among themselves."""
        if x.is_complex():
            return COMPLEX
        if not x.dim():
            return ANY_RANK
        if has_images(self.seed) and x.dim() == 4:
            return IMAGES
        crowded = CROWDED if self.seed % 13 == 12 else DOUBTFUL if self.seed % 3 == 2 else STEPS
        return RECURRENT if self.seed % 11 == 10 else crowded


def has_images(seed: int) -> bool:
    """One model in seven."""
    return seed % 7 == 6


def is_complex(seed: int) -> bool:
    """One model in nine."""
    return seed % 9 == 8


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
    if has_images(seed):
        shape = image_shape(rng)
    dtype = torch.complex64 if is_complex(seed) and not has_images(seed) else torch.float32
    inputs = [torch.randn(shape, dtype=dtype, generator=generator)]
    if seed % 4 == 1:
        order = rng.sample(range(len(shape)), len(shape))
        inputs[0] = inputs[0].permute(order).contiguous().permute(torch.tensor(order).argsort().tolist())
    if seed % 6 == 5 and dtype == torch.float32:
        infinite = torch.where(torch.rand(shape, generator=generator) < 0.5, -inf, inf)
        inputs[0] = torch.where(torch.rand(shape, generator=generator) < 0.1, infinite, inputs[0])

    def operand(wanted: Sequence[int]) -> Tensor:
        inputs.append(torch.randn(list(wanted), generator=generator))
        return inputs[-1]

    model = RandomModel(seed)
    model.outputs(inputs[0], operand)
    return model, inputs


def level_of(seed: int) -> str:
    """Half of the models are compiled at O2: below, kernels meet what passes would have rewritten."""
    return ("O2", "O0", "O2", "O1")[seed % 4]


def try_case(seed: int, level: str = "") -> Outcome:
    """Run a model once, and compare every output."""
    model, inputs = case(seed)
    level = level or level_of(seed)
    compiled = tilesmith.compile(model, backend=BACKEND, optimization_level=level, **OPTIONS)
    with torch.no_grad():
        made, wanted = compiled(*inputs), model(*inputs)
    if (lie := _strides(made)) != (others := _strides(wanted)):
        print(f"case {seed}: results lie by strides {lie}, torch's by {others}", file=sys.stderr, flush=True)
        return Outcome(seed, inf, ())
    error = _error(made, wanted)
    return Outcome(seed, error, tuple(line.op for line in compiled.report.host))


def try_gradients(seed: int, level: str = "") -> Outcome:
    """Compare the gradients of the sum of squares of all outputs, by every input."""
    model, inputs = case(seed)
    torch._dynamo.reset()
    # Exported first: PyTorch would take the random numbers of Python for inputs.
    drawn = torch.export.export(model, tuple(inputs)).module()
    options = {**OPTIONS, "device": BACKEND, "optimization_level": level or level_of(seed)}
    compiled = torch.compile(drawn, backend=tilesmith_backend, options=options)
    with collect_reports() as reports:
        error = _error(_gradients(compiled, inputs), _gradients(model, inputs))
    return Outcome(seed, error, tuple(line.op for one in reports for line in one.host))


def tried(seed: int, level: str, gradients: bool) -> Outcome:
    """The outcome of a case; one that raises is wrong, too."""
    try:
        return try_gradients(seed, level) if gradients else try_case(seed, level)
    except Exception as error:
        print(f"case {seed}: {type(error).__name__}: {str(error)[:500]}", file=sys.stderr, flush=True)
        return Outcome(seed, inf, ())


def _gradients(model: Callable[..., Any], inputs: Sequence[Tensor]) -> list[Tensor]:
    given = [one.clone().requires_grad_() for one in inputs]
    loss = torch.stack([_real(one).square().mean() for one in model(*given)]).sum()
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


def _real(value: Tensor) -> Tensor:
    return torch.view_as_real(value.resolve_conj()) if value.is_complex() else value


def _error_of(made: Tensor, wanted: Tensor) -> float:
    if made.dtype != wanted.dtype:
        return inf
    made, wanted = _real(made), _real(wanted)
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
    parser.add_argument("--level", default="", help="of all models; by default each has its own")
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
