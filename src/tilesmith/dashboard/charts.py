"""The charts of the dashboard, as plotly figures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tilesmith.dashboard.history import SavedRun
from tilesmith.profiling.model import ProgramProfile
from tilesmith.profiling.report import Chip, Profile

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def over_time(runs: Sequence[SavedRun]) -> Figure:
    """Predicted time of every run, a line for each title."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for title in dict.fromkeys(run.title for run in runs):
        mine = [run for run in runs if run.title == title]
        times = [datetime.fromtimestamp(run.saved_at, UTC) for run in mine]
        figure.add_scatter(x=times, y=[run.microseconds for run in mine], name=title, mode="lines+markers")
    return _titled(figure.update_layout(yaxis_title="us"), "every run", 320)


def by_program(profiles: Sequence[tuple[str, Profile]]) -> Figure:
    """Time of each program, beside that of other runs."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for name, profile in profiles:
        totals: dict[str, float] = {}
        for program in profile.programs:
            totals[program.name] = totals.get(program.name, 0.0) + program.microseconds
        figure.add_bar(x=list(totals), y=list(totals.values()), name=name)
    return _titled(figure.update_layout(barmode="group", yaxis_title="us"), "programs", 320)


def core_grid(program: ProgramProfile, chip: Chip) -> Figure:
    """The busiest role of each core, in percent of the program's time."""
    import plotly.graph_objects as go

    grid: list[list[float | None]] = [[None] * chip.grid_x for _ in range(chip.grid_y)]
    for role in program.roles:
        share = 100 * role.own / max(1, program.cycles)
        grid[role.y][role.x] = max(grid[role.y][role.x] or 0.0, share)
    figure = go.Figure(go.Heatmap(z=grid, zmin=0, zmax=100, colorscale="Turbo", xgap=2, ygap=2))
    figure.update_xaxes(range=[-0.5, chip.grid_x - 0.5], dtick=1, constrain="domain")
    figure.update_yaxes(range=[chip.grid_y - 0.5, -0.5], dtick=1, scaleanchor="x", constrain="domain")
    return _titled(figure, "busiest role of each core, % of the time", 380)


def roofline_chart(profile: Profile, chip: Chip) -> Figure:
    """Programs that multiply, between the roofs of the matrix engine (LoFi) and of DRAM."""
    import plotly.graph_objects as go

    per_cycle = 2 * 32**3 / 16 * chip.grid_x * chip.grid_y
    peak = per_cycle * chip.clock_ghz * 1e9
    knee = peak / (chip.dram_peak_gb_per_s * 1e9)
    lowest, highest = knee / 1000, knee * 100
    roof = go.Scatter(
        x=[lowest, knee, highest], y=[peak * lowest / knee, peak, peak], name="roof (LoFi)", mode="lines"
    )
    shown = [one for one in profile.programs if one.roofline.flops and one.roofline.intensity]
    points = go.Scatter(
        x=[one.roofline.intensity for one in shown],
        y=[one.roofline.flops / (one.microseconds * 1e-6) for one in shown],
        text=[f"{one.name}: {one.bound.sentence}" for one in shown],
        name="programs",
        mode="markers",
    )
    figure = go.Figure([roof, points])
    figure.update_xaxes(type="log", title="FLOP for each byte of DRAM")
    return _titled(figure.update_yaxes(type="log", title="FLOP/s"), "roofline", 380)


def memory_over_time(profile: Profile) -> Figure:
    """DRAM and the fullest core's L1 after every allocation, launch and release."""
    import plotly.graph_objects as go

    samples = profile.memory.samples
    events = [sample.event for sample in samples]
    figure = go.Figure()
    for name, values in (
        ("DRAM", [s.dram for s in samples]),
        ("L1 of the fullest core", [s.l1 for s in samples]),
    ):
        figure.add_scatter(
            x=list(range(len(samples))), y=values, name=name, text=events, line={"shape": "hv"}
        )
    return _titled(figure.update_layout(yaxis_title="bytes"), "memory", 300)


def _titled(figure: Figure, title: str, height: int) -> Figure:
    margin = {"t": 40, "b": 40, "l": 50, "r": 20}
    return figure.update_layout(title=title, height=height, margin=margin)
