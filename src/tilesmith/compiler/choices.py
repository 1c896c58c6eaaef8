"""What the user may choose of a lowering."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Choices:
    """The chip, the format of parameters ("B=Bfp8_b,bias=Float32"), and the fidelity of products."""

    arch: str = "wormhole"
    formats: str = ""
    fidelity: str = "HiFi4"
