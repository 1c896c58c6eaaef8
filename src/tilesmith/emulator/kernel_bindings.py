"""Named bindings as C++: the namespaces the vendor's build generates, and a TT_KERNEL entry's kernel_main."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilesmith.errors import KernelCompileError
from tilesmith.program import Kernel, KernelBindings

_NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#(?:[^\n\\]|\\[\s\S])*', re.DOTALL | re.MULTILINE
)
_ENTRY = re.compile(
    r"(?:\btemplate\s*<(?P<template>[^<>]*)>\s*)?\bTT_KERNEL\s+(?P<type>\w+)\s+(?P<name>\w+)\s*\((?P<params>[^()]*)\)"
)
_PARAMETER = re.compile(r"(?:const\s+)?(?:std::)?uint32_t\s+(?:const\s+)?(\w+)")
_HEADERS = {
    "dfb": "api/dataflow/dataflow_buffer.h",
    "sem": "api/dataflow/semaphore_binding_token.h",
    "tensor": "api/tensor/tensor_binding_token.h",
    "scratch": "api/scratchpad.h",
}


@dataclass(frozen=True)
class Entry:
    """The signature of a TT_KERNEL entry: its template parameters are compile-time arguments."""

    name: str
    compile_time_args: tuple[str, ...]
    runtime_args: tuple[str, ...]


def entry_of(text: str, label: str) -> Entry | None:
    """The TT_KERNEL entry of a kernel's text, or None for a kernel that has kernel_main itself."""
    text = _NOISE.sub(" ", text)
    marks = len(re.findall(r"\bTT_KERNEL\b", text))
    if not marks:
        return None
    found = _ENTRY.search(text)
    if marks > 1 or found is None or found["type"] != "void":
        raise KernelCompileError(
            f"kernel {label} has {marks} TT_KERNEL marks, or one on something that is not a void function",
            remedy="mark exactly one function, and give it uint32_t parameters only",
        )
    template = _parameters(found["template"] or "", label)
    return Entry(found["name"], template, _parameters(found["params"], label))


def bindings_text(kernel: Kernel) -> list[str]:
    """What stands before the source of a kernel with bindings; nothing for one without."""
    bindings = kernel.bindings
    if bindings is None:
        return []
    namespaces = {
        "args": _arguments(kernel, bindings),
        "dfb": [
            *(f"constexpr DFBBindingToken<> {name}{{{cb}}};" for name, cb in bindings.dataflow_buffers),
            _if_present([name for name, _ in bindings.dataflow_buffers], "DFBBindingToken<>"),
        ],
        "sem": [
            f"constexpr SemaphoreBindingToken {name}{{{index}u, SemScope::EXTERNAL}};"
            for name, index in bindings.semaphores
        ],
        "tensor": [
            *_tensors(bindings),
            _if_present([one.name for one in bindings.tensors], "::tensor_accessor::NullTensorBindingToken"),
        ],
        "scratch": [
            f"constexpr ScratchpadBindingToken {name}{{{address_at}u, {size}u}};"
            for name, size, address_at in bindings.scratchpads
        ],
    }
    lines = ['#include "experimental/kernel_args.h"', '#include "ts/binding_name.h"']
    lines += [
        f'#include "{_HEADERS[name]}"' for name, body in namespaces.items() if body and name in _HEADERS
    ]
    for name, body in namespaces.items():
        if body:
            lines += [f"namespace {name} {{", *body, "}"]
    return [*lines, *_varargs(bindings)]


def entry_text(kernel: Kernel, text: str) -> list[str]:
    """The kernel_main that calls a TT_KERNEL entry with its arguments by name."""
    entry = entry_of(text, kernel.label)
    if entry is None:
        return []
    bindings = kernel.bindings or KernelBindings()
    _agree(
        kernel, entry.compile_time_args, [name for name, _ in kernel.named_compile_time_args], "compile-time"
    )
    _agree(kernel, entry.runtime_args, [*bindings.runtime_args, *bindings.common_runtime_args], "runtime")
    template = ", ".join(f"get_arg(args::{name})" for name in entry.compile_time_args)
    values = ", ".join(f"get_arg(args::{name})" for name in entry.runtime_args)
    call = f"{entry.name}<{template}>" if template else entry.name
    return [f"void kernel_main() {{ {call}({values}); }}"]


