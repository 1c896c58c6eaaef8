"""What calling a pass gives: the kernels as they are after it, each with its role."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute

from tilesmith.compiler.choices import Choices
from tilesmith.compiler.dialects import tile, tt
from tilesmith.errors import BadCallError

ROLE = "tt.kernel_role"


@dataclass(frozen=True)
class KernelView:
    """One kernel of a module. `last_pass` is the rewrite that left it so, `choices` what passes were told."""

    op: tile.FuncOp | tt.KernelOp
    last_pass: str
    choices: Choices

    def __str__(self) -> str:
        return str(self.op)

    @property
    def name(self) -> str:
        return self.op.sym_name.data

    @property
    def role(self) -> str:
        """ "reader", "compute" or "writer"; empty before `split-device-kernel`."""
        return self.op.role.data if isinstance(self.op, tt.KernelOp) else ""

    @property
    def source(self) -> str:
        """The C++ of the kernel; empty before `codegen-tt`."""
        return self.op.source.data if isinstance(self.op, tt.KernelOp) and self.op.source else ""

    @property
    def attrs(self) -> Mapping[str, Any]:
        """What passes noted on the kernel, as Python values, and its role as "tt.kernel_role"."""
        noted = {name: _plain(value) for name, value in self.op.attributes.items()}
        return noted | ({ROLE: self.role} if self.role else {})

    @property
    def modules(self) -> tuple[ModuleOp, ...]:
        """A module with this kernel alone; what passes noted on the module it stands in is kept."""
        outer = self.op.parent_op()
        attributes = dict(outer.attributes) if isinstance(outer, ModuleOp) else {}
        return (ModuleOp([self.op.clone()], attributes),)


@dataclass(frozen=True)
class PassResult(Sequence[KernelView]):
    """The kernels after a pass, in the order of the modules; a module for each grid of the kernel."""

    modules: tuple[ModuleOp, ...]
    last_pass: str
    choices: Choices

    def __str__(self) -> str:
        return "\n".join(map(str, self.modules))

    @property
    def module(self) -> ModuleOp:
        """The module of the first grid; most kernels have one."""
        return self.modules[0]

    @property
    def kernels(self) -> tuple[KernelView, ...]:
        ops = [op for module in self.modules for op in module.ops]
        kernels = [op for op in ops if isinstance(op, tile.FuncOp | tt.KernelOp)]
        return tuple(KernelView(op, self.last_pass, self.choices) for op in kernels)

    @property
    def reader(self) -> KernelView:
        return self._of_role("reader")

    @property
    def compute(self) -> KernelView:
        return self._of_role("compute")

    @property
    def writer(self) -> KernelView:
        return self._of_role("writer")

    def _of_role(self, role: str) -> KernelView:
        for kernel in self.kernels:
            if kernel.role == role:
                return kernel
        raise BadCallError(
            f"there is no {role} kernel after {self.last_pass}",
            remedy="roles have kernels of their own after split-device-kernel",
        )

    def __len__(self) -> int:
        return len(self.kernels)

    def __iter__(self) -> Iterator[KernelView]:
        return iter(self.kernels)

    def __getitem__(self, index: Any) -> Any:
        return self.kernels[index]


def _plain(value: Attribute) -> Any:
    match value:
        case StringAttr():
            return value.data
        case IntegerAttr():
            return value.value.data
        case UnitAttr():
            return True
        case ArrayAttr():
            return [_plain(element) for element in value]
        case DictionaryAttr():
            return {name: _plain(element) for name, element in value.data.items()}
    return value
