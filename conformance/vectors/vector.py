"""One vector: a compute kernel's text, its inputs, and the outputs of the vendor's simulator."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilesmith.formats import DataFormat
from tilesmith.program import MathFidelity

Floats = NDArray[np.float32]

FORMATS: Mapping[str, DataFormat] = {
    "bf16": DataFormat.Float16_b,
    "fp32": DataFormat.Float32,
    "fp16": DataFormat.Float16,
    "bfp8": DataFormat.Bfp8_b,
    "bfp4": DataFormat.Bfp4_b,
    "bfp2": DataFormat.Bfp2_b,
    "int32": DataFormat.Int32,
    "uint32": DataFormat.UInt32,
    "uint16": DataFormat.UInt16,
}

# Calls that run on the matrix unit, the unpacker or the packer. Any other call is a vector function.
_ENGINE_CALL = re.compile(
    r"(copy|add|sub|mul|binary|any|bcast|unary_bcast|reduce|transpose|matmul|mm|tilize|untilize|pack|reconfig)"
    r"(_\w+)?_?(tiles?|init|block|short|bcast\w*|rows|cols|scalar|format\w*|dest\w*|uninit)\w*"
)
_CALL = re.compile(r"(\w+)\s*(?:<[^;()]*>)?\s*\(")


class Family(Enum):
    """Which rule of agreement holds for an operation."""

    EXACT = "bit-equal"
    MATMUL = "one unit in the last place of the largest partial sum"
    VECTOR = "2 units of bf16, or 1e-3 relative in fp32"


@dataclass(frozen=True)
class Vector:
    """A vector as stored; `arch` is the chip whose simulator made it."""

    name: str
    arch: str
    kind: str
    includes: tuple[str, ...]
    init: str
    op: str
    in0_format: DataFormat
    in1_format: DataFormat
    out_format: DataFormat
    fidelity: MathFidelity
    fp32_acc: bool
    approx: bool
    in0: Floats
    in1: Floats
    out: Floats

    @property
    def family(self) -> Family:
        calls = _CALL.findall(self.op)
        if self.kind == "matmul_k" or any(call.startswith(("matmul", "mm_")) for call in calls):
            return Family.MATMUL
        vector_calls = [call for call in calls if _is_vector_call(call)]
        return Family.VECTOR if vector_calls else Family.EXACT


def _is_vector_call(name: str) -> bool:
    if name.endswith(("_binary_tile", "_binary_tile_init", "_unary_tile")) or "int" in name:
        return True
    return _ENGINE_CALL.fullmatch(name) is None


def read_vector(path: Path, arch: str) -> Vector:
    with np.load(path, allow_pickle=False) as data:
        spec: dict[str, Any] = json.loads(str(data["spec"]))
        arrays = {name: np.asarray(data[name]) for name in ("in0", "in1", "out") if name in data.files}
    fallback = spec["in0"]
    return Vector(
        name=path.stem,
        arch=arch,
        kind=spec["kind"],
        includes=tuple(spec.get("includes", ())),
        init=spec["init"],
        op=spec["op"],
        in0_format=FORMATS[spec["in0"]],
        in1_format=FORMATS[spec.get("in1", fallback)],
        out_format=FORMATS[spec["out"]],
        fidelity=MathFidelity[spec.get("fidelity") or "HiFi4"],
        fp32_acc=bool(spec.get("fp32_acc")),
        approx=bool(spec.get("approx")),
        in0=arrays["in0"],
        in1=arrays.get("in1", arrays["in0"]),
        out=arrays["out"],
    )


def vector_paths(folder: Path, arch: str | None = None) -> Iterator[tuple[Path, str]]:
    """All vectors under a folder, each with its chip: `arch`, else what its folder is named after."""
    folder = folder.resolve()
    for path in sorted(folder.rglob("*.npz")):
        yield path, arch or ("blackhole" if path.parent.name == "blackhole" else "wormhole")
