"""Running an operation: validate, output specs, allocate, look into the program cache, run."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

from tilesmith.ops.checks import fatal
from tilesmith.ops.framework.binding import Operand, find_bindings, rebind, without_owners
from tilesmith.ops.framework.cache import CachedProgram, operation_cache
from tilesmith.ops.framework.operation import DeviceOperation
from tilesmith.ops.tensor import Tensor
from tilesmith.program import Program
from tilesmith.runtime import Device
from tilesmith.runtime import Tensor as DeviceTensor
from tilesmith.runtime.observers import labelled
from tilesmith.runtime.tensor_spec import TensorSpec

Attributes = TypeVar("Attributes", bound=Hashable)


def launch(
    operation: DeviceOperation[Attributes],
    attrs: Attributes,
    inputs: Sequence[Tensor],
    *,
    output: Sequence[Tensor] = (),
) -> tuple[Tensor, ...]:
    """Run an operation on tensors of one device and give its outputs; `output` is where to put them.

    `operation` sees device tensors (`tilesmith.runtime.Tensor`), whose dtype is a DataFormat.
    """
    taken = [_on_device(tensor) for tensor in inputs]
    given = [_on_device(tensor) for tensor in output]
    device = _common_device(operation, [*taken, *given])
    cache = operation_cache(device)
    key = _key(operation, attrs, taken, given)
    entry = cache.peek(key)
    if entry is None:
        # Whatever validation and output specs look at is in the key: they are asked once for each.
        operation.validate(attrs, taken)
    specs = entry.specs if entry is not None else operation.output_specs(attrs, taken)
    outputs = given or [DeviceTensor(device._allocate(spec)) for spec in specs]
    if all(spec.num_pages == 0 for spec in specs):
        return tuple(output) if given else tuple(Tensor.of_device(one) for one in outputs)
    if entry is None:
        cache.missed()
        program, entry = _build(operation, attrs, taken, outputs, specs)
        cache.add(key, entry)
    else:
        cache.hit()
        program = _with_numbers(operation, attrs, taken, outputs, entry)
    if program.kernels:
        with labelled(getattr(attrs, "label", "") or operation.name):
            device.run(program)
    return tuple(output) if given else tuple(Tensor.of_device(one) for one in outputs)


def _common_device(operation: DeviceOperation[Attributes], tensors: Sequence[DeviceTensor]) -> Device:
    device = tensors[0].device
    fatal(
        all(one.device is device for one in tensors),
        f"{operation.name}: all tensors must be on the same device",
    )
    return device


def _on_device(tensor: Tensor) -> DeviceTensor:
    on_device = tensor.on_device
    fatal(on_device is not None, "Device Operations expect device tensors as inputs")
    assert on_device is not None
    fatal(on_device.is_allocated, "Input Tensor is not allocated")
    return on_device


def _with_numbers(
    operation: DeviceOperation[Attributes],
    attrs: Attributes,
    inputs: Sequence[DeviceTensor],
    outputs: Sequence[DeviceTensor],
    entry: CachedProgram,
) -> Program:
    """A cached program with this call's addresses and values."""
    if entry.bindings is None:
        return _build(operation, attrs, inputs, outputs, entry.specs)[0]
    numbers = _numbers(operation, attrs, inputs, outputs)
    if numbers != entry.numbers:
        entry.program = rebind(entry.program, entry.bindings, (*inputs, *outputs), numbers)
        entry.numbers = numbers
    return entry.program


def _numbers(
    operation: DeviceOperation[Attributes],
    attrs: Attributes,
    inputs: Sequence[DeviceTensor],
    outputs: Sequence[DeviceTensor],
) -> tuple[int, ...]:
    """What may differ between calls that share a program."""
    values = getattr(operation, "call_values", None)
    addresses = [tensor.buffer.address for tensor in (*inputs, *outputs)]
    return tuple(addresses if values is None else [*addresses, *values(attrs, inputs)])


def _key(
    operation: DeviceOperation[Attributes],
    attrs: Attributes,
    inputs: Sequence[DeviceTensor],
    given: Sequence[DeviceTensor],
) -> Hashable:
    places = tuple([tensor.spec for tensor in given])
    own = getattr(operation, "cache_key", None)
    if own is not None:
        return (operation.name, own(attrs, inputs), places)
    return (operation.name, attrs, *[tensor.spec for tensor in inputs], places)


def _build(
    operation: DeviceOperation[Attributes],
    attrs: Attributes,
    inputs: Sequence[DeviceTensor],
    outputs: Sequence[DeviceTensor],
    specs: tuple[TensorSpec, ...],
) -> tuple[Program, CachedProgram]:
    tensors = (*inputs, *outputs)
    operands = [Operand(tensor.buffer, index) for index, tensor in enumerate(tensors)]
    factory = operation.select_factory(attrs, inputs)
    program = factory.create(attrs, operands[: len(inputs)], operands[len(inputs) :])
    bindings = find_bindings(program, operands)
    if bindings is not None and not bindings.any:
        # Nothing to replace: the factory put addresses in by a way of its own.
        bindings = None
    kept = without_owners(program)
    return kept, CachedProgram(kept, bindings, _numbers(operation, attrs, inputs, outputs), specs)
