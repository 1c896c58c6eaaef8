"""Rows of Input Tensor Requirements, in the words people use, as conditions that can be checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tilesmith.opsmith.expressions import Arithmetic as _Arithmetic
from tilesmith.opsmith.expressions import Attribute as _Attribute
from tilesmith.opsmith.expressions import (
    Comparison,
    Count,
    Dimension,
    Expression,
    Logic,
    Names,
    NotAFormula,
    Number,
    Property,
    Text,
    WholeShape,
    parse_expression,
)

ANYTHING = Logic("and", ())
DTYPES = ("BFLOAT16", "FLOAT32", "UINT32", "INT32", "UINT16", "UINT8", "BFLOAT8_B", "BFLOAT4_B")
LAYOUTS = ("ROW_MAJOR", "TILE")
MEMORY_LAYOUTS = ("INTERLEAVED", "HEIGHT_SHARDED", "WIDTH_SHARDED", "BLOCK_SHARDED")
BUFFERS = ("DRAM", "L1")
WORDS = (*DTYPES, *LAYOUTS, *MEMORY_LAYOUTS, *BUFFERS)

UNDERSTOOD = (
    "write a condition in backticks, such as `mask.shape[-1] == input.shape[-1]`, or one of: "
    "a rank (4D, at least 2), a layout (TILE, ROW_MAJOR), dtypes (BFLOAT16 or FLOAT32), "
    "a memory layout (INTERLEAVED), a buffer type (DRAM, L1), a shape (same as input), "
    "a width, height, channel or batch size (32, > 0, multiple of 32, same as input)"
)
_ABBREVIATIONS = {"bf16": "BFLOAT16", "f32": "FLOAT32", "fp32": "FLOAT32", "rm": "ROW_MAJOR"}
_DIMENSIONS = (
    (re.compile(r"\b(width|last dim(ension)?)\b"), -1),
    (re.compile(r"\bheight\b"), -2),
    (re.compile(r"\bchannels?\b"), -3),
    (re.compile(r"\bbatch( size)?\b"), 0),
)
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_BOUND = re.compile(rf"(>=|<=|>|<|==|at least|at most|exactly|more than|less than)\s*{_NUMBER}")
_SPOKEN = {"at least": ">=", "at most": "<=", "exactly": "==", "more than": ">", "less than": "<"}


@dataclass(frozen=True)
class Subject:
    """What a row is about: a tensor (or every tensor of a list), or a parameter."""

    tensor: str
    each_of: str = ""
    attribute: str = ""


def is_checked_by_launch(property: str) -> bool:
    """Rows that every operation checks before its own rules, in ttnn's words."""
    return bool(re.search(r"\b(device|storage|allocated)\b", property.lower()))


def subject_of(property: str, names: Names, lists: Sequence[str]) -> Subject:
    """The tensor or parameter that a row's property names; the first tensor if it names none."""
    words = re.findall(r"\w+", property)
    for word in words:
        if word in names.attributes:
            return Subject("", attribute=word)
    for word in words:
        found = names.tensor(word) or names.tensor(word.lower())
        if found is not None:
            return _tensor_subject(found, lists)
    return _tensor_subject(names.main, lists)


def _tensor_subject(tensor: str, lists: Sequence[str]) -> Subject:
    owner = tensor.removesuffix("[0]")
    return Subject("each", each_of=owner) if owner in lists else Subject(tensor)


def condition(property: str, requirement: str, names: Names, subject: Subject) -> Expression | None:
    """What must hold; None where the words say nothing that can be checked.

    >>> condition("Rank", "at least 2D", Names(("x",)), Subject("x"))
    Comparison(operator='>=', left=Property(tensor='x', what='rank'), right=Number(value=2))
    """
    quoted = re.search(r"`([^`]+)`", requirement)
    if quoted and re.search(r"[=<>]| in | not ", quoted[1]):
        return parse_expression(quoted[1], names)
    topic, text = property.lower(), _normal(requirement)
    if subject.attribute:
        return attribute_range(subject.attribute, requirement, names)
    found = _enumerations(topic, text, subject.tensor)
    if found is not None:
        return found
    if re.search(r"\bnumber of (tensors|inputs)\b|\bcount\b", topic) and names.lists:
        return _numeric(text, Count(names.lists[0]))
    if re.search(r"\b(rank|dimensions|dims|dimensionality)\b", topic):
        return _numeric(re.sub(r"(\d)\s*-?d\b", r"\1", text), Property(subject.tensor, "rank"))
    if re.search(r"\bshape\b", topic):
        other = _same_as(text, names)
        return Comparison("==", WholeShape(subject.tensor), WholeShape(other)) if other else None
    return _dimension(topic, text, names, subject)


