"""What torch.compile runs eagerly, though it was to be compiled, is said."""

from __future__ import annotations

import warnings

import pytest
import torch
from torch import distributed, nn

from tilesmith.errors import TilesmithWarning
from tilesmith.models.capture.eager_frames import watch_eager_frames
from tilesmith.models.torch_backend import tilesmith_backend
from tilesmith.zoo.sample import noise


@pytest.fixture(autouse=True)
def watching() -> None:
    torch._dynamo.reset()
    watch_eager_frames(tilesmith_backend)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.GRU(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.layer(x)[0]
        return made


def test_a_function_that_dynamo_gives_up_is_named() -> None:
    compiled = torch.compile(Recurrent(), backend="tilesmith")
    with (
        torch._dynamo.config.patch(allow_rnn=False),
        pytest.warns(TilesmithWarning, match=r"eagerly.*Recurrent.forward.*RNN, GRU, or LSTM"),
    ):
        compiled(noise(2, 1, 4))


def test_other_backends_are_left_alone() -> None:
    compiled = torch.compile(Recurrent(), backend="eager")
    with torch._dynamo.config.patch(allow_rnn=False), warnings.catch_warnings():
        warnings.simplefilter("error", TilesmithWarning)
        compiled(noise(2, 1, 4))


class Packed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.GRU(4, 4, batch_first=True)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        made: torch.Tensor = nn.utils.rnn.pad_packed_sequence(self.layer(packed)[0], batch_first=True)[0]
        return made


def test_a_packed_sequence_breaks_the_graph_in_words() -> None:
    model, x, lengths = Packed(), noise(2, 3, 4), torch.tensor([3, 2])
    compiled = torch.compile(model, backend="tilesmith")
    with pytest.warns(TilesmithWarning, match=r"eagerly.*: pack_padded_sequence, which Packed.forward \("):
        made = compiled(x, lengths)
    torch.testing.assert_close(made, model(x, lengths), rtol=1e-2, atol=1e-2)


def test_a_function_compiled_after_a_reset_is_not_blamed_for_another() -> None:
    with torch._dynamo.config.patch(allow_rnn=False), pytest.warns(TilesmithWarning, match="eagerly"):
        torch.compile(Recurrent(), backend="tilesmith")(noise(2, 1, 4))
    torch._dynamo.reset()  # forgets who listens, but not what it counted
    with warnings.catch_warnings():
        warnings.simplefilter("error", TilesmithWarning)
        torch.compile(lambda x: -x, backend="tilesmith")(noise(4))


def test_a_break_that_no_layer_is_part_of_is_left_to_torch() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return x * 2 if x.sum().item() > 0 else x

    with warnings.catch_warnings():
        warnings.simplefilter("error", TilesmithWarning)
        torch.compile(function, backend="tilesmith")(torch.ones(4))


def test_a_container_in_ddp_is_named() -> None:
    distributed.init_process_group("gloo", store=torch._C._distributed_c10d.HashStore(), rank=0, world_size=1)
    try:
        model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))
        with pytest.warns(TilesmithWarning, match="Sequential in DistributedDataParallel"):
            torch.compile(model, backend="tilesmith")(noise(2, 4))
    finally:
        distributed.destroy_process_group()
