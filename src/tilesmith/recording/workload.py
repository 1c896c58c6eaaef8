"""Workload: something that runs on a device, as a function or as a user names it on the command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilesmith.compiler.compile import compile_kernel
from tilesmith.compiler.dialects.elements import numpy_type
from tilesmith.compiler.dialects.reading import read_file
from tilesmith.compiler.kernel_reference import attribute_of, check_call, kernel_from, parsed
from tilesmith.compiler.signature import Parameter
from tilesmith.errors import BadCallError
from tilesmith.runtime import Device

_SEED = 0
# Whole numbers small enough that a product of a few hundred of them fits every integer type.
_LARGEST_INTEGER = 8


@dataclass(frozen=True)
class Workload:
    """`run` makes tensors on the device it gets and launches programs there; what it returns is left."""

    title: str
    run: Callable[[Device], object]


def workload_from(text: str, sizes: Mapping[str, int] | None = None, **choices: Any) -> Workload:
    """`file.py:function(...)` whose first parameter is `device`, or a kernel as `tilesmith compile` takes it.

    A kernel is compiled for the chip it is to run on (`choices` go to `compile`) and called with random
    numbers; `sizes` says how large its symbols are.
    """
    if text.endswith(".mlir"):
        return _of_kernel(text, lambda: read_file(text), sizes or {}, choices)
    request = parsed(text)
    found = attribute_of(request)
    if _takes_a_device(found):
        check_call(request, found, "device")
        named = dict(request.named)
        return Workload(text, lambda device: found(device, *request.args, **named))
    return _of_kernel(text, lambda: kernel_from(request), sizes or {}, choices)


def _takes_a_device(found: Any) -> bool:
    if not inspect.isfunction(found):
        return False
    return next(iter(inspect.signature(found).parameters), "") == "device"


def _of_kernel(
    title: str, make: Callable[[], Any], sizes: Mapping[str, int], choices: Mapping[str, Any]
) -> Workload:
    def run(device: Device) -> object:
        kernel = compile_kernel(make(), device.arch, **choices)
        missing = [name for name in kernel.signature.symbols if name not in sizes]
        if missing:
            raise BadCallError(
                f"nothing says how large {', '.join(missing)} is",
                where=str(kernel.signature),
                remedy=f"give --sizes {','.join(f'{name}=64' for name in missing)}",
            )
        unknown = [name for name in sizes if name not in (*kernel.signature.symbols, *kernel.signature.order)]
        if unknown:
            raise BadCallError(
                f"the kernel has no size {unknown[0]}",
                where=str(kernel.signature),
                remedy=f"leave it out; --sizes takes {', '.join(kernel.signature.symbols) or 'nothing here'}",
            )
        numbers = np.random.default_rng(_SEED)
        given: dict[str, Any] = {
            name: _random(parameter, sizes, numbers) for name, parameter in kernel.signature.tensors.items()
        }
        return kernel(**{name: given.get(name, sizes.get(name)) for name in kernel.signature.order})

    return Workload(title, run)


def _random(parameter: Parameter, sizes: Mapping[str, int], numbers: np.random.Generator) -> NDArray[Any]:
    shape = parameter.shape_with(sizes)
    dtype = numpy_type(parameter.element)
    if dtype.kind in "iub":
        return numbers.integers(0, 2 if dtype.kind == "b" else _LARGEST_INTEGER, shape).astype(dtype)
    return numbers.standard_normal(shape).astype(np.float32).astype(dtype)
