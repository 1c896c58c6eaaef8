"""What torch.compile runs eagerly, though it was to be compiled, is said."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

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


@pytest.mark.parametrize("decides", [lambda x: x.sum().item() > 0, lambda x: x.sum() > 0])
def test_a_break_that_no_layer_is_part_of_is_left_to_torch(decides: Callable[[torch.Tensor], bool]) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return x * 2 if decides(x) else x

    with warnings.catch_warnings():
        warnings.simplefilter("error", TilesmithWarning)
        torch.compile(function, backend="tilesmith")(torch.ones(4))


class Around(nn.Module):
    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, *args: torch.Tensor) -> Any:
        return self.layer(*args)


class Branch(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2 if x.sum().item() > 0 else x


class Unrolled(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for _ in range(2):
            x = x + x.sum().item()
        return x


class Kept(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[x > 0] * 2


CLASSES, LENGTHS = torch.randint(0, 20, (4,)), torch.full((4,), 3)
LEFT_OUT: dict[str, tuple[nn.Module, tuple[torch.Tensor, ...], str]] = {
    "a layer that reads a value": (
        nn.BatchNorm1d(8, momentum=None),
        (noise(4, 8),),
        r": _BatchNorm.forward: .*Tensor.item\(\).*batchnorm.py",
    ),
    "such a layer in a model": (
        Around(nn.BatchNorm1d(8, momentum=None)),
        (noise(4, 8),),
        r": _BatchNorm.forward, which Around.forward \(.*test_eager_frames.*\) calls: ",
    ),
    "a layer with results of any size": (
        nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 10]),
        (noise(4, 8), CLASSES),
        r": AdaptiveLogSoftmaxWithLoss.forward: Dynamic shape operator",
    ),
    "a loss": (
        Around(nn.CTCLoss()),
        (noise(6, 4, 20).log_softmax(-1), CLASSES.expand(4, 4)[:, :3], LENGTHS + 3, LENGTHS),
        r": CTCLoss.forward, which Around.forward .* calls: ",
    ),
    "a container of what reads a value": (
        nn.Sequential(nn.Linear(8, 8), Branch(), nn.Linear(8, 8)),
        (noise(4, 8),),
        r": Sequential.forward and layers of torch in it: .*, at Branch.forward \(.*test_eager_frames",
    ),
    "such a container in a model": (
        Around(nn.Sequential(nn.Linear(8, 8), Branch())),
        (noise(4, 8),),
        r": Sequential.forward and layers of torch in it, which Around.forward .* calls: ",
    ),
    "TorchScript": (
        Around(torch.jit.script(nn.ReLU())),
        (noise(4, 8),),
        r": Around.forward \(.*test_eager_frames.*: torch.jit.script",
    ),
    "a loop": (Unrolled(), (noise(4, 8),), r": Unrolled.forward \(.*test_eager_frames"),
    "a result of any size": (Kept(), (noise(4, 8),), r": aten.nonzero.default in Kept.forward \("),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_a_graph_break_leaves_out_is_said(name: str) -> None:
    model, args, says = LEFT_OUT[name]
    torch._dynamo.reset()  # of which what listens is left
    with pytest.warns(TilesmithWarning, match="torch.compile runs eagerly, and not on the device" + says):
        torch.compile(model, backend="tilesmith")(*args)


def test_where_all_is_to_be_one_graph_torch_says_so_alone() -> None:
    compiled = torch.compile(Around(Branch()), backend="tilesmith", fullgraph=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TilesmithWarning)
        with pytest.raises((torch._dynamo.exc.Unsupported, torch._dynamo.exc.UserError)):
            compiled(noise(4, 8))


def test_a_container_in_ddp_is_named() -> None:
    distributed.init_process_group("gloo", store=torch._C._distributed_c10d.HashStore(), rank=0, world_size=1)
    try:
        model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))
        with pytest.warns(TilesmithWarning, match="Sequential in DistributedDataParallel"):
            torch.compile(model, backend="tilesmith")(noise(2, 4))
    finally:
        distributed.destroy_process_group()
