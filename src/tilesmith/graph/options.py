"""What a user may choose when a model is compiled."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from tilesmith.errors import SettingsError

Level = Literal["O0", "O1", "O2", "O3"]
Precision = Literal["bfloat16", "float32"]


@dataclass(frozen=True)
class ModelOptions:
    """`checks` and `numbers` are those of the emulator; left out, the settings decide.

    >>> ModelOptions.of({"optimization_level": "O1"}).fuses
    True
    """

    optimization_level: Level = "O2"
    target: str = ""
    precision: Precision = "bfloat16"
    checks: Literal["on", "off", ""] = ""
    numbers: Literal["chip", "fast", ""] = ""
    fidelity: str = "HiFi4"

    @staticmethod
    def of(given: dict[str, Any]) -> ModelOptions:
        """Options from keywords; one that is unknown or means nothing is an error."""
        known = {field.name: field for field in fields(ModelOptions)}
        for name, value in given.items():
            if name not in known:
                _refuse(f"{name} is not an option", f"known options: {', '.join(known)}")
            allowed = _ALLOWED.get(name)
            if allowed is not None and value not in allowed:
                _refuse(f"{name} is {value!r}", f"choose one of: {', '.join(filter(None, allowed))}")
        return ModelOptions(**given)

    @property
    def level(self) -> int:
        return int(self.optimization_level[1])

    @property
    def folds(self) -> bool:
        return self.level >= 1

    @property
    def fuses(self) -> bool:
        return self.level >= 1

    @property
    def places(self) -> bool:
        """Whether what kernels hand to each other stays in L1."""
        return self.level >= 2


_ALLOWED: dict[str, tuple[str, ...]] = {
    "optimization_level": get_args(Level),
    "precision": get_args(Precision),
    "checks": ("on", "off", ""),
    "numbers": ("chip", "fast", ""),
}


def _refuse(what: str, remedy: str) -> None:
    raise SettingsError(what, where="options of compile", remedy=remedy)
