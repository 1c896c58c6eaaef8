"""How a tensor is printed: torch's form under ttnn's head, and its options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilesmith.errors import OperationError

if TYPE_CHECKING:
    from tilesmith.ops.tensor import Tensor

_EDGES = {"short": 2, "full": None, "empty": 0}
_options: dict[str, Any] = {"profile": "short", "sci_mode": None, "precision": 4}
_HEAD = "ttnn.Tensor("


def set_printoptions(
    *, profile: str, sci_mode: str | bool | None = None, precision: int | None = None
) -> None:
    """`profile` is "empty", "short" or "full"; numbers with `precision` digits, in powers of ten or not."""
    chosen = profile.lower()
    if chosen not in _EDGES:
        raise OperationError(f"print profile {profile!r} is none of {', '.join(_EDGES)}")
    modes = {"true": True, "false": False, "none": None, "default": None}
    mode = modes[sci_mode.lower()] if isinstance(sci_mode, str) else sci_mode
    _options.update(profile=chosen, sci_mode=mode, precision=4 if precision is None else precision)


def text_of(tensor: Tensor) -> str:
    """ttnn.Tensor(values, shape, type, layout)."""
    facts = f"shape={tensor.shape}, dtype=DataType::{tensor.dtype.name}, layout=Layout::{tensor.layout.name}"
    if not tensor.is_allocated():
        return f"{_HEAD}<buffer is not allocated>, {facts})"
    if _options["profile"] == "empty":
        return f"{_HEAD}..., {facts})"
    values = tensor.to_numpy()
    floats = values.dtype.kind == "f"
    powers = floats and _in_powers(values)
    edge = _EDGES[_options["profile"]]
    cells = _cells(values, edge, lambda one: _number(one, floats, powers))
    width = max((len(cell) for cell in _flat(cells)), default=0) + (1 if not floats else 0)
    return f"{_HEAD}{_nested(cells, width, len(_HEAD), values.ndim)}, {facts})"


def _in_powers(values: Any) -> bool:
    """As torch decides: where sizes differ by more than a thousand, or are large or small."""
    import numpy as np

    if _options["sci_mode"] is not None:
        return bool(_options["sci_mode"])
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    return bool(len(sizes)) and bool(
        sizes.max() / sizes.min() > 1000.0 or sizes.max() > 1.0e8 or sizes.min() < 1.0e-4
    )


def _number(value: Any, floats: bool, powers: bool) -> str:
    if not floats:
        return str(value)
    digits = _options["precision"]
    sign = "" if value < 0 else " "
    return f"{sign}{value:.{digits}e}" if powers else f"{sign}{value:.{digits}f}"


def _cells(values: Any, edge: int | None, show: Any) -> Any:
    """Nested lists of text; None stands for what is left out."""
    if values.ndim == 0:
        return show(values.item())
    rows = list(values)
    if edge is not None and len(rows) > 2 * edge:
        kept = [_cells(one, edge, show) for one in (*rows[:edge], *rows[-edge:])]
        return [*kept[:edge], None, *kept[edge:]]
    return [_cells(one, edge, show) for one in rows]


def _flat(cells: Any) -> list[str]:
    if isinstance(cells, list):
        return [text for one in cells for text in _flat(one)]
    return [] if cells is None else [cells]


def _nested(cells: Any, width: int, indent: int, rank: int) -> str:
    if not isinstance(cells, list):
        return str(cells)
    if rank == 1:
        return "[" + ", ".join(" ..." if one is None else one.rjust(width) for one in cells) + "]"
    gap = "," + "\n" * (rank - 1) + " " * (indent + 1)
    parts = ["..." if one is None else _nested(one, width, indent + 1, rank - 1) for one in cells]
    return "[" + gap.join(parts) + "]"
