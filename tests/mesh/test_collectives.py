"""Collectives on lines and rings of chips, bit for bit against numpy; a dropped call is found."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tilesmith import collectives
from tilesmith.collectives import programs
from tilesmith.errors import KernelFindings, ProgramError
from tilesmith.formats import DataFormat
from tilesmith.runtime import Layout, Mesh, open_mesh

DTYPES = {
    DataFormat.Float16_b: ml_dtypes.bfloat16,
    DataFormat.Float32: np.float32,
    DataFormat.Int32: np.int32,
}
MESHES = {"n300": ((1, 2), "n300"), "ring": ((1, 4), "p150x4"), "line": ((1, 3), "wormhole")}


@pytest.fixture(params=MESHES, scope="module")
def mesh(request: pytest.FixtureRequest) -> Iterator[Mesh]:
    shape, board = MESHES[request.param]
    with open_mesh(shape, board) as opened:
        yield opened


def _parts(mesh: Mesh, shape: tuple[int, ...], dtype: DataFormat, seed: int = 0) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    return [
        (random.normal(size=shape) * (1000 if dtype is DataFormat.Int32 else 1)).astype(DTYPES[dtype])
        for _ in range(mesh.num_chips)
    ]


def _summed(parts: list[np.ndarray]) -> np.ndarray:
    """In the order of the chips, in float32 or int32, rounded once."""
    wide = np.int32 if parts[0].dtype == np.int32 else np.float32
    return reduce(np.add, [part.astype(wide) for part in parts]).astype(parts[0].dtype)


def _check(found: list[np.ndarray], wanted: list[np.ndarray]) -> None:
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert np.array_equal(np.asarray(one, other.dtype), other)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_all_reduce(mesh: Mesh, dtype: DataFormat) -> None:
    parts = _parts(mesh, (70, 50), dtype)
    result = collectives.all_reduce(mesh.from_parts(parts, dtype))
    _check(result.parts(), [_summed(parts)] * mesh.num_chips)


@pytest.mark.parametrize(("shape", "dim"), [((64, 50), 0), ((3, 40, 32), -1), ((2, 33, 50), 0)])
def test_all_gather(mesh: Mesh, shape: tuple[int, ...], dim: int) -> None:
    parts = _parts(mesh, shape, DataFormat.Float16_b)
    result = collectives.all_gather(mesh.from_parts(parts, DataFormat.Float16_b), dim)
    _check(result.parts(), [np.concatenate(parts, dim)] * mesh.num_chips)


@pytest.mark.parametrize("dim", [0, 1])
def test_all_gather_of_rows(mesh: Mesh, dim: int) -> None:
    parts = _parts(mesh, (7, 48), DataFormat.Float32)
    result = collectives.all_gather(mesh.from_parts(parts, DataFormat.Float32, Layout.ROW_MAJOR), dim)
    _check(result.parts(), [np.concatenate(parts, dim)] * mesh.num_chips)


@pytest.mark.parametrize("dim", [0, -1])
def test_reduce_scatter(mesh: Mesh, dim: int) -> None:
    count = mesh.num_chips
    shape = (count, 40, 64) if dim == 0 else (40, count * 32)
    parts = _parts(mesh, shape, DataFormat.Float16_b)
    result = collectives.reduce_scatter(mesh.from_parts(parts, DataFormat.Float16_b), dim)
    _check(result.parts(), np.split(_summed(parts), count, dim))


def test_all_to_all(mesh: Mesh) -> None:
    count = mesh.num_chips
    parts = _parts(mesh, (count * 32, 50), DataFormat.Float16_b)
    result = collectives.all_to_all(mesh.from_parts(parts, DataFormat.Float16_b), 0, 0)
    pieces = [np.split(part, count, 0) for part in parts]
    _check(result.parts(), [np.concatenate([piece[chip] for piece in pieces], 0) for chip in range(count)])


def test_broadcast_and_point_to_point(mesh: Mesh) -> None:
    parts = _parts(mesh, (33, 65), DataFormat.Float32)
    tensor, last = mesh.from_parts(parts, DataFormat.Float32), mesh.num_chips - 1
    _check(collectives.broadcast(tensor, root=1).parts(), [parts[1]] * mesh.num_chips)
    there = collectives.broadcast(collectives.point_to_point(tensor, 0, last), root=last)
    _check(there.parts(), [parts[0]] * mesh.num_chips)


def test_rows_and_columns_one_after_the_other() -> None:
    with open_mesh((2, 2), "t3000") as mesh:
        parts = _parts(mesh, (32, 32), DataFormat.Int32)
        tensor = mesh.from_parts(parts, DataFormat.Int32)
        _check(collectives.all_gather(tensor, 0).parts(), [np.concatenate(parts, 0)] * 4)
        _check(
            collectives.all_reduce(tensor, cluster_axis=0).parts(),
            [parts[0] + parts[2], parts[1] + parts[3]] * 2,
        )


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_all_reduce_of_many_pages_sums_them_by_parts(mesh: Mesh, dtype: DataFormat) -> None:
    """Each chip sums a part of them; the bits are those of one sum."""
    parts = _parts(mesh, (192, 128), dtype)
    result = collectives.all_reduce(mesh.from_parts(parts, dtype))
    _check(result.parts(), [_summed(parts)] * mesh.num_chips)


@pytest.mark.parametrize("shape", [(70, 50), (192, 128)])
def test_a_sum_may_replace_its_operand(mesh: Mesh, shape: tuple[int, int]) -> None:
    parts = _parts(mesh, shape, DataFormat.Float16_b)
    tensor = mesh.from_parts(parts, DataFormat.Float16_b)
    assert collectives.all_reduce(tensor, into=tensor) is tensor
    _check(tensor.parts(), [_summed(parts)] * mesh.num_chips)
    with pytest.raises(ProgramError, match="does not fit into"):
        collectives.all_reduce(tensor, into=mesh.empty((32, 32), DataFormat.Float32))


def test_parts_go_into_a_tensor_that_is_there(mesh: Mesh) -> None:
    count = mesh.num_chips
    parts = _parts(mesh, (32 * count, 64), DataFormat.Float32)
    tensor, half = mesh.from_parts(parts), mesh.empty((32, 64), DataFormat.Float32)
    whole = mesh.empty((32 * count * count, 64), DataFormat.Float32)
    assert collectives.all_gather(tensor, 0, into=whole) is whole
    assert all(np.array_equal(part, np.concatenate(parts)) for part in whole.parts())
    assert collectives.reduce_scatter(tensor, 0, into=half) is half
    total = reduce(np.add, parts)
    assert np.array_equal(np.concatenate(half.parts()), total)
    moved = mesh.empty((32 * count, 64), DataFormat.Float32)
    assert collectives.all_to_all(tensor, 0, 0, into=moved) is moved
    wanted = np.concatenate([np.split(part, count)[0] for part in parts])
    assert np.array_equal(moved.part(0), wanted)
    with pytest.raises(ProgramError, match="cannot write over what it reads"):
        collectives.all_to_all(tensor, 0, 0, into=tensor)
    with pytest.raises(ProgramError, match="does not fit into"):
        collectives.all_gather(tensor, 0, into=half)


def test_eight_chips_under_other_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_mesh((1, 8), "t3000") as mesh:
        parts = _parts(mesh, (32, 64), DataFormat.Float16_b)
        for seed in ("0", "3"):
            monkeypatch.setenv("TILESMITH_SEED", seed)
            result = collectives.all_reduce(mesh.from_parts(parts, DataFormat.Float16_b))
            _check(result.parts(), [_summed(parts)] * 8)


def test_what_cannot_be_is_said(mesh: Mesh) -> None:
    tensor = mesh.from_parts(_parts(mesh, (33, 33), DataFormat.Float32), DataFormat.Float32)
    with pytest.raises(ProgramError, match="begin inside a tile of 32"):
        collectives.all_gather(tensor, 0)
    with pytest.raises(ProgramError, match=r"equal parts along 0|begin inside a tile"):
        collectives.reduce_scatter(tensor, 0)
    with pytest.raises(ProgramError, match="has no dimension 4"):
        collectives.all_gather(tensor, 4)


SYNCHRONISATION = [
    ("sender.cpp", "            cb_wait_front(sent_cb, batch);\n"),
    ("sender.cpp", "            noc_async_writes_flushed();\n            cb_pop_front(sent_cb, batch);\n"),
    ("sender.cpp", "    if (messages) fabric.open();\n"),
    ("sender.cpp", "    if (messages) fabric.close();\n"),
    ("sender.cpp", "        sender.wait_for_empty_write_slot();\n"),
    ("sender.cpp", "        if (what.forward.range) forward.raise(arrived);"),
    ("sender.cpp", "    noc_semaphore_wait_min(word_at(arrived), expected);\n"),
    ("sender.cpp", "            noc_semaphore_inc(get_noc_addr(core >> 16, core & 0xffff, ready), 1);\n"),
    ("reader.cpp", "            noc_async_read_barrier();\n"),
    ("reader.cpp", "            cb_push_back(sent_cb, batch);\n"),
    (
        "sum_reader.cpp",
        "    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)), links);\n",
    ),
    ("sum_reader.cpp", "        noc_async_read_barrier();\n"),
    ("sum_reader.cpp", "        cb_reserve_back(summed_cb, summands);\n"),
    ("sum_writer.cpp", "        cb_wait_front(result_cb, 1);\n"),
    ("sum.cpp", "            cb_wait_front(summed_cb, 1);\n"),
    ("sum.cpp", "        tile_regs_wait();\n"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "dropped"), SYNCHRONISATION)
def test_a_dropped_call_is_found(
    file: str, dropped: str, lasting_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in programs._KERNELS.iterdir():
        text = path.read_text()
        assert path.name != file or dropped in text
        (lasting_folder / path.name).write_text(text.replace(dropped, "", 1) if path.name == file else text)
    monkeypatch.setattr(programs, "_KERNELS", lasting_folder)
    with open_mesh((1, 2), "n300") as mesh:
        tensor = mesh.from_parts(_parts(mesh, (64, 64), DataFormat.Float32), DataFormat.Float32)
        with pytest.raises(KernelFindings):
            collectives.all_reduce(tensor)
