"""Does an output agree with the vendor's, by the rule that holds for its operation?"""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from conformance.vectors.vector import Family, Floats, Vector
from tilesmith.formats import DataFormat

Bools = NDArray[np.bool_]

_MANTISSA_BITS = {DataFormat.Float32: 23, DataFormat.Float16: 10, DataFormat.Float16_b: 7}
_BLOCK_BITS = {DataFormat.Bfp8_b: 6, DataFormat.Bfp4_b: 2, DataFormat.Bfp2_b: 0}
_SMALLEST_NORMAL = 2.0**-126


class Verdict(Enum):
    """EXACT and WITHIN are agreement."""

    EXACT = "exact"
    WITHIN = "within"
    OFF = "off"


def judge(vector: Vector, out: Floats) -> Verdict:
    same = _same_bits(out, vector.out)
    if same.all():
        return Verdict.EXACT
    match vector.family:
        case Family.EXACT:
            return Verdict.OFF
        case Family.MATMUL:
            close = _within_partial_sum(vector, out)
        case Family.VECTOR:
            close = _within_vector_accuracy(vector.out_format, out, vector.out)
    return Verdict.WITHIN if bool((same | close).all()) else Verdict.OFF


def _same_bits(a: Floats, b: Floats) -> Bools:
    both_nan = np.isnan(a) & np.isnan(b)
    return np.asarray((a.view(np.uint32) == b.view(np.uint32)) | both_nan)


def _within_partial_sum(vector: Vector, out: Floats) -> Bools:
    a, b = vector.in0.astype(np.float64), vector.in1.astype(np.float64)
    if vector.kind == "matmul_k":
        a, b = np.concatenate(tuple(a), axis=1)[None], np.concatenate(tuple(b), axis=0)[None]
    with np.errstate(invalid="ignore", over="ignore"):
        partial = np.abs(np.cumsum(a[:, :, :, None] * b[:, None, :, :], axis=2)).max(axis=2)
        unit = _unit(partial, vector.out_format)
        return np.asarray(np.abs(out.astype(np.float64) - vector.out.astype(np.float64)) <= unit)


def _unit(values: NDArray[np.float64], data_format: DataFormat) -> NDArray[np.float64]:
    """The last place of the format at each value; block formats share the exponent of sixteen datums."""
    exponent = np.floor(np.log2(np.maximum(values, _SMALLEST_NORMAL)))
    bits = _MANTISSA_BITS.get(data_format)
    if bits is None:
        bits = _BLOCK_BITS[data_format]
        rows = exponent.reshape(*exponent.shape[:-1], 2, 16)
        exponent = np.broadcast_to(rows.max(axis=-1, keepdims=True), rows.shape).reshape(exponent.shape)
    return np.asarray(2.0 ** (exponent - bits))


def _within_vector_accuracy(data_format: DataFormat, out: Floats, expected: Floats) -> Bools:
    with np.errstate(invalid="ignore"):
        difference = np.abs(out.astype(np.float64) - expected.astype(np.float64))
    magnitude = np.abs(expected.astype(np.float64))
    tiny = (np.abs(out) < _SMALLEST_NORMAL) & (magnitude < _SMALLEST_NORMAL)
    if data_format == DataFormat.Float32:
        allowed = 1e-3 * magnitude
    else:
        allowed = 2 * _unit(np.where(np.isfinite(magnitude), magnitude, 0), _coarser(data_format))
    return np.asarray((difference <= allowed) | tiny)


def _coarser(data_format: DataFormat) -> DataFormat:
    return data_format if data_format in _BLOCK_BITS else DataFormat.Float16_b
