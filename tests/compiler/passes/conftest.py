"""Golden files: what a pass or the code generator printed when somebody last looked at it and agreed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Golden = Callable[..., None]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """`golden(text)` compares with the file named after the test; `golden(text, "cpp")` says what it is."""
    name = request.node.name.removeprefix("test_").replace("[", "-").replace("]", "")
    folder = Path(request.node.path).parent / "golden" / Path(request.node.path).stem.removeprefix("test_")
    update: bool = request.config.getoption("--update-golden")

    def compare(text: str, kind: str = "mlir") -> None:
        path = folder / f"{name}.{kind}"
        text = text.rstrip("\n") + "\n"
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path.name} is not there yet: run pytest --update-golden and read it"
        assert text == path.read_text(encoding="utf-8"), "if this is meant: pytest --update-golden"

    return compare
