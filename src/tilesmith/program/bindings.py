"""Named bindings of a kernel in the Metal 2.0 style: args::x, dfb::x, sem::x, tensor::x, scratch::x."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple


class TensorBinding(NamedTuple):
    """tensor::name. Its words begin at compile-time argument `words_at`; its address is a common argument."""

    name: str
    words_at: int
    address_at: int


class ScratchpadBinding(NamedTuple):
    """scratch::name: `size` bytes of L1 at the address that is common runtime argument `address_at`."""

    name: str
    size: int
    address_at: int


@dataclass(frozen=True)
class KernelBindings:
    """Names for a kernel's arguments and resources; the words themselves are the kernel's arguments.

    Runtime arguments are the named ones, then those without a name (`get_vararg`). Common ones are the named
    ones, then each tensor's and each scratchpad's address, then those without a name, from
    `first_common_vararg` on. Positional compile-time arguments are `compile_time_varargs` without a name,
    then each tensor's words. Named compile-time arguments are the kernel's own `named_compile_time_args`.
    """

    runtime_args: tuple[str, ...] = ()
    common_runtime_args: tuple[str, ...] = ()
    dataflow_buffers: tuple[tuple[str, int], ...] = ()
    semaphores: tuple[tuple[str, int], ...] = ()
    tensors: tuple[TensorBinding, ...] = ()
    scratchpads: tuple[ScratchpadBinding, ...] = ()
    tensor_sequences: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """tensor::name for several tensors, as a tuple of their tokens."""
    compile_time_varargs: int = 0
    first_common_vararg: int = 0

    def namespaces(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each generated namespace with the names it gets from here."""
        yield "args", (*self.runtime_args, *self.common_runtime_args)
        yield "dfb", tuple(name for name, _ in self.dataflow_buffers)
        yield "sem", tuple(name for name, _ in self.semaphores)
        yield (
            "tensor",
            (
                *(tensor.name for tensor in self.tensors),
                *(name for name, _ in self.tensor_sequences),
            ),
        )
        yield "scratch", tuple(pad.name for pad in self.scratchpads)
