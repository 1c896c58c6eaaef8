"""Small models of any family in `transformers`: a configuration shrunk by the names of fields, and inputs."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from conformance.small_inputs import candidates, described

_WIDE, _DEEP, _HEADS, _INNER, _WORDS, _LONG, _IMAGE, _PATCH, _EXPERTS = 64, 2, 2, 128, 128, 64, 32, 8, 4

_WIDTHS = (
    "hidden_size d_model n_embd dim embed_dim embedding_size encoder_hidden_size word_embed_proj_dim "
    "emb_dim projection_dim hidden_dim decoder_hidden_size text_embed_dim model_dim rnn_hidden_size "
    "encoder_width attention_hidden_size out_hidden_size proj_dim feat_proj_dim output_dim encoder_dim "
    "decoder_dim lru_width codebook_dim quantizer_dim conv_dim vision_output_dim mm_embed_dim "
    "upsampled_dim cross_attention_hidden_size text_hidden_size vision_hidden_size adapter_hidden_size"
)
_DEPTHS = (
    "num_hidden_layers n_layer n_layers num_layers encoder_layers decoder_layers num_encoder_layers "
    "num_decoder_layers decoder_num_hidden_layers num_hidden_groups depth num_global_layers "
    "encoder_num_hidden_layers num_blocks num_decoder_blocks decoder_depth encoder_num_layers"
)
_COUNTS = (
    "num_attention_heads n_head n_heads num_heads encoder_attention_heads decoder_attention_heads "
    "num_key_value_heads num_kv_heads decoder_num_attention_heads num_experts_per_tok moe_topk moe_k "
    "top_k_experts encoder_num_attention_heads num_selected_experts num_experts_per_token decoder_n_heads "
    "linear_num_key_heads linear_num_value_heads decoder_num_key_value_heads encoder_num_key_value_heads "
    "swa_num_attention_heads swa_num_key_value_heads num_global_key_value_heads index_n_heads"
)
_INNERS = (
    "intermediate_size d_ff encoder_ffn_dim decoder_ffn_dim ffn_dim n_inner moe_intermediate_size "
    "ffn_hidden_size decoder_intermediate_size d_inner shared_expert_intermediate_size "
    "expert_ffn_hidden_size encoder_intermediate_size dim_feedforward mlp_dim mlp_hidden_size "
    "intermediate_size_mlp feed_forward_dim expert_intermediate_size block_ff_dim dense_intermediate_size"
)
_HALVES = (
    "head_dim d_kv attention_head_dim d_head kv_lora_rank q_lora_rank v_head_dim linear_key_head_dim "
    "linear_value_head_dim mamba_d_head mamba_headdim swa_head_dim swa_v_head_dim kv_channels "
    "global_head_dim index_head_dim"
)
_SIZES = (
    (_WIDE, _WIDTHS),
    (_DEEP, _DEPTHS),
    (_HEADS, _COUNTS),
    (_INNER, _INNERS),
    (_EXPERTS, "num_local_experts num_experts n_routed_experts moe_num_experts num_experts_total"),
    (_EXPERTS, "mamba_n_heads n_mamba_heads mamba_num_heads mamba_heads"),
    (_WIDE // _HEADS, _HALVES),
    (
        _WIDE // _HEADS // 2,
        "qk_rope_head_dim qk_nope_head_dim rotary_dim mamba_d_state ssm_state_size state_size",
    ),
    (1, "n_group topk_group n_shared_experts num_nextn_predict_layers mtp_num_layers n_mtp_layers"),
    (1, "zero_expert_num mamba_n_groups n_groups"),
    (_WORDS, "vocab_size text_vocab_size vocab_size_per_layer_input num_embeddings codebook_size"),
    (_LONG, "max_position_embeddings n_positions max_source_positions max_target_positions max_seq_len"),
    (_IMAGE, "image_size img_size input_size"),
    (_PATCH, "patch_size"),
    (16, "mamba_chunk_size chunk_size sliding_window num_queries num_mel_bins hidden_size_per_layer_input"),
)
_SMALL = {name: size for size, names in _SIZES for name in names.split()}
_LARGEST = 40_000_000

_PARTICULAR: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
"""What single families need besides; the file says how it is written."""


class Unbuilt(Exception):
    """A family that does not build or run in PyTorch as we ask it to."""


def small_model(family: str) -> tuple[nn.Module, dict[str, Any]]:
    """A model of a family with random weights, and inputs it runs on."""
    problems = []
    for make in (small_config, _filled_config, _shrunk_config):
        try:
            model = _built(make(family), family)
            return model, _first_that_runs(model, family)
        except Unbuilt as problem:
            problems.append(str(problem))
        except Exception as error:
            problems.append(f"not built: {type(error).__name__}: {error}")
    raise Unbuilt(problems[0])


def _built(config: Any, family: str) -> nn.Module:
    with torch.device("meta"):
        size = sum(one.numel() for one in _made(config, family).parameters())
    if size > _LARGEST:
        raise Unbuilt(f"{size:,} parameters are left after shrinking")
    torch.manual_seed(0)
    model = _made(config, family).eval()
    for part in model.modules():
        if isinstance(part, nn.Conv1d | nn.Conv2d | nn.Conv3d):  # usually so small that nothing comes through
            nn.init.kaiming_normal_(part.weight, nonlinearity="relu")
    return model


def _made(config: Any, family: str) -> nn.Module:
    import transformers

    own = _PARTICULAR.get(family, {})
    part = getattr(config, own["part"]) if "part" in own else config
    make = getattr(transformers, own["model"]) if "model" in own else transformers.AutoModel.from_config
    model: nn.Module = make(part)
    return model


def small_config(family: str, filled: bool = False) -> Any:
    """A configuration made with small sizes, so that what it derives from them is right."""
    from transformers import CONFIG_MAPPING

    return _small(CONFIG_MAPPING[family], _PARTICULAR.get(family, {}), filled)


def _filled_config(family: str) -> Any:
    """The same, with sizes that are usually left open."""
    return small_config(family, filled=True)


def _small(kind: Any, own: Mapping[str, Any], filled: bool = False) -> Any:
    given = {name: value for name, value in own.items() if name not in ("inputs", "model", "part")}
    return kind(**{**given, **_small_arguments(kind, given, filled)})


def _small_arguments(kind: Any, own: Mapping[str, Any], filled: bool) -> dict[str, Any]:
    usual = kind()
    made: dict[str, Any] = {}
    depth = max(
        (getattr(usual, name) for name in _DEPTHS.split() if _is_size(getattr(usual, name, None))), default=0
    )
    fields = dataclasses.fields(kind)
    staged = any(_is_of_stages(one.name, getattr(usual, one.name, None)) for one in fields)
    for field in fields:
        name, value = field.name, getattr(usual, field.name, None)
        if _is_config(value):
            made[name] = _small_part(value, own.get(name, {}), filled)
        elif name in own or (staged and name in _WIDTHS.split()):
            continue  # the widths and heads of stages fit each other, and this one
        elif field.default is not None or name in _OPEN:
            value = _SMALL[name] if value is None and filled and name in _OPEN else value
            small = _small_value(name, value if _is_size(value) else field.default, depth)
            made |= {} if small is None else {name: small}
    return made


_OPEN = ("head_dim", "num_key_value_heads")
"""Sizes that follow from others if they are not given."""


def _small_part(config: Any, own: Mapping[str, Any], filled: bool) -> Any:
    """The configuration of a part; a network that another package has is one of transformers' own instead."""
    from transformers import ResNetConfig

    if type(config).__name__ == "TimmBackboneConfig":
        return ResNetConfig(
            hidden_sizes=[16, 32, 48, 64], depths=[1] * 4, embedding_size=16, out_indices=[1, 2, 3, 4]
        )
    return _small(type(config), own, filled)


