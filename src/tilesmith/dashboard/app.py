"""The page itself; `tilesmith dashboard FOLDER` runs it with streamlit."""

from __future__ import annotations

import sys

import streamlit as st

from tilesmith.dashboard import charts
from tilesmith.dashboard.history import History, SavedRun, regressions
from tilesmith.units import readable

_EVERY = 1.0  # seconds between looks into the folder


def history() -> History:
    """Kept from one look to the next, so that only new files are read."""
    folder = sys.argv[1] if len(sys.argv) > 1 else "profiles"
    if "history" not in st.session_state or str(st.session_state.history.folder) != folder:
        st.session_state.history = History(folder)
    kept: History = st.session_state.history
    return kept


def show_run(run: SavedRun, other: SavedRun | None) -> None:
    profile, chip = run.profile, run.profile.chip
    time, rate, dram, l1 = st.columns(4)
    delta = f"{run.microseconds - other.microseconds:+,.1f} us" if other else None
    host = profile.memory.host
    time.metric(
        f"latency ({host.label})" if host else "predicted latency",
        f"{run.microseconds:,.1f} us",
        delta,
        delta_color="inverse",
    )
    rate.metric("calls per second", f"{1e6 / run.microseconds:,.0f}" if run.microseconds else "-")
    if host is not None:
        dram.metric(f"memory at its peak ({host.label})", readable(host.peak_resident))
        return
    dram.metric("DRAM at its peak", readable(profile.memory.peak_dram))
    l1.metric("L1 of the fullest core", readable(profile.memory.peak_l1))
    if chip is None or not profile.programs:
        st.info("No program ran.")
        return
    names = [f"{i}: {program.name}" for i, program in enumerate(profile.programs)]
    longest = max(range(len(names)), key=lambda i: profile.programs[i].cycles)
    chosen = st.selectbox("program", names, index=longest)
    program = profile.programs[names.index(chosen)]
    st.subheader(program.bound.sentence)
    st.write(f"Change first: {program.bound.change}")
    for finding in program.findings:
        st.error(f"{finding.title}: {finding.message} ({finding.place})")
    left, right = st.columns(2)
    left.plotly_chart(charts.core_grid(program, chip), key="grid")
    right.plotly_chart(charts.roofline_chart(profile, chip), key="roofline")
    compared = [(run.name, profile), *([(other.name, other.profile)] if other else [])]
    st.plotly_chart(charts.by_program(compared), key="programs")
    st.plotly_chart(charts.memory_over_time(profile), key="memory")


def page() -> None:
    runs = history().runs()
    for broken in history().broken:
        st.warning(broken)
    if not runs:
        st.info(
            f"No profiles below {history().folder} yet: `tilesmith profile script.py --out FOLDER` makes one."
        )
        return
    for slower in regressions(runs):
        st.error(str(slower))
    newest_first = [run.name for run in reversed(runs)]
    by_name = {run.name: run for run in runs}
    left, right = st.columns(2)
    name = left.selectbox("run", newest_first)
    against = right.selectbox("compared with", ["nothing", *newest_first])
    show_run(by_name[name], by_name.get(against))
    st.plotly_chart(charts.over_time(runs), key="history")


st.set_page_config(page_title="tilesmith", layout="wide")
st.title("tilesmith: predicted performance")
st.fragment(page, run_every=_EVERY)()
