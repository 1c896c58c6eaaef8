"""Compiles every kernel file of a ttnn wheel, unmodified, against the emulator's headers. Nothing is run.

With --json the last line is an object with `compiled`, `total`, `metal2` (both counts for the files whose
arguments come from generated namespaces, as names) and `missing`. A kernel that compiles may still call
something that is not modelled: that is an EmulatorGap when it runs. --fabric takes those kernels only whose
path or text names the fabric, collectives (ccl), sockets, Ethernet or circular buffers of other cores.

With --results each outcome is written to a file when it is known, and a later call goes on from there;
--again compiles those anew that failed, --most ends after so many.

With --run the cases of conformance/vendor_run run too: `ran` names the operations that are right and silent.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.vendor.compile import Outcome, VendorCompiler
from conformance.vendor.results import Results
from conformance.vendor.wheel import VendorKernel, Wheel
from conformance.vendor_run.cases import CASES
from conformance.vendor_run.judge import problem
from tilesmith.arch import load_arch

_FABRIC = re.compile("fabric|ccl|socket|ethernet|erisc|edm|remote_c", re.IGNORECASE)


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        wheel = Wheel.open(options.wheel, Path(scratch) / "wheel")
        links = Path(scratch) / "links"
        links.mkdir()
        kernels = list(_chosen(wheel, options))
        compiler = VendorCompiler(wheel, load_arch(options.arch), links)
        results = Results(options.results, options.arch)
        todo = results.left(kernels, again=options.again)
        with ThreadPoolExecutor(options.jobs) as pool:
            for outcome in pool.map(compiler.compile, todo[: options.most]):
                _shown(results.add(outcome), options)
        outcomes = [results.known[one.name] for one in kernels if one.name in results.known]
        ran = {"ran": _ran(links, options.arch)} if options.run else {}
    print(json.dumps(_summary(outcomes) | ran) if options.json else _sentence(outcomes))
    return 0


def _chosen(wheel: Wheel, options: argparse.Namespace) -> Iterator[VendorKernel]:
    metal2 = sum(kernel.is_metal2 for kernel in wheel.kernels)
    print(f"{len(wheel.kernels)} kernel files; {metal2} are in the Metal 2.0 style")
    only = set(options.only.read_text().split()) if options.only else None
    for kernel in wheel.kernels:
        if options.fabric and not _FABRIC.search(f"{kernel.name}\n{kernel.text}"):
            continue
        if options.filter in kernel.name and (only is None or kernel.name in only):
            yield kernel


def _ran(links: Path, arch: str) -> list[str]:
    """The operations all of whose cases are right and silent."""
    wrong = {case.family for case in CASES.values() if problem(case, links, arch, range(1))}
    return sorted({case.family for case in CASES.values()} - wrong)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path, help="a ttnn .whl file, or the folder one was unpacked into")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--arch", choices=("wormhole", "blackhole"), default="wormhole")
    parser.add_argument("--filter", default="", help="only kernels whose path contains this")
    parser.add_argument("--only", type=Path, help="a file that names the kernels to compile, one per line")
    parser.add_argument("--fabric", action="store_true", help="only kernels that talk to other chips")
    parser.add_argument("--run", action="store_true", help="run what has a host program, too")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, help="a file of what is known, to go on from")
    parser.add_argument("--again", action="store_true", help="with --results: compile what failed once more")
    parser.add_argument("--most", type=int, help="end after so many kernels")
    parser.add_argument("--verbose", action="store_true", help="one line per kernel that failed")
    parser.add_argument("--log", type=Path, help="append the compiler's output for failed kernels here")
    return parser.parse_args()


def _summary(outcomes: list[Outcome]) -> dict[str, object]:
    missing = Counter(reason for outcome in outcomes for reason in outcome.missing)
    return {
        "compiled": sum(outcome.ok for outcome in outcomes),
        "total": len(outcomes),
        "metal2": [sum(one.ok for one in outcomes if one.metal2), sum(one.metal2 for one in outcomes)],
        "missing": [{"what": reason, "kernels": count} for reason, count in missing.most_common()],
    }


def _shown(outcome: Outcome, options: argparse.Namespace) -> Outcome:
    if options.verbose and not outcome.ok:
        print(f"{outcome.kernel}: {'; '.join(outcome.missing[:4])}", flush=True)
    if options.log and not outcome.ok:
        with options.log.open("a") as file:
            file.write(f"=== {outcome.kernel}\n{outcome.output}\n")
    return outcome


def _sentence(outcomes: list[Outcome]) -> str:
    return f"{sum(outcome.ok for outcome in outcomes)} of {len(outcomes)} kernels compile"


if __name__ == "__main__":
    sys.exit(main())
