"""What `import tilesmith` offers: each name says what it is for and shows it, and nothing else is offered."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import tilesmith

API = Path(__file__).parents[2] / "docs" / "api"


@pytest.mark.parametrize("name", tilesmith.__all__)
def test_a_name_is_explained_and_shown(name: str) -> None:
    found = getattr(tilesmith, name)
    kind = found if isinstance(found, type) else type(found)
    told = found.__doc__ if not isinstance(found, type) else vars(found).get("__doc__")
    text = inspect.cleandoc(told or vars(kind).get("__doc__") or "")
    assert text
    assert not text.startswith(("CustomOpDef is", f"{name}("))
    assert ">>> " in text


def test_dir_offers_what_is_public() -> None:
    offered = [name for name in dir(tilesmith) if not name.startswith("__")]
    assert set(tilesmith.__all__) <= set(offered)
    assert not {"Any", "TYPE_CHECKING", "annotations", "import_module", "moved_modules"} & set(offered)
    assert all(hasattr(tilesmith, name) for name in offered)


def test_every_name_is_on_a_page_of_the_api() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in sorted(API.glob("*.md")))
    lines = {line.strip() for line in text.splitlines()}
    assert not [name for name in tilesmith.__all__ if f"::: tilesmith.{name}" not in lines]


def test_importing_is_quick_and_loads_little() -> None:
    code = (
        "import sys, tilesmith\nprint(sorted({'numpy', 'torch', 'typer', 'rich', 'xdsl'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
