"""Writing the files of an exported project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from tilesmith.errors import BadCallError
from tilesmith.export import cpp, script
from tilesmith.export.plan import ExportPlan, plan_of
from tilesmith.recording import Recording
from tilesmith.runtime.ttnn_releases import COMPUTE_HEADERS, RENAMED, TESTED

_TEXTS = {
    "README.md": "README.md.j2",
    "CMakeLists.txt": "CMakeLists.txt.j2",
    "host.cpp": "host.cpp.j2",
    "run_ttnn.py": "run_ttnn.py.j2",
}


def write_project(recording: Recording, folder: Path) -> list[Path]:
    """Write a tt-metal project and a ttnn script that do what was recorded; returns the files."""
    if not recording.launches:
        raise BadCallError(
            f"{recording.title} launched no program", remedy="export something that runs on a device"
        )
    plan = plan_of(recording)
    files: dict[str, str | bytes] = {name: _rendered(plan, template) for name, template in _TEXTS.items()}
    files |= {f"kernels/{name}": text for name, text in plan.sources.items()}
    files |= {f"data/{name}": content for name, content in plan.data.items()}
    return [_written(folder / name, content) for name, content in files.items()]


def _rendered(plan: ExportPlan, template: str) -> str:
    environment = Environment(
        loader=PackageLoader("tilesmith.export"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    filters: Mapping[str, Any] = cpp.FILTERS if template.startswith("host") else script.FILTERS
    environment.filters.update(filters)
    return environment.get_template(template).render(
        plan=plan, tested=" and ".join(TESTED), renamed=RENAMED, headers=COMPUTE_HEADERS.as_posix()
    )


def _written(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
