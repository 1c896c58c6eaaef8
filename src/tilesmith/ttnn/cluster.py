"""ttnn.cluster: what kind of machine it is. Here it is one emulated card."""

from __future__ import annotations

from enum import Enum

from tilesmith.ops.opening import get_arch_name

_NAMES = (
    "INVALID N150 N300 T3K GALAXY TG P100 P150 P150_X2 P150_X4 P150_X8 P300 P300_X2 BLACKHOLE_GALAXY"
    " SIMULATOR_WORMHOLE_B0 SIMULATOR_BLACKHOLE"
)
ClusterType = Enum("ClusterType", _NAMES)  # type: ignore[misc]  # a list of names is what it is


def get_cluster_type() -> ClusterType:
    """The card that the settings name."""
    return ClusterType["N150" if get_arch_name() == "wormhole_b0" else "P150"]
