"""`tilesmith init`: a folder with code, a test and a notebook that run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import PathFinder
from keyword import iskeyword
from pathlib import Path
from typing import Any

from tilesmith.errors import CommandLineError, ScriptError

_TEMPLATES = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class Template:
    """A start for one kind of work, and what it needs installed."""

    folder: str
    distribution: str


TEMPLATES = {
    "metal": Template("metal", "`pip install tilesmith pytest`"),
    "tilelang": Template("tilelang", "`pip install 'tilesmith[tilelang]' pytest`"),
    "model": Template("model", "`pip install 'tilesmith[tilelang]' pytest`"),
    "op": Template("op", "`pip install 'tilesmith[torch]' pytest`"),
}


def chosen(kernel: str | None, model: bool, op: bool) -> str:
    """The template that the options name; C++ kernels if they name none."""
    asked = [name for name, wanted in ((kernel, kernel), ("model", model), ("op", op)) if wanted]
    if len(asked) > 1 or (kernel and kernel not in ("metal", "tilelang")):
        raise CommandLineError(
            f"tilesmith init cannot start with {' and '.join(map(str, asked))}",
            remedy="give one of --kernel metal, --kernel tilelang, --model, --op",
        )
    return str(asked[0]) if asked else "metal"


def init(folder: Path, template: Template) -> list[Path]:
    """Write the files of a new project; its name is that of the folder."""
    name = folder.name
    if not name.isidentifier() or not name.isascii():
        raise ScriptError(
            f"{name!r} cannot be the name of a Python module",
            remedy="use letters, digits and _, with a letter first: tilesmith init hello",
        )
    if taken := _taken(name):
        raise ScriptError(f"{name} is {taken}", remedy="choose another name: tilesmith init hello")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ScriptError(f"{folder} is there already", remedy="name a new folder, or empty this one")
    written = []
    for relative, text in _files(template):
        path = folder / relative.replace("NAME", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = text.replace("NAME", name).replace("DISTRIBUTION", template.distribution)
        path.write_text(_notebook(text) if path.suffix == ".ipynb" else text, encoding="utf-8")
        written.append(path)
    return written


def _taken(name: str) -> str:
    """What else a module of this name would be: its own test could not import it."""
    if iskeyword(name):
        return "a word of Python's"
    if name in sys.stdlib_module_names:
        return "a module of Python's"
    # Found where packages are installed, not in the folder that the new one goes to.
    return (
        f"an installed package, {found.origin}" if (found := PathFinder.find_spec(name, _installed())) else ""
    )


def _installed() -> list[str]:
    return [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]


def _files(template: Template) -> Iterator[tuple[str, str]]:
    """Where each file goes, and its text. They end in .txt here, so that nothing takes them for ours."""
    own = _TEMPLATES / template.folder
    for root, paths in ((own, own.rglob("*.txt")), (_TEMPLATES, _TEMPLATES.glob("*.txt"))):
        for path in sorted(paths):
            yield str(path.relative_to(root)).removesuffix(".txt"), path.read_text(encoding="utf-8")


def _notebook(script: str) -> str:
    """A notebook from cells with `# %%` between them."""
    cells = [_cell(text, number) for number, text in enumerate(script.split("# %%")[1:])]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1) + "\n"


def _cell(text: str, number: int) -> dict[str, Any]:
    head, _, body = text.partition("\n")
    lines = body.strip("\n").splitlines(keepends=True)
    shared = {"id": f"cell-{number}", "metadata": {}}
    if "[markdown]" in head:
        return {"cell_type": "markdown", "source": [line.removeprefix("# ") for line in lines], **shared}
    return {"cell_type": "code", "source": lines, "execution_count": None, "outputs": [], **shared}
