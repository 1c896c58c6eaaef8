"""`generate` of models that torch.compile has compiled: one graph for prompts, one for tokens."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import ref

import pytest
import torch

from tilesmith.errors import CaptureError, TilesmithWarning
from tilesmith.models.compiled_model import CompiledModel
from tilesmith.models.executable_cache import collect_reports
from tilesmith.zoo.llama import tiny_model as llama_model

ROOT = Path(__file__).parents[3]
IDS = torch.randint(0, 128, (2, 7), generator=torch.Generator().manual_seed(0))
MASK = torch.tensor([[1] * 7, [0] * 3 + [1] * 4])
CALL: dict[str, Any] = {"attention_mask": MASK, "do_sample": False}


def tiny_model() -> Any:
    return llama_model(num_hidden_layers=1).eval()


def whole(model: Any, **options: Any) -> Any:
    return torch.compile(model, backend="tilesmith", options=options)


def in_place(model: Any, **options: Any) -> Any:
    model.compile(backend="tilesmith", options=options)
    return model


def forward_alone(model: Any, **options: Any) -> Any:
    model.forward = torch.compile(model.forward, backend="tilesmith", options=options)
    return model


@pytest.mark.parametrize("how", [whole, in_place, forward_alone])
def test_two_graphs_for_any_number_of_tokens(how: Callable[..., Any]) -> None:
    wanted = tiny_model().generate(IDS, max_new_tokens=20, **CALL)
    compiled = how(tiny_model(), device="cpu")
    with collect_reports() as reports:
        for count in (20, 5):  # a shorter text needs nothing new
            made = compiled.generate(IDS, max_new_tokens=count, **CALL)
            assert torch.equal(made, wanted[:, : 7 + count])
    assert len(reports) == 2
    with torch.no_grad():  # a change of the weights is noticed
        compiled.lm_head.weight.copy_(compiled.lm_head.weight.flip(0))
    assert not torch.equal(compiled.generate(IDS, max_new_tokens=2, **CALL), wanted[:, :9])


@pytest.mark.parametrize("how", [whole, in_place, forward_alone])
def test_what_was_compiled_goes_with_the_model(how: Callable[..., Any]) -> None:
    model = how(tiny_model(), device="cpu")
    model.generate(IDS, max_new_tokens=1, **CALL)
    kept = ref(model)
    del model
    torch._dynamo.reset()
    gc.collect()
    assert kept() is None


def test_the_default_cache_on_the_device() -> None:
    model = tiny_model()
    wanted = model.generate(IDS, max_new_tokens=6, **CALL)
    compiled = whole(model, precision="float32", numbers="fast", checks="off")
    with collect_reports() as reports:
        assert torch.equal(compiled.generate(IDS, max_new_tokens=6, **CALL), wanted)
    assert len(reports) == 2
    assert reports[1].uploaded < 1000  # neither weights nor cache


def test_a_generate_of_its_own_that_calls_the_usual_one() -> None:
    class Doubled(type(tiny_model())):  # type: ignore[misc]
        def generate(self, ids: torch.Tensor, **kwargs: Any) -> Any:
            return super().generate(ids + 1, **kwargs)

    model = Doubled(tiny_model().config).eval()
    wanted = model.generate(IDS, max_new_tokens=3, **CALL)
    assert torch.equal(in_place(model, device="cpu").generate(IDS, max_new_tokens=3, **CALL), wanted)


def test_other_backends_and_models_are_left_alone() -> None:
    model = tiny_model()
    other: Any = torch.compile(model, backend="eager")
    assert other.generate == model.generate
    assert not hasattr(whole(torch.nn.Linear(2, 2)), "generate")
    with collect_reports() as reports:
        model.generate(IDS, max_new_tokens=2, **CALL)
    assert not reports


def test_what_cannot_be_captured_goes_through_dynamo(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise CaptureError("the model decides by values")

    monkeypatch.setattr(CompiledModel, "generate_with", refuse)
    model = tiny_model()
    wanted = model.generate(IDS, max_new_tokens=1, **CALL)
    with pytest.warns(TilesmithWarning, match="decides by values"):
        made = in_place(model, device="cpu").generate(IDS, max_new_tokens=1, **CALL)
    assert torch.equal(made, wanted)


LATER = """
import torch
from tilesmith.models.executable_cache import collect_reports

torch.compile(torch.nn.Linear(4, 4), backend="tilesmith", options={"device": "cpu"})(torch.ones(1, 4))

from tests.models.generation.test_torch_generate import CALL, IDS, in_place, tiny_model

with collect_reports() as reports:
    in_place(tiny_model(), device="cpu").generate(IDS, max_new_tokens=4, **CALL)
print(len(reports))
"""


@pytest.mark.slow
def test_transformers_may_be_imported_after_the_backend() -> None:
    """The first call of a process, too, plans for the prompt and for a token and for nothing else."""
    told = subprocess.run([sys.executable, "-c", LATER], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.split()[-1] == "2"
