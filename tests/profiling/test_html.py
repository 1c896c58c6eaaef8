"""The HTML report: nothing is loaded, and in a real browser nothing is complained about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.profiling.browser import Browser, find_browser

from tilesmith.profiling import Profile


@pytest.fixture(scope="module")
def page(profile: Profile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return profile.save_html(tmp_path_factory.mktemp("html") / "report.html")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    executable = find_browser()
    if executable is None:
        pytest.skip("no Chromium here: install Debian's chromium to see the page in a real browser")
    made = Browser(executable, tmp_path_factory.mktemp("chromium"))
    yield made
    made.close()


def test_the_page_stands_alone(page: Path) -> None:
    text = page.read_text()
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!data:)""", text)
    assert "http://" not in text
    assert "https://" not in text
    assert text.count("<script") == 2


@pytest.mark.real
def test_the_page_in_chromium(page: Path, browser: Browser) -> None:
    browser.open(page.as_uri())
    assert browser.run("document.querySelectorAll('#programs tbody tr').length") == 4
    assert browser.run("document.querySelectorAll('#grid .core').length") == 64
    assert "reader waits on DRAM" in browser.run("document.getElementById('cards').textContent")
    assert browser.run("document.querySelectorAll('#roles tbody tr').length") == 5
    drawn = "[...document.getElementById('timeline').getContext('2d').getImageData(0, 0, 1300, 150).data]"
    assert browser.run(f"new Set({drawn}).size") > 10
    assert browser.messages == []
    assert browser.requests == [page.as_uri()]


@pytest.mark.real
def test_sources_stand_beside_their_waits(page: Path, browser: Browser, profile: Profile) -> None:
    browser.open(page.as_uri())
    assert f"{len(profile.programs)} programs" in browser.run("document.getElementById('total').textContent")
    kernels = browser.run("[...document.querySelectorAll('#kernel option')].map((one) => one.textContent)")
    longest = max(profile.programs, key=lambda program: program.cycles)
    assert kernels == [f"{source.name} ({source.role})" for source in longest.sources]
    lines = browser.run("document.querySelectorAll('#source tr').length")
    assert lines == len(longest.sources[0].text.split("\n"))
    waits = "[...document.querySelectorAll('#source .waits')].filter((one) => one.textContent)"
    assert browser.run(f"{waits}.length") > 0
    assert "noc_async_read_barrier" in browser.run(f"{waits}.map((one) => one.parentNode.textContent).join()")
    assert browser.messages == []


@pytest.mark.real
def test_the_timeline_answers(page: Path, browser: Browser) -> None:
    browser.open(page.as_uri())
    browser.run("document.getElementById('timeline').scrollIntoView({block: 'center'})")
    x, y = browser.run(
        "(() => { const box = document.getElementById('timeline').getBoundingClientRect();"
        " return [box.left + box.width / 2, box.top + 40]; })()"
    )
    browser.mouse("mouseMoved", x, y)
    assert "reader of core (0, 0)" in browser.run("document.getElementById('tip').textContent")
    whole = browser.run("state.end - state.begin")
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-120)
    assert browser.run("new Promise((done) => setTimeout(() => done(state.end - state.begin), 100))") < whole
    browser.run("document.getElementById('reset').click()")
    assert browser.run("state.end - state.begin") == whole
    browser.run("document.querySelectorAll('#programs tbody tr')[1].click()")
    assert "ttnn.add" in browser.run("document.querySelector('#programs .chosen').textContent")
    browser.run(
        "document.getElementById('view').value = 'reader'; document.getElementById('view').onchange()"
    )
    assert browser.run("lanes().length") == 64
    assert browser.messages == []
