"""Models without weights: every parameter is one number, repeated without memory for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tilesmith.errors import BadCallError
from tilesmith.extras import naming_extras
from tilesmith.models.estimate.tensor_parallel import part_of, with_collectives


def read_config(source: str | Path) -> Any:
    """The configuration in a folder or a file, as transformers has it."""
    path = Path(source)
    file = path / "config.json" if path.is_dir() else path
    if not file.is_file():
        raise BadCallError(
            f"there is no configuration at {path}",
            where="estimate",
            remedy="name a folder with a config.json, or such a file",
        )
    with naming_extras():
        from transformers import AutoConfig

    try:
        fields = json.loads(file.read_text(encoding="utf-8"))
        return AutoConfig.for_model(fields.pop("model_type"), **fields)
    except Exception as error:  # every configuration checks its fields in its own way
        raise BadCallError(
            f"{file} is no configuration of a model that transformers knows: {' '.join(str(error).split())}",
            where="estimate",
            remedy="it needs the model_type and the sizes of a language model, as transformers writes them",
        ) from error


def hollow_model(config: Any, layers: int, chips: int = 1) -> Any:
    """A model of a configuration with some of its layers, and no weights: the part of one of the chips."""
    from transformers import AutoModelForCausalLM

    fields = (config if chips == 1 else part_of(config, chips)).to_dict()
    fields["num_hidden_layers"] = layers
    if fields.get("layer_types"):
        fields["layer_types"] = fields["layer_types"][:layers]
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(type(config).from_dict(fields)).eval()
    if chips > 1:
        model = with_collectives(model, config, chips)
    known: dict[int, nn.Parameter] = {}
    for module in model.modules():
        for name, parameter in module._parameters.items():
            if parameter is not None:
                module._parameters[name] = known.setdefault(id(parameter), _repeated(parameter))
        for name, buffer in module._buffers.items():
            if buffer is not None:
                module._buffers[name] = torch.zeros(buffer.shape, dtype=buffer.dtype)
    return model


def _repeated(parameter: nn.Parameter) -> nn.Parameter:
    value = torch.zeros((), dtype=torch.float32).expand(parameter.shape)
    return nn.Parameter(value, requires_grad=False)


def layer_period(config: Any) -> int:
    """After how many layers the same kinds of layers come again; all of them, if they never do.

    >>> from types import SimpleNamespace
    >>> layer_period(SimpleNamespace(num_hidden_layers=4, layer_types=["a", "b", "a", "b"]))
    2
    """
    count = int(config.num_hidden_layers)
    types = list(getattr(config, "layer_types", None) or [""] * count)
    return next(
        period
        for period in range(1, count + 1)
        if count % period == 0 and types == types[:period] * (count // period)
    )
