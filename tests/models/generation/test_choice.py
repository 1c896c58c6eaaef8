"""Tokens chosen without sorting are those that transformers' processors and a running sum choose."""

from __future__ import annotations

import pytest
import torch
from transformers import GenerationConfig
from transformers.generation.logits_process import (
    LogitsProcessorList,
    MinPLogitsWarper,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from tilesmith.models.generation.choice import Choice, choice_of
from tilesmith.models.generation.chosen_logits import ChosenLogits
from tilesmith.models.generation.rows import chunked, place_of_largest
from tilesmith.models.generation.sampling import draw

SETTINGS = [(1.0, 0, 0.0), (0.7, 20, 0.0), (1.3, 0, 0.8), (0.9, 50, 0.9), (0.01, 0, 0.9), (5.0, 1, 0.5)]


def warpers(temperature: float, top_k: int, top_p: float) -> LogitsProcessorList:
    made = LogitsProcessorList([TemperatureLogitsWarper(temperature)])
    made.extend([TopKLogitsWarper(top_k)] if top_k else [])
    made.extend([TopPLogitsWarper(top_p)] if top_p else [])
    return made


def drawn(logits: torch.Tensor, uniform: torch.Tensor, settings: tuple[float, int, float]) -> torch.Tensor:
    temperature, top_k, top_p = (torch.tensor([float(one)]) for one in settings)
    rows = chunked(logits)
    return draw(rows, uniform, temperature, top_k if top_k else None, top_p if top_p else None)[0]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("width", [33, 96, 1000, 5000])
def test_the_same_uniform_numbers_choose_the_same_tokens(
    width: int, settings: tuple[float, int, float]
) -> None:
    draws = torch.Generator().manual_seed(width)
    logits = torch.randn(16, width, generator=draws) * 3
    uniform = torch.rand(16, generator=draws)
    scores = warpers(*settings)(torch.zeros(16, 1, dtype=torch.int64), logits.clone())
    running = scores.double().softmax(-1).cumsum(-1)
    wanted = (running <= uniform[:, None] * running[:, -1:]).sum(-1)
    assert torch.equal(drawn(logits, uniform, settings), wanted)


@pytest.mark.parametrize("settings", SETTINGS)
def test_each_token_comes_as_often_as_its_probability_says(settings: tuple[float, int, float]) -> None:
    """Of evenly spread numbers all but one at each end of its part choose a token."""
    logits = torch.randn(1, 64, generator=torch.Generator().manual_seed(1)) * 2
    count = 2000
    made = drawn(logits.expand(count, -1), (torch.arange(count) + 0.5) / count, settings)
    scores = warpers(*settings)(torch.zeros(1, 1, dtype=torch.int64), logits.clone())
    wanted = scores.softmax(-1)[0] * count
    assert (torch.bincount(made, minlength=64) - wanted).abs().max() <= 1


@pytest.mark.parametrize("uniform", [0.0, 1.0 - 2**-24, 1.0])
def test_the_ends_choose_tokens_that_are_kept(uniform: float) -> None:
    logits = torch.tensor([[-1e9, 3.0, 1.0, 2.0, -1e9]])
    assert drawn(logits, torch.tensor([uniform]), (1.0, 3, 0.0)) == (1 if uniform == 0 else 3)


@pytest.mark.parametrize("width", [1, 31, 128, 3201])
def test_the_first_of_the_largest(width: int) -> None:
    logits = torch.randint(0, 9, (7, width), generator=torch.Generator().manual_seed(width)).float()
    place, best = place_of_largest(chunked(logits))
    assert torch.equal(place, logits.argmax(-1))
    assert torch.equal(best, logits.amax(-1))


def test_what_else_looks_at_logits_gets_them() -> None:
    config = GenerationConfig(do_sample=True)
    assert choice_of(config, warpers(0.5, 3, 0.9), {}, True) == Choice(True, 0.5, 3, 0.9)
    assert choice_of(config, warpers(0.5, 3, 0.9), {}, False) is None
    assert choice_of(config, [MinPLogitsWarper(0.1)], {}, True) is None
    assert choice_of(config, list(reversed(warpers(0.5, 3, 0.9))), {}, True) is None
    assert choice_of(config, [TopPLogitsWarper(0.5, min_tokens_to_keep=2)], {}, True) is None
    assert choice_of(GenerationConfig(do_sample=True, num_beams=2), [], {}, True) is None
    assert choice_of(GenerationConfig(), [], {}, True) == Choice()


def test_chosen_logits_are_logits_to_all_else() -> None:
    logits = ChosenLogits.of(torch.tensor([2, 0]), 3)[:, -1].to(copy=True, dtype=torch.float32)
    assert torch.argmax(logits, dim=-1).tolist() == [2, 0]
    assert torch.multinomial(torch.softmax(logits, -1), num_samples=1).tolist() == [[2], [0]]
    assert (logits.exp() + 0)[:, -1].tolist() == [[0, 0, 1], [1, 0, 0]]
    assert logits.shape == (2, 1, 3)
