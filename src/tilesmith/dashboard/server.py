"""The dashboard's server: a page, its data, and a stream of events, for this computer only."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tilesmith.dashboard.views import Views
from tilesmith.errors import ProfileError, TilesmithError
from tilesmith.profiling.runs.store import RunStore

_PAGE = Path(__file__).with_name("page")
_FILES = {
    "/": ("index.html", "text/html"),
    "/app.js": ("app.js", "text/javascript"),
    "/app.css": ("app.css", "text/css"),
}
_LOOK = 0.2  # seconds between looks at the store
_BEAT = 5.0  # seconds after which a quiet stream says that it lives
_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_LARGEST_BODY = 65536
# Nothing from elsewhere is loaded; a report has its script and style inside, in a frame.
_INLINE = "'self' 'unsafe-inline'"
_POLICY = f"default-src 'self'; style-src {_INLINE}; script-src {_INLINE}; img-src 'self' data:"


class Handler(BaseHTTPRequestHandler):
    """One request. The store is opened anew for each, so that other processes may write."""

    protocol_version = "HTTP/1.1"

    def __init__(self, store: RunStore, *arguments: Any) -> None:
        self.views = Views(store)
        super().__init__(*arguments)

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if not self._is_local():
            return
        if url.path in _FILES:
            name, content_type = _FILES[url.path]
            self._send((_PAGE / name).read_bytes(), content_type)
        elif url.path == "/api/events":
            self._stream()
        else:
            self._answer(partial(self._find, url.path, parse_qs(url.query)))

    def do_POST(self) -> None:
        if not self._is_local():
            return
        # A page of another site cannot send this header without asking first, and is not allowed to.
        if self.path != "/api/tag" or self.headers.get("X-Tilesmith") != "page":
            self._fail(HTTPStatus.NOT_FOUND, "there is nothing here")
            return
        length = int(self.headers.get("Content-Length") or 0)
        if length > _LARGEST_BODY:
            self._fail(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "that is too long")
            return
        body = self.rfile.read(length)
        self._answer(lambda: self.views.tag(body))

    def _find(self, path: str, query: dict[str, list[str]]) -> Any:
        simple: dict[str, Callable[[], Any]] = {
            "/api/runs": lambda: self.views.runs(query),
            "/api/live": self.views.live,
            "/api/regressions": self.views.regressions,
            "/api/compare": lambda: self.views.comparison(query),
        }
        if path in simple:
            return simple[path]()
        match path.strip("/").split("/"):
            case ["runs", name, "report"]:
                return self.views.report(name)
            case ["runs", name, "summary"]:
                return self.views.summary(name)
        return None

    def _answer(self, ask: Callable[[], Any]) -> None:
        try:
            found = ask()
        except TilesmithError as error:
            self._fail(HTTPStatus.NOT_FOUND, str(error))
            return
        if found is None:
            self._fail(HTTPStatus.NOT_FOUND, "there is nothing here")
        elif isinstance(found, str):
            self._send(found.encode(), "text/html")
        else:
            self._send(json.dumps(found).encode(), "application/json")

    def _stream(self) -> None:
        """Server-sent events: the number of the newest run, and what is running, whenever one changes."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        last, told = "", time.monotonic()
        try:
            while True:
                now = json.dumps({"store": self._stamp(), "live": self.views.live()})
                if now != last:
                    self.wfile.write(f"data: {now}\n\n".encode())
                    last, told = now, time.monotonic()
                elif time.monotonic() - told > _BEAT:
                    self.wfile.write(b": here\n\n")
                    told = time.monotonic()
                self.wfile.flush()
                time.sleep(_LOOK)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _stamp(self) -> int:
        """Changes whenever a run is added, tagged or deleted."""
        try:
            return self.views.store.file.stat().st_mtime_ns
        except OSError:
            return 0

    def _is_local(self) -> bool:
        """Whether the request names this computer: a name that was bent to it (DNS rebinding) does not."""
        host = (self.headers.get("Host") or "").rsplit(":", 1)[0]
        if host in _HOSTS:
            return True
        self._fail(HTTPStatus.FORBIDDEN, "this page is for this computer only")
        return False

    def _fail(self, status: HTTPStatus, message: str) -> None:
        self._send(json.dumps({"error": message}).encode(), "application/json", status)

    def _send(self, body: bytes, content_type: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{content_type}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", _POLICY)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing: the terminal belongs to the user."""


class DashboardServer(ThreadingHTTPServer):
    """Listens on this computer only. Port 0 takes any free one; `url` says which."""

    daemon_threads = True

    def __init__(self, store: RunStore, port: int) -> None:
        try:
            super().__init__(("127.0.0.1", port), partial(Handler, store))
        except (OSError, OverflowError) as error:
            raise ProfileError(
                f"port {port} cannot be used: {error}",
                where="--port",
                remedy="choose another, or 0 for any free one",
            ) from error

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away is no fault."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"
