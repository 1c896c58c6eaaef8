"""Eager PyTorch on a device called "tilesmith": every call runs as a program of its own.

>>> import torch
>>> x = torch.ones(2, 3).to(use_device())
>>> x.device, x.t().shape
(device(type='tilesmith', index=0), torch.Size([3, 2]))
"""

from tilesmith.models.eager.calls import calls
from tilesmith.models.eager.device import use_device
from tilesmith.models.eager.tensor import DeviceTensor

__all__ = ["DeviceTensor", "calls", "use_device"]
