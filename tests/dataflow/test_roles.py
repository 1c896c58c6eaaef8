"""A compute kernel that asks the preprocessor for its role, by any name, itself or in a header of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilesmith

CORE = tilesmith.CoreCoord(0, 0)
ASKING = {
    "TRISC_PACK": "#ifdef TRISC_PACK\n    DPRINT({!r});\n#endif",
    "UCK_CHLKC_PACK": "#if defined(UCK_CHLKC_PACK)\n    DPRINT({!r});\n#endif",
    "COMPILE_FOR_TRISC": "#if COMPILE_FOR_TRISC == 2\n    DPRINT({!r});\n#endif",
}


def prints(kernel: Path) -> list[str]:
    cb = tilesmith.CircularBuffer(2048, CORE, (tilesmith.CBFormat(0, tilesmith.bfloat16, 2048),))
    program = tilesmith.Program((tilesmith.Kernel(kernel, CORE, tilesmith.ComputeConfig()),), (cb,))
    with tilesmith.open_device() as device:
        return [line.text for line in device.run(program).prints]


@pytest.mark.parametrize("name", ASKING)
def test_only_pack_prints(lasting_folder: Path, name: str) -> None:
    statement = ASKING[name].replace("{!r}", '"packing"')
    (lasting_folder / "own.hpp").write_text(f"inline void say() {{\n{statement}\n}}\n")
    kernel = lasting_folder / "kernel.cpp"
    kernel.write_text('#include "api/compute/common.h"\n#include "own.hpp"\nvoid kernel_main() { say(); }\n')
    assert prints(kernel) == ["packing"]


def test_a_comment_does_not_ask(tmp_path: Path) -> None:
    kernel = tmp_path / "kernel.cpp"
    kernel.write_text(
        '#include "api/compute/common.h"\n// TRISC_PACK\nvoid kernel_main() { DPRINT("one"); }\n'
    )
    assert prints(kernel) == ["one"] * 3