def _small_value(name: str, value: Any, depth: int) -> Any:
    """A smaller value for a field; None if it stays as it is."""
    if _is_size(value) and name in _SMALL:
        return min(value, _SMALL[name])
    if name.endswith("token_id") and _is_size(value) and value >= _WORDS:
        return 1
    if name == "use_cache":
        return False
    if isinstance(value, list | tuple) and value:
        if name in ("depths", "num_blocks", "layers") and all(_is_size(one) for one in value):
            return [1 for _ in value]
        if len(value) == depth > _DEEP and isinstance(value[0], str):
            return list(value[:_DEEP])
    return None


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_of_stages(name: str, value: Any) -> bool:
    """Whether a field has a size for each stage of a network."""
    many = isinstance(value, list | tuple) and len(value) > 1 and all(map(_is_size, value))
    return many and any(part in name for part in ("depth", "heads", "sizes", "stage", "dims", "channels"))


def _is_config(value: Any) -> bool:
    return type(value).__name__.endswith("Config") and hasattr(value, "to_dict")


def _shrunk_config(family: str) -> Any:
    """The usual configuration with sizes made small afterwards, for classes that take no such arguments."""
    from transformers import CONFIG_MAPPING

    return _shrink(CONFIG_MAPPING[family]())


def _shrink(config: Any) -> Any:
    for name, value in list(vars(config).items()):
        small = _small_value(name, value, 0)
        if _is_config(value):
            _shrink(value)
        elif small is not None:
            setattr(config, name, small)
    return config


def _first_that_runs(model: nn.Module, family: str) -> dict[str, Any]:
    problems = []
    own = _PARTICULAR.get(family, {}).get("inputs")
    for inputs in candidates(model) if own is None else [described(own, model)]:
        try:
            with torch.no_grad():
                model(**inputs)
        except Exception as error:
            problems.append(f"does not run: {type(error).__name__}: {error}")
        else:
            return inputs
    raise Unbuilt(problems[0] if problems else "no input fits")
