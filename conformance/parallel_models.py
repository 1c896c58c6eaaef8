"""Small models of transformers, and how parallelize_module spreads them over ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed._functional_collectives as functional
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    ParallelStyle,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

VOCABULARY, TOKENS = 256, 32
_SMALL = {"hidden_size": 128, "num_attention_heads": 8, "num_hidden_layers": 1, "vocab_size": VOCABULARY}


@dataclass(frozen=True)
class Case:
    """A model, how it is spread, and which of its results is looked at."""

    build: Callable[[], nn.Module]
    spread: Callable[[Any, DeviceMesh], None]
    output: str
    alone: Callable[[], nn.Module] | None = None


class ExpertParallel(ParallelStyle):
    """Each rank has some of the experts and some of the tokens; tokens go to their experts by all-to-all.

    An expert has room for all tokens of every rank: none is dropped, and all sizes are known.
    """

    def _apply(self, module: nn.Module, device_mesh: DeviceMesh | None) -> nn.Module:
        size, rank = _place_in(device_mesh)
        for name, weights in list(module.named_parameters()):
            mine = weights.detach().chunk(size)[rank].clone()
            setattr(module, name, nn.Parameter(mine))

        def forward(hidden: Tensor, index: Tensor, weights: Tensor) -> Tensor:
            return _through_experts(module, hidden, index, weights, device_mesh)

        module.forward = forward
        return module


def _place_in(mesh: DeviceMesh | None) -> tuple[int, int]:
    """How many ranks share a module, and which of them this is."""
    return (mesh.size(), mesh.get_local_rank()) if mesh is not None else (1, 0)


def _through_experts(
    module: Any, hidden: Tensor, index: Tensor, weights: Tensor, mesh: DeviceMesh | None
) -> Tensor:
    (size, rank), experts = _place_in(mesh), module.num_experts
    tokens, width = hidden.shape[0] // size, hidden.shape[1]
    mine = slice(rank * tokens, (rank + 1) * tokens)
    shares = torch.zeros(tokens, experts).scatter(1, index[mine], weights[mine]).t().unsqueeze(-1)
    sent = (shares != 0) * hidden[mine]
    local = experts // size
    equal = [local] * size
    came = functional.all_to_all_single(sent, equal, equal, mesh) if mesh else sent
    x = came.reshape(size, local, tokens, width).transpose(0, 1).reshape(local, size * tokens, width)
    gate, up = torch.bmm(x, module.gate_up_proj.transpose(1, 2)).chunk(2, dim=-1)
    y = torch.bmm(module.act_fn(gate) * up, module.down_proj.transpose(1, 2))
    back = y.reshape(local, size, tokens, width).transpose(0, 1).reshape(experts, tokens, width)
    done = functional.all_to_all_single(back, equal, equal, mesh) if mesh else back
    total = (done * shares).sum(0)
    return functional.all_gather_tensor(total, 0, mesh) if mesh else total


def llama() -> nn.Module:
    from transformers import LlamaConfig, LlamaForCausalLM

    model: nn.Module = LlamaForCausalLM(LlamaConfig(**_SMALL, intermediate_size=256, use_cache=False))
    return model


def spread_llama(model: Any, mesh: DeviceMesh) -> None:
    """As Llama's own plan in transformers."""
    parallelize_module(
        model,
        mesh,
        {
            "model.embed_tokens": RowwiseParallel(input_layouts=Replicate()),
            "lm_head": ColwiseParallel(output_layouts=Replicate()),
        },
    )
    for layer in model.model.layers:
        parallelize_module(layer, mesh, {**_attention("self_attn"), **_gated("mlp")})


def bert() -> nn.Module:
    from transformers import BertConfig, BertModel

    model: nn.Module = BertModel(BertConfig(**_SMALL, intermediate_size=256), add_pooling_layer=False)
    return model


def spread_bert(model: Any, mesh: DeviceMesh) -> None:
    """Attention by heads, and the two products behind it."""
    for layer in model.encoder.layer:
        plan: dict[str, ParallelStyle] = {
            f"attention.self.{name}": ColwiseParallel() for name in ("query", "key", "value")
        }
        plan["attention.output.dense"] = RowwiseParallel()
        plan["intermediate.dense"] = ColwiseParallel()
        plan["output.dense"] = RowwiseParallel()
        parallelize_module(layer, mesh, plan)


class Block(nn.Module):
    """A norm, a gated product and a residual."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))
        return result


class Blocks(nn.Module):
    """Blocks whose activations lie split along the sequence between their products."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, width)
        self.blocks = nn.Sequential(Block(width), Block(width))
        self.norm, self.head = nn.RMSNorm(width), nn.Linear(width, VOCABULARY)

    def forward(self, tokens: Tensor) -> Tensor:
        result: Tensor = self.head(self.norm(self.blocks(self.embed(tokens))))
        return result


def spread_blocks(model: Any, mesh: DeviceMesh) -> None:
    """Sequence parallel: all-gather before each product, reduce-scatter behind it."""
    ends = {
        "embed": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    }
    parallelize_module(model, mesh, ends)
    for block in model.blocks:
        plan = {
            "norm": SequenceParallel(),
            "up": ColwiseParallel(input_layouts=Shard(1)),
            "down": RowwiseParallel(output_layouts=Shard(1)),
        }
        parallelize_module(block, mesh, plan)


def mixtral() -> nn.Module:
    from transformers import MixtralConfig, MixtralForCausalLM

    config = MixtralConfig(
        **_SMALL, num_key_value_heads=8, intermediate_size=128, num_local_experts=8, use_cache=False
    )
    model: nn.Module = MixtralForCausalLM(config)
    return model


def spread_mixtral(model: Any, mesh: DeviceMesh) -> None:
    """Attention by heads, experts by rank."""
    for layer in model.model.layers:
        parallelize_module(layer, mesh, {**_attention("self_attn"), "mlp.experts": ExpertParallel()})


def alone_mixtral() -> nn.Module:
    """All experts on one chip, in the same steps."""
    model = mixtral()
    layers: Any = model.get_submodule("model.layers")
    for layer in layers:
        ExpertParallel()._apply(layer.mlp.experts, None)
    return model


def _attention(name: str) -> dict[str, ParallelStyle]:
    heads: dict[str, ParallelStyle] = {f"{name}.{one}_proj": ColwiseParallel() for one in "qkv"}
    return {**heads, f"{name}.o_proj": RowwiseParallel()}


def _gated(name: str) -> dict[str, ParallelStyle]:
    return {
        f"{name}.gate_proj": ColwiseParallel(),
        f"{name}.up_proj": ColwiseParallel(),
        f"{name}.down_proj": RowwiseParallel(),
    }


CASES = {
    "llama": Case(llama, spread_llama, "logits"),
    "bert": Case(bert, spread_bert, "last_hidden_state"),
    "sequence": Case(Blocks, spread_blocks, ""),
    "mixtral": Case(mixtral, spread_mixtral, "logits", alone_mixtral),
}
