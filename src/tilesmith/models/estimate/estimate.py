"""A language model's time for a prompt and for a token, and whether it fits, without its weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import torch

from tilesmith.arch import Arch, Board, board_names, find_board, load_arch
from tilesmith.errors import BadCallError
from tilesmith.models.estimate.hollow import hollow_model, layer_period
from tilesmith.models.estimate.links import Links
from tilesmith.models.estimate.timed import Timed
from tilesmith.models.estimate.timing import Graph, TimingBackend
from tilesmith.models.generation.generate import generator_of
from tilesmith.models.options import ModelOptions

PRECISIONS: dict[str, dict[str, str]] = {
    "bfloat16": {"fidelity": "HiFi4"},
    "bfloat8_b": {"weights": "bfloat8_b", "cache": "bfloat8_b", "fidelity": "HiFi2"},
    "bfloat4_b": {"weights": "bfloat4_b", "cache": "bfloat8_b", "fidelity": "LoFi"},
    "mixed": {"weights": "bfloat8_b", "cache": "bfloat8_b", "fidelity": "HiFi2"},
}
"""How weights and caches lie, and the fidelity of products. mixed has gated products in bfloat4_b, LoFi."""

_MOST = 1 << 20  # tokens of a text, and texts: no model and no board takes more


@dataclass(frozen=True)
class Family:
    """All launches of one name: how many, what they take together, and the least they could take."""

    name: str
    count: int
    microseconds: float
    math_us: float
    dram_us: float
    link_us: float = 0.0

    @property
    def limit_us(self) -> float:
        return max(self.math_us, self.dram_us, self.link_us)

    @property
    def bound(self) -> str:
        """What the least time is made of; `latency` if that is under a tenth of what it takes."""
        if self.limit_us < 0.1 * self.microseconds:
            return "latency"
        if self.link_us == self.limit_us:
            return "links"
        return "math" if self.math_us > self.dram_us else "DRAM"

    @property
    def share(self) -> float:
        """Of the physical limit."""
        return self.limit_us / max(self.microseconds, 1e-9)


@dataclass(frozen=True)
class Phase:
    """A prompt, or a token, of the whole model."""

    families: tuple[Family, ...]
    kernels: int
    kernel_us: float
    launch_us: float
    host: int
    link_us: float = 0.0
    """Of `kernel_us`, in collectives: packets on links, and the sums of what they bring."""

    @property
    def link_share(self) -> float:
        return self.link_us / max(self.microseconds, 1e-9)

    @property
    def microseconds(self) -> float:
        return self.kernel_us + self.launch_us

    @property
    def share(self) -> float:
        """Of the physical limit: kernels that were bound by nothing but products or DRAM."""
        least = sum(family.limit_us for family in self.families)
        return least / max(self.microseconds, 1e-9)


@dataclass(frozen=True)
class Estimate:
    """What `tilesmith estimate` says of a model on a board."""

    model: str
    board: str
    precision: str
    layers: int
    parameters: int
    batch: int
    prompt: int
    tokens: int
    prefill: Phase
    decode: Phase
    weight_bytes: int
    cache_bytes: int
    dram_needed: int
    dram_bytes: int
    l1_needed: int
    l1_bytes: int
    chips: int = 1
    """That share the model, in tensor parallel; memory is that of each."""

    @property
    def fits(self) -> bool:
        return self.dram_needed <= self.dram_bytes

    @property
    def time_to_first_token_ms(self) -> float:
        """Of one prompt; those of a batch follow each other."""
        return self.prefill.microseconds / 1e3

    @property
    def tokens_per_second_per_user(self) -> float:
        return 1e6 / self.decode.microseconds

    @property
    def tokens_per_second(self) -> float:
        return self.batch * self.tokens_per_second_per_user


def estimate(
    config: Any,
    board: str = "n150",
    batch: int = 32,
    prompt: int = 128,
    tokens: int = 128,
    precision: str = "mixed",
    chips: int | None = None,
) -> Estimate:
    """Plan a model of a configuration for a board, and time each distinct kernel once.

    Of a board of several chips all share the model, in tensor parallel, or as many as are asked for.
    """
    _check(config, precision, batch, prompt, tokens)
    arch, links = _hardware(board, chips)
    count, period = int(config.num_hidden_layers), layer_period(config)
    sizes = (count, count) if period == count else (period, 2 * period)
    chosen = dict(PRECISIONS[precision])
    options = ModelOptions.of({"target": arch.product, "checks": "off", **chosen})
    backend = TimingBackend(options, gated="bfloat4_b" if precision == "mixed" else "", links=links)
    planner = replace(backend, plans_only=True)
    backends = tuple(zip(sizes, (planner, backend), strict=True))
    prompts = [_graph(config, size, backend, 1, prompt, prompt + tokens) for size, backend in backends]
    steps = [_graph(config, size, backend, batch, 1, prompt + tokens) for size, backend in backends]
    more = count // period - 1
    weights = _scaled(steps, more, lambda graph: graph.weight_bytes)
    cache = _scaled(steps, more, lambda graph: graph.state_bytes)
    needed = weights + cache + max(graph.dram_bytes for graph in (*prompts, *steps))
    return Estimate(
        str(config.model_type),
        links.board.name if links else arch.product,
        precision,
        count,
        _parameters(config, sizes, more),
        batch,
        prompt,
        tokens,
        _phase(prompts, more),
        _phase(steps, more),
        weights,
        cache,
        needed,
        arch.num_dram_banks * (arch.dram_bank_size - arch.dram_reserved),
        max(graph.l1_bytes for graph in (*prompts, *steps)),
        (arch.l1_size - arch.l1_unreserved_base) * len(arch.l1_banks),
        links.chips if links else 1,
    )


def _hardware(board: str, chips: int | None) -> tuple[Arch, Links | None]:
    """The chip, and what joins several of them: a line or ring."""
    if board not in board_names():
        if chips not in (None, 1):
            raise BadCallError(
                f"{board} has one chip, not {chips}",
                where="estimate",
                remedy=f"choose a board of several: {', '.join(board_names())}",
            )
        return load_arch(board), None
    whole: Board = find_board(board)
    count = whole.num_chips if chips is None else chips
    return whole.arch, None if count == 1 else Links(find_board(board, (1, count)))


def _check(config: Any, precision: str, *sizes: int) -> None:
    if precision not in PRECISIONS:
        raise BadCallError(
            f"there is no precision {precision!r}",
            where="estimate",
            remedy=f"choose: {', '.join(PRECISIONS)}",
        )
    if min(sizes) < 1:
        raise BadCallError(
            f"{min(sizes)} is too few", where="estimate", remedy="batch, prompt and tokens count from 1"
        )
    if max(sizes) > _MOST:
        raise BadCallError(
            f"{max(sizes)} is too many", where="estimate", remedy=f"batch, prompt and tokens go up to {_MOST}"
        )
    if getattr(config, "is_encoder_decoder", False) or not hasattr(config, "num_hidden_layers"):
        raise BadCallError(
            f"{config.model_type} is no language model of equal layers",
            where="estimate",
            remedy="estimate takes models of the kind AutoModelForCausalLM makes; profile others",
        )


def _graph(config: Any, layers: int, backend: TimingBackend, batch: int, prompt: int, length: int) -> Graph:
    """The graph of the first forward call for prompts of a length, with a cache for `length` tokens."""
    model = hollow_model(config, layers, backend.links.chips if backend.links else 1)
    before = len(backend.graphs)
    generate = generator_of(model, backend, lambda module: module)
    generate.chooses = False
    ids = torch.zeros(batch, prompt, dtype=torch.int64)
    # One forward call is enough: its graph was timed when it was compiled.
    generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_length=length,
        do_sample=False,
        pad_token_id=0,
        stopping_criteria=[lambda found, _: torch.ones(len(found), dtype=torch.bool)],
    )
    (graph,) = backend.graphs[before:]
    return graph


def _phase(graphs: Sequence[Graph], more: int) -> Phase:
    launches = all_launches(graphs[0].names, graphs[-1].launches, more)
    families = [
        _family(name, [launch for launch in launches if launch.name == name])
        for name in dict.fromkeys(launch.name for launch in launches)
    ]
    return Phase(
        tuple(sorted(families, key=lambda family: -family.microseconds)),
        len(launches),
        sum(launch.microseconds for launch in launches),
        sum(launch.launch_us for launch in launches),
        int(_scaled(graphs, more, lambda graph: len(graph.host))),
        sum(launch.microseconds for launch in launches if launch.link_us),
    )


def all_launches(once: Sequence[str], twice: Sequence[Timed], more: int) -> list[Timed]:
    """The launches of a model of so many more layers, from those of one with one layer and one with two.

    What the longer list has before the part that both end with belongs to its second layer.
    """
    end = 0
    while end < len(once) and once[len(once) - 1 - end] == twice[len(twice) - 1 - end].name:
        end += 1
    added = len(twice) - len(once)
    begin = len(twice) - end - added
    layer = twice[begin : begin + added]
    return [*twice[:begin], *(launch for _ in range(more) for launch in layer), *twice[begin + added :]]


def _family(name: str, launches: Sequence[Timed]) -> Family:
    return Family(
        name,
        len(launches),
        sum(launch.microseconds for launch in launches),
        sum(launch.math_us for launch in launches if launch.math_us >= launch.dram_us),
        sum(launch.dram_us for launch in launches if launch.math_us < launch.dram_us),
        sum(launch.link_us for launch in launches),
    )


def _scaled(graphs: Sequence[Graph], more: int, value: Callable[[Graph], float]) -> Any:
    """A figure of all layers: that of the first, and for each further one what the second adds."""
    first, last = value(graphs[0]), value(graphs[-1])
    return first + more * (last - first)


def _parameters(config: Any, sizes: Sequence[int], more: int) -> int:
    counts = [
        sum(prod(parameter.shape) for parameter in hollow_model(config, size).parameters()) for size in sizes
    ]
    return int(counts[0] + more * (counts[-1] - counts[0]))
