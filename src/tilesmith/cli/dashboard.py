"""`tilesmith dashboard`: the web page over saved profiles."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from tilesmith.errors import ProfileError

_APP = Path(__file__).parents[1] / "dashboard" / "app.py"


def dashboard_command(folder: Path, port: int) -> list[str]:
    """The command that serves the page on this computer only."""
    missing = [name for name in ("streamlit", "plotly") if find_spec(name) is None]
    if missing:
        raise ProfileError(
            f"the dashboard needs {' and '.join(missing)}", remedy="pip install 'tilesmith[dashboard]'"
        )
    server = ["--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"]
    quiet = ["--browser.gatherUsageStats", "false", "--client.toolbarMode", "viewer"]
    return [sys.executable, "-m", "streamlit", "run", str(_APP), *server, *quiet, "--", str(folder)]


def serve(folder: Path, port: int) -> NoReturn:
    """This process becomes the server, so that whoever stops the one stops the other."""
    command = dashboard_command(folder, port)
    print(f"profiles of {folder} at http://127.0.0.1:{port}", flush=True)
    os.execv(command[0], command)
