"""Two sets of tensors, bit by bit and by error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilesmith.errors import ProgramError
from tilesmith.runtime.buffer import Bytes
from tilesmith.runtime.pages import values_of
from tilesmith.runtime.tensor_spec import TensorSpec
from tilesmith.testing.compare import Comparison, Tolerance, compare

# A result may pass through a few tensors of its own format on the way: what each of them costs is allowed.
ROUNDINGS = 2


@dataclass(frozen=True)
class Stored:
    """A tensor's pages."""

    spec: TensorSpec
    pages: Bytes

    @property
    def values(self) -> NDArray[np.float64]:
        return np.asarray(values_of(self.pages, self.spec), np.float64)


@dataclass(frozen=True)
class TensorVerdict:
    """`differing` counts elements that are not the same number (or not both NaN)."""

    number: int
    spec: TensorSpec
    elements: int
    differing: int
    first: tuple[int, ...] | None
    comparison: Comparison

    @property
    def same_bits(self) -> bool:
        return self.differing == 0

    @property
    def ok(self) -> bool:
        return self.same_bits or self.comparison.ok

    def __str__(self) -> str:
        name = f"tensor {self.number} {list(self.spec.shape)} {self.spec.dtype.name}"
        if self.same_bits:
            return f"{name}: the same bits in all {self.elements} elements"
        share = 100 * self.differing / self.elements
        verdict = "within the tolerance" if self.comparison.ok else "OUTSIDE THE TOLERANCE"
        return (
            f"{name}: {self.differing} of {self.elements} elements differ ({share:.2f} %),"
            f" first at {self.first}; {verdict}: {self.comparison}"
        )


@dataclass(frozen=True)
class Verdict:
    """What a workload gave on two targets."""

    title: str
    first: str
    second: str
    tensors: tuple[TensorVerdict, ...]

    @property
    def same_bits(self) -> bool:
        return all(one.same_bits for one in self.tensors)

    @property
    def ok(self) -> bool:
        return all(one.ok for one in self.tensors)

    def __str__(self) -> str:
        word = "the same bits" if self.same_bits else "equal within errors" if self.ok else "DIFFERENT"
        lines = [f"{self.title}: {self.second} against {self.first}: {word}"]
        return "\n  ".join([*lines, *map(str, self.tensors)])


def compare_stored(expected: Mapping[int, Stored], got: Mapping[int, Stored]) -> tuple[TensorVerdict, ...]:
    """Every tensor that either side changed. Padding is not looked at: no value of the tensor is there."""
    shapes = [{number: one.spec.shape for number, one in side.items()} for side in (expected, got)]
    if shapes[0] != shapes[1]:
        raise ProgramError(
            f"the two runs changed other tensors: {shapes[0]} and {shapes[1]}",
            remedy="a workload must do the same on every device",
        )
    return tuple(_verdict(number, expected[number], got[number]) for number in expected)


def _verdict(number: int, expected: Stored, got: Stored) -> TensorVerdict:
    wanted, found = expected.values, got.values
    equal = (wanted == found) & (np.signbit(wanted) == np.signbit(found))
    same = equal | (np.isnan(wanted) & np.isnan(found))
    differing = np.argwhere(~same)
    first = tuple(int(index) for index in differing[0]) if len(differing) else None
    tolerance = Tolerance.of(expected.spec.dtype, ROUNDINGS)
    comparison = compare(found, wanted, tolerance)
    return TensorVerdict(number, expected.spec, wanted.size, len(differing), first, comparison)
