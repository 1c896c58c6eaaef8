"""Choosing among experts and tokens: moe, sampling; and moving averages."""

from __future__ import annotations

from typing import Any

from tilesmith.ops.checks import fatal
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import registered
from tilesmith.ops.host_operation import on_host
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.runtime import Layout

_generator: dict[str, Any] = {}  # the state of random numbers, made at the first use


def _random() -> Any:
    import torch

    if not _generator:
        _generator["all"] = torch.Generator().manual_seed(0)
    return _generator["all"]


@registered("ttnn.manual_seed")
def manual_seed(
    seeds: int | Tensor = 0,
    *,
    device: object = None,
    user_ids: int | Tensor | None = None,
    sub_core_grids: object = None,
) -> Any:
    """Set the state of random numbers for `sampling`. One state serves all users here."""
    _check_seeds(seeds, user_ids)
    number = int(seeds.to_torch().flatten()[0]) if isinstance(seeds, Tensor) else int(seeds)
    _random().manual_seed(number)
    return seeds if isinstance(seeds, Tensor) else None


def _check_seeds(seeds: int | Tensor, user_ids: int | Tensor | None) -> None:
    if not isinstance(seeds, Tensor):
        in_range = not isinstance(user_ids, int) or 0 <= user_ids <= 31
        fatal(in_range, "User IDs scalar must be in the range [0, 31].")
        return
    fatal(
        not isinstance(user_ids, int),
        "Seeds were provided as a tensor, so user_ids must not be provided as a scalar.",
    )
    for name, tensor in (("Seeds", seeds), ("User IDs", user_ids)):
        if isinstance(tensor, Tensor):
            fatal(tensor.dtype is DataType.UINT32, f"{name} tensor must be of type UINT32.")
            fatal(tensor.layout is Layout.ROW_MAJOR, f"{name} tensor must have ROW_MAJOR layout.")
    if isinstance(user_ids, Tensor):
        same = seeds.spec.shape == user_ids.spec.shape
        fatal(same, "Seeds tensor and User IDs tensor must have the same shape.")


@registered("ttnn.sampling")
def sampling(
    input_values_tensor: Tensor,
    input_indices_tensor: Tensor,
    k: Tensor,
    p: Tensor,
    temp: Tensor,
    *,
    seed: int | None = None,
    sub_core_grids: object = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """One of the k largest for each user, by chance, among those that make up a share p; `temp` is 1/T."""
    generator = _random()
    if seed:
        generator.manual_seed(seed)

    def compute(values: Any, indices: Any, ks: Any, ps: Any, temps: Any) -> Any:
        import torch

        rows, places = values.reshape(-1, values.shape[-1]), indices.reshape(-1, indices.shape[-1])
        chosen = []
        for user, row in enumerate(rows):
            count = max(1, min(int(ks.flatten()[user]), row.numel()))
            best, at = (one[:count] for one in row.sort(descending=True, stable=True))
            chances = torch.softmax(best * float(temps.flatten()[user]), -1)
            before = chances.cumsum(-1) - chances
            kept = chances * (before <= float(ps.flatten()[user]))
            kept[0] = chances[0]
            picked = int(torch.multinomial(kept, 1, generator=generator))
            chosen.append(int(places[user, at[picked]]))
        return torch.tensor(chosen).reshape(1, 1, 1, -1)

    inputs = [input_values_tensor, input_indices_tensor, k, p, temp]
    return on_host(
        "ttnn.sampling",
        compute,
        inputs,
        dtype=DataType.UINT32,
        layout=Layout.ROW_MAJOR,
        output=output_tensor,
    )[0]


@registered("ttnn.moe")
def moe(
    input_tensor: Tensor,
    expert_mask_tensor: Tensor,
    topk_mask_tensor: Tensor,
    k: int = 32,
    *,
    memory_config: MemoryConfig | None = None,
    output_tensor: Tensor | None = None,
) -> Tensor:
    """The weight of expert 0 among the k best of each row."""
    fatal(k == 32, f"K must be equal to 32, pad with -infinity if necessary, got {k}")

    def compute(x: Any, experts: Any, tops: Any) -> Any:
        best, at = (x + experts).topk(k, -1)
        return ((best + tops).softmax(-1) * (at == 0)).sum(-1, keepdim=True)

    inputs = [input_tensor, expert_mask_tensor, topk_mask_tensor]
    return on_host("ttnn.moe", compute, inputs, memory_config=memory_config, output=output_tensor)[0]


@registered("ttnn.ema")
def ema(
    input_tensor: Tensor,
    alpha: float,
    *,
    out: Tensor | None = None,
    core_grid: object = None,
    memory_config: MemoryConfig | None = None,
    compute_kernel_config: object = None,
) -> Tensor:
    """A moving average along the last axis: alpha times the last one plus 1 - alpha times the element."""

    def compute(x: Any) -> Any:
        import torch

        averages, last = [], torch.zeros_like(x[..., 0])
        for column in x.unbind(-1):
            last = last * alpha + (1 - alpha) * column
            averages.append(last)
        return torch.stack(averages, -1)

    return on_host("ttnn.ema", compute, [input_tensor], memory_config=memory_config, output=out)[0]
