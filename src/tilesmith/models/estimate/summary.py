"""An estimate as text, and as data."""

from __future__ import annotations

from typing import Any

from tilesmith.models.estimate.estimate import Estimate, Family, Phase
from tilesmith.units import readable

_MOST = 8


def as_data(estimate: Estimate) -> dict[str, Any]:
    """All figures, for JSON."""
    names = ("model", "board", "chips", "precision", "layers", "parameters", "batch", "prompt", "tokens")
    memory = ("weight_bytes", "cache_bytes", "dram_needed", "dram_bytes", "l1_needed", "l1_bytes", "fits")
    return {
        **{name: getattr(estimate, name) for name in names},
        "time_to_first_token_ms": round(estimate.time_to_first_token_ms, 3),
        "tokens_per_second_per_user": round(estimate.tokens_per_second_per_user, 3),
        "tokens_per_second": round(estimate.tokens_per_second, 3),
        **{name: getattr(estimate, name) for name in memory},
        "prefill": _phase_data(estimate.prefill),
        "decode": _phase_data(estimate.decode),
    }


def _phase_data(phase: Phase) -> dict[str, Any]:
    return {
        "microseconds": round(phase.microseconds, 1),
        "kernels": phase.kernels,
        "launch_us": round(phase.launch_us, 1),
        "link_us": round(phase.link_us, 1),
        "link_share": round(phase.link_share, 4),
        "host_operators": phase.host,
        "share_of_limit": round(phase.share, 4),
        "families": [
            {
                "name": family.name,
                "count": family.count,
                "microseconds": round(family.microseconds, 1),
                "bound": family.bound,
                "share_of_limit": round(family.share, 4),
            }
            for family in phase.families
        ],
    }


def as_text(estimate: Estimate) -> str:
    """The figures people ask for first, then where the time goes."""
    fit = "fits" if estimate.fits else "DOES NOT FIT"
    lines = [
        (
            f"{estimate.model}, {estimate.layers} layers, {estimate.parameters / 1e9:.2f} billion weights, "
            f"{estimate.precision}, on {on_what(estimate)}"
        ),
        f"batch {estimate.batch}, prompt {estimate.prompt}, {estimate.tokens} tokens",
        "",
        f"time to first token    {estimate.time_to_first_token_ms:10.2f} ms, of one prompt",
        f"tokens/s for each user {estimate.tokens_per_second_per_user:10.2f}",
        f"tokens/s in all        {estimate.tokens_per_second:10.2f}",
        (
            f"DRAM{' of a chip' if estimate.chips > 1 else ''}: {readable(estimate.weight_bytes)} weights, "
            f"{readable(estimate.cache_bytes)} cache, "
            f"{readable(estimate.dram_needed)} in all of {readable(estimate.dram_bytes)}: {fit}"
        ),
        f"L1: {readable(estimate.l1_needed)} of {readable(estimate.l1_bytes)} for tensors; every kernel fits",
        *_phase_text(f"a prompt of {estimate.prompt}", estimate.prefill),
        *_phase_text(f"a token of each of {estimate.batch}", estimate.decode),
    ]
    return "\n".join(lines)


def on_what(estimate: Estimate) -> str:
    if estimate.chips == 1:
        return f"one {estimate.board}"
    return f"{estimate.chips} chips of {estimate.board} (tensor parallel)"


def times_of(phase: Phase) -> str:
    """A phase's time, and what of it is no kernel's own."""
    launches = f"{phase.microseconds / 1e3:.2f} ms, {phase.launch_us / 1e3:.2f} ms of it launches"
    if not phase.link_us:
        return launches
    return f"{launches}, {phase.link_us / 1e3:.2f} ms ({phase.link_share:.0%}) on links"


def _phase_text(name: str, phase: Phase) -> list[str]:
    rest = phase.families[_MOST:]
    times = times_of(phase)
    left = f"{phase.host} operators on the host are not counted"
    return [
        "",
        f"{name}: {times}, {phase.kernels} kernels, {phase.share:.0%} of the limit; {left}",
        "      ms  count  bound    of limit  kernel",
        *map(_line, phase.families[:_MOST]),
        *([f"{sum(family.microseconds for family in rest) / 1e3:8.3f}  the rest"] if rest else []),
    ]


def _line(family: Family) -> str:
    first = f"{family.microseconds / 1e3:8.3f}  {family.count:5d}"
    return f"{first}  {family.bound:<7}  {family.share:8.1%}  {family.name}"
