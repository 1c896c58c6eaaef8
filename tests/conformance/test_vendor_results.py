"""A run over the vendor's kernels goes on where it was cut off."""

from __future__ import annotations

from pathlib import Path

from conformance.vendor.compile import Outcome
from conformance.vendor.results import Results
from conformance.vendor.wheel import VendorKernel

KERNELS = [VendorKernel(name, Path(name)) for name in ("a.cpp", "b.cpp", "c.cpp")]


def test_what_is_known_is_not_compiled_again(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    first = Results(file, "wormhole")
    first.add(Outcome("a.cpp", True))
    first.add(Outcome("b.cpp", False, ("header x.h",), "no x.h"))
    later = Results(file, "wormhole")
    assert later.known == first.known
    assert [one.name for one in later.left(KERNELS, again=False)] == ["c.cpp"]
    assert {one.name for one in later.left(KERNELS, again=True)} == {"b.cpp", "c.cpp"}
    assert len(Results(file, "blackhole").left(KERNELS, again=False)) == 3


def test_the_last_outcome_of_a_kernel_counts(tmp_path: Path) -> None:
    results = Results(tmp_path / "results.jsonl", "wormhole")
    results.add(Outcome("a.cpp", False, ("name f",)))
    results.add(Outcome("a.cpp", True))
    assert Results(results.path, "wormhole").known["a.cpp"].ok
