"""Models that several chips share: what each has, what goes over links, and what that takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from tilesmith.arch import find_board
from tilesmith.errors import BadCallError
from tilesmith.models.estimate import estimate as estimates
from tilesmith.models.estimate.estimate import Estimate, Phase, estimate
from tilesmith.models.estimate.hollow import hollow_model
from tilesmith.models.estimate.links import Links
from tilesmith.models.estimate.page import as_html
from tilesmith.models.estimate.summary import as_data, as_text
from tilesmith.models.estimate.timing import TimingBackend
from tilesmith.models.options import ModelOptions
from tilesmith.models.planning.hidden_nan import _constant_sign
from tilesmith.zoo.llama import llama_config


def config(**changes: Any) -> Any:
    sizes = {"num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 128, "intermediate_size": 256}
    return llama_config(**{**sizes, "vocab_size": 512, "num_hidden_layers": 2, **changes})


def test_chips_share_heads_the_gated_unit_and_the_vocabulary() -> None:
    whole, part = (hollow_model(config(), 1, chips) for chips in (1, 2))
    shapes = {name: tuple(one.shape) for name, one in part.named_parameters()}
    attention, unit = "model.layers.0.self_attn", "model.layers.0.mlp"
    assert shapes[f"{attention}.q_proj.weight"] == (64, 128)
    assert shapes[f"{attention}.o_proj.product.weight"] == (128, 64)
    assert shapes[f"{unit}.up_proj.weight"] == (128, 128)
    assert shapes[f"{unit}.down_proj.product.weight"] == (128, 128)
    assert shapes["lm_head.product.weight"] == (256, 128)
    assert shapes["model.embed_tokens.weight"] == (512, 128) == tuple(whole.model.embed_tokens.weight.shape)


def test_a_layer_sums_twice_and_the_last_product_is_gathered() -> None:
    options = ModelOptions.of({"target": "n300", "checks": "off"})
    backend = TimingBackend(options, plans_only=True, links=Links(find_board("n300")))
    graph = estimates._graph(config(), 2, backend, batch=2, prompt=1, length=16)
    assert [name for name in graph.names if name.startswith("all_")] == ["all_reduce"] * 4 + ["all_gather"]
    # Between the sum and the norm nothing is rearranged.
    after = graph.names[graph.names.index("all_reduce") + 1 :]
    assert after[1].startswith("rms_norm")


def test_more_bytes_take_longer_and_are_timed_once() -> None:
    links = Links(find_board("n300"))
    graph = torch.fx.Graph()
    times = []
    for width in (64, 1024, 1024):
        source = graph.placeholder("x")
        source.meta["val"] = torch.empty(2, 16, width, device="meta")
        node = graph.call_function(torch.ops._c10d_functional.all_reduce.default, (source, "sum", "chips"))
        times.append(links.timed(node))
    assert times[1].microseconds > times[0].microseconds > times[0].link_us > 0
    assert times[2] is times[1]
    assert len(links.known) == 2


def test_weights_that_repeat_one_number_are_not_copied_to_look_at_them() -> None:
    """The embedding of a model of 70 billion weights would be 4 GB."""
    table = torch.zeros(()).expand(2**20, 2**22)
    assert _constant_sign(table) == _constant_sign(torch.zeros(2, 2)) != _constant_sign(-torch.ones(2))


def test_time_on_links_is_told_apart() -> None:
    phase = Phase((), 3, 80.0, 20.0, 0, link_us=25.0)
    found = Estimate("llama", "t3000", "mixed", 2, 1000, 1, 8, 8, phase, phase, 1, 1, 1, 1, 1, 1, chips=8)
    assert as_data(found)["decode"]["link_share"] == 0.25
    for told in (as_text(found), as_html(found)):
        assert "8 chips of t3000" in told
        assert "(25%) on links" in told
    alone = replace(found, chips=1, prefill=replace(phase, link_us=0.0), decode=replace(phase, link_us=0.0))
    assert "links" not in as_text(alone)


@pytest.mark.parametrize(
    ("changes", "board", "chips", "told"),
    [
        ({}, "t3000", 8, "num_attention_heads is 4"),
        ({"intermediate_size": 255}, "n300", 2, "intermediate_size is 255"),
        ({}, "n150", 2, "n150 has one chip"),
    ],
)
def test_what_cannot_be_split_is_refused(changes: dict[str, Any], board: str, chips: int, told: str) -> None:
    with pytest.raises(BadCallError, match=told):
        estimate(config(**changes), board, chips=chips)


def test_a_model_without_a_plan_is_refused() -> None:
    from transformers import GPT2Config

    plain = GPT2Config(n_layer=1, n_head=2, n_embd=64, vocab_size=64)
    with pytest.raises(BadCallError, match="cannot be split over 2 chips"):
        hollow_model(plain, 1, 2)
