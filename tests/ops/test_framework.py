"""The framework with the smallest operation there is: copy one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from tilesmith.errors import OperationError
from tilesmith.ops.framework import Factory, FunctionFactory, fatal, launch, operation_cache
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CBFormat, CircularBuffer, CoreCoord, Kernel, Program, ReaderConfig, SourceType
from tilesmith.runtime import Device, TensorAccessorArgs, open_device
from tilesmith.runtime import Tensor as DeviceTensor
from tilesmith.runtime.tensor_spec import TensorSpec

COPY = """
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    const auto source = TensorAccessor(TensorAccessorArgs<0>(), get_common_arg_val<uint32_t>(0));
    const auto target = TensorAccessor(TensorAccessorArgs<2>(), get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    noc_async_read_page(0, source, get_write_ptr(0));
    noc_async_read_barrier();
    noc_async_write_page(0, target, get_write_ptr(0));
    noc_async_write_barrier();
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
}
"""


@dataclass(frozen=True)
class Attributes:
    shape: tuple[int, int] = (32, 32)


class CopyTile:
    name = "ttnn.copy_tile"

    def validate(self, attrs: Attributes, inputs: Sequence[DeviceTensor]) -> None:
        fatal(inputs[0].shape == attrs.shape, "Input must be one tile")

    def output_specs(self, attrs: Attributes, inputs: Sequence[DeviceTensor]) -> tuple[TensorSpec, ...]:
        return (inputs[0].spec,)

    def select_factory(self, attrs: Attributes, inputs: Sequence[DeviceTensor]) -> Factory[Attributes]:
        return FunctionFactory(_copy)


def _copy(attrs: Attributes, inputs: Sequence[DeviceTensor], outputs: Sequence[DeviceTensor]) -> Program:
    core = CoreCoord(0, 0)
    words = [word for one in (*inputs, *outputs) for word in TensorAccessorArgs(one).get_compile_time_args()]
    kernel = Kernel(
        COPY,
        core,
        ReaderConfig(),
        SourceType.SOURCE_CODE,
        compile_time_args=words,
        runtime_args={core: (outputs[0].address,)},
        common_runtime_args=(inputs[0].address,),
    )
    return Program([kernel], [CircularBuffer(4096, core, CBFormat(0, inputs[0].dtype, 4096))])


def _tile(device: Device, value: float) -> Tensor:
    return Tensor.of_device(device.from_numpy(np.full((32, 32), value, np.float32)))


def test_a_second_launch_uses_the_program_with_other_addresses() -> None:
    with open_device("n150") as device:
        kept = [launch(CopyTile(), Attributes(), [_tile(device, value)])[0] for value in (1, 2, 3)]
        assert [tensor.to_numpy()[0, 0] for tensor in kept] == [1, 2, 3]
        cache = operation_cache(device)
        assert (len(cache), cache.misses, cache.hits) == (1, 1, 2)


def test_an_output_given_is_written_and_returned() -> None:
    with open_device("n150") as device:
        room = _tile(device, 0)
        (result,) = launch(CopyTile(), Attributes(), [_tile(device, 5)], output=[room])
        assert result is room
        assert room.to_numpy().max() == 5


def test_misses_can_be_forbidden() -> None:
    with open_device("n150") as device:
        operation_cache(device).misses_allowed = False
        with pytest.raises(OperationError, match="cache misses are forbidden"):
            launch(CopyTile(), Attributes(), [_tile(device, 1)])


def test_a_disabled_cache_keeps_nothing() -> None:
    with open_device("n150") as device:
        operation_cache(device).disable_and_clear()
        launch(CopyTile(), Attributes(), [_tile(device, 1)])
        assert len(operation_cache(device)) == 0


def test_wrong_input_is_a_runtime_error_in_the_operations_words() -> None:
    with open_device("n150") as device:
        with pytest.raises(RuntimeError, match="Input must be one tile"):
            launch(CopyTile(), Attributes((64, 32)), [_tile(device, 1)])
        with pytest.raises(RuntimeError, match="expect device tensors"):
            launch(CopyTile(), Attributes(), [_tile(device, 1).cpu()])
        gone = _tile(device, 1)
        gone.deallocate()
        with pytest.raises(RuntimeError, match="not allocated"):
            launch(CopyTile(), Attributes(), [gone])
