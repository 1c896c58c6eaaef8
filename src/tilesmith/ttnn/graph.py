"""ttnn.graph: there is no graph capture here; what tests call around their own work does nothing."""

from __future__ import annotations


def reset_comparison_records_data() -> None:
    """Forget the records of comparison mode: there are none."""


def is_graph_capture_active() -> bool:
    return False
