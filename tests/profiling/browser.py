"""A headless Chromium, driven through its debugging pipe: what a page logs, and what it looks like."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find_browser() -> str | None:
    return next((path for path in map(shutil.which, NAMES) if path), None)


def _spawn(command: list[str]) -> tuple[int, int, int]:
    """The process, and the pipes to and from it: it reads what is asked on file 3 and answers on file 4."""
    to_browser, write = os.pipe()
    read, from_browser = os.pipe()
    high = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 100) for one in (to_browser, from_browser)]
    quiet = os.open(os.devnull, os.O_WRONLY)
    pairs = [(high[0], 3), (high[1], 4), (quiet, 1), (quiet, 2)]
    actions = [(os.POSIX_SPAWN_DUP2, old, new) for old, new in pairs]
    process = os.posix_spawn(command[0], command, dict(os.environ), file_actions=actions)
    for one in (to_browser, from_browser, quiet, *high):
        os.close(one)
    return process, write, read


class Browser:
    """One page. Requests that leave the machine fail, as they would offline."""

    def __init__(self, executable: str, home: Path, width: int = 1400, height: int = 1000) -> None:
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run"]
        flags += [
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            f"--user-data-dir={home}",
            "--hide-scrollbars",
        ]
        self._process, self._write, self._read = _spawn([executable, *flags])
        self._number, self._rest, self._session = 0, b"", ""
        self.messages: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask, and note what the page says meanwhile."""
        self._number += 1
        request = {"id": self._number, "method": method, "params": params}
        if self._session:
            request["sessionId"] = self._session
        os.write(self._write, json.dumps(request).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, told["error"]
                answer: dict[str, Any] = told["result"]
                return answer
            self._note(told)

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)
        while self._note(self._next()) != "Page.loadEventFired":
            pass

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        told = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def screenshot(self, path: Path, selector: str = "") -> None:
        """The window, or one element of the page, in the format that the file's name says."""
        options: dict[str, Any] = {"format": path.suffix[1:]}
        if options["format"] == "webp":
            options["quality"] = 70
        if selector:
            box = self.run(
                f"(() => {{ const node = document.querySelector({json.dumps(selector)});"
                " node.scrollIntoView(); const box = node.getBoundingClientRect();"
                " return [box.left + scrollX, box.top + scrollY, box.width, box.height]; })()"
            )
            clip = dict(zip(("x", "y", "width", "height"), box, strict=True))
            options |= {"clip": {**clip, "scale": 1}, "captureBeyondViewport": True}
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", **options)["data"]))

    def close(self) -> None:
        os.kill(self._process, signal.SIGTERM)
        os.waitpid(self._process, 0)
        os.close(self._write)
        os.close(self._read)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            piece = os.read(self._read, 1 << 16)
            assert piece, "the browser went away"
            self._rest += piece
        text, self._rest = self._rest.split(b"\0", 1)
        told: dict[str, Any] = json.loads(text)
        return told

    def _note(self, told: dict[str, Any]) -> str:
        method: str = told.get("method", "")
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.messages.append(json.dumps(told["params"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(told["params"]["request"]["url"])
        return method
