"""Cards and boxes of cards, as data, in the form in which the vendor's driver describes what it found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tilesmith.errors import DeviceError

# The upper bits of a board's serial number say which board it is.
_SERIALS = {"n150": 0x18, "n300": 0x14, "p150": 0x40, "ubb": 0x35}


@dataclass(frozen=True)
class Cluster:
    """`boards` lists the chips on each; `remote` chips are reached through another one.

    `harvested` are the masks of workers, Ethernet and PCIe; `links` the Ethernet channels between two chips.
    """

    arch: str
    board: str
    boards: tuple[tuple[int, ...], ...]
    harvested: tuple[int, int, int]
    remote: tuple[int, ...] = ()
    places: tuple[tuple[int, int], ...] = ((0, 0),)
    links: Mapping[tuple[int, int], tuple[tuple[int, int], ...]] | None = None
    ids: tuple[int, ...] = ()
    buses: tuple[int, ...] = ()
    """Of PCIe: on a Galaxy their upper half says on which tray a chip is, their lower half where on it."""


_UP, _DOWN, _ACROSS = ((0, 0), (1, 1)), ((6, 6), (7, 7)), ((14, 14), (15, 15))
_ON_BOARD = ((8, 0), (9, 1))
_CABLE = {first: tuple((channel, channel) for channel in range(first, first + 4)) for first in (4, 8)}


def _galaxy_links() -> dict[tuple[int, int], tuple[tuple[int, int], ...]]:
    """Four channels from each chip to its neighbours. Chip `n` of the first half stands on tray `n % 4`."""

    def four(here: int, there: int) -> tuple[tuple[int, int], ...]:
        return tuple((here + channel, there + channel) for channel in range(4))

    along = {(chip, chip + 4): four(8, 4) for half in (0, 16) for chip in range(half, half + 12)}
    ends = {(chip, chip + 1): four(8, 8) for chip in (12, 14, 28, 30)}
    halves = {(chip, chip + 16): four(12, 0) for chip in range(16)}
    trays = {(chip, chip + 2): four(12, 12) for row in (16, 20, 24, 28) for chip in (row, row + 1)}
    return {**along, **ends, **halves, **trays}


# By family and number of chips: n150, n300, a box of four n300, a Galaxy; p150, a box of four p150.
CLUSTERS: Mapping[tuple[str, int], Cluster] = {
    ("wormhole", 1): Cluster("wormhole_b0", "n150", ((0,),), (32, 0, 0)),
    ("wormhole", 2): Cluster(
        "wormhole_b0",
        "n300",
        ((0, 1),),
        (33, 0, 0),
        remote=(1,),
        places=((0, 0), (1, 0)),
        links={(0, 1): _ON_BOARD},
    ),
    ("wormhole", 8): Cluster(
        "wormhole_b0",
        "n300",
        ((4, 0), (5, 1), (6, 2), (7, 3)),
        (513, 0, 0),
        remote=(4, 5, 6, 7),
        places=((1, 0), (1, 1), (2, 0), (2, 1), (0, 0), (0, 1), (3, 0), (3, 1)),
        links={
            (0, 2): _DOWN,
            (0, 4): _ON_BOARD,
            (0, 1): _ACROSS,
            (1, 3): _UP,
            (1, 5): _ON_BOARD,
            (2, 6): _ON_BOARD,
            (2, 3): _ACROSS,
            (3, 7): _ON_BOARD,
            (4, 5): _DOWN,
            (6, 7): _DOWN,
        },
    ),
    ("wormhole", 32): Cluster(
        "wormhole_b0",
        "ubb",
        (tuple(range(32)),),
        (0, 0, 0),
        places=(),
        links=_galaxy_links(),
        buses=tuple((0xC0, 0x80, 0x00, 0x40)[chip % 4] | chip // 4 + 1 for chip in range(32)),
        # The place on its tray, the kind of board, and the tray.
        ids=tuple((chip // 4 + 1) << 56 | 0x35 << 48 | chip % 4 + 1 for chip in range(32)),
    ),
    ("blackhole", 1): Cluster("blackhole", "p150", ((0,),), (0, 288, 2)),
    ("blackhole", 4): Cluster(
        "blackhole",
        "p150",
        ((0,), (1,), (2,), (3,)),
        (0, 288, 2),
        places=(),
        links={(0, 2): _CABLE[4], (0, 3): _CABLE[8], (1, 3): _CABLE[4], (1, 2): _CABLE[8]},
    ),
}


def cluster_description(family: str, chips: int = 1) -> str:
    """What the driver would write about that many chips.

    >>> "board_type: n150" in cluster_description("wormhole")
    True
    >>> cluster_description("wormhole", 8).count("board_type: n300")
    4
    """
    if (family, chips) not in CLUSTERS:
        known = ", ".join(f"{count} x {name}" for name, count in CLUSTERS)
        raise DeviceError(f"no mock of {chips} x {family!r}", remedy=f"choose one of: {known}")
    cluster = CLUSTERS[family, chips]
    numbers = range(chips)
    reached = [chip for chip in numbers if chip not in cluster.remote]
    lines = ["arch:", *(f"  {chip}: {cluster.arch}" for chip in numbers)]
    lines += ["chips:", *(f"  {chip}: [{x}, {y}, 0, 0]" for chip, (x, y) in enumerate(cluster.places))]
    lines += ["  {}"] if not cluster.places else []
    ids = cluster.ids or tuple(chip + 1 for chip in numbers)
    lines += ["chip_unique_ids:", *(f"  {chip}: {ids[chip]}" for chip in numbers)]
    lines += _links(cluster)
    lines += ["ethernet_connections_to_remote_devices: []"]
    lines += ["chips_with_mmio:", *(f"  - {chip}: {place}" for place, chip in enumerate(reached))]
    if cluster.buses:
        lines += ["chip_to_bus_id:", *(f'  {chip}: "{bus:#04x}"' for chip, bus in enumerate(cluster.buses))]
    lines += ["harvesting:", *(line for chip in numbers for line in _harvesting(chip, cluster))]
    lines += ["boards:", *(line for number in range(len(cluster.boards)) for line in _board(number, cluster))]
    return "\n".join(lines) + "\n"


def _links(cluster: Cluster) -> list[str]:
    if not cluster.links:
        return ["ethernet_connections: []"]
    pairs = [
        f"  - [{{chip: {chip}, chan: {here}}}, {{chip: {other}, chan: {there}}}]"
        for (chip, other), channels in cluster.links.items()
        for here, there in channels
    ]
    return ["ethernet_connections:", *pairs]


def _harvesting(chip: int, cluster: Cluster) -> list[str]:
    workers, ethernet, pcie = cluster.harvested
    return [
        f"  {chip}:",
        "    noc_translation: true",
        f"    harvest_mask: {workers}",
        "    dram_harvesting_mask: 0",
        f"    eth_harvesting_mask: {ethernet}",
        f"    pcie_harvesting_mask: {pcie}",
        "    l2cpu_harvesting_mask: 0",
    ]


def _board(number: int, cluster: Cluster) -> list[str]:
    return [
        "  -",
        f"    - board_id: {_SERIALS[cluster.board] << 36 | number + 1}",
        f"    - board_type: {cluster.board}",
        "    - chips:",
        *(f"        - {chip}" for chip in cluster.boards[number]),
    ]
