"""Values that decide something beside a product of matrices, drawn at random: each must be exactly torch's.

    python conformance/random_decisions.py --count 100 --json
    python conformance/random_decisions.py --first 41 --count 1          one case again

A model with a product of matrices is stored as bfloat16. What is compared, ordered or made into an integer
must not be: here two inputs lie nearer to each other than bfloat16 tells apart, and the work between them and
the decision is exact in float32.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable
from math import inf

import torch
from torch import Tensor
from torch.nn import functional

Work = Callable[[Tensor, Tensor], Tensor]
Decision = Callable[[Tensor], Tensor]

ROWS, COLUMNS = 16, 32
BOUNDS = torch.linspace(-2, 2, 4097)

VALUES: dict[str, Work] = {
    "the input": lambda _, y: y,
    "twice the input": lambda _, y: y * 2,
    "the input, negated and turned": lambda _, y: (-y).T.contiguous().T,
    "the larger": torch.maximum,
    "both": lambda x, y: torch.cat([x, y], 1),
    "a difference": lambda x, y: x - y,
    "a difference, clamped": lambda x, y: (y - x).clamp(-1, 1),
    "a difference, rectified": lambda x, y: torch.relu(x - y),
    "a difference, chosen": lambda x, y: torch.where(x > 0, x - y, y - x),
    "the middle of it": lambda x, y: (x - y)[:, 4:20],
}
DECISIONS: dict[str, Decision] = {
    "above zero": lambda v: v > 0,
    "not zero": lambda v: v.bool(),
    "any": lambda v: v.any(0),
    "the sign": torch.sign,
    "the sign bit": torch.signbit,
    "a step": lambda v: torch.heaviside(v, torch.tensor(0.5)),
    "how many": lambda v: torch.count_nonzero(v, 1),
    "which is largest": lambda v: v.argmax(-1),
    "which is least": lambda v: v.argmin(0),
    "the largest three": lambda v: v.topk(3).indices,
    "the order": lambda v: v.sort(dim=-1, stable=True).indices,
    "the third": lambda v: v.kthvalue(3, -1).indices,
    "the median": lambda v: v.median(-1).values,
    "the largest so far": lambda v: v.cummax(-1).indices,
    "which bucket": lambda v: torch.bucketize(v, BOUNDS),
    "where it belongs": lambda v: torch.searchsorted(BOUNDS, v.contiguous()),
    "a histogram": lambda v: torch.histc(v, 512, -2, 2),
    "how many kinds": lambda v: torch.tensor(v.unique().numel()),
    "a whole number": lambda v: (v * 4096).to(torch.int32),
    "the floor": lambda v: (v * 4096).floor(),
    "the whole part": lambda v: v // 0.125,
    "the remainder": lambda v: v.fmod(0.125),
    "the largest of the row": lambda v: v == v.amax(-1, keepdim=True),
    "a sum that passes a bound": lambda v: v.abs().cumsum(-1) > 4.0,
    "the nearest pixel": lambda v: functional.grid_sample(
        torch.arange(1024.0).reshape(1, 1, 32, 32),
        v[None, :, :2, None].transpose(2, 3),
        "nearest",
        align_corners=False,
    ),
}


def case(seed: int) -> tuple[str, Work]:
    """What is decided, in words, and as a function of two inputs."""
    rng = random.Random(seed)
    value, decision = rng.choice(list(VALUES)), rng.choice(list(DECISIONS))
    return f"{decision} of {value}", lambda x, y: DECISIONS[decision](VALUES[value](x, y))


def wrong_of(seed: int) -> int:
    """In how many elements a decision is not torch's."""
    _, decide = case(seed)

    def model(x: Tensor, y: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        return x @ weight, decide(x, y)

    generator = torch.Generator().manual_seed(seed)
    x, weight = (torch.randn(size, COLUMNS, generator=generator) for size in (ROWS, COLUMNS))
    y = x * (1 + 1e-4 * torch.randn(x.shape, generator=generator))
    torch._dynamo.reset()
    made = torch.compile(model, backend="tilesmith", options={"checks": "off"})(x, y, weight)[1]
    wanted = decide(x, y)
    if made.dtype != wanted.dtype or made.shape != wanted.shape:
        return wanted.numel()
    return int((made != wanted).sum())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    wrong: dict[str, float] = {}
    for seed in range(options.first, options.first + options.count):
        try:
            count: float = wrong_of(seed)
        except Exception as error:
            print(f"case {seed}: {type(error).__name__}: {str(error)[:500]}", file=sys.stderr, flush=True)
            count = inf
        if count:
            wrong[f"{seed}: {case(seed)[0]}"] = count
            print(f"case {seed}: {case(seed)[0]}: {count} elements", file=sys.stderr, flush=True)
    result = {"cases": options.count, "wrong": wrong}
    print(json.dumps(result) if options.json else result)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
