"""Models from local folders and files: the same tokens, and weights once in memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from tilesmith.errors import WeightsMismatchError, WeightsMissingError
from tilesmith.zoo.checkpoints import load_model
from tilesmith.zoo.llama import tiny_model

IDS = torch.arange(7)[None]


def tokens(model: Any) -> list[list[int]]:
    made: list[list[int]] = model.generate(IDS, max_new_tokens=4, do_sample=False).tolist()
    return made


def test_a_folder_with_several_files(tmp_path: Path) -> None:
    model: Any = tiny_model(num_hidden_layers=1).eval()
    model.to(torch.bfloat16).save_pretrained(tmp_path, max_shard_size="100KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    loaded = load_model(tmp_path)
    assert type(loaded) is type(model)
    assert loaded.dtype == torch.bfloat16
    assert tokens(loaded) == tokens(model)


def test_a_gguf_file(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    model: Any = tiny_model(num_hidden_layers=1).eval()
    _write_gguf(model, tmp_path / "tiny.gguf")
    assert tokens(load_model(tmp_path / "tiny.gguf")) == tokens(model)


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeightsMissingError, match="no checkpoint"):
        load_model(tmp_path / "nothing")
    with pytest.raises(WeightsMismatchError, match=r"config\.json"):
        load_model(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama", "architectures": ["Nobody"]}))
    with pytest.raises(WeightsMismatchError, match="no model Nobody"):
        load_model(tmp_path)


MEASURED = """
import sys
from pathlib import Path
from tilesmith.zoo.checkpoints import load_model
import transformers, torch
def held():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))
transformers.LlamaForCausalLM
before = held()
model = load_model(sys.argv[1])
print((held() - before) / sum(p.numel() * p.element_size() for p in model.parameters()))
"""


def test_loading_reads_no_weights_into_memory(tmp_path: Path) -> None:
    model: Any = tiny_model(num_hidden_layers=1, vocab_size=100_000)  # 100 MB
    model.save_pretrained(tmp_path)
    run = subprocess.run(
        [sys.executable, "-c", MEASURED, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert float(run.stdout) < 0.5


def _write_gguf(model: Any, path: Path) -> None:
    import gguf
    import numpy as np

    config, writer = model.config, gguf.GGUFWriter(path, "llama")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config.num_hidden_layers)
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    for name, value in model.state_dict().items():
        array, count = value.numpy(), heads.get(name.split(".")[-2], 0)
        if count:  # the file has the halves of rotary pairs next to each other
            array = array.reshape(count, 2, -1, array.shape[1]).swapaxes(1, 2).reshape(array.shape)
        stored = names.get_name(name, try_suffixes=(".weight",))
        assert stored is not None
        writer.add_tensor(stored, np.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
