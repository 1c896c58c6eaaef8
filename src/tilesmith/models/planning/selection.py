"""Which template does the work of a group, or that the host does, and why. Planning goes by it afterwards."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from torch.fx import Node

from tilesmith.models.planning.fusion import Group
from tilesmith.models.planning.lower_groups import lower_group
from tilesmith.models.planning.lower_views import lower_split_output, lower_view
from tilesmith.models.planning.lowering import Lowering, NoKernel, OutOfOrder
from tilesmith.models.planning.source import source_of
from tilesmith.models.planning.steps import Choice, Launch


@dataclass(frozen=True)
class Selection:
    """What was chosen for a group, and the steps it comes to: `Lowering.accept(draft)` emits them."""

    draft: Lowering
    choices: tuple[Choice, ...]


def select(lowering: Lowering, group: Group) -> Selection:
    """One kernel; if there is none, a kernel for each part; the host for a part that has none.

    Every way is tried on a draft, so a way that is not taken leaves nothing behind.
    """
    draft = lowering.draft()
    refusal = _refusal(lower_group, draft, group)
    if refusal is None:
        draft.note_source(source_of([*group.anchors, *group.nodes]))
        return Selection(draft, (Choice(tuple(node.name for node in group.nodes), _template(draft)),))
    parts = _split_group(group)
    if len(parts) > 1:
        return _one_by_one(lowering, parts, str(refusal))
    if isinstance(refusal, OutOfOrder) and not group.anchors and not group.spreads:
        return _one_by_one(lowering, [Group(after=group.after, spreads=True)], str(refusal))
    return _on_host(lowering, group.output, str(refusal))


def select_view(lowering: Lowering, node: Node) -> Selection:
    """Other strides, or a copy where no strides will do; the host where no kernel copies so."""
    draft = lowering.draft()
    lower = lower_split_output if node.target is operator.getitem else lower_view
    refusal = _refusal(lower, draft, node)
    if refusal is None:
        draft.note_source(source_of([node]))
        return Selection(draft, (Choice((node.name,), _template(draft)),))
    return _on_host(lowering, node, str(refusal))


Subject = TypeVar("Subject")


def _refusal(
    lower: Callable[[Lowering, Subject], None], draft: Lowering, subject: Subject
) -> NoKernel | None:
    try:
        lower(draft, subject)
    except NoKernel as refusal:
        return refusal
    return None


def _on_host(lowering: Lowering, node: Node, reason: str) -> Selection:
    draft = lowering.draft()
    draft.call_host(node, reason)
    return Selection(draft, (Choice((node.name,), "", (reason,)),))


def _one_by_one(lowering: Lowering, groups: list[Group], refusal: str) -> Selection:
    """A selection for each group in turn, as the whole was refused: each sees what the one before left."""
    draft = lowering.draft()
    choices: list[Choice] = []
    for group in groups:
        selection = select(draft, group)
        draft.accept(selection.draft)
        choices += selection.choices
    return Selection(draft, tuple(replace(one, refused=(refusal, *one.refused)) for one in choices))


def _split_group(group: Group) -> list[Group]:
    """Smaller groups that do the same one after the other."""
    if not group.anchors:
        return [Group(after=[node]) for node in group.after]
    before = [Group(after=group.before)] if group.before else []
    after = [Group(after=group.after)] if group.after else []
    return [*before, *(Group(anchors=[anchor]) for anchor in group.anchors), *after]


def _template(draft: Lowering) -> str:
    """The kernel that does the main work; those before it bring operands into its form."""
    launches = [step for step in draft.steps if isinstance(step, Launch)]
    return launches[-1].template.name if launches else "view"
