"""The benchmark that compiles a wheel's kernels, on a wheel of five."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

KERNELS = {
    "dataflow/reader.cpp": """
#include "api/dataflow/dataflow_api.h"
#include "../shared.hpp"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<1>();
    read_all(TensorAccessor(args, get_arg_val<uint32_t>(0)), get_named_compile_time_arg_val("cb"));
}
""",
    "compute/add.cpp": """
#include "api/compute/eltwise_binary.h"
void kernel_main() { ELTWISE_OP(0, 1, 0, 0, 0); }
""",
    "dataflow/unknown.cpp": """
#include "api/dataflow/dataflow_api.h"
void kernel_main() { noc_async_teleport(0); }
""",
    "dataflow/metal2.cpp": """
#define NAMED
#include "experimental/kernel_args.h"
#include "../shared.hpp"
void kernel_main() {
    constexpr uint32_t pages = get_arg(args::pages);
    LocalTensorAccessor<uint32_t> local(tensor::local);
    read_all(TensorAccessor(tensor::src), dfb::page);
    read_named();
}
""",
    "compute/entry.cpp": """
#include "experimental/kernel_args.h"
template <uint32_t block>
TT_KERNEL void compute(uint32_t count) { DataflowBuffer(dfb::in).wait_front(count + block); }
""",
}
SHARED = """
#include "api/scratchpad.h"
#include "api/tensor/local_tensor_accessor.h"
template <class Accessor>
void read_all(const Accessor& tensor, uint32_t cb) { noc_async_read_page(0, tensor, get_write_ptr(cb)); }
#ifdef NAMED
inline void read_named() { Scratchpad<uint32_t> pad(scratch::pad); pad[0] = get_arg(args::from_header); }
#endif
"""


@pytest.fixture(params=["folder", "file"])
def wheel(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    kernels = tmp_path / "wheel" / "ttnn" / "ttnn" / "cpp" / "ttnn" / "operations" / "toy" / "kernels"
    for name, text in {**KERNELS, "shared.hpp": SHARED}.items():
        (kernels / name).parent.mkdir(parents=True, exist_ok=True)
        (kernels / name).write_text(text)
    if request.param == "folder":
        return tmp_path / "wheel"
    archive = tmp_path / "toy.whl"
    with zipfile.ZipFile(archive, "w") as file:
        for path in (tmp_path / "wheel").rglob("*.?pp"):
            file.write(path, path.relative_to(tmp_path / "wheel"))
    return archive


def run(repository: Path, folder: Path, *arguments: str) -> list[str]:
    script = repository / "conformance" / "vendor_kernels.py"
    done = subprocess.run(
        [sys.executable, str(script), *arguments], capture_output=True, text=True, check=True, cwd=folder
    )
    return done.stdout.splitlines()


def test_counts_and_names_what_is_missing(repository: Path, wheel: Path) -> None:
    # From the wheel's own folder, by a relative path.
    lines = run(repository, wheel.parent, wheel.name, "--json", "--verbose")
    summary: dict[str, Any] = json.loads(lines[-1])
    assert (summary["compiled"], summary["total"], summary["metal2"]) == (4, 5, [2, 2])
    assert summary["missing"] == [{"what": "name noc_async_teleport", "kernels": 1}]
    assert lines[0] == "5 kernel files; 2 are in the Metal 2.0 style"
    assert lines[1].endswith("unknown.cpp: name noc_async_teleport")
