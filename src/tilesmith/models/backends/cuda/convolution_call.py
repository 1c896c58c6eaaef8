"""Convolutions through cuDNN, on images with their channels last."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch.backends import cudnn
from torch.nn.functional import conv2d

from tilesmith.kernels.expression import Apply, Expr, Input
from tilesmith.models.planning.steps import Launch
from tilesmith.models.planning.views import Storage

Routine = Callable[[Any, Storage], None]


def convolution_ways(step: Launch, constants: frozenset[Storage]) -> Iterator[tuple[str, Expr, Routine]]:
    """Names, what of the epilogue is done, and routines."""
    template: Any = step.template
    if template.sparse or step.storages["w"] not in constants or not _is_dense(step):
        return
    value = template.epilogue.results[0].value
    accesses = {one.name: one.access for one in template.tensors}
    acc, bias = Input("acc0"), Input("bias")
    if len(template.epilogue.results) != 1:
        return
    if accesses.get("bias") != "row" or step.numbers["bias_row"] or step.numbers["bias_col"]:
        yield "cudnn convolution", acc, _routine(step, "")
        return
    added = Apply("add", (acc, bias))
    relu = Apply("relu", (added,))
    if value == relu:
        yield "cudnn convolution + bias + relu", relu, _routine(step, "relu")
    other = _summand(value, added)
    if other is not None and _is_whole(step, other):
        yield "cudnn convolution + bias + add + relu", value, _routine(step, "add_relu", other)
    yield "cudnn convolution", acc, _routine(step, "")


def _summand(value: Expr, added: Expr) -> str | None:
    """What else is added before a relu."""
    if isinstance(value, Apply) and value.op == "relu" and isinstance(value.args[0], Apply):
        inner = value.args[0]
        others = [arg for arg in inner.args if arg != added]
        if inner.op == "add" and len(others) == 1 and isinstance(others[0], Input):
            return others[0].name
    return None


def _is_whole(step: Launch, name: str) -> bool:
    """Whether an operand is all of its storage, of the same size as the result."""
    n, storage = step.numbers, step.storages[name]
    rows = {one.name: one.access for one in step.template.tensors}[name] == "rows"
    return (
        rows
        and (storage.rows, storage.cols) == (n["m"], n["n"])
        and n[f"{name}_row"] == n[f"{name}_col"] == 0
    )


def _is_dense(step: Launch) -> bool:
    """Whether the images are all of their storage, one pixel after the other, and the result likewise."""
    n, x, y = step.numbers, step.storages["x"], step.storages["y"]
    lines = (n["pitch"], n["step"]) == (n["width"], 1) and n["area"] == n["height"] * n["width"]
    whole = n["x_row"] == n["x_col"] == 0 and x.rows % n["area"] == 0 and (n["zoom_h"], n["zoom_w"]) == (1, 1)
    return lines and whole and (y.rows, y.cols) == (n["m"], n["n"]) and n["y_row"] == n["y_col"] == 0


def _routine(step: Launch, epilogue: str, other: str = "") -> Routine:
    n, x, w = step.numbers, step.storages["x"], step.storages["w"]
    images, height, width = x.rows // n["area"], n["height"], n["width"]
    taps = (n["taps"] // n["taps_w"], n["taps_w"])
    stride, padding = (n["stride_h"], n["stride_w"]), (n["pad_h"], n["pad_w"])
    dilation = (n["dil_h"], n["dil_w"])
    tall, wide = n["out_area"] // n["out_width"], n["out_width"]
    filters: dict[int, torch.Tensor] = {}

    def weight_of(memory: Any) -> torch.Tensor:
        held = memory[w]
        if held.data_ptr() not in filters:
            taken = held.view(*taps, n["depth"], -1)[:, :, : x.cols, : n["n"]]
            filters.clear()
            filters[held.data_ptr()] = taken.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
        return filters[held.data_ptr()]

    def pictures(tensor: torch.Tensor, *size: int) -> torch.Tensor:
        return tensor.view(*size).permute(0, 3, 1, 2)

    def run(memory: Any, target: Storage) -> None:
        image, weight = pictures(memory[x], images, height, width, x.cols), weight_of(memory)
        bias = memory[step.storages["bias"]][0, : n["n"]] if epilogue else None
        more = pictures(memory[step.storages[other]], images, tall, wide, n["n"]) if other else None
        with _flags(benchmark=bool(epilogue)):
            result = _convolved(epilogue, (image, weight, bias), (stride, padding, dilation), more)
        memory[target] = result.permute(0, 2, 3, 1).reshape(n["m"], n["n"])

    return run


def _flags(benchmark: bool) -> AbstractContextManager[None]:
    """How cuDNN chooses its kernel: by what it knows, or by the clock where more follows the convolution.

    For plain ones the clock of one call chose worse: 14.6 microseconds and not 13.3, 11.2 and not 9.2.
    """
    timed = benchmark or cudnn.benchmark
    flags: AbstractContextManager[None] = cudnn.flags(
        enabled=True, benchmark=timed, allow_tf32=cudnn.allow_tf32
    )
    return flags


def stores_most(step: Launch) -> bool:
    """Whether a product is about as long as its result takes to store."""
    n = step.numbers
    return n["k"] <= 64 and n["n"] >= 2 * n["k"] and n["m"] >= 16384


def product_routine(step: Launch) -> Routine | None:
    """A plain product of many rows as a convolution of one pixel, where cuDNN is faster than cuBLAS."""
    template: Any = step.template
    n, x, w, y = step.numbers, step.storages["x"], step.storages["w0"], step.storages["y"]
    sizes = ((x, "x", n["m"], n["k"]), (w, "w0", n["n"], n["k"]), (y, "y", n["m"], n["n"]))
    whole = all(
        (storage.rows, storage.cols) == (rows, cols) and not n[f"{name}_row"] and not n[f"{name}_col"]
        for storage, name, rows, cols in sizes
    )
    if not whole or not stores_most(step) or not template.transposed or template.x_transposed:
        return None

    def run(memory: Any, target: Storage) -> None:
        image = memory[x].view(1, n["m"], 1, n["k"]).permute(0, 3, 1, 2)
        # With these strides torch sees that the channels are last, and copies nothing.
        weight = memory[w].as_strided((n["n"], n["k"], 1, 1), (n["k"], 1, n["k"], n["k"]))
        with _flags(benchmark=False):
            result = conv2d(image, weight)
        memory[target] = result.permute(0, 2, 3, 1).reshape(n["m"], n["n"])

    return run


def _convolved(
    epilogue: str, tensors: tuple[Any, ...], geometry: tuple[Any, ...], more: torch.Tensor | None
) -> torch.Tensor:
    """A convolution with what follows it in one kernel of cuDNN, where it has one."""
    image, weight, bias = tensors
    stride, padding, dilation = geometry
    try:
        if epilogue == "relu":
            return torch.cudnn_convolution_relu(image, weight, bias, stride, padding, dilation, 1)
        if more is not None:
            return torch.cudnn_convolution_add_relu(
                image, weight, more, 1.0, bias, stride, padding, dilation, 1
            )
    except RuntimeError:  # not for these types and sizes
        pass
    result = conv2d(image, weight, bias, stride, padding, dilation)
    if more is not None:
        result = result + more
    return result.relu() if epilogue in ("relu", "add_relu") else result
