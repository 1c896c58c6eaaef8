"""A kernel's parameters, and the check that what it is called with fits them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, SSAValue

from tilesmith.compiler.computed_sizes import computed, names_in, solved
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.elements import bits_of, numpy_type
from tilesmith.compiler.dialects.types import Dim, TensorType
from tilesmith.errors import BadCallError
from tilesmith.runtime.torch_bridge import numpy_from_torch

Array = NDArray[Any]


@dataclass(frozen=True)
class Parameter:
    """A tensor a kernel takes. It is an output if the kernel only writes it."""

    name: str
    shape: tuple[Dim, ...]
    element: Attribute
    is_read: bool
    is_written: bool

    @property
    def is_output(self) -> bool:
        return self.is_written and not self.is_read

    def __str__(self) -> str:
        return f"{self.name}: {_shape_text(self.shape)} {numpy_type(self.element).name}"

    def shape_with(self, symbols: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(symbols[size] if isinstance(size, str) else size for size in self.shape)


@dataclass(frozen=True)
class Call:
    """Arguments that fit: one array per parameter given, and the value of every symbol."""

    arrays: Mapping[str, Array]
    symbols: Mapping[str, int]


@dataclass(frozen=True)
class Signature:
    """What a kernel is called with: its tensors and whole numbers, in the user's order."""

    kernel: str
    tensors: Mapping[str, Parameter]
    symbols: tuple[str, ...]
    order: tuple[str, ...]
    outputs: tuple[str, ...]
    sizes: Mapping[str, str] = field(default_factory=dict)
    """Symbols that are computed from others, as text."""

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """What must be given when outputs are left out."""
        return tuple(name for name in self.order if name not in self.outputs)

    def __str__(self) -> str:
        return f"{self.kernel}({', '.join(str(self.tensors.get(name, name)) for name in self.order)})"

    def names_of(self, count: int) -> tuple[str, ...]:
        """The parameters that `count` positional arguments stand for: all, or all but the outputs."""
        if count == len(self.order):
            return self.order
        if count == len(self.inputs):
            return self.inputs
        without = f" ({len(self.inputs)} without outputs)" if self.outputs else ""
        raise BadCallError(
            f"{self.kernel} takes {len(self.order)} arguments{without}, got {count}",
            where=str(self),
            remedy=f"give {', '.join(self.inputs)}" + (", and the outputs or not" if self.outputs else ""),
        )

    def bind(self, given: Mapping[str, Any]) -> Call:
        """Check every argument against its parameter, and find the symbols from the shapes."""
        arrays: dict[str, Array] = {}
        symbols: dict[str, int] = {}
        for name, value in given.items():
            if name in self.symbols:
                symbols[name] = self._number(name, value)
        for name, value in given.items():
            if name in self.tensors:
                arrays[name] = self._array(self.tensors[name], value)
                self._match(self.tensors[name], arrays[name].shape, symbols)
        self._compute(symbols)
        unbound = [symbol for symbol in self.symbols if symbol not in symbols]
        if unbound:
            raise BadCallError(
                f"nothing says how large {', '.join(unbound)} is",
                where=str(self),
                remedy="pass the tensors whose shapes name it, outputs included",
            )
        return Call(arrays, symbols)

    def _compute(self, symbols: dict[str, int]) -> None:
        """Find the symbols that sizes are computed from, then the sizes that no argument has."""
        for name, text in self.sizes.items():
            unknown = sorted(names_in(text) - symbols.keys())
            if name in symbols and len(unknown) == 1:
                value = solved(text, symbols[name], unknown[0], symbols)
                if value is not None:
                    symbols[unknown[0]] = value
        for name, text in self.sizes.items():
            if names_in(text) - symbols.keys():
                if name in symbols:
                    self._refuse_size(name, text, symbols)
                continue
            if symbols.setdefault(name, computed(text, symbols)) != computed(text, symbols):
                self._refuse_size(name, text, symbols)

    def _refuse_size(self, name: str, text: str, symbols: Mapping[str, int]) -> NoReturn:
        tensor, _, position = name.rpartition("_")
        known = ", ".join(f"{one} is {symbols[one]}" for one in sorted(names_in(text) & symbols.keys()))
        raise BadCallError(
            f"dimension {position} of argument {tensor} is {symbols[name]}, and should be {text}",
            where=str(self),
            remedy=f"give tensors whose sizes fit together{f': {known}' if known else ''}",
        )

    def _array(self, parameter: Parameter, value: Any) -> Array:
        expected = numpy_type(parameter.element)
        if isinstance(value, int | float) and all(size == 1 for size in parameter.shape):
            return np.full([1] * len(parameter.shape), value).astype(expected)
        array = _as_array(value)
        if array is None:
            self._refuse(parameter, f"is a {type(value).__name__}", "pass a torch tensor or a numpy array")
        if bits_of(parameter.element) == 4:
            array = _unpacked(array, parameter.shape[-1])
        if array.dtype.itemsize == expected.itemsize == 1 and {array.dtype.kind, expected.kind} <= set("iub"):
            return array.view(expected)
        if array.dtype != expected:
            self._refuse(parameter, f"has elements of {array.dtype.name}", f"convert it to {expected.name}")
        return array

    def _match(self, parameter: Parameter, shape: Sequence[int], symbols: dict[str, int]) -> None:
        if len(shape) != len(parameter.shape):
            self._refuse(
                parameter, f"has shape {_shape_text(shape)}", f"give it {len(parameter.shape)} dimensions"
            )
        for position, (wanted, size) in enumerate(zip(parameter.shape, shape, strict=True)):
            known = symbols.setdefault(wanted, size) if isinstance(wanted, str) else wanted
            if size != known:
                name = f" ({wanted} is {known} in another argument)" if isinstance(wanted, str) else ""
                what = f"has shape {_shape_text(shape)}"
                self._refuse(parameter, what, f"dimension {position} must be {known}{name}")

    def _number(self, name: str, value: Any) -> int:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise BadCallError(
                f"{name} is a {type(value).__name__}", where=str(self), remedy="pass a whole number"
            )
        return int(value)

    def _refuse(self, parameter: Parameter, what: str, remedy: str) -> NoReturn:
        raise BadCallError(
            f"argument {parameter.name} {what}", where=f"{self.kernel}({parameter})", remedy=remedy
        )


