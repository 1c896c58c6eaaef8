"""Exported projects: what is in them, that Python takes the script, and that the data are the emulator's."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from examples.metal.matmul_bfp8 import host as matmul_bfp8
from examples.metal.multicast import host as multicast
from examples.metal.sharded_add import host as sharded_add
from typer.testing import CliRunner

from tilesmith.cli.app import app
from tilesmith.errors import BadCallError
from tilesmith.export import write_project
from tilesmith.export.plan import CompileTimePart, _compile_time
from tilesmith.formats import DataFormat, TileShape, pack_tiles, unpack_tiles
from tilesmith.recording import Recording, Workload, record

PROJECT = ["CMakeLists.txt", "README.md", "data", "host.cpp", "kernels", "run_ttnn.py"]


@pytest.fixture(scope="module")
def sharded() -> Recording:
    return record(Workload("sharded_add", lambda device: sharded_add.run(device, 8, 64)), "wormhole")


def test_a_project_has_all_its_parts(sharded: Recording, tmp_path: Path) -> None:
    files = write_project(sharded, tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == PROJECT
    assert all(one.is_file() for one in files)
    host = (tmp_path / "host.cpp").read_text(encoding="utf-8")
    assert "cb.buffer = tensors[1]->get_reference_buffer();" in host
    assert "TensorMemoryLayout::HEIGHT_SHARDED" in host
    assert host.count("{") == host.count("}")
    after = np.fromfile(tmp_path / "data" / "output_0_after_0.bin", np.uint8)
    assert np.array_equal(after, sharded.final_results[0].reshape(-1))
    kernels = {one.name for one in (tmp_path / "kernels").iterdir()}
    script = (tmp_path / "run_ttnn.py").read_text(encoding="utf-8")
    assert all(name in host and name in script for name in kernels)
    imported = {
        alias.name
        for node in ast.walk(ast.parse(script))
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert imported == {"ctypes", "os", "re", "sys", "numpy", "ttnn"}


def test_addresses_and_accessors_are_asked_for_not_written_down(tmp_path: Path) -> None:
    recording = record(Workload("mm", lambda device: matmul_bfp8.run(device, 32, 32, 32)), "blackhole")
    write_project(recording, tmp_path)
    host = (tmp_path / "host.cpp").read_text(encoding="utf-8")
    assert "append_accessor(kernel.compile_time_args, tensors[0]);" in host
    assert "address(tensors[0])" in host
    addresses = {place.offset for place in recording.launches[0].bindings.places}
    assert addresses == {0}
    assert "Bfp8_b" in host


def test_block_floats_are_decoded_as_the_package_does(tmp_path: Path) -> None:
    recording = record(Workload("mm", lambda device: matmul_bfp8.run(device, 32, 32, 32)), "blackhole")
    write_project(recording, tmp_path)
    tree = ast.parse((tmp_path / "run_ttnn.py").read_text(encoding="utf-8"))
    wanted: list[ast.stmt] = [
        one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name in ("blocks", "values_of")
    ]
    names: dict[str, object] = {"np": np}
    exec(compile(ast.Module(wanted, []), "run_ttnn.py", "exec"), names)
    values = np.random.default_rng(0).standard_normal((64, 32)).astype(np.float32)
    for form in (DataFormat.Bfp8_b, DataFormat.Bfp4_b, DataFormat.Float16_b, DataFormat.Float32):
        pages = pack_tiles(values, form, TileShape())
        flat = names["values_of"](pages.reshape(-1), form.name, pages[0].nbytes)  # type: ignore[operator]
        tiles = flat.reshape(2, 2, 2, 16, 16).transpose(0, 1, 3, 2, 4).reshape(64, 32)
        assert np.array_equal(tiles, unpack_tiles(pages, form, (64, 32), TileShape())), form


def test_semaphores_and_several_kernels_of_one_name(tmp_path: Path) -> None:
    recording = record(Workload("mc", lambda device: multicast.run(device, (2, 1), 1)), "wormhole")
    write_project(recording, tmp_path)
    assert "semaphore.id" in (tmp_path / "host.cpp").read_text(encoding="utf-8")
    assert "ttnn.SemaphoreDescriptor(" in (tmp_path / "run_ttnn.py").read_text(encoding="utf-8")


def test_accessors_are_found_among_compile_time_arguments() -> None:
    parts = list(_compile_time([5, 2, 2048, 2, 2048, 9], {0: [2, 2048], 3: [2, 2048]}))
    assert parts == [
        CompileTimePart((5,)),
        CompileTimePart(tensor=0),
        CompileTimePart(tensor=3),
        CompileTimePart((9,)),
    ]


def test_the_command_writes_into_a_new_directory(tmp_path: Path) -> None:
    kernel = str(Path(__file__).parents[1] / "compiler" / "passes" / "sample_ir" / "add.mlir")
    done = CliRunner().invoke(app, ["export", kernel, "--out", str(tmp_path / "add")])
    assert done.exit_code == 0, done.output
    assert str(tmp_path / "add" / "host.cpp") in done.output
    again = CliRunner().invoke(app, ["export", kernel, "--out", str(tmp_path / "add")])
    assert isinstance(again.exception, BadCallError)
    with pytest.raises(BadCallError, match="launched no program"):
        write_project(Recording("nothing", "n150", (), ()), tmp_path / "none")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("none.py:run", "there is no file none.py"),
        ("work.py:absent", "work.py has no absent"),
        ("work.py:run(1, 2)", "run cannot be called so: too many positional arguments"),
        ("broken.py:run", "broken.py cannot be loaded: ModuleNotFoundError: No module named 'no_such_thing'"),
        ("wrong.py:run", "wrong.py cannot be loaded: SyntaxError"),
        ("none.npz", "none.npz is no recording"),
    ],
)
def test_what_cannot_be_exported_is_said(
    what: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "work.py").write_text("def run(device, size): pass", encoding="utf-8")
    (tmp_path / "broken.py").write_text("\nimport no_such_thing", encoding="utf-8")
    (tmp_path / "wrong.py").write_text("def run(:", encoding="utf-8")
    done = CliRunner().invoke(app, ["export", what, "--out", "new"])
    assert isinstance(done.exception, BadCallError)
    assert said in str(done.exception)
    if what == "broken.py:run":
        assert "broken.py:2" in str(done.exception)


def test_a_file_is_no_directory_to_write_to(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = CliRunner().invoke(app, ["export", "work.py:run", "--out", str(tmp_path / "file")])
    assert isinstance(done.exception, BadCallError)
    assert "cannot be a new directory: " in str(done.exception)


def test_examples_are_exported_as_the_pages_write_it(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    # As the command itself does, and unlike `python -m`: what lies in the current directory is not imported.
    program = [sys.executable, "-P", "-m", "tilesmith.cli"]
    command = [*program, "export", "--arch", "wormhole", "--out", str(tmp_path)]
    work = "examples/metal/matmul_single/host.py:run(32,32,32)"
    done = subprocess.run([*command, work], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "host.cpp") in done.stdout
