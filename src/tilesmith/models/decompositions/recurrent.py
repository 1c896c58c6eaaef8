"""A layer of an LSTM, which torch hands to oneDNN whole, step by step."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.fx import Node

from tilesmith.models.decompositions.registry import decomposition, value_of

aten = torch.ops.aten

_LSTM = 2
"""What oneDNN calls its kinds of layers: 0 and 1 are plain, 3 is a GRU."""
_MOST_STEPS = 64


def is_short_lstm(node: Node) -> bool:
    """an LSTM of few steps in one direction, whose sequences are of one length"""
    args: Any = node.args
    batch_sizes, mode, _, layers, _, both_ways, batch_first, train = args[8:16]
    plain = mode == _LSTM and layers == 1 and not (batch_sizes or both_ways or batch_first or train)
    asked = {user.args[1] for user in node.users}
    return bool(plain and asked <= {0, 1, 2} and value_of(args[0]).shape[0] <= _MOST_STEPS)


@decomposition(aten.mkldnn_rnn_layer.default, when=is_short_lstm)
def lstm_layer(
    x: Tensor,
    weight_input: Tensor,
    weight_hidden: Tensor,
    bias_input: Tensor,
    bias_hidden: Tensor,
    hidden: Tensor,
    cell: Tensor,
    reverse: bool,
    *_: Any,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A product for all steps, and one for each, with gates."""
    given = torch.nn.functional.linear(x, weight_input, bias_input + bias_hidden)
    steps = list(given.unbind(0))
    h, c = (one.reshape(x.shape[1], -1) for one in (hidden, cell))
    outputs = []
    for step in reversed(steps) if reverse else steps:
        gates = torch.nn.functional.linear(h, weight_hidden) + step
        into, forget, new, out = gates.chunk(4, 1)
        c = forget.sigmoid() * c + into.sigmoid() * new.tanh()
        h = out.sigmoid() * c.tanh()
        outputs.append(h)
    sequence = torch.cat([output.unsqueeze(0) for output in (outputs[::-1] if reverse else outputs)])
    return sequence, h.reshape(hidden.shape), c.reshape(cell.shape), x.new_zeros(0)
