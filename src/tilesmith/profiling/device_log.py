"""`profile_log_device.csv`: when each RISC of each core ran its kernel, as the device profiler logs it."""

from __future__ import annotations

from pathlib import Path

from tilesmith.profiling.model import ProgramProfile, Zone
from tilesmith.profiling.report import Chip, Profile
from tilesmith.profiling.vendor_names import ARCH, RISC

_HEADER = (
    "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID,"
    " trace id, trace id counter, zone name, type, source line, source file, meta data"
)


def write_device_log(profile: Profile, folder: str | Path) -> Path:
    """Write the file into the folder of the CSV, where ttnn-visualizer looks for both."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "profile_log_device.csv"
    path.write_text("\n".join(device_log(profile)) + "\n", encoding="utf-8")
    return path


def device_log(profile: Profile) -> list[str]:
    """The lines: a zone per role, started and ended, with the program's number as its run."""
    chip = profile.chip
    if chip is None:
        return [_HEADER]
    first = (
        f"ARCH: {ARCH[chip.family]}, CHIP_FREQ[MHz]: {round(chip.clock_ghz * 1000)},"
        f" Max Compute Cores: {chip.grid_x * chip.grid_y}"
    )
    lines = [first, _HEADER]
    start = 0.0
    for number, program in enumerate(profile.programs, 1):
        start += program.launch_us * chip.clock_ghz * 1e3
        lines += _zones(number, program, chip, round(start))
        start += program.cycles
    return lines


def _zones(number: int, program: ProgramProfile, chip: Chip, start: int) -> list[str]:
    files = {source.name: source.path for source in program.sources}
    kernels = {(role.x, role.y, role.role): files.get(role.kernel, "") for role in program.roles}
    spans = [
        Zone(role.x, role.y, role.role, f"{RISC[role.role].split('_')[0]}-KERNEL", 0, role.cycles)
        for role in program.roles
    ]
    lines = []
    for zone in (*spans, *program.zones):
        x, y = chip.worker_x[zone.x], chip.worker_y[zone.y]
        file = kernels[zone.x, zone.y, zone.role].replace(",", "_")
        for zone_type, time in (("ZONE_START", zone.begin), ("ZONE_END", zone.end)):
            place = f"0,{x},{y},{RISC[zone.role]},{_timer(zone.name)},{start + time}"
            lines.append(f"{place},0,{number},,,{zone.name.replace(',', '_')},{zone_type},1,{file},")
    return lines


def _timer(zone: str) -> int:
    """The number of a zone, the same for its start and its end; 16 bits, as on the device."""
    number = 0
    for letter in zone:
        number = (number * 31 + ord(letter)) & 0xFFFF
    return number
