"""Passes under one name: the pipeline is a tree, whose leaves are the rewrites."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tilesmith.compiler.dialects.tile import FuncOp
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.pass_result import PassResult


class Caller(Protocol):
    """Brings a kernel to a pass and runs it."""

    def __call__(self, step: Pass, kernel: Any) -> PassResult: ...


class Pass(ModulePass):
    """A pass of the pipeline. `apply` changes a module in place; a call gives a changed copy."""

    # A call needs the whole pipeline, which is made of passes: the package hands the function down.
    caller: ClassVar[Caller]

    def __call__(self, kernel: Any) -> PassResult:
        """The kernel after this pass: a prim_func, a CompiledKernel, a module, or what a pass gave before.

        All but a module go through the passes that come before this one first.
        """
        return type(self).caller(self, kernel)


class PassGroup(Pass):
    """Several passes that only make sense together. Each can be run alone, too."""

    @property
    @abstractmethod
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for step in self.passes:
            step.apply(ctx, op)


class FunctionPass(Pass):
    """A pass over every kernel of the tile dialect by itself."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:  # noqa: ARG002 - the interface of a pass
        for func in operations_of(op, FuncOp):
            self.rewrite(func)

    @abstractmethod
    def rewrite(self, func: FuncOp) -> None:
        """Change one kernel."""


def leaves(passes: Sequence[ModulePass]) -> Iterator[ModulePass]:
    """The passes that change something, in the order they run: groups are opened."""
    for step, _ in tree(passes):
        if not isinstance(step, PassGroup):
            yield step


def tree(passes: Sequence[ModulePass], depth: int = 0) -> Iterator[tuple[ModulePass, int]]:
    """Every pass with its depth, each group before its passes."""
    for step in passes:
        yield step, depth
        if isinstance(step, PassGroup):
            yield from tree(step.passes, depth + 1)
