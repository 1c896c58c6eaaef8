"""The whole matrix."""

from __future__ import annotations

from itertools import chain

from conformance.op_matrix.case import Case
from conformance.op_matrix.elementwise_cases import binary_cases, unary_cases
from conformance.op_matrix.movement_cases import movement_cases
from conformance.op_matrix.reduction_cases import embedding_cases, product_cases, reduction_cases, row_cases


def all_cases() -> list[Case]:
    """Every case, once."""
    families = (
        unary_cases,
        binary_cases,
        movement_cases,
        product_cases,
        reduction_cases,
        row_cases,
        embedding_cases,
    )
    return list(dict.fromkeys(chain.from_iterable(family() for family in families)))
