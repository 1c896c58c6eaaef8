"""What the author of a TileLang kernel can set: blocks, num_stages, formats of tensors, fidelity."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, bf16, i64

from tilesmith import settings
from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.walk import walk
from tilesmith.errors import TilesmithError
from tilesmith.profiling.advice import Candidate, Trial

if TYPE_CHECKING:
    from tilesmith.compiler.compile import CompiledKernel
    from tilesmith.compiler.signature import Call

_BLOCK = re.compile(r"block|^b[mnk]$", re.IGNORECASE)
_STAGES = re.compile(r"stages", re.IGNORECASE)
_TILE = 32
_ALIKE = 0.05  # relative L2 error up to which two ways to cut a kernel compute the same
_CHEAPER = {"HiFi4": "HiFi2", "HiFi3": "HiFi2", "HiFi2": "LoFi"}


class Maker:
    """A function that makes a kernel, and the arguments it was called with."""

    def __init__(self, function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
        self._function = function
        self.arguments = dict(arguments)

    def kernel_with(self, changes: Mapping[str, Any]) -> Any:
        """The prim_func for the same arguments but for some."""
        return self._function(**{**self.arguments, **_hashable(changes)})

    def changed(self, changes: Mapping[str, Any]) -> Maker:
        return Maker(self._function, {**self.arguments, **_hashable(changes)})


def _hashable(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Blocks come from JSON as lists."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in changes.items()}


class KernelTrial(Trial):
    """A kernel and a call of it. Trials are kernels of their own: the user's tensors stay as they are."""

    reader: ClassVar[str] = "tilelang"

    def __init__(self, kernel: CompiledKernel, call: Call) -> None:
        self.subject = kernel.signature.kernel
        self._kernel = kernel
        self._call = call

    @property
    def key(self) -> Hashable:
        return id(self._kernel), tuple(sorted(self._call.symbols.items()))

    def predicted_us(self) -> float:
        return self._kernel.varied({}).predicted_us(self._call)

    def candidates(self) -> Iterator[Candidate]:
        yield from self._blocks()
        yield from self._stages()
        yield from self._fidelity()
        yield from self._formats()

    def confirmed(self, candidate: Candidate) -> bool:
        """Other blocks must give the same results: a kernel may rely on the ones it has."""
        if "arguments" not in candidate.settings:
            return True
        with settings.using(numbers="fast"):
            try:
                before = self._kernel.varied({}).results(self._call)
                after = self._kernel.varied(candidate.settings).results(self._call)
            except TilesmithError:
                return False
        return all(_distance(before[name], after[name]) <= _ALIKE for name in before)

    def _blocks(self) -> Iterator[Candidate]:
        arguments = self._kernel.maker.arguments if self._kernel.maker else {}
        for name, value in arguments.items():
            if _BLOCK.search(name):
                for other in _other_blocks(value):
                    plain = list(other) if isinstance(other, tuple) else other  # as JSON has it
                    yield self._candidate(f"{name}={other}", {"arguments": {name: plain}})

    def _stages(self) -> Iterator[Candidate]:
        """Through the argument that holds them, if there is one, else in the kernel's loops."""
        arguments = self._kernel.maker.arguments if self._kernel.maker else {}
        named = [name for name, value in arguments.items() if _STAGES.search(name) and isinstance(value, int)]
        now = max(stages_of(self._kernel.imported), default=0)
        for stages in (now + 1, now + 2) if now else ():
            changes: dict[str, Any] = {"arguments": {named[0]: stages}} if named else {"num_stages": stages}
            code = f"{named[0]}={stages}" if named else f"T.Pipelined(..., num_stages={stages})"
            yield self._candidate(code, changes)

    def _fidelity(self) -> Iterator[Candidate]:
        cheaper = _CHEAPER.get(self._kernel.choices.fidelity, "")
        if cheaper and any(isinstance(op, tile.GemmOp) for op in _walk(self._kernel.imported)):
            caution = "fewer passes see fewer bits of the operands: compare the results"
            yield self._candidate(f'compile(..., fidelity="{cheaper}")', {"fidelity": cheaper}, caution)

    def _formats(self) -> Iterator[Candidate]:
        chosen = self._kernel.choices.format_of
        for name, tensor in self._kernel.signature.tensors.items():
            if tensor.element == bf16 and not tensor.is_written and name not in chosen:
                code = f'compile(..., formats={{"{name}": "Bfp8_b"}})'
                caution = f"{name} is rounded to 8 bits: compare the results"
                yield self._candidate(code, {"formats": {name: "Bfp8_b"}}, caution)

    def _candidate(self, code: str, changes: dict[str, Any], caution: str = "") -> Candidate:
        def predicted() -> float:
            return self._kernel.varied(changes).predicted_us(self._call)

        return Candidate(code, changes, predicted, caution)


def _other_blocks(value: Any) -> Iterator[Any]:
    """A block twice or half as large in one direction, or twice in all; whole tiles only.

    >>> list(_other_blocks(64)), list(_other_blocks((32, 64)))
    ([128, 32], [(64, 128), (64, 64), (32, 128), (32, 32)])
    """
    if isinstance(value, int) and not isinstance(value, bool):
        yield from (size for size in (2 * value, value // 2) if size >= _TILE and size % _TILE == 0)
    elif isinstance(value, tuple) and all(isinstance(size, int) for size in value):
        if len(value) > 1:
            yield tuple(2 * size for size in value)
        for place, size in enumerate(value):
            for other in _other_blocks(size):
                yield (*value[:place], other, *value[place + 1 :])


def _walk(modules: Sequence[ModuleOp]) -> Iterator[Any]:
    for module in modules:
        yield from walk(module)


def _pipelined(modules: Sequence[ModuleOp]) -> Iterator[scf.ForOp]:
    for op in _walk(modules):
        if isinstance(op, scf.ForOp) and "num_stages" in op.attributes:
            yield op


def stages_of(modules: Sequence[ModuleOp]) -> list[int]:
    """The num_stages of every pipelined loop."""
    found = (op.attributes["num_stages"] for op in _pipelined(modules))
    return [stages.value.data for stages in found if isinstance(stages, IntegerAttr)]


def with_stages(modules: Sequence[ModuleOp], stages: int) -> tuple[ModuleOp, ...]:
    """Copies whose pipelined loops have so many stages."""
    copies = tuple(module.clone() for module in modules)
    for loop in _pipelined(copies):
        loop.attributes["num_stages"] = IntegerAttr(stages, i64)
    return copies


def _distance(before: Any, after: Any) -> float:
    a, b = np.asarray(before, np.float64), np.asarray(after, np.float64)
    if a.shape != b.shape:
        return np.inf
    norm = float(np.linalg.norm(a))
    return float(np.linalg.norm(a - b)) / norm if norm else float(np.linalg.norm(b))