def signature_of(modules: Sequence[ModuleOp], out_idx: Sequence[int] | int | None = None) -> Signature:
    """The signature of a kernel as the front end made it: one module for each of its grids, in order."""
    funcs = [op for module in modules for op in module.ops if isinstance(op, tile.FuncOp)]
    func = funcs[0]
    hidden = _names(func, "workspace")
    tensors = {name: _parameter(name, funcs) for name in func.tensors if name not in hidden}
    names = _names(func, "parameters") or tuple(tensors)
    outputs = tuple(name for name in names if name in tensors and tensors[name].is_output)
    if out_idx is not None:
        chosen = [out_idx] if isinstance(out_idx, int) else list(out_idx)
        _check_out_idx(chosen, names, func.sym_name.data)
        outputs = tuple(names[index] for index in chosen)
    symbols = tuple(symbol.data for symbol in func.symbols)
    kernel = func.sym_name.data if len(funcs) == 1 else func.sym_name.data.removesuffix("_0")
    return Signature(kernel, tensors, symbols, names, outputs, _sizes(func))


def _check_out_idx(chosen: Sequence[int], names: Sequence[str], kernel: str) -> None:
    wrong = [index for index in chosen if not -len(names) <= index < len(names)]
    if wrong:
        raise BadCallError(
            f"out_idx {wrong[0]} is no parameter of {kernel}",
            where="compile(out_idx=...)",
            remedy=f"it has {len(names)} parameters, 0 to {len(names) - 1}: {', '.join(names)}",
        )


def _sizes(func: tile.FuncOp) -> Mapping[str, str]:
    sizes = func.attributes.get("sizes")
    if not isinstance(sizes, DictionaryAttr):
        return {}
    return {name: text.data for name, text in sizes.data.items() if isinstance(text, StringAttr)}


def _names(func: tile.FuncOp, attribute: str) -> tuple[str, ...]:
    names = func.attributes.get(attribute)
    return (
        tuple(one.data for one in names if isinstance(one, StringAttr))
        if isinstance(names, ArrayAttr)
        else ()
    )


def _parameter(name: str, funcs: Sequence[tile.FuncOp]) -> Parameter:
    """Read, if the first grid that uses it reads it; written, if any grid does."""
    tensor_type = funcs[0].tensors[name].type
    assert isinstance(tensor_type, TensorType)
    uses = [use for use in (_accesses(func.tensors[name]) for func in funcs) if any(use)]
    return Parameter(
        name,
        tensor_type.dims,
        tensor_type.element_type,
        bool(uses) and uses[0][0],
        any(written for _, written in uses),
    )


def _accesses(tensor: SSAValue) -> tuple[bool, bool]:
    """Whether a tensor is read, and whether it is written, by itself or through views of it."""
    read = written = False
    for use in tensor.uses:
        op = use.operation
        if isinstance(op, tile.ViewOp):
            through = _accesses(op.tensor)
            read, written = read or through[0], written or through[1]
        read = read or isinstance(op, tile.LoadOp | tile.ReadOp) or bool(_accumulation(op))
        written = written or isinstance(op, tile.StoreOp | tile.WriteOp)
    return read, written


def _accumulation(op: Any) -> str:
    return op.accumulate.data if isinstance(op, tile.StoreOp | tile.WriteOp) else ""


def _unpacked(array: Array, width: Dim) -> Array:
    """Integers of 4 bits that come two to a byte, the first in the lower half; what fits as it is stays."""
    if array.dtype.itemsize != 1 or not array.ndim or array.shape[-1] == width:
        return array
    packed = array.view(np.int8)
    pairs = np.stack([packed << 4 >> 4, packed >> 4], axis=-1)
    return pairs.reshape(*array.shape[:-1], 2 * array.shape[-1])


def packed(values: Array) -> Array:
    """Integers of 4 bits, two to a byte, as torch has them.

    >>> packed(np.array([1, -1, 7, 0], np.int8))
    array([-15,   7], dtype=int8)
    """
    low, high = values[..., ::2], values[..., 1::2]
    return ((low & 0xF) | (high << 4)).astype(np.int8)


def _as_array(value: Any) -> Array | None:
    if isinstance(value, np.ndarray):
        return value
    if type(value).__module__.split(".")[0] == "torch" and hasattr(value, "detach"):
        return numpy_from_torch(value)
    return None


def _shape_text(shape: Sequence[Dim]) -> str:
    return f"[{', '.join(map(str, shape))}]"
