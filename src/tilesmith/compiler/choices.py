"""What the user may choose of a lowering."""

from __future__ import annotations

from dataclasses import dataclass

APPROXIMATIONS = ("none", "bfloat16", "fast")


@dataclass(frozen=True)
class Choices:
    """The chip, the format of parameters ("B=Bfp8_b,bias=Float32"), and the fidelity of products.

    `keeps_blocks` says that the kernel is cut for this chip already. `approximate` says what may be less than
    exact: "none" nothing; "bfloat16" what the matrix unit adds and multiplies, of which it takes eleven bits,
    three more than bfloat16 has; "fast" besides the vector unit's own approximations of exp and GELU.
    """

    arch: str = "wormhole"
    formats: str = ""
    fidelity: str = "HiFi4"
    keeps_blocks: bool = False
    approximate: str = "none"

    @property
    def format_of(self) -> dict[str, str]:
        """The format of each parameter that has another than its type's.

        >>> Choices(formats="B=Bfp8_b,bias=Float32").format_of
        {'B': 'Bfp8_b', 'bias': 'Float32'}
        """
        pairs = (part.partition("=") for part in self.formats.split(",") if part)
        return {name: wanted for name, _, wanted in pairs}
