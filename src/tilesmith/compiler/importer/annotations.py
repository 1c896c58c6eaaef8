"""What a kernel notes about its buffers beside what it computes: layouts, placement, depth, safe values."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Mapping
from typing import Any

from tilesmith.compiler.importer.source import Location
from tilesmith.compiler.importer.unsupported import refuse

# Handled by the importer, or about threads.
_KNOWN = {
    "tl.launch_threads",
    "tl.local_var_init",
    "reducer_info",
    "reducer_info_v2",
    "barrier_init",
    "pragma_import_c",
}
# Attributes of functions that ask for a memory, a sharding or a depth in the names of the chip.
_OURS = ("tt.", "tt_", "tenstorrent.", "tilesmith.")
_INSTEAD = (
    "leave it out: formats={...} chooses how tensors are stored, T.Pipelined(num_stages=n) or"
    " T.annotate_ws_pipeline_depth how many versions a circular buffer holds"
)
_REACH = 400


class Annotations:
    """Collects what is said about the buffers of one function.

    `depths` are honoured. `notes` say, one sentence each, what is not done though the result is the same.
    """

    def __init__(self) -> None:
        self.depths: dict[str, int] = {}
        self.notes: list[str] = []

    def take_function(self, attributes: Iterable[str], at: Location) -> None:
        """Names of the function's attributes: those with our prefixes are none we know."""
        for key in attributes:
            if key.startswith(_OURS):
                refuse(f"the annotation {key} is not known", line_with(key, at), _INSTEAD)

    def take_block(self, annotations: Mapping[str, Any], at: Location) -> None:
        """Annotations of a block of the kernel."""
        for key, value in annotations.items():
            match str(key):
                case "layout_map":
                    self._layouts(value, line_with("annotate_layout", at))
                case "l2_hit_ratio_map":
                    where = line_with("annotate_l2_hit_ratio", at)
                    self.notes.append(f"{where}: annotate_l2_hit_ratio is not applied: there is no L2 cache")
                case "safe_value_map":
                    _check_safe_values(value, line_with("annotate_safe_value", at))
                case "tl.non_restrict_params":
                    refuse(
                        "annotate_restrict_buffers lets tensors overlap, and each has memory of its own here",
                        line_with("annotate_restrict_buffers", at),
                        "pass tensors that do not overlap, and remove the annotation",
                    )
                case known if known not in _KNOWN:
                    refuse(f"the annotation {known} is not known", line_with(known, at), _INSTEAD)

    def take_depths(self, depths: Mapping[Any, Any], at: Location) -> None:
        """`T.annotate_ws_pipeline_depth`: how many versions the circular buffer of a buffer holds."""
        if not depths:
            refuse("annotate_ws_pipeline_depth names no buffer", at, "name buffers: {A_shared: 3}")
        self.depths |= {str(data.name): int(depth) for data, depth in depths.items()}

    def _layouts(self, layouts: Mapping[Any, Any], at: str) -> None:
        on_core = []
        for data, layout in layouts.items():
            if _scope(data) != "global":
                on_core.append(str(data.name))
            elif not _is_identity(layout):
                refuse(
                    f"annotate_layout asks for another order of the elements of tensor {data.name}, which the"
                    " caller would see",
                    at,
                    "permute or reshape the tensor before the call, and remove the annotation",
                )
        if on_core:
            self.notes.append(
                f"{at}: the layout annotated for {', '.join(on_core)} is not applied: buffers on a core lie"
                " in 32x32 tiles"
            )


def _scope(data: Any) -> str:
    """Where the memory of a buffer is."""
    return str(getattr(data.type_annotation, "storage_scope", "")) or "global"


def _is_identity(layout: Any) -> bool:
    """Whether a layout leaves every element where it is."""
    places, indices = list(layout.get_forward_index()), list(layout.get_forward_vars())
    return len(places) == len(indices) and all(
        place.same_as(index) for place, index in zip(places, indices, strict=True)
    )


def _check_safe_values(values: Mapping[Any, Any], at: str) -> None:
    for data, value in values.items():
        if float(value) != 0:
            refuse(
                f"annotate_safe_value asks for {float(value):g} outside {data.name}, where the chip reads 0",
                at,
                f"load, then set what lies outside with T.if_then_else and the bounds of {data.name}",
            )


def line_with(text: str, at: Location) -> str:
    """The first line from `at` on that has the text: annotations have no line of their own."""
    for line in range(at.line, at.line + _REACH):
        if text in linecache.getline(at.file, line):
            return str(Location(at.file, line))
    return str(at)
