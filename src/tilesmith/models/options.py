"""What a user may choose when a model is compiled."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from tilesmith.errors import SettingsError
from tilesmith.program import MathFidelity

Level = Literal["O0", "O1", "O2", "O3"]
Algorithm = Literal["direct", "winograd2", "winograd4", "auto"]
Precision = Literal["bfloat16", "float32", "float16", "int8"]
Approximation = Literal["", "none", "safe", "bfloat16", "fast"]
BlockFloat = Literal["", "bfloat8_b", "bfloat4_b"]


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
    convolution: Algorithm = "direct"
    """Of 3x3 windows: direct, Winograd's F(2x2) or F(4x4), or what should be fastest."""
    weights: BlockFloat = ""
    """How weights of products lie on the device, if not in bfloat16."""
    activations: BlockFloat = ""
    """How what kernels hand to each other lies, where all of them read whole tiles."""
    approximate: Approximation = ""
    """What may be less than exact: nothing ("none", the default), vector functions and sums in products and
    attention that no mask meets ("safe"), sums and products in all kernels, which the matrix unit then rounds
    ("bfloat16"), or vector functions in all of them too ("fast")."""
    cache: BlockFloat = ""
    """How keys and values of earlier tokens lie, if not in bfloat16."""
    accuracy: float = 0.99
    """At O3: how the model's results must at least correlate with torch's in lower precision."""
    candidates: int = 4
    """At O3: how many schedules of a kernel are timed."""
    schedules: str = ""
    """A file that `tilesmith tune --out` wrote: from O2 on its schedules go before those of the estimate."""

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
            if name in _AT_LEAST and not (isinstance(value, int | float) and value >= _AT_LEAST[name]):
                _refuse(f"{name} is {value!r}", f"it must be a number from {_AT_LEAST[name]} up")
            if name == "accuracy" and not (isinstance(value, int | float) and 0.5 <= value <= 1):
                _refuse(f"accuracy is {value!r}", "it is a correlation, not an error: a number from 0.5 to 1")
        return ModelOptions(**given)

    @property
    def stored(self) -> str:
        """The dtype of values between kernels; with int8, what is quantised is so only for its product.

        >>> ModelOptions(precision="int8").stored
        'bfloat16'
        """
        return "bfloat16" if self.precision == "int8" else self.precision

    @property
    def approximation(self) -> str:
        """What may be less than exact in a kernel of which the plan says nothing else.

        >>> ModelOptions().approximation, ModelOptions(approximate="fast").approximation
        ('none', 'fast')
        """
        return "none" if self.approximate == "safe" else self.approximate or "none"

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
        """Whether what kernels hand to each other stays in L1, and blocks fit the sizes at hand."""
        return self.level >= 2

    @property
    def tunes(self) -> bool:
        """Whether blocks are timed, and precision is lowered where the results allow it."""
        return self.level >= 3


_ALLOWED: dict[str, tuple[str, ...]] = {
    "optimization_level": get_args(Level),
    "precision": get_args(Precision),
    "convolution": get_args(Algorithm),
    "checks": ("on", "off", ""),
    "numbers": ("chip", "fast", ""),
    "weights": get_args(BlockFloat),
    "activations": get_args(BlockFloat),
    "approximate": get_args(Approximation),
    "cache": get_args(BlockFloat),
    "fidelity": tuple(MathFidelity.__members__),
}

_AT_LEAST = {"candidates": 1}


def _refuse(what: str, remedy: str) -> None:
    raise SettingsError(what, where="options of compile", remedy=remedy)
