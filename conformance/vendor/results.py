"""A file of what compiled, one line for each kernel, from which a later run goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from random import Random

from conformance.vendor.compile import Outcome
from conformance.vendor.wheel import VendorKernel


class Results:
    """What is known of a chip; without a file, nothing is."""

    def __init__(self, path: Path | None, arch: str) -> None:
        self.path = path
        self.arch = arch
        self.known: dict[str, Outcome] = {}
        if path is not None and path.exists():
            lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
            outcomes = (_outcome(line["outcome"]) for line in lines if line["arch"] == arch)
            self.known = {outcome.kernel: outcome for outcome in outcomes}

    def add(self, outcome: Outcome) -> Outcome:
        self.known[outcome.kernel] = outcome
        if self.path is not None:
            line = {"arch": self.arch, "outcome": asdict(outcome)}
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        return outcome

    def left(self, kernels: Iterable[VendorKernel], *, again: bool) -> list[VendorKernel]:
        """Those to compile, in an order that is a fair sample wherever it is cut off.

        With `again` those that failed are among them.
        """
        order = list(kernels)
        Random(0).shuffle(order)
        return [one for one in order if (seen := self.known.get(one.name)) is None or (again and not seen.ok)]


def _outcome(line: dict[str, object]) -> Outcome:
    missing = line["missing"]
    assert isinstance(missing, list)
    return Outcome(
        str(line["kernel"]),
        bool(line["ok"]),
        tuple(map(str, missing)),
        str(line["output"]),
        bool(line["metal2"]),
    )
