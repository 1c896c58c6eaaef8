"""Makes all calls with one of the libraries and writes down the answers, one line each.

A call that ends the process is noted by whoever started it: its key is written before it is made.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conformance.ttnn_api.call import Call, Fact, Kit, failure
from conformance.ttnn_api.calls import all_calls


def main(library: str, target: str, skip: str) -> None:
    done = set(json.loads(skip))
    kits = {"ttnn": vendor_kit, "tilesmith": emulator_kit}
    with kits[library]() as kit, Path(target).open("a", encoding="utf-8") as out:
        for call in all_calls():
            if call.key in done:
                continue
            _write(out, {"key": call.key})
            _write(out, {"key": call.key, "fact": answer(kit, call)})


def answer(kit: Kit, call: Call) -> Fact:
    """What a library says to a call."""
    kit.name = call.name
    try:
        return call.make(kit)
    except Exception as error:
        return failure(error)


def _write(out: Any, line: dict[str, Any]) -> None:
    out.write(json.dumps(line) + "\n")
    out.flush()


@contextmanager
def vendor_kit() -> Iterator[Kit]:
    """ttnn on a device that is not there: it checks, allocates and builds, and runs nothing."""
    from tilesmith.testing.mock_cluster import mock_environment

    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(mock_environment("wormhole", Path(folder)))
        import ttnn

        def make(shape: Any, dtype: Any, layout: Any, device: Any, memory: Any) -> Any:
            return ttnn.allocate_tensor_on_device(ttnn.Shape(list(shape)), dtype, layout, device, memory)

        def make_host(shape: Any, dtype: Any) -> Any:
            return ttnn.Tensor([0.0] * math.prod(shape), list(shape), dtype, ttnn.ROW_MAJOR_LAYOUT)

        device = ttnn.open_device(device_id=0)
        device.enable_program_cache()
        yield Kit(ttnn, device, make, make_host)
        ttnn.close_device(device)


@contextmanager
def emulator_kit() -> Iterator[Kit]:
    """tilesmith.ttnn on the emulator."""
    from tilesmith import ttnn

    device = ttnn.open_device(device_id=0)
    device.enable_program_cache()
    yield own_kit(device)
    ttnn.close_device(device)


def own_kit(device: Any) -> Kit:
    """The calls made with our ttnn API on a device."""
    from tilesmith import ttnn

    def make(shape: Any, dtype: Any, layout: Any, device: Any, memory: Any) -> Any:
        # Kernels may not read what nobody wrote.
        return ttnn.zeros(list(shape), dtype=dtype, layout=layout, device=device, memory_config=memory)

    def make_host(shape: Any, dtype: Any) -> Any:
        return ttnn.zeros(list(shape), dtype=dtype, layout=ttnn.ROW_MAJOR_LAYOUT)

    return Kit(ttnn, device, make, make_host)


if __name__ == "__main__":
    main(*sys.argv[1:])
