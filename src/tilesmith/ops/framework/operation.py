"""What a device operation is made of, as ttnn's: attributes, validation, output specs, factories."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from tilesmith.program import Program
from tilesmith.runtime import Tensor
from tilesmith.runtime.tensor_spec import TensorSpec

Attributes = TypeVar("Attributes", bound=Hashable)
Taken = TypeVar("Taken", bound=Hashable, contravariant=True)


class Factory(Protocol[Taken]):
    """Makes the Program of an operation.

    `tensor.address` may be used anywhere in runtime arguments: addresses are recognised there and replaced
    on later calls. Nothing else that changes between calls of equal attributes and specs may enter.
    """

    def create(self, attrs: Taken, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Program: ...


class DeviceOperation(Protocol[Taken]):
    """An operation on device tensors. `attrs` is a frozen dataclass: with the specs of the inputs and of a
    preallocated output it is the key of the program cache.

    Two methods may come on top. `cache_key(attrs, inputs)` replaces that key. `call_values(attrs, inputs)`
    gives numbers that differ between calls of one key; the factory puts them into runtime arguments as
    `BoundAddress(value, len(inputs) + len(outputs) + i)`, and they are replaced there as addresses are.
    """

    @property
    def name(self) -> str:
        """As ttnn names it: "ttnn.grid_sample"."""

    def validate(self, attrs: Taken, inputs: Sequence[Tensor]) -> None:
        """Raise OperationError (see `fatal`) for the first thing that is wrong."""

    def output_specs(self, attrs: Taken, inputs: Sequence[Tensor]) -> tuple[TensorSpec, ...]: ...

    def select_factory(self, attrs: Taken, inputs: Sequence[Tensor]) -> Factory[Taken]: ...


@dataclass(frozen=True)
class FunctionFactory(Generic[Attributes]):
    """A factory that is one function.

    >>> FunctionFactory(lambda attrs, inputs, outputs: Program()).create(None, (), ())
    Program(no kernels; 0 CBs on 0 cores)
    """

    function: Callable[[Attributes, Sequence[Tensor], Sequence[Tensor]], Program]

    def create(self, attrs: Attributes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Program:
        return self.function(attrs, inputs, outputs)
