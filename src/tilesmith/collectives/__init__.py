"""Collectives of a mesh as programs: the chips of a line or ring send, receive and sum at the same time."""

from tilesmith.collectives.collective import (
    all_gather,
    all_reduce,
    all_to_all,
    broadcast,
    point_to_point,
    reduce_scatter,
)

__all__ = ["all_gather", "all_reduce", "all_to_all", "broadcast", "point_to_point", "reduce_scatter"]
