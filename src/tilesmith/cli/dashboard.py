"""`tilesmith dashboard`: the web page over the runs of a project."""

from __future__ import annotations

from pathlib import Path

from tilesmith.dashboard.folder import FolderStore
from tilesmith.dashboard.server import DashboardServer
from tilesmith.errors import ProfileError
from tilesmith.profiling.runs.store import RunStore


def store_of(folder: Path | None) -> RunStore:
    """The runs to show: of this project, of a store's folder, or the profiles saved below a folder."""
    if folder is None:
        return RunStore()
    if not folder.is_dir():
        raise ProfileError(
            f"there is no folder {folder}",
            where="tilesmith dashboard",
            remedy="leave it out for the runs of this project, or name a folder of saved profiles",
        )
    for candidate in (folder, folder / ".tilesmith"):
        if (candidate / "runs.sqlite").is_file():
            return RunStore(candidate)
    store = FolderStore(folder)
    store.follow()
    return store


def serve(folder: Path | None, port: int) -> None:
    """Until it is interrupted."""
    server = DashboardServer(store_of(folder), port)
    print(f"runs at {server.url}; Ctrl-C ends it", flush=True)
    try:
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
