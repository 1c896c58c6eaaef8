"""A recording as one file: a numpy archive with the pages of tensors, and the rest as JSON."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tilesmith.errors import BadCallError
from tilesmith.ops.framework.binding import Bindings, Place
from tilesmith.program import CoreCoord, Program
from tilesmith.recording.model import LaunchRecord, Recording
from tilesmith.recording.specs import spec_from_plain, spec_to_plain
from tilesmith.runtime.buffer import Bytes

SCHEMA = 1
SUFFIX = ".npz"


def save_recording(recording: Recording, path: Path) -> None:
    """Write it; `load_recording` reads it back, here or on another computer."""
    document = {
        "schema": SCHEMA,
        "title": recording.title,
        "product": recording.product,
        "tensors": [spec_to_plain(one) for one in recording.tensors],
        "launches": [_launch_out(one) for one in recording.launches],
    }
    arrays: dict[str, Any] = {"recording": np.frombuffer(json.dumps(document).encode(), np.uint8)}
    for number, launch in enumerate(recording.launches):
        arrays |= {_key("uploads", number, tensor): pages for tensor, pages in launch.uploads.items()}
        arrays |= {_key("results", number, tensor): pages for tensor, pages in launch.results.items()}
    np.savez_compressed(path, **arrays)


def load_recording(path: Path) -> Recording:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            document = json.loads(bytes(arrays["recording"]))
            if document["schema"] != SCHEMA:
                raise BadCallError(
                    f"{path} has schema {document['schema']}",
                    remedy=f"record it again; this version reads schema {SCHEMA}",
                )
            return Recording(
                document["title"],
                document["product"],
                tuple(spec_from_plain(item) for item in document["tensors"]),
                tuple(_launch_in(number, item, arrays) for number, item in enumerate(document["launches"])),
            )
    except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile) as problem:
        raise BadCallError(
            f"{path} is no recording: {problem}", remedy="make one with `tilesmith conformance --record`"
        ) from problem


def _key(what: str, launch: int, tensor: int) -> str:
    return f"{what}-{launch}-{tensor}"


def _launch_out(launch: LaunchRecord) -> dict[str, Any]:
    return {
        "program": json.loads(launch.program.to_json()),
        "places": [
            [place.kernel, place.core, place.position, place.number, place.offset]
            for place in launch.bindings.places
        ],
        "buffers": [list(pair) for pair in launch.bindings.buffers],
        "uploads": list(launch.uploads),
        "results": list(launch.results),
    }


def _launch_in(number: int, item: Mapping[str, Any], arrays: Mapping[str, Bytes]) -> LaunchRecord:
    places = tuple(
        Place(kernel, core and CoreCoord(*core), position, tensor, offset)
        for kernel, core, position, tensor, offset in item["places"]
    )
    buffers = tuple((cb, tensor) for cb, tensor in item["buffers"])
    return LaunchRecord(
        Program.from_json(json.dumps(item["program"])),
        Bindings(places, buffers),
        {tensor: arrays[_key("uploads", number, tensor)] for tensor in item["uploads"]},
        {tensor: arrays[_key("results", number, tensor)] for tensor in item["results"]},
    )
