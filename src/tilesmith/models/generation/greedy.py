"""The next token chosen where the logits are, so that a step brings back token ids and no logits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

_TOKENS = ("input_ids", "decoder_input_ids")
_IDS, _BEST = "chosen_ids", "chosen_logits"


def chooses_greedily(config: Any, processors: Any, kwargs: Mapping[str, Any]) -> bool:
    """Whether a call of `generate` takes the largest logit of every token, and looks at no other."""
    plain = all(kwargs.get(name) is None for name in ("custom_generate", "assistant_model"))
    asks = config.output_scores or config.output_logits
    return plain and not asks and not len(processors) and config.get_generation_mode() == "greedy_search"


def is_one_token(kwargs: Mapping[str, Any]) -> bool:
    """Whether a forward call is for one token of each text: of several the loop may look at any."""
    given = [kwargs[name] for name in _TOKENS if kwargs.get(name) is not None]
    return len(given) == 1 and given[0].shape[1] == 1


def choose(results: dict[str, Any]) -> int:
    """Put the best token of each text in the place of its logits; how many there were to choose from.

    With each comes its logit: one that is no number shows that the call must be computed on the host.
    """
    logits = results.pop("logits")[:, -1]
    results[_IDS], results[_BEST] = logits.argmax(-1), logits.amax(-1)
    return int(logits.shape[-1])


def as_logits(results: dict[str, Any], width: int) -> None:
    """Logits whose largest is that of the token chosen, for the loop of transformers to take."""
    ids = results.pop(_IDS).to(torch.int64)
    results.pop(_BEST)
    results["logits"] = torch.zeros(len(ids), 1, width).scatter_(2, ids[:, None, None], 1.0)
