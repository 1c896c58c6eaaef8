"""Power as a card says it: hwmon of the kernel driver where there is one, else `tt-smi -s`."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from tilesmith.profiling.power.estimate import Power

_HWMON = Path("/sys/class/hwmon")
_NAMES = ("wormhole", "blackhole", "tenstorrent", "grayskull")
_TT_SMI_SECONDS = 20.0

Reader = Callable[[], float]


@dataclass(frozen=True)
class PowerSource:
    """Where watts are read from: `name` says it, `read` gives those of now."""

    name: str
    read: Reader
    limit: float = 0.0


def find_source(hwmon: Path = _HWMON, tt_smi: str = "tt-smi", chip: int = 0) -> PowerSource | None:
    """The card's own figure, or None on a computer without one."""
    sensors = sorted(
        path for path in hwmon.glob("hwmon*") if _is_card(path) and (path / "power1_input").is_file()
    )
    if chip < len(sensors):
        sensor = sensors[chip]
        return PowerSource(
            f"card, hwmon {sensor.name}", lambda: _microwatts(sensor / "power1_input"), _limit(sensor)
        )
    program = shutil.which(tt_smi)
    if program is None:
        return None
    try:
        _from_tt_smi(program, chip)
    except (OSError, ValueError, KeyError, subprocess.SubprocessError):
        return None
    return PowerSource("card, tt-smi", lambda: _from_tt_smi(program, chip))


def _is_card(sensor: Path) -> bool:
    try:
        name = (sensor / "name").read_text(encoding="ascii", errors="replace").strip().lower()
    except OSError:
        return False
    return name.startswith(_NAMES)


def _microwatts(file: Path) -> float:
    return int(file.read_text(encoding="ascii")) / 1e6


def _limit(sensor: Path) -> float:
    try:
        return _microwatts(sensor / "power1_max")
    except (OSError, ValueError):
        return 0.0


def _from_tt_smi(program: str, chip: int) -> float:
    """`tt-smi -s` prints a snapshot as JSON; each device has its telemetry, with numbers as text."""
    done = subprocess.run(
        [program, "-s"],
        capture_output=True,
        text=True,
        timeout=_TT_SMI_SECONDS,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    start = done.stdout.find("{")
    devices = json.loads(done.stdout[start:])["device_info"] if start >= 0 else []
    if chip >= len(devices):
        raise ValueError(f"tt-smi lists {len(devices)} devices")
    return float(str(devices[chip]["telemetry"]["power"]).strip())


@dataclass
class PowerSampler:
    """Reads the card while its block runs: `with PowerSampler(source) as sampler: ...; sampler.power`."""

    source: PowerSource
    interval: float = 0.05
    samples: list[tuple[float, float]] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> PowerSampler:
        self._sample()
        self._thread = threading.Thread(target=self._run, name="tilesmith-power", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._sample()

    def _run(self) -> None:
        while not self._stop.wait(self.interval):
            self._sample()

    def _sample(self) -> None:
        try:
            self.samples.append((time.perf_counter(), self.source.read()))
        except (OSError, ValueError, KeyError, subprocess.SubprocessError):
            return  # a card that does not answer once is asked again

    @property
    def power(self) -> Power | None:
        """The mean over time, by trapezoids; low and high are the least and the most seen."""
        if not self.samples:
            return None
        watts = [value for _, value in self.samples]
        span = self.samples[-1][0] - self.samples[0][0]
        pairs = zip(self.samples, self.samples[1:], strict=False)
        energy = sum((later - earlier) * (a + b) / 2 for (earlier, a), (later, b) in pairs)
        mean = energy / span if span else watts[0]
        return Power(mean, min(watts), max(watts), span * 1e6, self.source.limit, self.source.name)
