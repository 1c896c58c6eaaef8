"""`open_device("ttnn")` where ttnn or a device is not there: what the message must say."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

import tilesmith
from tilesmith.errors import DeviceError
from tilesmith.runtime import ttnn_executor, ttnn_library
from tilesmith.runtime.ttnn_arch import arch_of


def _refuse(name: str) -> Any:
    raise ModuleNotFoundError(f"No module named {name!r}")


@pytest.mark.parametrize(("version", "advice"), [((3, 11), "use Python 3.12"), ((3, 12), "pip install")])
def test_without_ttnn_the_remedy_names_python_and_the_extra(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, int], advice: str
) -> None:
    monkeypatch.setattr(ttnn_library, "import_module", _refuse)
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(DeviceError, match="ttnn cannot be imported in Python") as caught:
        tilesmith.open_device("ttnn")
    assert advice in caught.value.remedy
    assert "tilesmith[ttnn]" in caught.value.remedy


def test_without_a_device_the_vendors_words_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_device(device_id: int) -> Any:
        raise RuntimeError(f"TT_FATAL @ cluster.cpp:1: x\ninfo:\nNo chip {device_id}\nbacktrace:\n --- f")

    monkeypatch.setattr(ttnn_executor, "load_ttnn", lambda: SimpleNamespace(open_device=open_device))
    with pytest.raises(DeviceError, match="could not open a device: No chip 0\n") as caught:
        tilesmith.open_device("ttnn")
    assert "tilesmith doctor" in caught.value.remedy


class _Chip:
    """A chip as ttnn shows one, with every seventh column of cores fused off."""

    def __init__(self, name: str, grid: tuple[int, int], banks: int) -> None:
        self._name, self._grid, self._banks = name, grid, banks

    def arch(self) -> Any:
        return SimpleNamespace(name=self._name)

    def compute_with_storage_grid_size(self) -> Any:
        return SimpleNamespace(x=self._grid[0], y=self._grid[1])

    def dram_grid_size(self) -> Any:
        return SimpleNamespace(x=self._banks, y=1)

    def worker_core_from_logical_core(self, core: Any) -> Any:
        return SimpleNamespace(x=core.x + core.x // 6 + 18, y=core.y + 18)


_TTNN = SimpleNamespace(CoreCoord=lambda x, y: SimpleNamespace(x=x, y=y))


def test_arch_has_the_grid_and_coordinates_the_driver_says() -> None:
    arch = arch_of(_TTNN, _Chip("WORMHOLE_B0", (8, 7), 12))
    assert (arch.name, arch.product, tuple(arch.grid)) == ("ttnn", "n300", (8, 7))
    assert arch.worker_virtual_columns == (18, 19, 20, 21, 22, 23, 25, 26)
    assert arch_of(_TTNN, _Chip("BLACKHOLE", (10, 10), 7)).product == "p100a"


def test_arch_of_a_chip_nobody_knows_is_refused() -> None:
    with pytest.raises(DeviceError, match="the chip is a QUASAR"):
        arch_of(_TTNN, _Chip("QUASAR", (8, 4), 8))
    with pytest.raises(DeviceError, match="with 5 DRAM banks"):
        arch_of(_TTNN, _Chip("BLACKHOLE", (13, 10), 5))
