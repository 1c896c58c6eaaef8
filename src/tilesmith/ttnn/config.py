"""ttnn.CONFIG: settings of ttnn's Python layer. They can be set and read; they change nothing here."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from tempfile import gettempdir
from typing import Any


@dataclass
class _Fields:
    cache_path: Path = field(default_factory=lambda: Path.home() / ".cache/ttnn")
    model_cache_path: Path = field(default_factory=lambda: Path.home() / ".cache/ttnn/models")
    tmp_dir: Path = Path(gettempdir()) / "ttnn"
    enable_model_cache: bool = False
    enable_fast_runtime_mode: bool = True
    validate_program_args: bool = False
    throw_exception_on_fallback: bool = False
    enable_logging: bool = False
    enable_graph_report: bool = False
    enable_graph_python_stack_traces: bool = False
    enable_detailed_buffer_report: bool = False
    enable_detailed_tensor_report: bool = False
    enable_comparison_mode: bool = False
    comparison_mode_should_raise_exception: bool = False
    comparison_mode_pcc: float = 0.9999
    root_report_path: Path = Path("generated/ttnn/reports")
    report_name: str | None = None


class Config(_Fields):
    """ttnn.Config; made from another it is a copy.

    >>> copied = Config(Config())
    >>> copied.enable_fast_runtime_mode, copied.report_path is None
    (True, True)
    """

    def __init__(self, other: Config | None = None) -> None:
        given = {} if other is None else {one.name: getattr(other, one.name) for one in fields(other)}
        super().__init__(**given)

    @property
    def report_path(self) -> Path | None:
        return None if self.report_name is None else self.root_report_path / self.report_name


CONFIG = Config()
CONFIG_PATH = Path(os.environ["TTNN_CONFIG_PATH"]) if "TTNN_CONFIG_PATH" in os.environ else None
CONFIG_OVERRIDES = os.environ.get("TTNN_CONFIG_OVERRIDES")


def load_config_from_dictionary(
    config: Mapping[str, Any],
    from_file: bool = False,  # noqa: ARG001 - ttnn's argument
) -> None:
    """Set what the dictionary names."""
    current = _current()
    for name, value in config.items():
        if not hasattr(current, name):
            raise ValueError(f"Unknown configuration key: {name}")
        old = getattr(current, name)
        setattr(current, name, value if old is None else type(old)(value))


def load_config_from_json_file(json_path: str | Path) -> None:
    load_config_from_dictionary(json.loads(Path(json_path).read_text(encoding="utf-8")), from_file=True)


@contextmanager
def manage_config(name: str, value: Any) -> Iterator[None]:
    """A setting for the length of a block."""
    current = _current()
    old = getattr(current, name)
    setattr(current, name, value)
    try:
        yield
    finally:
        setattr(_current(), name, old)


def _current() -> Config:
    """ttnn.CONFIG may have been replaced."""
    from tilesmith import ttnn

    current: Config = ttnn.CONFIG
    return current
