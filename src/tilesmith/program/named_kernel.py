"""A kernel in the Metal 2.0 style from values by name, laid out as the vendor's host API does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tilesmith.arch.cores import CoreCoord, Cores
from tilesmith.errors import KernelArgumentError
from tilesmith.program.bindings import KernelBindings, ScratchpadBinding, TensorBinding
from tilesmith.program.kernel import Kernel, KernelConfig


class TensorArgument(NamedTuple):
    """A tensor for a kernel: the words of its TensorAccessorArgs, and its address."""

    words: Sequence[int]
    address: int


class Scratchpad(NamedTuple):
    """L1 set aside for a kernel, at the same address on each of its cores."""

    address: int
    size: int


def named_kernel(
    kernel_source: str | Path,
    core_ranges: Cores,
    config: KernelConfig,
    *,
    compile_time_args: Mapping[str, int] | None = None,
    runtime_args: Mapping[CoreCoord, Mapping[str, int]] | None = None,
    common_runtime_args: Mapping[str, int] | None = None,
    dataflow_buffers: Mapping[str, int] | None = None,
    semaphores: Mapping[str, int] | None = None,
    tensors: Mapping[str, TensorArgument] | None = None,
    tensor_sequences: Mapping[str, Sequence[str]] | None = None,
    scratchpads: Mapping[str, Scratchpad] | None = None,
    compile_time_varargs: Sequence[int] = (),
    varargs: Mapping[CoreCoord, Sequence[int]] | None = None,
    common_varargs: Sequence[int] = (),
    **rest: Any,
) -> Kernel:
    """A kernel whose arguments and resources have names. `rest` is what else `Kernel` takes.

    >>> from tilesmith.program import ReaderConfig
    >>> core = CoreCoord(0, 0)
    >>> kernel = named_kernel("reader.cpp", core, ReaderConfig(), runtime_args={core: {"start": 3}},
    ...                       tensors={"src": TensorArgument((2, 64), 4096)})
    >>> kernel.compile_time_args, kernel.common_runtime_args, kernel.runtime_args[core]
    ((2, 64), (4096,), (3,))
    """
    words = list(compile_time_varargs)
    common = list((common_runtime_args or {}).values())
    bound, pads = [], []
    for name, tensor in (tensors or {}).items():
        bound.append(TensorBinding(name, len(words), len(common)))
        words += tensor.words
        common.append(tensor.address)
    for name, pad in (scratchpads or {}).items():
        pads.append(ScratchpadBinding(name, pad.size, len(common)))
        common.append(pad.address)
    names = _names(runtime_args or {})
    bindings = KernelBindings(
        names,
        tuple(common_runtime_args or {}),
        tuple((dataflow_buffers or {}).items()),
        tuple((semaphores or {}).items()),
        tuple(bound),
        tuple(pads),
        tuple((name, tuple(each)) for name, each in (tensor_sequences or {}).items()),
        len(compile_time_varargs),
        len(common),
    )
    return Kernel(
        kernel_source,
        core_ranges,
        config,
        compile_time_args=words,
        named_compile_time_args=compile_time_args or {},
        runtime_args=_runtime_words(names, runtime_args or {}, varargs or {}),
        common_runtime_args=[*common, *common_varargs],
        bindings=bindings,
        **rest,
    )


def _names(runtime_args: Mapping[CoreCoord, Mapping[str, int]]) -> tuple[str, ...]:
    """The names every core has; their order is the first core's."""
    names = tuple(next(iter(runtime_args.values()), {}))
    for core, given in runtime_args.items():
        if different := set(given) ^ set(names):
            raise KernelArgumentError(
                f"runtime argument {min(different)!r} is given to some cores and not to all; see core {core}",
                remedy="give every core all named arguments: a core without work gets zeros",
            )
    return names


def _runtime_words(
    names: Sequence[str],
    runtime_args: Mapping[CoreCoord, Mapping[str, int]],
    varargs: Mapping[CoreCoord, Sequence[int]],
) -> dict[CoreCoord, tuple[int, ...]]:
    cores = dict.fromkeys((*runtime_args, *varargs))
    if names and (without := [core for core in cores if core not in runtime_args]):
        raise KernelArgumentError(
            f"core {without[0]} has varargs and none of the named runtime arguments ({', '.join(names)})",
            remedy="give every core all named arguments: a core without work gets zeros",
        )
    return {
        core: (*(runtime_args[core][name] for name in names), *varargs.get(core, ()))
        if names
        else tuple(varargs.get(core, ()))
        for core in cores
    }
