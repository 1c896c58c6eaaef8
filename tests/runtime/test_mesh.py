"""A mesh of chips on the emulator: tensors split or on every chip, one program for all or one for each."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest
from examples.metal.elementwise import host as elementwise
from tests.compiler.passes.samples import module

from tilesmith.compiler.compile import compile_kernel
from tilesmith.compiler.data_parallel import data_parallel
from tilesmith.errors import BadCallError, DeviceError, ProgramError
from tilesmith.formats import DataFormat
from tilesmith.runtime import Mesh, open_mesh


@pytest.fixture
def mesh() -> Iterator[Mesh]:
    with open_mesh((2, 1)) as opened:
        yield opened


def _values(shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-8, 8, shape).astype(np.float32)


def test_a_program_runs_on_all_chips_with_their_parts(mesh: Mesh) -> None:
    a, b = _values((128, 64), 0), _values((64, 64), 1)
    split = mesh.from_numpy(a, DataFormat.Float16_b, shard_dim=0)
    whole = mesh.from_numpy(b, DataFormat.Float16_b)
    out = mesh.empty((128, 64), shard_dim=-2)
    assert split.local.shape == out.local.shape == (64, 64)
    assert whole.shape == (64, 64)
    mesh.run(elementwise.binary_program(out.local.device, "add", split.local, whole.local, out.local))
    assert np.array_equal(out.to_numpy(), a + np.concatenate([b, b]))


def test_chips_may_have_programs_of_their_own(mesh: Mesh) -> None:
    a, b = _values((64, 64), 0), _values((64, 64), 1)
    first, second = (mesh.from_numpy(one, DataFormat.Float16_b) for one in (a, b))
    out = mesh.from_numpy(np.zeros((64, 64), np.float32), DataFormat.Float16_b)
    make = elementwise.binary_program
    programs = {
        (row, 0): make(out.local.device, operation, first.local, second.local, out.local)
        for row, operation in enumerate(("add", "mul"))
    }
    mesh.run(programs)
    added, multiplied = out.parts()
    assert np.array_equal(added, a + b)
    assert np.array_equal(multiplied, a * b)
    mesh.run({(1, 0): programs[0, 0]})
    assert all(np.array_equal(part, a + b) for part in out.parts())


def test_mistakes_end_in_a_sentence(mesh: Mesh) -> None:
    with pytest.raises(DeviceError, match="cannot be split along 0 over 2 chips"):
        mesh.empty((33, 32), shard_dim=0)
    with pytest.raises(DeviceError, match="do not fit a tensor of shape"):
        mesh.empty((64, 32), shard_dim=0).copy_from_numpy(np.zeros((32, 32), np.float32))
    with pytest.raises(ProgramError, match=r"there is no chip \(0, 1\) in Mesh\(2 x 1 n150\)"):
        mesh.run({(0, 1): elementwise})  # type: ignore[dict-item]
    with pytest.raises(ProgramError, match="no chip has a program"):
        mesh.run({})
    with pytest.raises(DeviceError, match="a mesh cannot have shape"):
        open_mesh((0, 2))


def test_a_tensor_says_how_it_lies(mesh: Mesh) -> None:
    text = repr(mesh.empty((64, 32), shard_dim=0))
    assert text == "MeshTensor([64, 32], Float16_b, split along 0 of Mesh(2 x 1 n150))"
    assert "on every chip" in repr(mesh.empty((64, 32)))


def test_a_compiled_kernel_runs_on_every_chip(mesh: Mesh) -> None:
    kernel = compile_kernel(module("add"), mesh.arch)
    shapes = {name: tuple(map(int, one.shape)) for name, one in kernel.signature.tensors.items()}
    (first, rows_and_columns), *_ = shapes.items()
    whole = (rows_and_columns[0] * 2, *rows_and_columns[1:])
    given = {name: _values(whole, seed).astype(ml_dtypes.bfloat16) for seed, name in enumerate(shapes)}
    output = kernel.signature.outputs[0]
    inputs = {name: values for name, values in given.items() if name != output}
    results = data_parallel(kernel, mesh, inputs, dict.fromkeys(shapes, 0))
    parts = [
        kernel(*(values[half : half + rows_and_columns[0]] for values in inputs.values()))
        for half in (0, rows_and_columns[0])
    ]
    assert np.array_equal(results[output], np.concatenate(parts))
    with pytest.raises(BadCallError, match="has no parameter Z"):
        data_parallel(kernel, mesh, {"Z": given[first]}, {})


def test_a_tensor_has_one_address_whatever_else_the_chips_hold() -> None:
    with open_mesh((1, 3), "wormhole") as mesh:
        chips = list(mesh.chips.devices.values())  # type: ignore[attr-defined]
        others = [chips[0].empty((320, 64)), chips[2].empty((64, 64))]
        tensor = mesh.from_parts([np.full((32, 32), chip, np.float32) for chip in range(3)])
        assert len({part.address for part in tensor._handle}) == 1
        assert [part[0, 0] for part in tensor.parts()] == [0, 1, 2]
        assert tensor.part(2)[0, 0] == 2
        assert all(other.address < tensor.local.address for other in others)
