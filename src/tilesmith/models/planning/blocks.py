"""The blocks of every kernel of a plan, chosen for the sizes of its call and the cores of a chip.

Kernels work for any size with the blocks they are planned with. A plan whose sizes are known can do better:
more cores get work, cores that need the same operand share it, and tests for ends that are not there go away.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from tilesmith.arch import Arch
from tilesmith.kernels.attention import Attention
from tilesmith.kernels.elementwise import Elementwise
from tilesmith.kernels.embedding import Embedding
from tilesmith.kernels.grouped_linear import GroupedLinear
from tilesmith.kernels.linear import Linear
from tilesmith.kernels.reduction import Reduction
from tilesmith.kernels.rowwise import RowWise
from tilesmith.kernels.rowwise_streamed import StreamedRowWise
from tilesmith.models.planning.grouped_blocks import grouped_candidates
from tilesmith.models.planning.matmul_blocks import product_candidates
from tilesmith.models.planning.problem import exactness_of, problem_of
from tilesmith.models.planning.steps import Launch, Plan, Template
from tilesmith.models.planning.views import TILE, Storage, padded
from tilesmith.schedules.tuning_database import TuningDatabase

# Scores of so many keys are kept for a block of queries; beyond, keys come block by block.
_KEYS_AT_ONCE = 512
# Of a core's L1, what the buffers of a kernel may take; tensors lie beside them.
_L1_SHARE = 0.6
_NORM_SHARE = 0.75
# Tiles that a reduction loads at once.
_STEP = 8


def choose_blocks(
    plan: Plan,
    arch: Arch,
    fidelity: str = "HiFi4",
    approximate: str = "none",
    tuned: Sequence[TuningDatabase] = (),
) -> Plan:
    """The plan with the blocks that were found fastest, or should be, for every kernel with a choice."""

    def chosen(step: Any) -> Any:
        if not isinstance(step, Launch):
            return step
        fitting = candidates(step, arch, fidelity)
        exactness = exactness_of(step, fidelity, approximate)
        known = (each.choose(problem_of(step, arch.product, exactness), fitting) for each in tuned)
        return replace(step, template=next(filter(None, known), fitting[0]))

    return replace(plan, steps=tuple(map(chosen, plan.steps)))


def candidates(
    step: Launch, arch: Arch, fidelity: str = "HiFi4", in_l1: Collection[Storage] = ()
) -> list[Template]:
    """Templates that do the work of a launch, the likely fastest first. Other tensors lie in DRAM."""
    choose = _CHOICES.get(type(step.template))
    if isinstance(step.template, Linear):
        return [*product_candidates(step, arch, fidelity, in_l1)]
    return choose(step, arch) if choose is not None else [step.template]


def _batches(step: Launch) -> int:
    return step.numbers["nb1"] * step.numbers["nb2"]


def _attention(step: Launch, arch: Arch) -> list[Template]:
    template = step.template
    assert isinstance(template, Attention)
    queries, keys = step.numbers["m"], step.numbers["n"]
    rows = 2 * TILE if _queries_end_alone(step) else template.block[0]
    if -(-padded(queries) // rows) * _batches(step) < arch.num_cores:
        rows = TILE
    whole = padded(keys)
    room = _L1_SHARE * (arch.l1_size - arch.l1_unreserved_base)
    fitting = [
        (high, size, tail)
        for size, tail in _key_blocks(whole, template.causal)
        for high in ((rows, TILE) if size == whole else (rows,))
        if _attention_bytes(template, high, size + tail) <= room
    ]
    return [
        replace(
            template,
            block=(high, size),
            whole=keys % (TILE if tail else size) == 0,
            at_once=size == whole,
            rows=_rows_of_a_core(-(-padded(queries) // high), _batches(step), arch) if size == whole else 0,
            tail=tail,
        )
        for high, size, tail in dict.fromkeys(fitting or [(rows, TILE, 0)])
    ]


def _key_blocks(whole: int, causal: bool) -> list[tuple[int, int]]:
    """Sizes of the blocks of keys, and of the last if it is smaller, the likely fastest first."""
    wide = [8 * TILE] if causal else [16 * TILE, 8 * TILE]
    sizes = [whole] if whole <= _KEYS_AT_ONCE else []
    sizes += [size for size in wide if whole % size == 0]
    if not sizes and whole <= 2 * _KEYS_AT_ONCE and not causal:
        sizes = [whole]
    tails = [(size, whole % size) for size in wide if whole > size and whole % size]
    narrow = [size for size in (4 * TILE, 2 * TILE, TILE) if whole % size == 0]
    return [*((size, 0) for size in sizes), *tails, *((size, 0) for size in narrow)]


def _queries_end_alone(step: Launch) -> bool:
    """Whether nothing is stored below the last queries, so that blocks of them may end there."""
    template: Any = step.template
    numbers, out = step.numbers, template.epilogue.results
    below = any(step.storages[one.out.name].rows > padded(numbers["m"]) for one in out)
    moved = any(numbers[f"{one.out.name}_{key}"] for one in out for key in ("row", "row2"))
    return numbers["nb1"] == 1 and numbers["m"] > 2 * TILE and not below and not moved


def _rows_of_a_core(blocks: int, heads: int, arch: Arch) -> int:
    """How many blocks of queries one core takes of a head in turn, so that none has much more than others."""
    shares = [share for share in range(1, blocks + 1) if blocks % share == 0]
    return min(shares, key=lambda share: (-(-heads * blocks // share // arch.num_cores) * share, -share))


def _attention_bytes(template: Attention, rows: int, keys: int) -> int:
    """What the buffers of a block take: keys and values twice, scores and weights, queries and results."""
    widths = template.width + template.value_width
    return 4 * keys * widths + 12 * rows * keys + 8 * rows * widths


def _norm(step: Launch, arch: Arch) -> list[Template]:
    """Rows that are too few to give every core some are shared."""
    template = step.template
    assert isinstance(template, RowWise)
    blocks = padded(step.numbers["m"]) // template.block_rows * _batches(step)
    tiles, ends_inside = divmod(template.columns, TILE)
    narrow = all(operand.dtype == "bfloat16" for operand in template.inputs)
    if template.operation not in ("layer_norm", "rms_norm") or ends_inside or not narrow:
        return [template]
    outputs = [step.storages[result.out.name] for result in template.epilogue.results]
    ends_alone = all(storage.cols == template.columns for storage in outputs)
    widths = {-(-tiles // share) for share in range(2, min(tiles, arch.num_cores // blocks) + 1)}
    chunks = [
        replace(template, chunk=width * TILE) for width in sorted(widths) if ends_alone or not tiles % width
    ]
    # All cores of a row find its statistics, so that two of them gain nothing over one that can hold it.
    many, two = ([one for one in chunks if (one.shares > 2) == several] for several in (True, False))
    ranked = [*many, replace(template, chunk=template.columns), *two]
    if _batches(step) == 1 and blocks <= arch.grid.y:
        sent = [replace(one, share=blocks) for one in (*many, *two) if one.shares <= arch.grid.x]
        ranked = [*sent, *ranked]
    room = _NORM_SHARE * (arch.l1_size - arch.l1_unreserved_base)
    return [*(one for one in ranked if one.chunk_bytes <= room), template]


def _streamed_norm(step: Launch, arch: Arch) -> list[Template]:
    """Rows that are too long for one core to hold may be short enough for several that share them."""
    template = step.template
    assert isinstance(template, StreamedRowWise)
    held = RowWise(
        template.operation,
        template.columns,
        template.epilogue,
        template.inputs,
        template.source,
        template.epsilon,
    )
    shared = [one for one in _norm(replace(step, template=held), arch) if one != held]
    return [*shared, template]


def _elementwise(step: Launch, arch: Arch) -> list[Template]:
    """The widest blocks that still give at least half of the cores some."""
    template: Any = step.template
    rows = padded(step.numbers["m"]) // TILE * _batches(step)
    cols = padded(step.numbers["n"])
    widths = [width for width in (128, 64, TILE) if cols % width == 0]
    wide = [width for width in widths if 2 * rows * (cols // width) >= arch.num_cores] or widths[-1:]
    return [replace(template, block=(TILE, width)) for width in dict.fromkeys((wide[0], *widths))]


def _embedding(step: Launch, arch: Arch) -> list[Template]:
    """Rows of a table in tiles come in many small reads, one after the other: the more cores share them."""
    found = _elementwise(step, arch)
    template: Any = step.template
    return sorted(found, key=_width) if template.across else found


def _width(template: Any) -> int:
    return int(template.block[1])


def _reduction(step: Launch, arch: Arch) -> list[Template]:
    """As many tiles at once as divide what is added up: each step of a block waits for what it loads."""
    template = step.template
    assert isinstance(template, Reduction)
    rows, columns = (padded(step.numbers[name]) // TILE for name in "mn")
    along_rows = template.along == "rows"
    deep = next(size for size in range(_STEP, 0, -1) if (rows if along_rows else columns) % size == 0)
    if not along_rows:
        return [replace(template, block=(TILE, deep * TILE)), template]
    wide = 2 if -(-columns // 2) * _batches(step) * 2 >= arch.num_cores else 1
    return [replace(template, block=(deep * TILE, wide * TILE)), template]


_CHOICES: dict[type, Callable[[Launch, Arch], list[Template]]] = {
    Attention: _attention,
    RowWise: _norm,
    StreamedRowWise: _streamed_norm,
    Elementwise: _elementwise,
    Embedding: _embedding,
    GroupedLinear: grouped_candidates,
    Reduction: _reduction,
}
