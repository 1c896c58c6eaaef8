"""Estimates come from a configuration alone, and count layers they did not time."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tilesmith.cli.app import app
from tilesmith.errors import BadCallError
from tilesmith.models.estimate.estimate import all_launches, estimate
from tilesmith.models.estimate.hollow import hollow_model, read_config
from tilesmith.models.estimate.timed import Timed
from tilesmith.zoo.llama import llama_config


@pytest.fixture(autouse=True, scope="module")
def graphs_timed_once() -> Iterator[None]:
    """Configurations here differ in their number of layers alone, and a graph has the layers it is told."""
    module: Any = sys.modules[estimate.__module__]
    timed: dict[Any, Any] = {}

    def graph(config: Any, layers: int, backend: Any, *sizes: int) -> Any:
        key = layers, backend.plans_only, sizes
        if key not in timed:
            timed[key] = whole(config, layers, backend, *sizes)
        return timed[key]

    with pytest.MonkeyPatch.context() as patch:
        whole = module._graph
        patch.setattr(module, "_graph", graph)
        yield


def launch(name: str) -> Timed:
    return Timed(name, 2.0, 1.0, 0.5, 0.25)


@pytest.mark.parametrize("more", [1, 3])
def test_a_layer_is_counted_as_often_as_there_are_layers(more: int) -> None:
    once = ["embed", "norm", "product", "norm", "head"]
    twice = [launch(name) for name in ("embed", "norm", "product", "norm", "product", "norm", "head")]
    names = [one.name for one in all_launches(once, twice, more)]
    assert names == ["embed", *["norm", "product"] * (more + 1), "norm", "head"]


def test_one_layer_is_the_whole_model() -> None:
    names = ("embed", "product", "head")
    assert [one.name for one in all_launches(names, [*map(launch, names)], 0)] == [*names]


def test_a_model_without_weights_takes_no_memory() -> None:
    model = hollow_model(llama_config(hidden_size=4096, vocab_size=1_000_000, num_attention_heads=32), 1)
    assert model.lm_head.weight.shape == (1_000_000, 4096)
    assert sum(one.untyped_storage().nbytes() for one in model.parameters()) < 1000


def test_more_layers_take_more_time_and_memory() -> None:
    small, large = (
        estimate(llama_config(num_hidden_layers=count), batch=2, prompt=8, tokens=8) for count in (2, 6)
    )
    per_layer = (large.decode.kernels - small.decode.kernels) / 4
    assert per_layer == int(per_layer) > 5
    assert large.decode.microseconds > 2 * small.decode.microseconds
    assert large.weight_bytes > small.weight_bytes
    assert large.parameters == sum(one.numel() for one in hollow_model(llama_config(), 6).parameters())
    assert large.fits
    assert 0 < large.decode.share < 1
    assert large.tokens_per_second == pytest.approx(2 * large.tokens_per_second_per_user)


def test_the_command_prints_all_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One estimate, which takes seconds, told three times."""
    made: list[Any] = []

    def once(*args: Any) -> Any:
        made.extend([estimate(*args)] if not made else [])
        return made[0]

    monkeypatch.setattr(sys.modules[estimate.__module__], "estimate", once)
    llama_config(num_hidden_layers=2).save_pretrained(tmp_path)
    arguments = ["estimate", str(tmp_path), "--batch", "2", "--prompt", "8", "--tokens", "8"]
    page = tmp_path / "page.html"
    text = CliRunner().invoke(app, [*arguments, "--html", str(page)]).output
    assert "tokens/s for each user" in text
    assert "of one prompt" in text
    data = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).output)
    assert data["fits"] is True
    families = data["decode"]["families"]
    assert families[0]["microseconds"] > 0
    shown = page.read_text()
    assert all(f"<td>{escape(family['name'])}</td>" in shown for family in families)
    assert f"{data['tokens_per_second_per_user']:.2f}" in shown


def test_a_configuration_that_is_none_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadCallError, match="there is no configuration"):
        read_config(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"hidden_size": 4}))
    with pytest.raises(BadCallError, match="no configuration of a model"):
        read_config(tmp_path)


@pytest.mark.parametrize("changes", [{"precision": "int3"}, {"batch": 0}])
def test_what_means_nothing_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(BadCallError):
        estimate(llama_config(), **changes)
