"""Every option, typed, in one place: from the environment, from pyproject.toml, or its default."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from tilesmith.errors import SettingsError

Checks = Literal["on", "off"]
Numbers = Literal["chip", "fast"]
VerifyIR = Literal["start", "ends", "each"]
Clock = Literal["on", "off"]
Bar = Literal["auto", "on", "off"]
Verbosity = Literal["quiet", "normal", "verbose"]

_TABLE = "tool.tilesmith"


def _one_of(*allowed: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}")
        return text

    return parse


def _integer_from(least: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        try:
            value = int(text, 0)
        except ValueError:
            raise ValueError("a whole number") from None
        if value < least:
            raise ValueError(f"a whole number from {least} up")
        return value

    return parse


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError("a number of seconds") from None
    if not 0 < value < 86400:
        raise ValueError("a number of seconds above 0 and below a day")
    return value


def _seconds_or_none(text: str) -> float:
    return 0.0 if text.strip() == "0" else _seconds(text)


def _directory(text: str) -> Path:
    if not text.strip():
        raise ValueError("a directory")
    return Path(text).expanduser().absolute()


def _default_cache_dir() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        return base.expanduser().absolute() / "tilesmith"
    except RuntimeError:  # an account without a home, as in some containers
        return Path(tempfile.gettempdir()) / f"tilesmith-{os.getuid()}"


def _setting(default: Any, parse: Callable[[str], Any], help: str) -> Any:
    metadata = {"parse": parse, "help": help}
    if callable(default):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Settings:
    """All settings. Field `name` is set by the environment variable TILESMITH_NAME."""

    arch: str = _setting("wormhole", str, "chip or board the emulator stands for when none is named")
    checks: Checks = _setting("on", _one_of("on", "off"), "on finds broken rules in kernels, off runs faster")
    numbers: Numbers = _setting(
        "chip", _one_of("chip", "fast"), "chip rounds as the hardware does, fast uses plain float32"
    )
    clock: Clock = _setting(
        "on", _one_of("on", "off"), "off keeps no virtual time: runs report 0 cycles, and go a little faster"
    )
    seed: int = _setting(0, _integer_from(0), "order in which equally ready roles run; 0 is the likely order")
    step_limit: int = _setting(
        2_000_000_000, _integer_from(1), "API calls after which a kernel counts as never ending"
    )
    threads: int = _setting(
        0,
        _integer_from(0),
        "threads that share the emulator's arithmetic, for the time and nothing else; 0: one for each core",
    )
    stuck_seconds: float = _setting(
        10.0,
        _seconds,
        "seconds a kernel may compute without calling anything before it counts as never ending",
    )
    suppress: tuple[str, ...] = _setting(
        (), _names, "findings to leave out, with commas between: check, check@file or check@file:line"
    )
    cache_dir: Path = _setting(_default_cache_dir, _directory, "where compiled kernels are kept")
    runs_dir: Path | None = _setting(
        None, _directory, "where runs are kept; empty: .tilesmith of the project around the current folder"
    )
    cxx: str = _setting("", str, "C++20 compiler to use, with leading options if any; empty: look for one")
    verify_ir: VerifyIR = _setting(
        "start",
        _one_of("start", "ends", "each"),
        "when the compiler's IR is verified: before the first pass, after the last too, or after each",
    )
    ttnn_wheel: str = _setting(
        "", str, "an unpacked ttnn wheel whose names `tilesmith op new --cpp` checks against; empty: no check"
    )
    compile_jobs: int = _setting(2, _integer_from(1), "compiler processes running at the same time")
    kernel_optimization: str = _setting(
        "2",
        _one_of("0", "1", "2", "3"),
        "the compiler's -O for kernels; 0 is quickest for one that runs once",
    )
    progress: Bar = _setting(
        "auto",
        _one_of("auto", "on", "off"),
        "a bar for what takes more than two seconds; auto shows it on terminals",
    )
    advice_seconds: float = _setting(
        10.0,
        _seconds_or_none,
        "seconds a report may take to try settings that could make a program faster; 0 tries none",
    )
    verbosity: Verbosity = _setting(
        "normal",
        _one_of("quiet", "normal", "verbose"),
        "quiet leaves out what is told on the way, verbose adds every compilation and the place of an error",
    )

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str] = os.environ, project: Mapping[str, Any] | None = None
    ) -> Settings:
        """Every TILESMITH_* variable over the values of `project`; an unknown variable is an error."""
        known = {variable(option.name): option.name for option in fields(cls)}
        values: dict[str, Any] = dict(project or {})
        for name, text in environment.items():
            if not name.startswith("TILESMITH_"):
                continue
            if name not in known:
                raise SettingsError(
                    f"{name} is not a setting",
                    where="environment",
                    remedy=f"known settings: {', '.join(known)}",
                )
            values[known[name]] = _parsed(known[name], text, name, "environment")
        return cls(**values)


def _parsed(option: str, text: str, shown: str, where: str) -> Any:
    parse = next(field.metadata["parse"] for field in fields(Settings) if field.name == option)
    try:
        return parse(text)
    except ValueError as expected:
        raise SettingsError(f"{shown} is {text!r}", where=where, remedy=f"it must be {expected}") from None


# ---- pyproject.toml ----


def project_file() -> Path | None:
    """The nearest pyproject.toml from the current directory upwards that has a [tool.tilesmith]."""
    return _project(_directory_of_process())[0]


def _directory_of_process() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # it was removed
        return ""


@lru_cache(maxsize=16)
def _project(directory: str) -> tuple[Path | None, Mapping[str, Any]]:
    """The file, and the settings in it. Read once: a process does not change its settings half-way."""
    if not directory:
        return None, {}
    for folder in (Path(directory), *Path(directory).parents):
        path = folder / "pyproject.toml"
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if f"[{_TABLE}]" in text:
            return path, _from_toml(text, path)
    return None, {}


def _from_toml(text: str, path: Path) -> dict[str, Any]:
    import tomllib

    try:
        table = tomllib.loads(text)["tool"]["tilesmith"]
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as problem:
        raise SettingsError(
            f"the settings in {path.name} cannot be read: {problem}",
            where=str(path),
            remedy=f'write [{_TABLE}] and below it lines such as checks = "off"',
        ) from None
    known = {option.name for option in fields(Settings)}
    values = {}
    for key, value in table.items():
        option = key.replace("-", "_")
        if option not in known:
            raise SettingsError(
                f"[{_TABLE}] has {key}, which is not a setting",
                where=str(path),
                remedy=f"known settings: {', '.join(sorted(known))}",
            )
        values[option] = _parsed(option, _as_text(option, value, path), f"{key} of [{_TABLE}]", str(path))
    return values


def _as_text(option: str, value: object, path: Path) -> str:
    """As the environment would say it; a directory is meant from where the file lies."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list):
        return ",".join(map(str, value))
    if option == "cache_dir" and value:
        return str(path.parent / Path(str(value)).expanduser())
    return str(value)


