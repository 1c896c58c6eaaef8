"""Every circular buffer is filled by one kernel and drained by one, as often as it is filled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.analysis.cb_protocol import check_order
from tilesmith.compiler.analysis.push_pop_balance import PageCounts, Path, of_buffer, page_counts
from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.walk import operations_of
from tilesmith.compiler.pass_group import Pass
from tilesmith.errors import InternalFault


@dataclass(frozen=True)
class ValidateSplitKernels(Pass):
    """Check each kernel's calls in order, then compare what the kernels of a core push and pop."""

    name = "validate-split-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = operations_of(op, tt.KernelOp)
        roles = [kernel.role.data for kernel in kernels]
        if tuple(roles) != tt.ROLES:
            raise InternalFault(
                f"expected one kernel for each of {', '.join(tt.ROLES)}, got {', '.join(roles) or 'none'}"
            )
        for kernel in kernels:
            check_order(kernel)
        _compare({kernel.role.data: kernel for kernel in kernels})


def _compare(kernels: Mapping[str, tt.KernelOp]) -> None:
    counts = {role: page_counts(kernel.body.block) for role, kernel in kernels.items()}
    declarations = {
        op.cb_name.data: op
        for kernel in kernels.values()
        for op in kernel.body.block.ops
        if isinstance(op, tt.CBOp)
    }
    for declaration in declarations.values():
        _check_sides(declaration, kernels, counts)
        _check_balance(declaration, kernels, counts)


def _check_sides(cb: tt.CBOp, kernels: Mapping[str, tt.KernelOp], counts: Mapping[str, PageCounts]) -> None:
    for role, kernel in kernels.items():
        for what, allowed in (("push", cb.producer.data), ("pop", cb.consumer.data)):
            pages = of_buffer(counts[role], what, cb.cb_name.data)
            if pages and role != allowed:
                raise InternalFault(
                    f"circular buffer {cb.cb_name.data}: only the {allowed} may {what},"
                    f" but kernel {kernel.sym_name.data} does: {_text(pages)}"
                )


def _check_balance(cb: tt.CBOp, kernels: Mapping[str, tt.KernelOp], counts: Mapping[str, PageCounts]) -> None:
    pushed = of_buffer(counts[cb.producer.data], "push", cb.cb_name.data)
    popped = of_buffer(counts[cb.consumer.data], "pop", cb.cb_name.data)
    if pushed != popped:
        raise InternalFault(
            f"circular buffer {cb.cb_name.data}:"
            f" kernel {kernels[cb.producer.data].sym_name.data} pushes {_text(pushed)},"
            f" kernel {kernels[cb.consumer.data].sym_name.data} pops {_text(popped)}"
        )


def _text(pages: Mapping[Path, int]) -> str:
    """`4 pages + 8 pages in [for ..]`"""
    parts = [
        f"{count} pages" + (f" in [{'; '.join(path)}]" if path else "")
        for path, count in sorted(pages.items())
    ]
    return " + ".join(parts) or "nothing"
