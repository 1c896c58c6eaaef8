"""Text from small models of many families of transformers with random weights, beside torch's own.

    python -m conformance.generation_families [--only gptneo,falcon] [--backend cpu] [--tokens 12]

Every family generates greedily for one prompt and for three of several lengths, padded on the left. A line
says `equal`, `tie` where torch's two logits are closer than a thousandth of their spread, or `wrong`, and how
many graphs were compiled: two, or one for every token where a cache of fixed length would be wrong.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import Any

import torch

import tilesmith
from tilesmith.errors import TilesmithError

WORDS = 96
_ENDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": None}
_USUAL: dict[str, Any] = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 96,
    "vocab_size": WORDS,
    "max_position_embeddings": 128,
}
_GPT: dict[str, Any] = {"n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 128, "vocab_size": WORDS}
_BLOOM: dict[str, Any] = {"hidden_size": 64, "n_layer": 2, "n_head": 4, "vocab_size": WORDS}
_FALCON: dict[str, Any] = {**_BLOOM, "num_hidden_layers": 2, "num_attention_heads": 4}
_NEO = {"num_layers": 2, "num_heads": 4, "window_size": 8, "attention_types": [[["global", "local"], 1]]}
_PAIR: dict[str, Any] = {
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 96,
    "decoder_ffn_dim": 96,
    "vocab_size": WORDS,
    "max_position_embeddings": 128,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": None,
}
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
_LATENT: dict[str, Any] = {
    "num_key_value_heads": 4,
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 16,
    "qk_nope_head_dim": 16,
    "v_head_dim": 16,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "topk_group": 1,
    "first_k_dense_replace": 1,
    "n_shared_experts": 1,
}
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "qwen3": ("Qwen3ForCausalLM", {**_USUAL, "head_dim": 16}),
    "gemma3": ("Gemma3ForCausalLM", {**_USUAL, "head_dim": 32, "sliding_window": 8}),
    "phi3": ("Phi3ForCausalLM", _USUAL),
    "falcon": ("FalconForCausalLM", _FALCON),
    "falcon-alibi": ("FalconForCausalLM", {**_FALCON, "alibi": True, "multi_query": False}),
    "neox": ("GPTNeoXForCausalLM", _USUAL),
    "gptj": ("GPTJForCausalLM", {**_GPT, "rotary_dim": 8}),
    "gptneo": ("GPTNeoForCausalLM", {**_NEO, "hidden_size": 64, "vocab_size": WORDS}),
    "bigcode": ("GPTBigCodeForCausalLM", _GPT),
    "opt": ("OPTForCausalLM", {**_USUAL, "ffn_dim": 96, "word_embed_proj_dim": 64}),
    "bloom": ("BloomForCausalLM", _BLOOM),
    "mpt": ("MptForCausalLM", {"d_model": 64, "n_heads": 4, "n_layers": 2, "vocab_size": WORDS}),
    "stablelm": ("StableLmForCausalLM", _USUAL),
    "olmo2": ("Olmo2ForCausalLM", _USUAL),
    "granite": ("GraniteForCausalLM", _USUAL),
    "starcoder2": ("Starcoder2ForCausalLM", {**_USUAL, "sliding_window": 8}),
    "cohere2": ("Cohere2ForCausalLM", {**_USUAL, "sliding_window": 8}),
    "mistral": ("MistralForCausalLM", {**_USUAL, "sliding_window": 8}),
    "glm4": ("Glm4ForCausalLM", {**_USUAL, "head_dim": 16}),
    "lfm2": ("Lfm2ForCausalLM", {**_USUAL, "layer_types": ["conv", "full_attention"]}),
    "qwen2moe": ("Qwen2MoeForCausalLM", {**_USUAL, **_EXPERTS, "shared_expert_intermediate_size": 32}),
    "olmoe": ("OlmoeForCausalLM", {**_USUAL, **_EXPERTS}),
    "deepseekv2": ("DeepseekV2ForCausalLM", {**_USUAL, **_LATENT, "n_group": 1}),
    "deepseekv3": ("DeepseekV3ForCausalLM", {**_USUAL, **_LATENT, "n_group": 2}),
    "gptoss": ("GptOssForCausalLM", {**_USUAL, "head_dim": 16, "num_local_experts": 4, "sliding_window": 8}),
    "bart": ("BartForConditionalGeneration", _PAIR),
    "pegasus": ("PegasusForConditionalGeneration", _PAIR),
    "m2m": ("M2M100ForConditionalGeneration", _PAIR),
}


def model_of(name: str) -> Any:
    """A family's model, whose weights are spread wide enough for its tokens to differ."""
    import transformers

    cls, sizes = FAMILIES[name]
    made = getattr(transformers, cls)
    torch.manual_seed(0)
    model = made(made.config_class(**sizes, **_ENDS)).eval()
    for parameter in model.parameters():
        parameter.data.mul_(2.0 if parameter.dim() > 1 else 1.0)
    return model


def compared(name: str, batch: int, options: argparse.Namespace) -> str:
    """`equal`, `tie` or `wrong`, and the number of graphs."""
    model = model_of(name)
    ids = torch.randint(3, WORDS, (batch, 9), generator=torch.Generator().manual_seed(batch))
    mask = torch.ones_like(ids)
    for row in range(batch):
        ids[row, : 2 * row], mask[row, : 2 * row] = 0, 0
    asked = {"input_ids": ids, "attention_mask": mask, "max_new_tokens": options.tokens, "do_sample": False}
    wanted = model.generate(**asked, output_logits=True, return_dict_in_generate=True)
    chosen: dict[str, Any] = {"backend": options.backend}
    if options.backend == "tenstorrent":
        chosen |= {"precision": "float32", "numbers": "fast", "checks": "off"}
    compiled = tilesmith.compile(model, **chosen)
    made = compiled.generate(**asked)[:, -options.tokens :]
    best = wanted.sequences[:, -options.tokens :]
    verdicts = [_verdict(made[row], best[row], [one[row] for one in wanted.logits]) for row in range(batch)]
    return f"{max(verdicts, key=['equal', 'tie', 'wrong'].index)}, {compiled.graphs} graphs"


def _verdict(made: torch.Tensor, wanted: torch.Tensor, logits: list[torch.Tensor]) -> str:
    different = (made != wanted).nonzero()
    if not len(different):
        return "equal"
    place = int(different[0])
    scores = logits[place]
    gap = float(scores[wanted[place]] - scores[made[place]])
    return "tie" if gap <= 1e-3 * float(scores.max() - scores.min()) else "wrong"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="names with commas between them")
    parser.add_argument("--backend", default="tenstorrent")
    parser.add_argument("--tokens", type=int, default=12)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    bad = 0
    for name in options.only.split(",") if options.only else FAMILIES:
        for batch in (1, 3):
            try:
                line = compared(name, batch, options)
            except (TilesmithError, RuntimeError, TypeError, ValueError, AttributeError) as error:
                line = f"failed: {type(error).__name__}: {error}"[:400]
            bad += line.startswith(("wrong", "failed"))
            print(f"{name} x {batch}: {line}", flush=True)
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main())
