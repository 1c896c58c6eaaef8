"""Passes as functions: `SplitDeviceKernel()(kernel)` gives the kernels as they are after that pass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tilesmith.arch import load_arch
from tilesmith.compiler.analysis.lowering_stage import MILESTONES
from tilesmith.compiler.compile import CompiledKernel, imported_modules
from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.pass_group import Pass, leaves
from tilesmith.compiler.pass_result import KernelView, PassResult
from tilesmith.compiler.pipeline import Choices, pipeline, run
from tilesmith.errors import BadCallError, PassOrderError
from tilesmith.settings import current

__all__ = ["apply_pipeline", "call"]


def call(step: Pass, kernel: Any) -> PassResult:
    """The kernel after the pass. A module must be at the pass's stage; anything else is brought there."""
    choices = _choices_for(step, kernel)
    step = replace(step, **{name: getattr(choices, name) for name in _options(step)})
    order = list(leaves(pipeline(choices)))
    first, last = _span(step, order)
    match kernel:
        case PassResult() | KernelView():
            start, modules = _position(kernel.last_pass, order) + 1, kernel.modules
            if start > first:
                _refuse_late(step, kernel.last_pass)
        case ModuleOp():
            _check_stage(kernel, step, order)
            start, modules = first, (kernel,)
        case CompiledKernel():
            start, modules = 0, kernel.imported
        case _:
            start, modules = 0, tuple(imported_modules(kernel))
    changed = tuple(module.clone() for module in modules)
    for module in changed:
        run(compiler_context(), module, (*order[start:first], step))
    return PassResult(changed, order[last].name, choices)


def apply_pipeline(kernel: Any, passes: Iterable[Pass]) -> PassResult:
    """The kernel after all these passes, which run in the order of the pipeline, and those between them."""
    order = list(leaves(pipeline(Choices())))
    result = kernel
    for step in sorted(passes, key=lambda one: _span(one, order)):
        result = step(result)
    assert isinstance(result, PassResult)
    return result


def _choices_for(step: Pass, kernel: Any) -> Choices:
    """What the passes before are told: what the kernel was compiled with, or else what this pass was told."""
    options = _options(step)
    if not isinstance(kernel, CompiledKernel | PassResult | KernelView):
        return Choices(**{"arch": load_arch(current().arch).name} | options)
    chosen = kernel.choices
    for name, value in options.items():
        if value not in (getattr(type(step), name), getattr(chosen, name)):
            raise BadCallError(
                f"{step.name} is for {name} {value!r}, the kernel was lowered for {getattr(chosen, name)!r}",
                remedy=f"leave {name} out, or call the pass with the prim_func",
            )
    return chosen


def _options(step: Pass) -> dict[str, Any]:
    """The user's choices among the fields of the pass."""
    known = {field.name for field in fields(Choices)}
    return {field.name: getattr(step, field.name) for field in fields(step) if field.name in known}


def _span(step: ModulePass, order: list[ModulePass]) -> tuple[int, int]:
    """The places of the first and the last rewrite of a pass; a group has several."""
    inner = [one.name for one in leaves((step,))]
    return _position(inner[0], order), _position(inner[-1], order)


def _position(name: str, order: list[ModulePass]) -> int:
    return [one.name for one in order].index(name)


def _check_stage(module: ModuleOp, step: Pass, order: list[ModulePass]) -> None:
    """Refuse a module that earlier passes have not made ready, or that is past this pass."""
    first, _ = _span(step, order)
    for milestone in MILESTONES:
        is_before = _position(milestone.of_pass, order) < first
        if is_before and milestone.is_missing(module):
            raise PassOrderError(
                f"{step.name} cannot run on this module: {milestone.of_pass} has not",
                remedy="run the passes before it first, or call the pass with the prim_func, which does that",
            )
        if not is_before and milestone.has_run(module):
            _refuse_late(step, milestone.of_pass)


def _refuse_late(step: Pass, done: str) -> None:
    raise PassOrderError(
        f"{step.name} cannot run on this module: {done} already has",
        remedy="call it with the kernel as it was before, or with the prim_func",
    )
