"""Named bindings for a kernel in the Metal 2.0 style, from the names its text and headers use.

Which arguments the vendor's factory gives at run time is not in the kernel's text. All that are not
parameters of a TT_KERNEL entry are given as compile-time ones: those may stand wherever an argument may.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tilesmith.emulator.kernel_bindings import entry_of
from tilesmith.program import KernelBindings, ScratchpadBinding, TensorBinding

_NAME = re.compile(r"(?<![:\w])(?:::)?(args|dfb|tensor|sem|scratch)::(\w+)")
_LOCAL = re.compile(r"\bLocalTensorAccessor<[^;]*?\btensor::(\w+)")
_IF_PRESENT = re.compile(r"\b(dfb|tensor)::get_token_if_present<\s*\"(\w+)\"")
_SEQUENCE = re.compile(
    r"(?:\bmake_(?:local_)?tensor_accessors\b[^;]*?|\btuple_size_v<decltype\()\btensor::(\w+)"
)
_ACCESS_PATTERNS = {"AccessPattern", "STRIDED", "ALL", "BLOCKED", "UNKNOWN"}
_WORDS_PER_TENSOR = 8
_L1_INTERLEAVED = 0
_SCRATCHPAD_BYTES = 4096


@dataclass(frozen=True)
class Metal2Arguments:
    """What a kernel is compiled with: its bindings, and the arguments that belong to them."""

    bindings: KernelBindings
    named_compile_time_args: Mapping[str, int]
    compile_time_args: Sequence[int]


def arguments_for(own: str, text: str, words: Sequence[int], name: str) -> Metal2Arguments:
    """`own` is the kernel's text, `text` that of its headers too; `words` are guesses by position."""
    used = {space: _used(text, space) for space in ("args", "dfb", "tensor", "sem", "scratch")}
    entry = entry_of(own, name)
    named = entry.compile_time_args if entry else used["args"]
    positional = list(words)
    sequences = tuple(dict.fromkeys(_SEQUENCE.findall(text)))
    tensors = (
        *(one for one in used["tensor"] if one not in sequences),
        *(f"{name}_{index}" for name in sequences for index in range(2)),
    )
    for index, tensor in enumerate(tensors):
        if tensor in _LOCAL.findall(text):
            positional[index * _WORDS_PER_TENSOR] = _L1_INTERLEAVED
    bindings = KernelBindings(
        entry.runtime_args if entry else (),
        (),
        _numbered(used["dfb"]),
        _numbered(used["sem"]),
        tuple(TensorBinding(one, index * _WORDS_PER_TENSOR, index) for index, one in enumerate(tensors)),
        tuple(
            ScratchpadBinding(one, _SCRATCHPAD_BYTES, index)
            for index, one in enumerate(used["scratch"], len(tensors))
        ),
        tuple((name, (f"{name}_0", f"{name}_1")) for name in sequences),
        len(positional),
        len(tensors) + len(used["scratch"]),
    )
    return Metal2Arguments(bindings, dict(zip(named, words[: len(named)], strict=True)), positional)


def _used(text: str, namespace: str) -> tuple[str, ...]:
    """The names of one generated namespace, in order of appearance."""
    names = [name for space, name in _NAME.findall(text) if space == namespace]
    names = [name for name in names if name != "get_token_if_present"]
    names += [name for space, name in _IF_PRESENT.findall(text) if space == namespace]
    if namespace == "dfb":
        names = [name for name in names if name not in _ACCESS_PATTERNS]
    if namespace == "tensor":
        names = [name.removesuffix("_t") for name in names]
    return tuple(dict.fromkeys(names))


def _numbered(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple((name, index % 32) for index, name in enumerate(names))
