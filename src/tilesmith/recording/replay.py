"""Running a recording again: the same programs, on tensors that a device allocates anew."""

from __future__ import annotations

from tilesmith.arch import Arch, load_arch
from tilesmith.errors import DeviceError
from tilesmith.ops.framework.binding import rebind
from tilesmith.recording.model import Recording
from tilesmith.runtime import Device
from tilesmith.runtime.buffer import Bytes


def replay(recording: Recording, device: Device) -> dict[int, Bytes]:
    """What the changed tensors hold after all launches, by their numbers."""
    check_same_chip(recording, device.arch)
    tensors = [
        device.empty(tensor.shape, tensor.dtype, tensor.layout, tensor.memory_config, tensor.tile)
        for tensor in recording.tensors
    ]
    for launch in recording.launches:
        for number, pages in launch.uploads.items():
            tensors[number].buffer.write(pages)
        addresses = [tensor.address for tensor in tensors]
        device.run(rebind(launch.program, launch.bindings, tensors, addresses))
    return {number: tensors[number].buffer.read() for number in recording.final_results}


def check_same_chip(recording: Recording, arch: Arch) -> None:
    """Programs hold numbers of their chip: how pages are aligned, and where cores are on the NoC."""
    made_for = load_arch(recording.product)
    cores = {core for launch in recording.launches for core in launch.program.cores}
    missing = sorted(core for core in cores if not arch.has_core(core))
    if made_for.family != arch.family or missing:
        lacks = f" without core {missing[0]}" if missing else ""
        raise DeviceError(
            f"{recording.title} was recorded for a {made_for.product}; this is a {arch.product}{lacks}",
            remedy="record it for this chip, or run the workload itself on both",
        )
    moved = sorted(core for core in cores if made_for.worker_noc_xy(core) != arch.worker_noc_xy(core))
    if moved:
        raise DeviceError(
            f"core {moved[0]} is at {arch.worker_noc_xy(moved[0])} on the NoC here, and at"
            f" {made_for.worker_noc_xy(moved[0])} on the chip {recording.title} was recorded for",
            remedy="run the workload itself on both",
        )
