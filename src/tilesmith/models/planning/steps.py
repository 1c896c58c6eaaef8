"""What running a model is, after planning: uploads, launches, downloads, and what stays on the host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tilesmith.kernels.operands import Operand
from tilesmith.models.planning.source import Source
from tilesmith.models.planning.views import Storage, View

FORMATS = {"bfloat8_b": "Bfp8_b", "bfloat4_b": "Bfp4_b", "bfloat16": "Float16_b"}
"""Types of tensors that kernels read as another: block floats as bfloat16; all as int8, of integers."""


class Template(Protocol):
    """A kernel of the library: hashable, so that equal ones are compiled once."""

    @property
    def name(self) -> str: ...
    @property
    def tensors(self) -> tuple[Operand, ...]: ...
    def prim_func(self) -> Any: ...


@dataclass(frozen=True)
class Upload:
    """Bring a value of the host to the device. `additive` turns a mask of truth values into what is added.

    `below` is what indices must be less than. With `one_hot` it is the first number of the value, modulo it,
    that is brought: as a one among zeros.
    """

    node: str
    view: View
    additive: bool = False
    below: int | None = None
    one_hot: int = 0


@dataclass(frozen=True)
class Launch:
    """Run a kernel. `ops` are the operators of the model it does the work of.

    `fidelity` is that of its products, and `approximate` what may be less than exact, if another than the
    model's; `source` is where the user asked for it.
    `cursor` names a value of the host whose first number says where it writes: the numbers in `moving`, which
    count tiles, start there.
    """

    template: Template
    storages: Mapping[str, Storage]
    numbers: Mapping[str, int]
    ops: tuple[str, ...]
    outputs: tuple[Storage, ...]
    fidelity: str = ""
    source: Source = Source()
    cursor: str = ""
    moving: tuple[str, ...] = ()
    approximate: str = ""

    @property
    def formats(self) -> dict[str, str]:
        """Tensors that lie in another format than their kernel computes in."""
        narrow = {one.name for one in self.template.tensors if one.dtype == "int8"}
        return {
            name: FORMATS[storage.dtype]
            for name, storage in self.storages.items()
            if storage.dtype in FORMATS and (storage.dtype != "bfloat16" or name in narrow)
        }


@dataclass(frozen=True)
class Download:
    """Bring a value back to the host. With `finite`, a call in which it is not is computed by torch."""

    node: str
    view: View
    finite: bool = False


@dataclass(frozen=True)
class HostCall:
    """Run an operator on the host, and why. A collective runs programs of its own `on_chips` meanwhile."""

    node: str
    reason: str
    on_chips: bool = False


Step = Upload | Launch | Download | HostCall


@dataclass(frozen=True)
class Choice:
    """Who does the work of some nodes: a template, or the host if it is empty.

    `refused` says why no kernel does them, or why none does them together with what stands beside them.
    """

    nodes: tuple[str, ...]
    template: str
    refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Given:
    """An output that no node makes: a number the model returns as it is, or nothing."""

    value: Any


@dataclass(frozen=True)
class Kept:
    """An output that stays on the device: the new value of the input of this name."""

    node: str


@dataclass(frozen=True)
class Plan:
    """The steps of a model for given shapes, in order. Constants are uploaded once, before the first run."""

    constants: tuple[Upload, ...]
    steps: tuple[Step, ...]
    outputs: tuple[str | Given | Kept, ...]
    added_constants: Mapping[str, Any] = field(default_factory=dict)
    """Tensors that are no part of the model, by the name their upload gives."""
    choices: tuple[Choice, ...] = ()
    """What was selected for the groups of operators, in order."""
    residents: Mapping[str, View] = field(default_factory=dict)
    """Inputs that stay on the device, and where they lie."""
    commits: tuple[Step, ...] = ()
    """What changes residents when the results are known to be right."""

    def results(self, values: Mapping[str, Any]) -> list[Any]:
        """The outputs of the model, when these are the values on the host."""
        return [_result(out, values) for out in self.outputs]


def _result(out: str | Given | Kept, values: Mapping[str, Any]) -> Any:
    if isinstance(out, Kept):
        return None
    return out.value if isinstance(out, Given) else values[out]
