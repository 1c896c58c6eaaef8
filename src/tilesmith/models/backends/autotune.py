"""Schedules by the clock: the likely fastest of each kernel are run once, and the fastest stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from tilesmith import settings
from tilesmith.errors import L1BudgetError, ProgramError
from tilesmith.kernels.embedding import Embedding
from tilesmith.kernels.grouped_linear import GroupedLinear
from tilesmith.models.planning.blocks import candidates
from tilesmith.models.planning.problem import exactness_of, problem_of
from tilesmith.models.planning.steps import Launch, Template
from tilesmith.models.planning.views import Storage
from tilesmith.progress import tracked
from tilesmith.schedules.schedule import schedule_of
from tilesmith.schedules.search import timed
from tilesmith.schedules.tuning_database import Tuned
from tilesmith.version import __version__

if TYPE_CHECKING:
    from tilesmith.models.backends.tenstorrent import TenstorrentExecutable


def tune_blocks(executable: TenstorrentExecutable) -> tuple[Tuned, ...]:
    """Give every launch of an executable the schedule of the fewest predicted cycles; what was found."""
    found: dict[str, tuple[Template, Tuned | None]] = {}

    def tuned(step: Any) -> Any:
        if not isinstance(step, Launch) or isinstance(step.template, Embedding | GroupedLinear):
            return step
        ways = _ways(step, executable)
        key = _key(step, ways, executable)
        if key not in found:
            found[key] = _fastest(step, ways, executable, key)
        best, _ = found[key]
        return step if best == step.template else replace(step, template=best)

    steps = tuple(tuned(step) for step in tracked(executable.plan.steps, "timing schedules"))
    executable.take(replace(executable.plan, steps=steps))
    return tuple(entry for _, entry in found.values() if entry is not None)


def _ways(step: Launch, executable: TenstorrentExecutable) -> Sequence[Template]:
    """As the launch is, and as the estimate ranks others."""
    options = executable.options
    in_l1 = [storage for storage in step.storages.values() if _in_l1(storage, executable)]
    others = candidates(step, executable.arch, step.fidelity or options.fidelity, in_l1)
    return list(dict.fromkeys((step.template, *others[: options.candidates])))


def _fastest(
    step: Launch, ways: Sequence[Template], executable: TenstorrentExecutable, key: str
) -> tuple[Template, Tuned | None]:
    if len(ways) == 1:
        return step.template, None

    times = timed(ways, lambda way: _cycles(replace(step, template=way), executable), key)
    if not times:
        return step.template, None
    best = min(times, key=times.__getitem__)
    options = executable.options
    exactness = exactness_of(step, options.fidelity, options.approximation)
    return ways[best], Tuned(
        problem_of(step, executable.arch.product, exactness),
        " + ".join(step.ops),
        schedule_of(ways[best]),
        times[best],
        schedule_of(step.template),
        times.get(0, times[best]),
        len(times),
    )


def _cycles(step: Launch, executable: TenstorrentExecutable) -> int | None:
    """What a launch takes by the clock; None if its buffers do not fit beside the tensors in L1.

    What its tensors hold does not matter: no template that is timed looks where to read in them.
    """
    with executable.settings(), settings.using(checks="off", numbers="none"):
        try:
            return executable.device.run(executable.program(step)).cycles
        except (L1BudgetError, ProgramError):
            return None


def _key(step: Launch, ways: Sequence[Template], executable: TenstorrentExecutable) -> str:
    """Launches of one key take the same times."""
    exactness, numbers, tensors = timing_key(step, executable)
    parts = (__version__, executable.arch.product, exactness, ways, [*numbers], [*tensors])
    return sha256(repr(parts).encode()).hexdigest()[:40]


def timing_key(step: Launch, executable: TenstorrentExecutable) -> tuple[Any, ...]:
    """What decides the time of a launch beside its template: sizes, formats and memory of its tensors."""
    tensors = tuple((name, _tensor_key(name, step, executable)) for name in sorted(step.storages))
    options = executable.options
    exactness = exactness_of(step, options.fidelity, options.approximation)
    return exactness, tuple(sorted(step.numbers.items())), tensors


def _tensor_key(name: str, step: Launch, executable: TenstorrentExecutable) -> tuple[Any, ...]:
    storage = step.storages[name]
    return storage.rows, storage.cols, storage.layout, storage.dtype, _in_l1(storage, executable)


def _in_l1(storage: Storage, executable: TenstorrentExecutable) -> bool:
    slot = executable.memory.slots.get(storage)
    return slot is not None and slot.in_l1