def _arguments(kernel: Kernel, bindings: KernelBindings) -> list[str]:
    named = "constexpr experimental::"
    return [
        *(f"{named}RtaArg<uint32_t> {name}{{{4 * at}}};" for at, name in enumerate(bindings.runtime_args)),
        *(
            f"{named}CrtaArg<uint32_t> {name}{{{4 * at}}};"
            for at, name in enumerate(bindings.common_runtime_args)
        ),
        *(
            f"{named}CtaVal<uint32_t> {name}{{{value & 0xFFFFFFFF}u}};"
            for name, value in kernel.named_compile_time_args
        ),
    ]


def _tensors(bindings: KernelBindings) -> Iterator[str]:
    for name, words_at, address_at in bindings.tensors:
        yield f"using {name}_t = ::tensor_accessor::TensorBindingToken<{words_at}u, {4 * address_at}u>;"
        yield f"constexpr {name}_t {name}{{}};"
    for name, each in bindings.tensor_sequences:
        types = ", ".join(f"{one}_t" for one in each)
        yield f"constexpr std::tuple<{types}> {name}{{}};"


def _if_present(names: Sequence[str], absent: str) -> str:
    """A token by its name as text, for kernels that ask whether a binding is there: a pointer, or null."""
    found = "".join(f'if constexpr (name.is("{one}")) return &{one}; else ' for one in names)
    return (
        "template <ts::BindingName name> constexpr auto get_token_if_present()"
        f" {{ {found}return static_cast<const {absent}*>(nullptr); }}"
    )


def _varargs(bindings: KernelBindings) -> Iterator[str]:
    first, common, count = (
        len(bindings.runtime_args),
        bindings.first_common_vararg,
        bindings.compile_time_varargs,
    )
    yield (
        "FORCE_INLINE uint32_t get_vararg(uint32_t idx, TS_AT)"
        f" {{ return get_arg_val<uint32_t>({first} + idx, at); }}"
    )
    yield (
        "FORCE_INLINE uint32_t get_common_vararg(uint32_t idx, TS_AT)"
        f" {{ return get_common_arg_val<uint32_t>({common} + idx, at); }}"
    )
    yield f"FORCE_INLINE constexpr uint32_t get_num_compile_time_varargs() {{ return {count}u; }}"
    yield (
        "template <uint32_t idx> FORCE_INLINE constexpr uint32_t get_compile_time_vararg() {"
        f' static_assert(idx < {count}u, "there is no compile-time vararg of this index");'
        " return get_ct_arg<idx>(); }"
    )
    yield (
        "FORCE_INLINE constexpr uint32_t get_compile_time_vararg(uint32_t idx, TS_AT) {"
        f' if (idx >= {count}u) ts_assert_failed("the index of a compile-time vararg is below {count}", at);'
        " return kernel_compile_time_args[idx]; }"
    )


def _parameters(text: str, label: str) -> tuple[str, ...]:
    names = []
    for item in filter(None, map(str.strip, text.split(","))):
        if item == "void":
            continue
        found = _PARAMETER.fullmatch(item)
        if found is None:
            raise KernelCompileError(
                f"the TT_KERNEL entry of kernel {label} has a parameter {item!r}",
                remedy="its parameters are uint32_t, with a name and without a default",
            )
        names.append(found[1])
    return tuple(names)


def _agree(kernel: Kernel, taken: Sequence[str], given: Sequence[str], sort: str) -> None:
    for name in taken:
        if name not in given:
            raise KernelCompileError(
                f"the TT_KERNEL entry of kernel {kernel.label} takes {name!r}, which is no {sort} argument",
                where=kernel.declared_at,
                remedy=f"give a {sort} argument of that name; given are: {', '.join(given) or 'none'}",
            )
    for name in given:
        if name not in taken:
            raise KernelCompileError(
                f"kernel {kernel.label} is given the {sort} argument {name!r}, which its entry lacks",
                where=kernel.declared_at,
                remedy="add the parameter (to the template for a compile-time one), or drop the argument",
            )
