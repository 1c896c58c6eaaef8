"""Tensors between host, device and files: as_tensor, get_device_tensors, copies, dump and load."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tilesmith.formats import TileShape
from tilesmith.ops.checks import fatal
from tilesmith.ops.creation.host import from_torch
from tilesmith.ops.device import MeshDevice
from tilesmith.ops.dtypes import DataType
from tilesmith.ops.framework import register, registered
from tilesmith.ops.host import HostTensor
from tilesmith.ops.memory import MemoryConfig
from tilesmith.ops.memory_facts import memory_facts, memory_of
from tilesmith.ops.rearrange.memory import to_device
from tilesmith.ops.tensor import Tensor
from tilesmith.program import CoreRangeSet
from tilesmith.runtime import Layout
from tilesmith.runtime.tensor_spec import TensorSpec

if TYPE_CHECKING:
    import torch


@registered("ttnn.as_tensor", golden=lambda tensor, *_, **__: tensor)
def as_tensor(
    tensor: torch.Tensor,
    dtype: DataType | None = None,
    *,
    layout: Layout | None = Layout.ROW_MAJOR,
    device: MeshDevice | None = None,
    memory_config: MemoryConfig | None = None,
    cache_file_name: str | Path | None = None,
    preprocess: Callable[[torch.Tensor], torch.Tensor] | None = None,
    mesh_mapper: object = None,
) -> Tensor:
    """`from_torch`, kept in a file when a name is given: the second call reads it."""
    if device is not None and memory_config is None:
        raise RuntimeError("memory_config must be specified when device is specified")
    path = None
    if cache_file_name is not None:
        suffix = f"_dtype_{dtype.name if dtype else 'None'}_layout_{layout.name if layout else 'None'}"
        path = Path(f"{cache_file_name}{suffix}.tensorbin")
        if path.exists():
            kept = load_tensor(path)
            if tuple(kept.shape) == tuple(tensor.shape):
                return kept if device is None else to_device(kept, device, memory_config)
    converted = from_torch(preprocess(tensor) if preprocess else tensor, dtype, layout=layout)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        dump_tensor(path, converted)
    return converted if device is None else to_device(converted, device, memory_config)


@registered("ttnn.dump_tensor")
def dump_tensor(file_name: str | Path, tensor: Tensor) -> None:
    """Write a tensor to a file that `load_tensor` reads. The format is ours, not ttnn's."""
    host = tensor.cpu().on_host
    assert host is not None
    spec = host.spec
    facts = {
        "shape": spec.shape,
        "dtype": DataType.of(spec.dtype).name,
        "layout": spec.layout.name,
        "tile": (spec.tile.rows, spec.tile.cols),
        "memory": memory_facts(spec.memory_config),
    }
    with Path(file_name).open("wb") as file:
        np.savez(file, facts=json.dumps(facts), pages=host.pages)


@registered("ttnn.load_tensor")
def load_tensor(file_name: str | Path, *, device: MeshDevice | None = None) -> Tensor:
    """Read a tensor that `dump_tensor` wrote."""
    with np.load(Path(file_name)) as kept:
        facts = json.loads(str(kept["facts"]))
        pages = kept["pages"]
    spec = TensorSpec(
        tuple(facts["shape"]),
        DataType[facts["dtype"]].format,
        Layout[facts["layout"]],
        memory_of(facts["memory"]),
        TileShape(*facts["tile"]),
    )
    tensor = Tensor(on_host=HostTensor(spec, pages))
    return tensor if device is None else to_device(tensor, device)


def get_device_tensors(tensor: Tensor) -> list[Tensor]:
    """The parts of a tensor by device: here there is one device."""
    return [tensor]


def copy_host_to_device_tensor(host_tensor: Tensor, device_tensor: Tensor, cq_id: int | None = None) -> None:
    """Write a host tensor's values into a device tensor of the same shape, type and layout."""
    host, room = host_tensor.on_host, device_tensor.on_device
    fatal(
        host is not None and room is not None, "copy_host_to_device_tensor takes a host and a device tensor"
    )
    assert host is not None
    assert room is not None
    same = replace(host.spec, memory_config=room.spec.memory_config) == room.spec
    fatal(same, "Host tensor has different spec from device tensor")
    room.copy_from_numpy(host.to_numpy())


def copy_host_to_device_tensor_partial(
    host_tensor: Tensor, device_tensor: Tensor, cores: CoreRangeSet, cq_id: int | None = None
) -> None:
    """Write only the shards that lie on some cores."""
    host, room = host_tensor.on_host, device_tensor.on_device
    fatal(host is not None, "copy_host_to_device_tensor_partial: the first tensor must be on the host")
    fatal(room is not None, "copy_host_to_device_tensor_partial: the second tensor must be on a device")
    assert host is not None
    assert room is not None
    memory = room.spec.memory_config
    fatal(memory.is_sharded and not memory.in_dram, "The device tensor must be sharded in L1")
    same = replace(host.spec, memory_config=memory) == room.spec
    fatal(same, "Host tensor has different spec from device tensor")
    pages = HostTensor.of_numpy(host.to_numpy(), room.spec).pages
    room.buffer.write_banks(pages, set(CoreRangeSet.of(cores).cores()) if cores.ranges else ())


for _function in (get_device_tensors, copy_host_to_device_tensor, copy_host_to_device_tensor_partial):
    register(f"ttnn.{_function.__name__}", _function)
