"""Tokens of compiled models are those of torch, from two graphs for any number of tokens."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import pytest
import torch

import tilesmith
from tilesmith.errors import BadCallError, TilesmithWarning
from tilesmith.models.executable_cache import collect_reports
from tilesmith.models.generation.static_cache import initialise, layers_of, static_cache
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


def test_a_greedy_step_brings_back_token_ids(llama: Any) -> None:
    compiled = tilesmith.compile(llama, **TENSTORRENT)
    compiled.generate(**prompts(), max_new_tokens=3, do_sample=False)
    assert compiled.report.downloaded < 200  # logits would be 1024
    assert not [line for line in compiled.report.host if "argmax" in str(line)]


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


def test_prompts_of_other_lengths_compile_nothing(llama: Any, on_cpu: Any) -> None:
    on_cpu.generate(**prompts((0, 0)), max_new_tokens=40, do_sample=False)
    graphs = on_cpu.graphs
    for length in (2, 19, 32):
        ids = torch.randint(0, 128, (2, length), generator=torch.Generator().manual_seed(length))
        inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        wanted = llama.generate(**inputs, max_new_tokens=8, do_sample=False)
        assert torch.equal(on_cpu.generate(**inputs, max_new_tokens=8, do_sample=False), wanted)
    assert on_cpu.graphs == graphs


def test_encoders_are_compiled_too() -> None:
    from transformers import T5Config, T5ForConditionalGeneration

    torch.manual_seed(0)
    config = T5Config(d_model=32, d_ff=64, d_kv=16, num_layers=1, num_heads=2, vocab_size=64)
    model = T5ForConditionalGeneration(config).eval()
    model.generation_config.decoder_start_token_id, model.generation_config.eos_token_id = 0, None
    ids = torch.arange(3, 10)[None]
    wanted = model.generate(ids, max_new_tokens=6, do_sample=False)
    with collect_reports() as reports:
        made = tilesmith.compile(model, backend="cpu").generate(ids, max_new_tokens=6, do_sample=False)
    assert torch.equal(made, wanted)
    assert len(reports) == 3  # the encoder, the first token, and every other


@pytest.mark.parametrize("experts", [0, 4])
def test_new_caches_get_their_tensors_or_leave_it_to_the_graph(experts: int) -> None:
    from transformers import MixtralConfig, MixtralForCausalLM

    small = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1}
    config = MixtralConfig(**small, intermediate_size=32, vocab_size=32, num_local_experts=4)
    model = MixtralForCausalLM(config).eval() if experts else tiny_model(**small, intermediate_size=32)
    cache = static_cache(model.config, 40, {})
    initialise(model, cache, "past_key_values", {"input_ids": torch.zeros(3, 5, dtype=torch.int64)})
    (layer,) = layers_of(cache)
    assert int(layer.cumulative_length) == 0
    assert not layer.is_initialized or layer.keys.shape == (3, 1, 64, 16)
    assert layer.is_initialized or experts


def test_models_that_need_a_growing_cache_get_one() -> None:
    """GPT-Neo takes the rows of its cache for the tokens so far; Falcon needs as many."""
    from transformers import FalconConfig, FalconForCausalLM, GPTNeoConfig, GPTNeoForCausalLM

    torch.manual_seed(1)
    neo = GPTNeoConfig(
        hidden_size=32,
        num_layers=1,
        attention_types=[[["local"], 1]],
        num_heads=2,
        window_size=4,
        vocab_size=64,
        max_position_embeddings=64,
    )
    falcon = FalconConfig(
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        vocab_size=64,
        alibi=True,
        multi_query=False,
    )
    ids = torch.arange(3, 10)[None]
    for model in (GPTNeoForCausalLM(neo).eval(), FalconForCausalLM(falcon).eval()):
        for parameter in model.parameters():
            parameter.data.mul_(8.0 if parameter.dim() > 1 else 1.0)
        options: Any = {"max_new_tokens": 3, "do_sample": False, "pad_token_id": 0}
        model.generation_config.eos_token_id = None
        wanted = model.generate(ids, **options)
        compiled = tilesmith.compile(model, backend="cpu")
        with pytest.warns(TilesmithWarning, match="since its cache grows"):
            made = compiled.generate(ids, **options)
        assert torch.equal(made, wanted)


def test_states_that_modules_keep_are_refused() -> None:
    from transformers import RecurrentGemmaConfig, RecurrentGemmaForCausalLM

    small: Any = {"hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 32}
    model = RecurrentGemmaForCausalLM(RecurrentGemmaConfig(**small, num_hidden_layers=1, lru_width=32)).eval()
    with pytest.raises(BadCallError, match="gives no cache back"):
        tilesmith.compile(model, backend="cpu").generate(torch.arange(3, 8)[None], max_new_tokens=2)


def test_the_same_tokens_are_sampled(llama: Any, on_cpu: Any) -> None:
    results = []
    for model in (llama, on_cpu):
        torch.manual_seed(3)
        results.append(model.generate(**prompts(), max_new_tokens=8, do_sample=True, top_k=5))
    assert torch.equal(*results)


def test_tokens_are_drawn_where_the_logits_are(llama: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: dict[str, Any] = {"max_new_tokens": 5, "do_sample": True, "top_k": 20, "top_p": 0.8}
    compiled = tilesmith.compile(llama, **TENSTORRENT)
    torch.manual_seed(3)
    made = compiled.generate(**prompts(), **chosen)
    graphs = compiled.graphs
    assert not [line for line in compiled.report.host if "add" not in str(line)]
    compiled.generate(**prompts(), **chosen | {"temperature": 1.5})
    assert compiled.graphs == graphs  # settings are inputs
    calls, first = [], torch.multinomial

    def by_one_number(probs: torch.Tensor, num_samples: int) -> torch.Tensor:
        calls.append(num_samples)
        if len(calls) == 1:  # the prompt's logits come back
            return first(probs, num_samples)
        running = probs.double().cumsum(-1)
        return (running <= torch.rand(len(probs))[:, None] * running[:, -1:]).sum(-1, keepdim=True)

    monkeypatch.setattr(torch, "multinomial", by_one_number)
    torch.manual_seed(3)
    assert torch.equal(made, llama.generate(**prompts(), **chosen))
    assert len(calls) == 5


def test_beams_are_those_of_torch(llama: Any, on_cpu: Any) -> None:
    wanted = llama.generate(**prompts(), max_new_tokens=6, num_beams=2, do_sample=False)
    assert torch.equal(on_cpu.generate(**prompts(), max_new_tokens=6, num_beams=2, do_sample=False), wanted)


def test_what_looks_at_logits_gets_them(llama: Any, on_cpu: Any) -> None:
    asked: list[dict[str, Any]] = [
        {"output_logits": True, "return_dict_in_generate": True},
        {"output_scores": True, "return_dict_in_generate": True},
        {"repetition_penalty": 1.5},
        {"do_sample": True, "temperature": 0.7, "top_k": 20, "top_p": 0.8},
    ]
    for options in asked:
        found = []
        for model in (llama, on_cpu):
            torch.manual_seed(1)
            found.append(model.generate(**prompts(), **{"max_new_tokens": 4, "do_sample": False, **options}))
        if "return_dict_in_generate" not in options:
            assert torch.equal(*found)
            continue
        rows = [result.logits or result.scores for result in found]
        for wanted, made in zip(*rows, strict=True):
            assert torch.allclose(wanted, made, atol=1e-4)


def test_assisted_tokens_are_those_of_torch(llama: Any, on_cpu: Any) -> None:
    assistant = copy.deepcopy(llama)
    with torch.no_grad():
        assistant.lm_head.weight.add_(0.02 * torch.randn(assistant.lm_head.weight.shape))
    ids = prompts()["input_ids"][:1]
    for options in ({"assistant_model": assistant}, {"prompt_lookup_num_tokens": 2}):
        wanted = llama.generate(ids, max_new_tokens=5, do_sample=False, **options)
        assert torch.equal(on_cpu.generate(ids, max_new_tokens=5, do_sample=False, **options), wanted)


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
