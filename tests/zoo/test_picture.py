"""Images that models of the zoo make are written as files."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from tilesmith.cli.app import app
from tilesmith.errors import BadCallError
from tilesmith.zoo import load, run
from tilesmith.zoo.picture import save_picture

Image = pytest.importorskip("PIL.Image", reason="pillow is not here: pip install 'tilesmith[zoo]'")
pytest.importorskip("diffusers", reason="diffusers is not here: pip install 'tilesmith[zoo]'")


def pixels(path: Path) -> torch.Tensor:
    with Image.open(path) as image:
        assert image.mode == "RGB"
        values = torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8)
        return values.reshape(image.height, image.width, 3)


def test_values_from_minus_one_to_one_become_colours(tmp_path: Path) -> None:
    image = torch.tensor([-2.0, -1.0, 0.0, 1.0, 3.0, 0.5]).reshape(1, 3, 1, 2)
    save_picture(image, tmp_path / "new" / "image.png")
    assert pixels(tmp_path / "new" / "image.png").tolist() == [[[0, 128, 255], [0, 255, 191]]]


def test_the_command_writes_the_image_that_torch_paints(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    told = CliRunner().invoke(app, ["zoo", "run", "sd", "--tiny", "--backend", "cpu", "--out", str(path)])
    assert told.exit_code == 0, told.output
    assert str(path) in told.output.replace("\n", "")
    sample = load("sd", "tiny")
    with torch.no_grad():
        wanted = sample.model(*sample.inputs)[0].permute(1, 2, 0)
    assert pixels(path).shape == wanted.shape
    assert ((pixels(path) / 127.5 - 1) - wanted.clamp(-1, 1)).abs().max() < 0.02


def test_what_cannot_be_written_is_refused_before_it_runs(tmp_path: Path) -> None:
    with pytest.raises(BadCallError, match="mlp makes no image"):
        run("mlp", "tiny", backend="cpu", out=tmp_path / "image.png")
    with pytest.raises(BadCallError, match="no ending of an image"):
        run("sd-vae", "tiny", backend="cpu", out=tmp_path / "image")
