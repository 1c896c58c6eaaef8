"""Launches as files: a Program and the tensors on its device, written by one process and read by another.

Kernels written with torch or TileLang need packages that the Python with ttnn does not have.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tilesmith.program import Program
from tilesmith.recording.specs import spec_from_plain, spec_to_plain
from tilesmith.runtime.tensor_spec import TensorSpec


@dataclass(frozen=True)
class Placed:
    """A tensor and where it was."""

    spec: TensorSpec
    address: int


@dataclass(frozen=True)
class LaunchFile:
    """`group` is where the kernels come from; `title` what was run."""

    group: str
    title: str
    family: str
    tensors: tuple[Placed, ...]
    program: Program

    def write(self, path: Path) -> None:
        document = {
            "group": self.group,
            "title": self.title,
            "family": self.family,
            "tensors": [{**spec_to_plain(one.spec), "address": one.address} for one in self.tensors],
            "program": json.loads(self.program.to_json()),
        }
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")

    @staticmethod
    def read(path: Path) -> LaunchFile:
        document = json.loads(path.read_text(encoding="utf-8"))
        return LaunchFile(
            document["group"],
            document["title"],
            document["family"],
            tuple(Placed(spec_from_plain(item), item["address"]) for item in document["tensors"]),
            Program.from_json(json.dumps(document["program"])),
        )
