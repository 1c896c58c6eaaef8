"""Text from small language models of ten families with random weights, and from SmolLM2, beside torch.

    python -m benchmarks.generation --json [--only llama,t5] [--backend cpu] [--tokens 32]

Each generates greedily for one prompt and for four of several lengths, padded on the left. A token may differ
from torch's only at a near-tie: where torch's own two best logits are closer than --tie of the spread of all.
After it the texts differ, and are compared no further. `recompiles_after_first_token` counts graphs that are
compiled after the first token of a call came. `decode_cycles` are those the chip is predicted to take for the
second token, which is the first made from a cache, and for the last.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

import tilesmith
from benchmarks.generation_models import MODELS, build, prompts
from tilesmith.errors import TilesmithError, WeightsMissingError
from tilesmith.program.executor import RunReport
from tilesmith.runtime.observers import Observer, observing


@dataclass(frozen=True)
class Row:
    model: str
    batch: int
    equal: int = 0
    """Tokens of each prompt that equal torch's before the first near-tie, the fewest."""
    near_ties: int = 0
    wrong: int = 0
    """Prompts whose tokens differ from torch's where there is no near-tie."""
    graphs: int = 0
    recompiles_after_first_token: int = 0
    seconds_per_token: float = 0.0
    decode_cycles: tuple[int, ...] = ()
    host: tuple[str, ...] = field(default=())
    failed: str = ""


class _Tokens(Observer):
    """Counts the graphs there were when the first token came, and the cycles of each token."""

    def __init__(self, compiled: Any) -> None:
        self.compiled, self.graphs, self.began = compiled, -1, 0.0
        self.spent, self.cycles = 0, list[int]()

    def ran(self, _device: Any, _program: Any, _placement: Any, report: RunReport) -> None:
        self.spent += report.cycles

    def __call__(self, ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:  # noqa: ARG002
        # A criterion that stops nothing. The second token is the first made from a cache, by another graph.
        self.cycles.append(self.spent)
        self.spent = 0
        if self.graphs < 0:
            self.graphs = 0
        elif self.graphs == 0:
            self.graphs, self.began = self.compiled.graphs, time.perf_counter()
        return torch.zeros(len(ids), dtype=torch.bool)


def measured(name: str, batch: int, options: argparse.Namespace) -> Row:
    model, inputs = build(name), prompts(name, batch)
    settings = {"max_new_tokens": options.tokens, "do_sample": False, "return_dict_in_generate": True}
    wanted = model.generate(**inputs, **settings, output_logits=True)
    chosen: dict[str, Any] = {"backend": options.backend}
    if options.backend == "tenstorrent":
        chosen |= {"precision": options.precision, "checks": options.checks, "numbers": options.numbers}
    compiled = tilesmith.compile(model, **chosen)
    tokens = _Tokens(compiled)
    with observing(tokens):
        made = compiled.generate(**inputs, **settings, stopping_criteria=[tokens])
    seconds = (time.perf_counter() - tokens.began) / (options.tokens - 2)
    verdicts = [
        _verdict(
            made.sequences[row], wanted.sequences[row], [logits[row] for logits in wanted.logits], options.tie
        )
        for row in range(len(wanted.sequences))
    ]
    report = getattr(compiled, "report", None)
    host = tuple(sorted({str(getattr(line, "op", line)) for line in getattr(report, "host", ())}))
    return Row(
        name,
        batch,
        min(equal for equal, _ in verdicts),
        sum(state == "tie" for _, state in verdicts),
        sum(state == "wrong" for _, state in verdicts),
        compiled.graphs,
        compiled.graphs - tokens.graphs,
        round(seconds, 4),
        tuple(tokens.cycles[1:2] + tokens.cycles[-1:]),
        host,
    )


def _verdict(made: torch.Tensor, wanted: torch.Tensor, logits: list[Any], tie: float) -> tuple[int, str]:
    """How many tokens are equal, and whether what follows is a near-tie or wrong."""
    count = len(logits)
    ours, theirs = made[len(made) - count :].tolist(), wanted[len(wanted) - count :].tolist()
    for place, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        if one != other:
            scores = logits[place].float()
            spread = float(scores.max() - scores.min())
            return place, "tie" if float(scores[other] - scores[one]) <= tie * spread else "wrong"
    return count, "equal"


def main() -> None:
    options = _options()
    warnings.simplefilter("ignore")
    rows, left_out = [], list[str]()
    for name in options.only.split(",") if options.only else MODELS:
        for batch in (1, 4):
            try:
                row = measured(name, batch, options)
            except WeightsMissingError as missing:
                left_out.append(f"{name}: {missing}")
                break
            except (TilesmithError, RuntimeError, TypeError, ValueError, AttributeError) as error:
                row = Row(name, batch, failed=f"{type(error).__name__}: {error}"[:400])
            rows.append(row)
            if not options.json:
                print(row, flush=True)
    if options.json:
        print(json.dumps(_summary(rows, left_out, options)))


def _summary(rows: list[Row], left_out: list[str], options: argparse.Namespace) -> dict[str, Any]:
    return {
        "tokens": options.tokens,
        "tie": options.tie,
        "precision": options.precision,
        "models_wrong": len({row.model for row in rows if row.wrong or row.failed}),
        "recompiles_after_first_token": sum(row.recompiles_after_first_token for row in rows),
        "rows": [asdict(row) for row in rows],
        "left_out": left_out,
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="names with commas between them")
    parser.add_argument("--backend", default="tenstorrent")
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--precision", default="float32")
    parser.add_argument("--numbers", default="fast")
    parser.add_argument("--checks", default="off")
    parser.add_argument("--tie", type=float, default=1e-3, help="of the spread of torch's logits")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
