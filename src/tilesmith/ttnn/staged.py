"""Nearest sampling as it is after each of the seven stages it can be built in: for tests of such a plan.

A test of stage N waits for what stage N + 1 adds to be missing. `grid_sample_at(N)` is the operation, with
channels in front, from which the later stages have been taken away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn
from unittest.mock import patch

from tilesmith.errors import KernelSourceMissingError, OperationError
from tilesmith.ops.grid_sample import nearest
from tilesmith.ops.grid_sample.operation import GridSampleOperation
from tilesmith.ops.grid_sample.tasks import KERNELS
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.tensor import Tensor
from tilesmith.ttnn import nchw

LAST = 7
_STUBS = KERNELS / "stubs"


def grid_sample_at(stage: int) -> Callable[..., Tensor]:
    """`nchw.grid_sample` as it is when the stages up to `stage` are done."""

    def grid_sample(
        input: Tensor,
        grid: Tensor,
        mode: str = "bilinear",
        padding_mode: str = "zeros",
        align_corners: bool = False,
        *,
        memory_config: MemoryConfig | None = None,
    ) -> Tensor:
        if mode == "nearest" and stage == 1:
            raise NotImplementedError("nearest mode not yet implemented")
        missing = _without_later_stages(stage, input) if mode == "nearest" else ExitStack()
        with missing:
            return nchw.grid_sample(
                input, grid, mode, padding_mode, align_corners, memory_config=memory_config
            )

    return grid_sample


def _forget_programs(tensor: Tensor) -> None:
    device = tensor.device()
    if device is not None:
        device.clear_program_cache()


@contextmanager
def _without_later_stages(stage: int, image: Tensor) -> Iterator[None]:
    """The programs of a stage are forgotten: they must not serve another."""
    if stage >= LAST:
        yield
        return
    _forget_programs(image)
    try:
        with _stopping_after(stage):
            yield
    finally:
        _forget_programs(image)


@contextmanager
def _stopping_after(stage: int) -> Iterator[None]:
    if stage < 5:
        step, lacking = _LACKING[stage]
        with patch.object(GridSampleOperation, step, _refuse(lacking)):
            yield
    elif stage == 5:
        with patch.object(nearest, "KERNELS", _STUBS / "none"), _as_runtime_error():
            yield
    else:
        with _stub_kernels():
            yield


# What a call meets first when the stage is the last that is done.
_LACKING = {
    2: ("output_specs", "the device operation is not implemented for nearest mode"),
    3: ("output_specs", "the device operation has no output specs for nearest mode"),
    4: ("select_factory", "the program factory is not implemented for nearest mode"),
}


def _refuse(what: str) -> Callable[..., NoReturn]:
    def refuse(*_: Any) -> NoReturn:
        raise OperationError(f"grid_sample: {what}")

    return refuse


@contextmanager
def _as_runtime_error() -> Iterator[None]:
    try:
        yield
    except KernelSourceMissingError as error:
        raise OperationError(f"grid_sample: kernel file not found: {error}") from None


@contextmanager
def _stub_kernels() -> Iterator[None]:
    """The program runs to its end, but nobody gets the memory that its kernels left as it was."""
    from tilesmith.ops.framework import launch as launching

    def refused(operation: Any, attrs: Any, inputs: Any) -> NoReturn:
        launching(operation, attrs, inputs)
        raise OperationError("grid_sample: the nearest kernels ran, but they are stubs and sampled nothing")

    with (
        patch.object(nearest, "KERNELS", _STUBS),
        patch("tilesmith.ops.grid_sample.api.launch", refused),
    ):
        yield
