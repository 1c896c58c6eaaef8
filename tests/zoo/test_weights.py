"""Checkpoints of the user: what is read, and the sentence for what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

from tilesmith import zoo
from tilesmith.cli.app import app
from tilesmith.errors import WeightsMismatchError, WeightsMissingError


def _state() -> dict[str, torch.Tensor]:
    model: Any = zoo.load("mlp").model
    return {name: value + 1.0 for name, value in model.state_dict().items()}


def _first_weight(path: Path) -> torch.Tensor:
    model: Any = zoo.load("mlp", checkpoint=path).model
    weight: torch.Tensor = model.state_dict()["0.weight"]
    return weight


def test_a_state_dict_is_read_from_either_kind_of_file(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.torch")
    state = _state()
    torch.save({"state_dict": {f"module.{name}": value for name, value in state.items()}}, tmp_path / "a.pt")
    safetensors.save_file(state, tmp_path / "a.safetensors")
    for name in ("a.pt", "a.safetensors"):
        assert torch.equal(_first_weight(tmp_path / name), state["0.weight"])


def test_a_folder_of_a_pretrained_model_is_read(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    from tilesmith.zoo.language import gpt2_config

    model = transformers.GPT2LMHeadModel(gpt2_config())
    model.save_pretrained(tmp_path)
    sample = zoo.load("gpt2", checkpoint=tmp_path)
    held: Any = sample.model
    assert torch.equal(held.model.lm_head.weight, model.lm_head.weight)
    assert sample.weights == str(tmp_path)


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    for name in ("mlp", "resnet50", "gpt2", "sd-unet", "sd"):
        with pytest.raises(WeightsMissingError, match="no checkpoint at") as refused:
            zoo.load(name, checkpoint=tmp_path / "absent")
        assert str(tmp_path / "absent") in refused.value.what


def test_a_file_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    for name in ("a.pt", "a.safetensors"):
        (tmp_path / name).write_bytes(b"not weights")
        with pytest.raises(WeightsMismatchError, match="cannot be read as weights"):
            zoo.load("mlp", checkpoint=tmp_path / name)
    torch.save([1, 2, 3], tmp_path / "list.pt")
    with pytest.raises(WeightsMismatchError, match="no names with tensors"):
        zoo.load("mlp", checkpoint=tmp_path / "list.pt")


def test_a_folder_without_a_configuration_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    with pytest.raises(WeightsMismatchError, match=r"not a folder with a config\.json"):
        zoo.load("vit", checkpoint=tmp_path)


def test_tensors_of_another_model_are_refused(tmp_path: Path) -> None:
    state = _state()
    state["0.weight"] = torch.zeros(3, 3)
    torch.save(state, tmp_path / "shape.pt")
    with pytest.raises(
        WeightsMismatchError, match=r"0\.weight is \[3, 3\] in .*, and \[512, 64\] in the model"
    ):
        zoo.load("mlp", checkpoint=tmp_path / "shape.pt")
    del state["0.weight"]
    torch.save(state, tmp_path / "missing.pt")
    with pytest.raises(
        WeightsMismatchError, match=r"lacks 1 of the 10 tensors of the model, such as '0\.weight'"
    ):
        zoo.load("mlp", checkpoint=tmp_path / "missing.pt")


def test_the_command_says_it_in_a_sentence(tmp_path: Path) -> None:
    ran = CliRunner().invoke(app, ["zoo", "run", "mlp", "--weights", str(tmp_path / "absent.pt")])
    assert ran.exit_code != 0
    assert "Traceback" not in ran.output
    unknown = CliRunner().invoke(app, ["zoo", "run", "gpt5"])
    assert isinstance(unknown.exception, Exception)
    assert "resnet18" in str(unknown.exception)
