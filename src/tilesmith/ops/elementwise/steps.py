"""Steps of the vector unit: what a compute kernel does to a DST tile, as text with places to fill in."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from tilesmith.formats import DataFormat
from tilesmith.isa.tile_functions import GENERAL, called_in, init_of

EXACT_SCALARS = frozenset({"mul", "div", "pow"})
SECOND_SCRATCH = 2  # free before the third operand is loaded, and after all are combined
_STARTS_WITH_INIT = re.compile(r"\w+_init\b")
_INTEGERS = (DataFormat.Int32, DataFormat.UInt32, DataFormat.UInt16)


@dataclass(frozen=True)
class Step:
    """`call` names the DST tile {d}, free ones {s} and {t}, parameters {0}, {1}; {format} is the data's."""

    headers: tuple[str, ...]
    init: str
    call: str


def step(text: str) -> Step:
    """Statements with the headers they need; one that does not start with an init gets that of its call.

    >>> step("floor_tile({d})")
    Step(headers=('rounding',), init='rounding_op_tile_init()', call='floor_tile({d})')
    """
    headers = dict.fromkeys(PurePath(function.header).stem for function, _ in called_in(text))
    headers.pop(PurePath(GENERAL).stem, None)  # every kernel includes it
    return Step(tuple(headers), "" if _STARTS_WITH_INIT.match(text) else init_of(text), text)


# The packer rounds ties away from zero, the vector unit to even.
ROUND_TO_BFLOAT16 = step("typecast_tile<(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::Float16_b>({d})")


@dataclass(frozen=True)
class Unary:
    """A unary operation: its step for real numbers, and for integers where there is one."""

    name: str
    real: Step | None
    parameters: tuple[float, ...] = ()  # defaults
    int32: Step | None = None
    uint32: Step | None = None
    uint16: Step | None = None

    def step(self, format: DataFormat) -> Step | None:
        """The step for data of a format; None when the chip has none."""
        if format not in _INTEGERS:
            return None if format.is_integer else self.real
        chosen = {
            DataFormat.Int32: self.int32,
            DataFormat.UInt32: self.uint32,
            DataFormat.UInt16: self.uint16,
        }
        return chosen[format]


@dataclass(frozen=True)
class Applied:
    """A unary operation with its parameters: one entry of a list of activations."""

    name: str
    parameters: tuple[float, ...] = ()


def word_of(value: float, format: DataFormat) -> int:
    """A parameter as a kernel takes it: the bits of a float, or an integer's.

    >>> hex(word_of(1.0, DataFormat.Float16_b)), word_of(-1, DataFormat.Int32) == 0xffffffff
    ('0x3f800000', True)
    """
    if format.is_integer:
        return int(value) & 0xFFFFFFFF
    try:
        bits: int = struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        bits = 0x7F800000 if value > 0 else 0xFF800000
    return bits


def scalar_word(combine: str, value: float, format: DataFormat) -> int:
    """An operand that is a number, as torch takes it: a factor or an exponent exactly, others rounded.

    >>> hex(scalar_word("mul", 0.3, DataFormat.Float16_b)), hex(scalar_word("eq", 0.3, DataFormat.Float16_b))
    ('0x3e99999a', '0x3e9a0000')
    """
    word = word_of(value, format)
    if format.is_integer or format is DataFormat.Float32 or combine in EXACT_SCALARS:
        return word
    if word & 0x7F800000 == 0x7F800000:
        return word
    return (word + 0x7FFF + (word >> 16 & 1)) & 0xFFFF0000


@dataclass
class Script:
    """Statements for a compute kernel, growing: their text, the numbers they take, the headers they need."""

    format: DataFormat
    words: list[int]
    headers: set[str]

    def text(self, step: Step, tile: int, scratch: int, parameters: Sequence[float] = ()) -> str:
        """The step on a DST tile; its parameters become common runtime arguments."""
        first = len(self.words)
        self.words += [word_of(value, self.format) for value in parameters]
        self.headers.update(step.headers)
        names = [f"get_common_arg_val<uint32_t>({first + i})" for i in range(len(parameters))]
        data_format = f"DataFormat::{self.format.name}"
        call = step.call.format(*names, d=tile, s=scratch, t=SECOND_SCRATCH, format=data_format)
        init = step.init.format(*names, format=data_format)
        return f"{init}; {call};" if init else f"{call};"

    def chain(self, steps: Iterable[tuple[Step, Sequence[float]]], tile: int, scratch: int) -> str:
        return " ".join(self.text(step, tile, scratch, values) for step, values in steps)

    @property
    def defines(self) -> dict[str, str]:
        return {f"USES_{header.upper()}": "1" for header in sorted(self.headers)}
