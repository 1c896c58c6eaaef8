"""Rewrites the figures of docs/profiling.md: profiles of the worked examples, and the report in a browser.

python -m tests.profiling.figures
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from examples.profile.linear import BEFORE, GOOD, profiled
from tests.profiling.browser import Browser, find_browser

from tilesmith import settings
from tilesmith.profiling import Profile

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "profiling.md"


def shortened(profile: Profile) -> str:
    """The panel and the table of roles."""
    lines = str(profile).splitlines()
    end = next(i for i, line in enumerate(lines) if line.startswith(" matrix engine"))
    return "\n".join(lines[:end])


def figures() -> tuple[dict[str, str], dict[str, Profile]]:
    """The text of each figure by its name, and the profiles."""
    profiles = {kind: profiled(choices, f"{kind}-bound") for kind, choices in BEFORE.items()}
    profiles["after"] = profiled(GOOD, "after the change")
    texts = {name: f"```text\n{shortened(one)}\n```" for name, one in profiles.items()}
    after = profiles["after"]
    rows = [
        f"| {kind} | {one.microseconds:.1f} us | {one.bound.sentence if one.bound else ''} |"
        f" {one.bound.change if one.bound else ''} | {after.microseconds:.1f} us |"
        for kind, one in profiles.items()
        if kind != "after"
    ]
    header = "| kernel | before | bound | change first | after |\n|--|--|--|--|--|"
    texts["summary"] = "\n".join([header, *rows])
    return texts, profiles


def rewritten(page: str, texts: dict[str, str]) -> str:
    for name, text in texts.items():
        begin, found, rest = page.partition(f"<!-- figure: {name} -->\n")
        if not found:
            sys.exit(f"{PAGE.name} has no figure {name}")
        page = f"{begin}{found}{text}\n<!-- end -->{rest.partition('<!-- end -->')[2]}"
    return page


def screenshots(profiles: dict[str, Profile], folder: Path) -> None:
    executable = find_browser()
    if executable is None:
        sys.exit("no Chromium here: install Debian's chromium")
    with tempfile.TemporaryDirectory() as home:
        browser = Browser(executable, Path(home) / "chromium", height=1180)
        for name in ("reader", "math"):
            report = profiles[name].save_html(Path(home) / f"{name}.html")
            browser.open(report.as_uri())
            browser.screenshot(folder / f"report-{name}.webp")
        browser.run(
            "document.getElementById('view').value = 'reader'; document.getElementById('view').onchange()"
        )
        browser.run("document.getElementById('timeline').scrollIntoView({block: 'center'})")
        browser.screenshot(folder / "report-every-core.webp")
        assert browser.messages == [], browser.messages
        browser.close()


def main() -> None:
    with settings.using(advice_seconds=0.0):
        texts, profiles = figures()
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8"), texts), encoding="utf-8")
    (DOCS / "images").mkdir(exist_ok=True)
    screenshots(profiles, DOCS / "images")


if __name__ == "__main__":
    main()
