"""What a recording holds, and that it is enough to run the work again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from examples.metal.elementwise import host as elementwise
from examples.metal.sharded_add import host as sharded_add

from tilesmith.errors import BadCallError, ProgramError
from tilesmith.program import CoreCoord, Kernel, Program, ReaderConfig, SourceType
from tilesmith.recording import Workload, record, replay, workload_from
from tilesmith.recording.addresses import bindings_between
from tilesmith.recording.flatten import flattened
from tilesmith.runtime import Device, open_device


def test_addresses_are_told_from_other_numbers() -> None:
    recording = record(Workload("add", lambda device: elementwise.run(device, (3, 64, 96))), "wormhole")
    (launch,) = recording.launches
    assert {place.number for place in launch.bindings.places} == {0, 1, 2}
    assert all(place.offset == 0 for place in launch.bindings.places)
    assert list(launch.results) == [2]
    assert launch.tensors == (0, 1, 2)
    assert all(kernel.source_type is SourceType.SOURCE_CODE for kernel in launch.program.kernels)


@pytest.mark.parametrize("chip", ["wormhole", "blackhole"])
def test_it_runs_again_where_tensors_lie_elsewhere(chip: str) -> None:
    recording = record(Workload("sharded", lambda device: sharded_add.run(device, 8, 64)), chip)
    (launch,) = recording.launches
    assert sorted(tensor for _, tensor in launch.bindings.buffers) == [0, 1, 2]
    with open_device(chip) as device:
        keep = device.empty((320, 320))
        results = replay(recording, device)
        assert keep.is_allocated
    assert results.keys() == recording.final_results.keys()
    for number, pages in results.items():
        assert np.array_equal(pages, recording.final_results[number])


def _seen(word: int, compile_time: int = 1) -> Program:
    kernel = Kernel(
        "void kernel_main() {}", CoreCoord(0, 0), ReaderConfig(), SourceType.SOURCE_CODE,
        compile_time_args=[compile_time], common_runtime_args=[word, 5], name="reader",
    )  # fmt: skip
    return Program([kernel])


def test_a_place_inside_a_tensor_is_an_address_too() -> None:
    (place,) = bindings_between((_seen(4100), {0: (4096, 64)}), (_seen(8196), {0: (8192, 64)})).places
    assert (place.number, place.offset, place.position, place.core) == (0, 4, 0, None)


def test_numbers_that_move_with_no_tensor_are_refused() -> None:
    with pytest.raises(ProgramError, match="points into none"):
        bindings_between((_seen(2048), {0: (4096, 64)}), (_seen(4096), {0: (8192, 64)}))
    with pytest.raises(ProgramError, match="reader gets the address of a tensor as a compile-time argument"):
        bindings_between((_seen(1, 4096), {0: (4096, 64)}), (_seen(1, 8192), {0: (8192, 64)}))


def test_work_that_differs_from_run_to_run_is_refused() -> None:
    sizes = iter([32, 64])

    def run(device: Device) -> None:
        elementwise.run(device, (32, next(sizes)))

    with pytest.raises(BadCallError, match="did something else when it ran a second time"):
        record(Workload("odd", run), "wormhole")


def test_files_a_kernel_includes_are_put_in_place_once(tmp_path: Path) -> None:
    (tmp_path / "inner.h").write_text("#pragma once\nint inner;\n", encoding="utf-8")
    (tmp_path / "outer.h").write_text('#include "inner.h"\nint outer;\n', encoding="utf-8")
    names = ("api/dataflow/dataflow_api.h", "outer.h", "inner.h")
    text = "".join(f'#include "{name}"\n' for name in names) + "void kernel_main() {}\n"
    flat = flattened(text, None, [tmp_path])
    assert flat.count("int inner;") == 1
    assert flat.index("int inner;") < flat.index("int outer;")
    assert '#include "api/dataflow/dataflow_api.h"' in flat
    assert '"outer.h"' not in flat


def test_a_kernel_in_a_file_is_called_with_random_numbers() -> None:
    text = str(Path(__file__).parents[1] / "compiler" / "passes" / "sample_ir" / "add.mlir")
    recording = record(workload_from(text), "wormhole")
    (launch,) = recording.launches
    (result,) = launch.results.values()
    assert np.unique(result).size > 1


def test_a_function_called_wrongly_ends_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "work.py"
    path.write_text("def maker(rows):\n    return rows\n", encoding="utf-8")
    with pytest.raises(BadCallError, match="maker cannot be called so: missing a required argument: 'rows'"):
        record(workload_from(f"{path}:maker"), "wormhole")