# ---- what is in force ----


def variable(option: str) -> str:
    """The environment variable of a setting."""
    return f"TILESMITH_{option.upper()}"


def described() -> list[tuple[str, str, str]]:
    """(variable, default, help) of every setting, for `tilesmith doctor` and the docs."""
    defaults = Settings()
    return [
        (variable(f.name), _shown(getattr(defaults, f.name)), f.metadata["help"]) for f in fields(Settings)
    ]


def _shown(value: object) -> str:
    if value is None:
        return ""
    return ",".join(value) if isinstance(value, tuple) else str(value)


# The default cache directory depends on the last two.
_VARIABLES = (*(variable(option.name) for option in fields(Settings)), "XDG_CACHE_HOME", "HOME")
_override: ContextVar[Settings | None] = ContextVar("tilesmith_settings", default=None)


def current() -> Settings:
    """The settings in force: of the innermost `using`, else of the environment over those of the project."""
    return _override.get() or _in_force(tuple(map(os.environ.get, _VARIABLES)), _directory_of_process())


@lru_cache(maxsize=8)
def _in_force(_values: tuple[str | None, ...], directory: str) -> Settings:
    """Every launch asks for the settings: they are read again only when a variable has changed."""
    return Settings.from_environment(os.environ, _project(directory)[1])


def origins() -> dict[str, str]:
    """Where the value of each setting comes from: using(...), a variable, a file, or the default."""
    path, project = _project(_directory_of_process())
    plain = _in_force(tuple(map(os.environ.get, _VARIABLES)), _directory_of_process())
    now = current()

    def origin(option: str) -> str:
        if getattr(now, option) != getattr(plain, option):
            return "using(...)"
        if variable(option) in os.environ:
            return variable(option)
        return str(path) if option in project else "default"

    return {option.name: origin(option.name) for option in fields(Settings)}


@contextmanager
def using(**changes: Any) -> Iterator[Settings]:
    """Change settings for a block: `with using(checks="off"): ...`."""
    unknown = changes.keys() - {option.name for option in fields(Settings)}
    if unknown:
        raise SettingsError(f"{', '.join(sorted(unknown))} is not a setting", where="using(...)")
    if isinstance(changes.get("suppress"), str):
        changes["suppress"] = _names(changes["suppress"])
    token = _override.set(replace(current(), **changes))
    try:
        yield current()
    finally:
        _override.reset(token)
