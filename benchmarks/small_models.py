"""Small models of any family in `transformers`: a configuration shrunk by the names of fields, and inputs."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from torch import nn

_WIDE, _DEEP, _HEADS, _INNER, _WORDS, _LONG, _IMAGE, _PATCH = 64, 2, 2, 128, 128, 64, 32, 8

_WIDTHS = (
    "hidden_size d_model n_embd dim embed_dim embedding_size encoder_hidden_size word_embed_proj_dim emb_dim "
    "projection_dim hidden_dim decoder_hidden_size text_embed_dim model_dim rnn_hidden_size encoder_width "
    "attention_hidden_size"
)
_DEPTHS = (
    "num_hidden_layers n_layer n_layers num_layers encoder_layers decoder_layers num_encoder_layers "
    "num_decoder_layers decoder_num_hidden_layers num_hidden_groups"
)
_COUNTS = (
    "num_attention_heads n_head n_heads num_heads encoder_attention_heads decoder_attention_heads "
    "num_key_value_heads num_kv_heads decoder_num_attention_heads num_local_experts num_experts "
    "n_routed_experts num_experts_per_tok moe_num_experts"
)
_INNERS = (
    "intermediate_size d_ff encoder_ffn_dim decoder_ffn_dim ffn_dim n_inner moe_intermediate_size "
    "ffn_hidden_size decoder_intermediate_size d_inner"
)
_SIZES = (
    (_WIDE, _WIDTHS),
    (_DEEP, _DEPTHS),
    (_HEADS, _COUNTS),
    (_INNER, _INNERS),
    (_WIDE // _HEADS, "head_dim d_kv attention_head_dim d_head"),
    (_WORDS, "vocab_size text_vocab_size"),
    (_LONG, "max_position_embeddings n_positions max_source_positions max_target_positions"),
    (_IMAGE, "image_size img_size input_size"),
    (_PATCH, "patch_size"),
)
_SMALL = {name: size for size, names in _SIZES for name in names.split()}
_LARGEST = 40_000_000


class Unbuilt(Exception):
    """A family that does not build or run in PyTorch as we ask it to."""


def small_model(family: str) -> tuple[nn.Module, dict[str, Any]]:
    """A model of a family with random weights, and inputs it runs on."""
    from transformers import CONFIG_MAPPING, AutoModel

    try:
        config = shrunk(CONFIG_MAPPING[family]())
        if any(getattr(config, name, 0) and isinstance(getattr(config, name), list) for name in ("depths",)):
            config.depths = [1 for _ in config.depths]
        with torch.device("meta"):
            size = sum(one.numel() for one in AutoModel.from_config(config).parameters())
        if size > _LARGEST:
            raise Unbuilt(f"{size:,} parameters are left after shrinking")
        torch.manual_seed(0)
        model = AutoModel.from_config(config).eval()
    except Unbuilt:
        raise
    except Exception as error:
        raise Unbuilt(f"not built: {type(error).__name__}: {error}") from None
    return model, _first_that_runs(model, config)


def shrunk(config: Any) -> Any:
    """A configuration with small sizes, and those of its parts."""
    for name, value in list(vars(config).items()):
        if type(value).__name__.endswith("Config"):
            shrunk(value)
        elif isinstance(value, int) and not isinstance(value, bool) and name in _SMALL:
            setattr(config, name, min(value, _SMALL[name]))
        elif name.endswith("token_id") and isinstance(value, int) and value >= _WORDS:
            setattr(config, name, 1)
        elif name == "use_cache":
            config.use_cache = False
    return config


def _first_that_runs(model: nn.Module, config: Any) -> dict[str, Any]:
    problem = "no input fits"
    for inputs in _candidates(model, config):
        try:
            with torch.no_grad():
                model(**inputs)
        except Exception as error:
            problem = f"does not run: {type(error).__name__}: {error}"
        else:
            return inputs
    raise Unbuilt(problem)


def _candidates(model: nn.Module, config: Any) -> list[dict[str, Any]]:
    """Inputs worth trying, by the names that the model's forward takes."""
    taken = inspect.signature(model.forward).parameters
    make = torch.Generator().manual_seed(1)
    ids = torch.randint(3, _WORDS, (1, 16), generator=make)
    channels = getattr(config, "num_channels", 3)
    side = getattr(config, "image_size", _IMAGE)
    side = side if isinstance(side, int) else _IMAGE
    found: list[dict[str, Any]] = []
    if "input_ids" in taken:
        found.append({"input_ids": ids})
        if "decoder_input_ids" in taken:
            found.insert(0, {"input_ids": ids, "decoder_input_ids": ids[:, :8]})
    if "pixel_values" in taken:
        for size in dict.fromkeys((side, 64, 224)):
            image = torch.randn(1, channels, size, size, generator=make)
            found.append({"pixel_values": image})
            if "input_ids" in taken:
                found.append({"pixel_values": image, "input_ids": ids})
    if "input_values" in taken:
        found.append({"input_values": torch.randn(1, 4000, generator=make)})
    if "input_features" in taken:
        for shape in (
            (1, getattr(config, "num_mel_bins", 80), 128),
            (1, 64, getattr(config, "num_mel_bins", 80)),
        ):
            features = {"input_features": torch.randn(*shape, generator=make)}
            found += [features, {**features, "decoder_input_ids": ids[:, :8]}]
    if "inputs" in taken:
        found.append({"inputs": ids})
    return found
