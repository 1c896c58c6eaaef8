"""Tokens of compiled models are those of torch, from two graphs for any number of tokens."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import torch

import tilesmith
from tilesmith.errors import BadCallError
from tilesmith.zoo.llama import tiny_model

TENSTORRENT = {"backend": "tenstorrent", "checks": "off", "numbers": "fast", "precision": "float32"}


@pytest.fixture(scope="module")
def llama() -> Any:
    return tiny_model(num_hidden_layers=1).eval()


@pytest.fixture(scope="module")
def on_cpu(llama: Any) -> Any:
    return tilesmith.compile(llama, backend="cpu")


def prompts(padded: tuple[int, ...] = (0, 3)) -> dict[str, torch.Tensor]:
    ids = torch.randint(0, 128, (len(padded), 7), generator=torch.Generator().manual_seed(0))
    mask = torch.ones_like(ids)
    for row, count in enumerate(padded):
        mask[row, :count] = 0
    return {"input_ids": ids, "attention_mask": mask}


def test_tokens_are_those_of_torch(llama: Any) -> None:
    compiled = tilesmith.compile(llama, **TENSTORRENT)
    inputs = prompts()
    for count in (30, 8):  # the cache is more than a tile of rows
        wanted = llama.generate(**inputs, max_new_tokens=count, do_sample=False)
        assert torch.equal(compiled.generate(**inputs, max_new_tokens=count, do_sample=False), wanted)
    assert compiled.graphs == 2  # the prompt, and one token
    assert compiled.report.uploaded < 1000  # no cache
    assert Counter(line.ops for line in compiled.report.kernels)["cache_update",] == 2


def test_chunks_of_a_prompt_and_the_cache_that_is_returned(llama: Any) -> None:
    compiled = tilesmith.compile(llama, **TENSTORRENT)
    options = {"max_new_tokens": 3, "do_sample": False, "return_dict_in_generate": True}
    wanted = llama.generate(**prompts(), **options, cache_implementation="static")
    made = compiled.generate(**prompts(), **options, prefill_chunk_size=4)  # the second begins inside a tile
    assert torch.equal(made.sequences, wanted.sequences)
    keys = [result.past_key_values.layers[0].keys[:, :, 3:9] for result in (made, wanted)]
    assert torch.allclose(keys[0], keys[1], atol=1e-4)


def test_a_shorter_call_compiles_nothing(llama: Any, on_cpu: Any) -> None:
    for count in (40, 9):
        wanted = llama.generate(**prompts(), max_new_tokens=count, do_sample=False)
        assert torch.equal(on_cpu.generate(**prompts(), max_new_tokens=count, do_sample=False), wanted)
    assert on_cpu.graphs == 2


def test_the_same_tokens_are_sampled(llama: Any, on_cpu: Any) -> None:
    results = []
    for model in (llama, on_cpu):
        torch.manual_seed(3)
        results.append(model.generate(**prompts(), max_new_tokens=8, do_sample=True, top_k=5))
    assert torch.equal(*results)


def test_beams_are_those_of_torch(llama: Any, on_cpu: Any) -> None:
    wanted = llama.generate(**prompts(), max_new_tokens=6, num_beams=2, do_sample=False)
    assert torch.equal(on_cpu.generate(**prompts(), max_new_tokens=6, num_beams=2, do_sample=False), wanted)


def test_changed_weights_are_noticed(llama: Any, on_cpu: Any) -> None:
    before = on_cpu.generate(**prompts(), max_new_tokens=4, do_sample=False)
    with torch.no_grad():
        llama.lm_head.weight.copy_(llama.lm_head.weight.flip(0))
    wanted = llama.generate(**prompts(), max_new_tokens=4, do_sample=False)
    assert not torch.equal(wanted, before)
    assert torch.equal(on_cpu.generate(**prompts(), max_new_tokens=4, do_sample=False), wanted)


def test_the_model_itself_stays_as_it_is(llama: Any, on_cpu: Any) -> None:
    before = dict(vars(llama))
    on_cpu.generate(**prompts(), max_new_tokens=2, do_sample=False)
    assert vars(llama) == before


def test_models_that_generate_nothing_say_so() -> None:
    with pytest.raises(BadCallError, match="Linear has no `generate`"):
        tilesmith.compile(torch.nn.Linear(2, 2), backend="cpu").generate(torch.ones(1, 2))
