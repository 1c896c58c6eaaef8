"""The exported C++ program, read by a host compiler with the headers of tt-metal: pytest --tt-metal CHECKOUT.

No wheel of ttnn has these headers. A checkout has them once `build_metal.sh` has fetched what they need.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from conformance.example_cases import CASES

from tilesmith.export import write_project
from tilesmith.recording import Workload, record
from tilesmith.recording.workload import workload_from

COMPILER = shutil.which("g++")
# The checkout builds its logging library with a formatting library of its own.
FLAGS = (
    "-std=c++20",
    "-fsyntax-only",
    "-Wall",
    "-DSPDLOG_FMT_EXTERNAL",
    '-DKERNELS="kernels"',
    '-DDATA="data"',
)
# Where a checkout keeps its own headers for host programs.
OWN = ("tt_metal/api", "tt_stl", "tt_metal/hostdevcommon/api", "tt_metal/third_party/umd/device/api")
EXAMPLES = Path(__file__).parents[2] / "examples" / "tilelang"
TILELANG = (
    "gemm.py:gemm(64,64,64)",
    "gemm.py:linear(64,64,64)",
    "softmax.py:softmax(64,64)",
    "norm.py:layernorm(64,64)",
    "attention.py:attention(1,1,64,32)",
    "convolution.py:convolution(1,32,8,8,32)",
    "dequant_gemm.py:dequant_gemm(32,32,64)",
)


METAL = {module.__name__.split(".")[-2]: (module, arguments) for module, arguments in CASES}


def workload(title: str) -> Workload:
    """A case of an example, or a TileLang example."""
    if title not in METAL:
        return workload_from(f"{EXAMPLES}/{title}")
    module, arguments = METAL[title]
    return Workload(title, lambda device: module.run(device, **arguments))


@pytest.fixture(scope="module")
def folders(request: pytest.FixtureRequest) -> list[str]:
    checkout = request.config.getoption("--tt-metal")
    if checkout is None:
        pytest.skip("the headers of a tt-metal checkout are needed: pytest --tt-metal CHECKOUT")
    own = [Path(checkout) / one for one in OWN]
    fetched = sorted(Path(checkout).glob(".cpmcache/*/*"))
    nested = [inner / "include" for one in fetched for inner in (one, *one.glob("*"))]
    return [f"-isystem{one.resolve()}" for one in (*own, *nested, *fetched) if one.is_dir()]


@pytest.mark.skipif(COMPILER is None, reason="there is no g++ to read the program with")
@pytest.mark.parametrize("title", [*METAL, *TILELANG])
def test_the_host_program_agrees_with_tt_metal(title: str, folders: list[str], tmp_path: Path) -> None:
    write_project(record(workload(title), "wormhole"), tmp_path)
    command = [str(COMPILER), *FLAGS, *folders, "host.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0