def _normal(requirement: str) -> str:
    """Lower case, without remarks in parentheses, with abbreviations written out."""
    text = re.sub(r"\(.*?\)", " ", requirement).lower().replace("`", " ")
    for short, full in _ABBREVIATIONS.items():
        text = re.sub(rf"\b{short}\b", full.lower(), text)
    return text.replace("_layout", "").replace("row-major", "row_major")


def _enumerations(topic: str, text: str, tensor: str) -> Expression | None:
    """Layouts, dtypes and memories: the value must be among those named."""
    kinds = (
        ("dtype", DTYPES, r"\b(dtype|data ?types?|type)\b"),
        ("memory_layout", MEMORY_LAYOUTS, r"\bmemory\b|\bshard"),
        ("buffer_type", BUFFERS, r"\bbuffer\b|\bmemory\b"),
        ("layout", LAYOUTS, r"\blayout\b"),
    )
    result = []
    for what, members, pattern in kinds:
        named = [one for one in members if re.search(rf"\b{one.lower()}\b", text)]
        if named and len(named) < len(members) and re.search(pattern, topic):
            result.append(_among(Property(tensor, what), [Text(one) for one in named]))
        elif named and re.search(pattern, topic) and what in ("layout", "buffer_type"):
            return ANYTHING
    return None if not result else result[0] if len(result) == 1 else Logic("and", tuple(result))


def _among(value: Expression, allowed: Sequence[Expression]) -> Expression:
    equal = tuple(Comparison("==", value, one) for one in allowed)
    return equal[0] if len(equal) == 1 else Logic("or", equal)


def _dimension(topic: str, text: str, names: Names, subject: Subject) -> Expression | None:
    index = next((index for pattern, index in _DIMENSIONS if pattern.search(topic)), None)
    if index is None:
        return None
    value = Dimension(subject.tensor, Number(index))
    other = _same_as(text, names)
    if other is not None:
        return Comparison("==", value, Dimension(other, Number(index)))
    return _numeric(text, value)


def _same_as(text: str, names: Names) -> str | None:
    found = re.search(
        r"\b(?:same(?: \w+)? as|equal to|equals|match(?:es|ing)?|must match)\s+(?:the )?(\w+)", text
    )
    return names.tensor(found[1]) if found else None


def _numeric(text: str, value: Expression) -> Expression | None:
    multiple = re.search(r"\bmultiple of (\d+)|\bdivisible by (\d+)", text)
    if multiple:
        step = Number(int(multiple[1] or multiple[2]))
        return Comparison("==", _Arithmetic("%", value, step), Number(0))
    bounds = [Comparison(_SPOKEN.get(sign, sign), value, _number(n)) for sign, n in _BOUND.findall(text)]
    if bounds:
        return bounds[0] if len(bounds) == 1 else Logic("and", tuple(bounds))
    through = re.search(rf"{_NUMBER}\s*(?:to|through|\.\.)\s*{_NUMBER}", text)
    if through:
        low, high = _number(through[1]), _number(through[2])
        return Logic("and", (Comparison(">=", value, low), Comparison("<=", value, high)))
    plain = re.findall(_NUMBER, text)
    return _among(value, [_number(one) for one in plain]) if plain else None


def _number(text: str) -> Number:
    return Number(float(text) if "." in text else int(text))


def attribute_range(name: str, text: str, names: Names) -> Expression | None:
    """The Valid Range of a parameter as a condition; None where it says nothing that can be checked.

    >>> attribute_range("eps", "> 0", Names(("x",), attributes=("eps",)))
    Comparison(operator='>', left=Attribute(name='eps'), right=Number(value=0))
    """
    quoted = re.search(r"`([^`]+)`", text)
    if quoted and re.search(r"[=<>]", quoted[1]):
        return parse_expression(quoted[1], names)
    listed = choices(text)
    if listed:
        return _among(_Attribute(name), [Text(one) for one in listed])
    try:
        return (
            parse_expression(text, names)
            if name in text and re.search(r"[=<>]", text)
            else _numeric(text.lower(), _Attribute(name))
        )
    except NotAFormula:
        return None


def choices(text: str) -> tuple[str, ...]:
    """The strings a Valid Range lists.

    >>> choices('"nearest" or "bilinear"')
    ('nearest', 'bilinear')
    """
    return tuple(re.findall(r"[\"']([\w-]+)[\"']", text))
