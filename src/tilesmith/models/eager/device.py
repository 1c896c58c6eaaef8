"""Registering the device with PyTorch: its name, and how tensors of it are made."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch.utils.backend_registration import _DummyBackendModule, _setup_privateuseone_for_python_backend

from tilesmith.errors import SettingsError
from tilesmith.models.eager.tensor import NAME, DeviceTensor


@cache
def use_device() -> torch.device:
    """Make the device known to PyTorch, once; `tensor.to("tilesmith")` and `model.to("tilesmith")` work then.

    PyTorch has room for one device from outside, under a name of its choice.

    >>> use_device()
    device(type='tilesmith', index=0)
    """
    taken = torch._C._get_privateuse1_backend_name()
    if taken not in ("privateuseone", NAME):
        raise SettingsError(
            f"PyTorch has room for one device from outside, and {taken} has it already",
            where="use_device",
            remedy='use torch.compile(model, backend="tilesmith"), which needs no device of its own',
        )
    if taken != NAME:
        _setup_privateuseone_for_python_backend(NAME, backend_module=_DeviceModule())
        _library.impl("empty.memory_format", _empty, "PrivateUse1")
        _library.impl("empty_strided", _empty_strided, "PrivateUse1")
        _library.impl("_copy_from", _copy_from, "PrivateUse1")
    return torch.device(NAME, 0)


class _DeviceModule(_DummyBackendModule):
    """`torch.tilesmith`. Random numbers are drawn on the host: its generator is the device's."""

    def get_rng_state(self, device: Any = None) -> torch.Tensor:  # noqa: ARG002 - there is one device
        return torch.get_rng_state()

    def set_rng_state(self, new_state: torch.Tensor, device: Any = None) -> None:  # noqa: ARG002
        torch.set_rng_state(new_state)


_library = torch.library.Library("aten", "IMPL")


def _empty(size: Any, dtype: torch.dtype | None = None, **_: Any) -> torch.Tensor:
    result: torch.Tensor = DeviceTensor(torch.empty(size, dtype=dtype))
    return result


def _empty_strided(size: Any, stride: Any, dtype: torch.dtype | None = None, **_: Any) -> torch.Tensor:
    result: torch.Tensor = DeviceTensor(torch.empty_strided(size, stride, dtype=dtype))
    return result


def _copy_from(source: Any, target: Any, non_blocking: bool = False) -> Any:  # noqa: ARG001
    """What torch.tensor(..., device=...) fills the new tensor with."""
    ends = [one.held if isinstance(one, DeviceTensor) else one for one in (source, target)]
    ends[1].copy_(ends[0])
    return target
