"""Copies of what a kernel has just stored: the kernel stores it there, too.

A step of decoding has a few microseconds for each launch, and puts every new key and value in two places.
Kernels of a GPU write nothing beyond a matrix, so that it does not matter which of the two masks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.epilogue import Result
from tilesmith.kernels.expression import Input
from tilesmith.kernels.operands import STRIDES
from tilesmith.kernels.rotary import Rotary
from tilesmith.models.planning.steps import Download, Launch, Plan, Step, Upload
from tilesmith.models.planning.views import TILE, Storage

_SIZES = ("m", "n", "nb1", "nb2")


def with_fused_copies(plan: Plan) -> Plan:
    """The plan with copies made by the kernel before them: where it was, or where the copy was."""
    steps: list[Step | None] = []
    for step in plan.steps:
        steps.append(step)
        if isinstance(step, Launch) and _is_copy(step):
            _fuse_last(steps, step)
    return replace(plan, steps=tuple(step for step in steps if step is not None))


def _fuse_last(steps: list[Step | None], copy: Launch) -> None:
    """Let an earlier launch do the last of some steps, if one can."""
    for place in range(len(steps) - 2, -1, -1):
        maker = steps[place]
        value = _value(maker, copy) if isinstance(maker, Launch) else None
        if value is None:
            continue
        assert isinstance(maker, Launch)
        between = [step for step in steps[place + 1 : -1] if step is not None]
        if any(_read(copy)[0] in _written(step) for step in between):
            return  # the copy is of what came after
        both = _joined(maker, copy, value)
        if not any(copy.outputs[0] in _touched(step) for step in between):
            steps[place], steps[-1] = both, None
        elif _may_wait(maker, between):
            steps[place], steps[-1] = None, both
        return


def _is_copy(step: Launch) -> bool:
    template: Any = step.template
    if not isinstance(template, Elementwise) or step.cursor:
        return False
    epilogue, results = template.epilogue, template.epilogue.results
    single = len(results) == len(epilogue.reads) == 1
    return single and results[0].value == Input(epilogue.reads[0].name) and _is_block(results[0].out, step)


def _is_block(operand: Any, step: Launch) -> bool:
    return operand.access in ("block", "rows") and step.storages[operand.name].cols % TILE == 0


def _value(maker: Launch, copy: Launch) -> Any:
    """What a launch computes or reads of just the elements that a copy reads, as an expression of it."""
    source = _read(copy)
    epilogue: Any = maker.template.epilogue if isinstance(maker.template, Rotary | Elementwise) else None
    if epilogue is None or maker.cursor:
        return None
    if any(maker.numbers[key] != copy.numbers[key] for key in _SIZES):
        return None
    if copy.outputs[0] in maker.storages.values():
        return None
    for result in epilogue.results:
        if _seen(maker, result.out) == source:
            return result.value
    if _is_copy(maker) and _read(maker) == source:
        return epilogue.results[0].value
    return None


def _read(copy: Launch) -> tuple[Any, ...]:
    template: Any = copy.template
    return _seen(copy, template.epilogue.reads[0])


def _seen(step: Launch, operand: Any) -> tuple[Any, ...]:
    """Which elements of which storage an operand is."""
    where = tuple(step.numbers[f"{operand.name}_{key}"] for key in STRIDES)
    return step.storages[operand.name], operand.access, operand.dtype, where


def _joined(maker: Launch, copy: Launch, value: Any) -> Launch:
    template: Any = maker.template
    copied: Any = copy.template
    old = copied.epilogue.results[0].out
    name = f"copy{len(template.epilogue.results)}"
    results = (*template.epilogue.results, Result(value, replace(old, name=name)))
    moved = {f"{name}_{key}": copy.numbers[f"{old.name}_{key}"] for key in STRIDES}
    return replace(
        maker,
        template=replace(template, epilogue=replace(template.epilogue, results=results)),
        storages={**maker.storages, name: copy.storages[old.name]},
        numbers={**maker.numbers, **moved},
        outputs=(*maker.outputs, *copy.outputs),
        ops=(*maker.ops, *copy.ops),
    )


def _may_wait(maker: Launch, between: Sequence[Step]) -> bool:
    """Whether a launch may come after steps: none reads what it makes, or writes what it reads."""
    mine = set(maker.storages.values())
    return not any(set(maker.outputs) & _touched(step) or mine & _written(step) for step in between)


def _touched(step: Step) -> set[Storage]:
    if isinstance(step, Launch):
        return {*step.storages.values(), *step.outputs}
    return {step.view.storage} if isinstance(step, Upload | Download) else set()


def _written(step: Step) -> set[Storage]:
    if isinstance(step, Launch):
        return set(step.outputs)
    return {step.view.storage} if isinstance(step, Upload) else set()
