"""Both sides of a branch that store to the same place -> one store of a choice.

As two stores, each would have to keep the old value wherever the other side writes, and the old value may not
exist: a fresh buffer has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tilesmith.compiler.importer import source as s

if TYPE_CHECKING:
    from tilesmith.compiler.importer.elementwise import Guarded


def merged_branches(stores: Sequence[Guarded]) -> list[Guarded]:
    """The stores of a nest with those of opposite conditions merged, inner branches first."""
    merged = list(stores)
    while (pair := _mergeable(merged)) is not None:
        first, second = pair
        merged[first] = _choice(merged[first], merged[second])
        del merged[second]
    return merged


def _mergeable(stores: Sequence[Guarded]) -> tuple[int, int] | None:
    for second, other in enumerate(stores):
        if not other.conditions or not isinstance(other.conditions[-1], s.Not):
            continue
        for first in reversed(range(second)):
            if _are_opposite(stores[first], other):
                if _may_meet(stores[first], stores[first + 1 : second], other):
                    return first, second
                break
    return None


def _may_meet(first: Guarded, between: Sequence[Guarded], other: Guarded) -> bool:
    """Whether the second store may happen where the first does: nothing before it has to come first."""
    tested = {load.memory for test in other.conditions for load in s.loads_of(test)}
    if any(guarded.store.memory in tested for guarded in (first, *between)):
        return False
    # What happens only where the first does never meets the second.
    return not any(
        _disturbs(guarded, other) for guarded in between if not _is_under(guarded, first.conditions)
    )


def _are_opposite(first: Guarded, other: Guarded) -> bool:
    """Whether two stores write the same place, one where a condition holds, one where it does not."""
    return (
        first.store.memory is other.store.memory
        and first.store.indices == other.store.indices
        and first.space == other.space
        and not (first.store.accumulate or other.store.accumulate or first.reduction or other.reduction)
        and len(first.conditions) == len(other.conditions)
        and first.conditions[:-1] == other.conditions[:-1]
        and other.conditions[-1] == s.Not(first.conditions[-1])
    )


def _is_under(store: Guarded, conditions: tuple[s.Expr, ...]) -> bool:
    return store.conditions[: len(conditions)] == conditions


def _disturbs(between: Guarded, moved: Guarded) -> bool:
    """Whether a store means something else if the other comes before it."""
    target = moved.store.memory
    reads = {load.memory for expr in moved.expressions for load in s.loads_of(expr)}
    touched = {load.memory for expr in between.expressions for load in s.loads_of(expr)}
    return between.store.memory in (*reads, target) or target in touched


def _choice(first: Guarded, other: Guarded) -> Guarded:
    *conditions, test = first.conditions
    value = s.Select(test, first.store.value, other.store.value, first.store.memory.dtype)
    return replace(first, store=replace(first.store, value=value), conditions=tuple(conditions))
