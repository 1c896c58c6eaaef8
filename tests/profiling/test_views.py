"""Every view of the report in a real browser, without a network, and the frames of a long timeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.profiling.browser import Browser, find_browser

from tilesmith.profiling import Profile
from tilesmith.profiling.model import Lane, Timeline

pytestmark = pytest.mark.real
EVENTS = 100_000
FRAME_MS = 1000 / 30


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    executable = find_browser()
    if executable is None:
        pytest.skip("no Chromium here: install Debian's chromium to see the page in a real browser")
    opened = Browser(executable, tmp_path_factory.mktemp("chromium"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def page(profile: Profile, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    path = profile.save_html(tmp_path_factory.mktemp("views") / "report.html")
    browser.open(path.as_uri())
    yield browser
    assert browser.messages == []
    assert all(request.startswith("file:///") for request in browser.requests)


def drawn(name: str) -> str:
    """How many colours a canvas has."""
    return (
        f"(() => {{ const box = document.getElementById('{name}');"
        " const seen = box.getContext('2d').getImageData(0, 0, box.width, box.height).data;"
        " const found = new Set(); for (let i = 0; i < seen.length; i += 4)"
        " found.add(seen[i] << 16 | seen[i + 1] << 8 | seen[i + 2]); return found.size; })()"
    )


VIEWS = {
    "programs": "document.querySelectorAll('#programs tbody tr').length === 4",
    "bound and what to do": "document.querySelectorAll('#cards .card').length >= 3",
    "cores": "document.querySelectorAll('#grid .core').length === 64",
    "utilisation": "document.querySelectorAll('#bars .bar').length === 8",
    "DRAM banks": "document.querySelectorAll('#banks .bar').length === 12",
    "NoC links": "document.querySelectorAll('#links .link').length > 5",
    "roofline": "document.querySelectorAll('#roofline .point').length >= 1",
    "launches": "document.querySelectorAll('#launches .launch').length === 4",
    "power": "document.querySelectorAll('#power .range').length === 4",
    "timeline": f"{drawn('timeline')} > 5",
    "roles": "document.querySelectorAll('#roles tbody tr').length === 5",
    "source with waits": "[...document.querySelectorAll('#source .waits')].some((cell) => cell.textContent)",
    "tensors": "document.querySelectorAll('#tensors tbody tr').length >= 2",
    "circular buffers": "document.querySelectorAll('#buffers tbody tr').length >= 2",
    "L1 by core and time": f"{drawn('l1')} > 5",
    "memory over time": f"{drawn('memory')} > 2",
}


@pytest.mark.parametrize("view", VIEWS)
def test_a_view(page: Browser, view: str) -> None:
    assert page.run(VIEWS[view]) is True


def test_a_core_and_its_l1(page: Browser) -> None:
    page.run("$('metric').value = 'L1 held, % of it'; $('metric').onchange()")
    cells = page.run(
        "[...document.querySelectorAll('#grid .core')].map((cell) => cell.textContent).filter(Boolean)"
    )
    assert cells
    assert all(0 <= int(cell) <= 100 for cell in cells)


def test_a_link_shows_the_same_again(page: Browser) -> None:
    page.run("document.querySelectorAll('#programs tbody tr')[1].click()")
    assert page.run("location.hash").startswith("#program=1&core=")
    page.run("history.replaceState(null, '', '#program=3&core=0,0'); fromAddress()")
    assert "copy" in page.run("document.querySelector('#programs .chosen').textContent")


def long_profile(profile: Profile) -> Profile:
    """One program with a hundred thousand intervals over 64 cores."""
    each, roles = EVENTS // 64, np.arange(64)
    begin = tuple(range(0, each * 10, 10))
    end = tuple(at + 10 for at in begin)
    state = tuple(np.arange(each) % 3)
    lanes = tuple(Lane(int(i % 8), int(i // 8), "reader", begin, end, tuple(map(int, state))) for i in roles)
    longest = max(profile.programs, key=lambda program: program.cycles)
    states = ("control", "matmul", "wait: DRAM bank 0")
    timeline = Timeline(states, lanes, 1, longest.timeline.dram, longest.timeline.dram_step)
    return replace(profile, programs=(replace(longest, timeline=timeline, cycles=each * 10),))


def test_a_long_timeline_pans_at_thirty_frames(profile: Profile, browser: Browser, tmp_path: Path) -> None:
    browser.open(long_profile(profile).save_html(tmp_path / "long.html").as_uri())
    assert (
        browser.run("current().timeline.lanes.reduce((sum, lane) => sum + lane.begin.length, 0)")
        >= EVENTS - 64
    )
    browser.run("state.view = 'reader'; drawViews(); drawTimeline()")
    assert browser.run("lanes().length") == 64
    # What the page itself takes for each frame of a pan: with everything in view, and zoomed in.
    panned = (
        "(() => { const taken = []; for (let i = 0; i < 40; ++i) { const begin = performance.now();"
        " state.begin = {from} + i * {step}; state.end = state.begin + {span}; drawTimeline();"
        " taken.push(performance.now() - begin); } return taken.sort((a, b) => a - b)[20]; })()"
    )
    for span, step in ((15_000, 10), (3_000, 100)):
        script = panned.replace("{from}", "0").replace("{step}", str(step)).replace("{span}", str(span))
        fastest = min(browser.run(script) for _ in range(3))
        print(f"{fastest:.1f} ms a frame with {span} cycles in view")
        assert fastest < FRAME_MS, f"{fastest:.1f} ms for a frame of {span} cycles"
    assert browser.messages == []
