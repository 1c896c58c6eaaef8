"""What the user of a model can set: the level, precision, how weights and activations lie, fidelity."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import torch

from tilesmith.kernels.convolution import Convolution
from tilesmith.kernels.linear import Linear
from tilesmith.models.executable import ONE_AT_A_TIME, Executable
from tilesmith.models.executable_cache import signature
from tilesmith.models.options import ModelOptions
from tilesmith.models.planning.steps import Launch
from tilesmith.profiling.advice import Candidate, Trial

_EIGHT_BITS = "values are rounded to 8 bits: compare the results"


class ModelTrial(Trial):
    """A call of a model: its name, options, inputs, and what compiles it anew with other options."""

    reader: ClassVar[str] = "model"

    def __init__(
        self,
        name: str,
        options: ModelOptions,
        compiled: Callable[[ModelOptions], Executable],
        executable: Executable,
        inputs: Sequence[Any],
    ) -> None:
        self.subject = name
        self._options = options
        self._compiled = compiled
        self._executable = executable
        self._inputs = inputs

    @property
    def key(self) -> Hashable:
        return id(self._executable), signature(self._inputs)

    def predicted_us(self) -> float:
        return self._time({})

    def candidates(self) -> Iterator[Candidate]:
        """Cheap trials first: O3 runs the model several times."""
        options = self._options
        if options.level < 2:
            yield self._candidate({"optimization_level": "O2"})
        if options.precision in ("float32", "float16"):
            caution = "values are kept in bfloat16: compare the results"
            yield self._candidate({"precision": "bfloat16"}, caution)
        if self._has(Linear, Convolution):
            yield from self._products()
        if not options.activations and options.precision == "bfloat16":
            yield self._candidate({"activations": "bfloat8_b"}, _EIGHT_BITS)
        if options.convolution == "direct" and self._has(Convolution):
            yield self._candidate(
                {"convolution": "auto"}, "Winograd's forms round otherwise: compare the results"
            )
        if options.level < 3 and options.precision == "bfloat16":
            caution = f"results correlate at least as accuracy={options.accuracy} says, which you can set"
            yield self._candidate({"optimization_level": "O3"}, caution)

    def _products(self) -> Iterator[Candidate]:
        options = self._options
        narrow = {} if options.weights else {"weights": "bfloat8_b"}
        if narrow and options.precision == "bfloat16":
            yield self._candidate(narrow, _EIGHT_BITS)
        if options.fidelity in ("HiFi4", "HiFi3"):
            caution = "fewer passes see fewer bits of the operands: compare the results"
            yield self._candidate({"fidelity": "HiFi2"}, caution)
            if narrow and options.precision == "bfloat16":
                yield self._candidate({**narrow, "fidelity": "HiFi2"}, _EIGHT_BITS)
        if options.precision == "bfloat16":
            yield self._candidate({"precision": "int8"}, "products are quantised: compare the results")

    def _has(self, *templates: type) -> bool:
        plan = getattr(self._executable, "plan", None)
        steps = plan.steps if plan is not None else ()
        return any(isinstance(step, Launch) and isinstance(step.template, templates) for step in steps)

    def _candidate(self, changes: dict[str, Any], caution: str = "") -> Candidate:
        code = ", ".join(f'{name}="{value}"' for name, value in changes.items())
        return Candidate(f"compile(..., {code})", changes, lambda: self._time(changes), caution)

    def _time(self, changes: dict[str, Any]) -> float:
        """Of the model compiled anew: what the user has on the device stays as it is."""
        from tilesmith.models.backends.tenstorrent import TenstorrentExecutable

        with torch.no_grad(), ONE_AT_A_TIME:
            executable = self._compiled(replace(self._options, **changes))
        assert isinstance(executable, TenstorrentExecutable)
        return executable.predicted_us(self._inputs)
