"""Makes the pictures of docs/gallery.md again: every view of the report and of the dashboard, in Chromium.

python -m tests.profiling.view_figures
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import torch
from tests.profiling.browser import Browser, find_browser

import tilesmith
from tilesmith import settings
from tilesmith.dashboard.server import DashboardServer
from tilesmith.profiling import Profile
from tilesmith.profiling.runs import RunStore, figures_of
from tilesmith.profiling.runs.live import live

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
SECTIONS = {
    "programs": "#programs",
    "advice": "#cards",
    "cores": "section[aria-label='core grid']",
    "banks": "section[aria-label='utilisation']",
    "noc": "section[aria-label='NoC links']",
    "roofline": "section[aria-label='roofline']",
    "launches": "section[aria-label='launches']",
    "power": "section[aria-label='power']",
    "timeline": "section[aria-label='timeline']",
    "roles": "section[aria-label='roles']",
    "source": "section[aria-label='source']",
    "l1": "section[aria-label='L1 map']",
    "memory": "section[aria-label='memory']",
}


class Block(torch.nn.Module):
    """A layer of a transformer without its attention."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.up, self.down = torch.nn.Linear(width, 2 * width), torch.nn.Linear(2 * width, width)
        self.norm = torch.nn.LayerNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mixed: torch.Tensor = self.norm(x + self.down(torch.nn.functional.gelu(self.up(x))))
        return mixed


def model_profile() -> Profile:
    model = torch.nn.Sequential(Block(256), Block(256)).eval()
    compiled = tilesmith.compile(model, checks="off", numbers="fast")
    profile = compiled.profile(torch.randn(128, 256))
    with settings.using(advice_seconds=60.0):
        assert profile.advice
    return replace(profile, title="two blocks of a transformer", tried=profile.advice, advisor=None)


def report_pictures(browser: Browser, profile: Profile, folder: Path) -> None:
    browser.open(profile.save_html(folder / "report.html").as_uri())
    for name, selector in SECTIONS.items():
        browser.screenshot(IMAGES / f"view-{name}.webp", selector)


def dashboard_pictures(browser: Browser, profile: Profile, folder: Path) -> None:
    store = RunStore(folder / ".tilesmith")
    before = figures_of(profile, "O2", "tenstorrent")
    store.add_figures(before, profile, ["baseline"])
    kernels = tuple(
        replace(kernel, microseconds=1.4 * kernel.microseconds, bound="dram-latency")
        if "gelu" in kernel.name
        else kernel
        for kernel in before.kernels
    )
    kernel_us = sum(kernel.microseconds for kernel in kernels)
    store.add_figures(
        replace(before, kernels=kernels, kernel_us=kernel_us, latency_us=kernel_us + before.launch_us)
    )
    server = DashboardServer(store, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser.open(server.url)
    with live("training", store.folder) as run:
        run.figures.chip, run.figures.programs, run.figures.microseconds = "n150", 1234, 81234.0
        run.figures.last = ["linear+gelu"]
        run.write()
        time.sleep(1.5)
        browser.screenshot(IMAGES / "dashboard-live.webp")
    browser.run("show(1)")
    time.sleep(3)
    browser.screenshot(IMAGES / "dashboard.webp")
    browser.run("state.compared = [1, 2]; compare()")
    time.sleep(1)
    browser.screenshot(IMAGES / "dashboard-compare.webp")
    server.shutdown()
    server.server_close()


def main() -> None:
    executable = find_browser()
    if executable is None:
        sys.exit("no Chromium here: install Debian's chromium")
    profile = model_profile()
    with tempfile.TemporaryDirectory() as home:
        browser = Browser(executable, Path(home) / "chromium", height=900)
        report_pictures(browser, profile, Path(home))
        dashboard_pictures(browser, profile, Path(home))
        assert browser.messages == [], browser.messages
        browser.close()


if __name__ == "__main__":
    main()
