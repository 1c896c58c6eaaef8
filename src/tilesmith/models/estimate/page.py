"""An estimate as a page of its own."""

from __future__ import annotations

from html import escape

from tilesmith.models.estimate.estimate import Estimate, Phase
from tilesmith.models.estimate.summary import on_what, times_of
from tilesmith.notebook import html_fields, html_table
from tilesmith.units import readable

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:.5rem 0 1.5rem}"
    "td,th{padding:.2rem .8rem;border-bottom:1px solid #ddd;text-align:left}"
)


def as_html(estimate: Estimate) -> str:
    """The figures, and every kernel of a prompt and of a token, slowest first."""
    title = f"{estimate.model} on {on_what(estimate)}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>"
        f"{html_fields('What was asked', _asked(estimate))}"
        f"{html_fields('What it comes to', _figures(estimate))}"
        f"{_phase(f'A prompt of {estimate.prompt} tokens', estimate.prefill)}"
        f"{_phase(f'A token of each of {estimate.batch} texts', estimate.decode)}</body></html>\n"
    )


def _asked(estimate: Estimate) -> dict[str, object]:
    return {
        "layers": estimate.layers,
        "weights": f"{estimate.parameters / 1e9:.2f} billion",
        "precision": estimate.precision,
        "batch": estimate.batch,
        "prompt": estimate.prompt,
        "tokens": estimate.tokens,
    }


def _figures(estimate: Estimate) -> dict[str, object]:
    needed, there = readable(estimate.dram_needed), readable(estimate.dram_bytes)
    return {
        "time to first token": f"{estimate.time_to_first_token_ms:.2f} ms, of one prompt",
        "tokens/s for each user": f"{estimate.tokens_per_second_per_user:.2f}",
        "tokens/s in all": f"{estimate.tokens_per_second:.2f}",
        "DRAM": f"{needed} of {there}: {'fits' if estimate.fits else 'does not fit'}",
        "of it weights": readable(estimate.weight_bytes),
        "of it cache": readable(estimate.cache_bytes),
        "L1": f"{readable(estimate.l1_needed)} of {readable(estimate.l1_bytes)} for tensors",
    }


def _phase(title: str, phase: Phase) -> str:
    rows = [
        (
            f"{family.microseconds / 1e3:.3f}",
            family.count,
            family.bound,
            f"{family.share:.1%}",
            family.name,
        )
        for family in phase.families
    ]
    told = (
        f"{times_of(phase)}; "
        f"{phase.kernels} kernels, {phase.share:.0%} of the limit; "
        f"{phase.host} operators on the host are not counted"
    )
    return f"<h2>{escape(title)}</h2><p>{escape(told)}</p>" + html_table(
        ("ms", "count", "bound", "of limit", "kernel"), rows
    )
