"""ttnn's compute kernel configs: how exactly the compute engine works."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from tilesmith.formats import DataFormat
from tilesmith.ops.building import is_wide
from tilesmith.program import ComputeConfig, MathFidelity


class ThrottleLevel(Enum):
    """How much the matrix engine pauses to save power; no time is modelled for it."""

    NO_THROTTLE = 0
    LEVEL_1 = 1
    LEVEL_2 = 2
    LEVEL_3 = 3
    LEVEL_4 = 4
    LEVEL_5 = 5


@dataclass(unsafe_hash=True)
class ComputeKernelConfig:
    """WormholeComputeKernelConfig; None leaves the choice to the operation.

    >>> ComputeKernelConfig(math_fidelity=MathFidelity.LoFi).config([DataFormat.Float16_b]).math_fidelity.name
    'LoFi'
    """

    math_fidelity: MathFidelity | None = None
    math_approx_mode: bool = False
    fp32_dest_acc_en: bool | None = None
    packer_l1_acc: bool = False
    dst_full_sync_en: bool = False
    throttle_level: object = None

    def config(
        self, formats: Iterable[DataFormat], straight: tuple[int, ...] = (), wide: bool = False
    ) -> ComputeConfig:
        """For kernels on these formats; `straight` lists the buffers unpacked to DST with all 32 bits.

        `wide` is what the operation prefers where the config leaves the choice.
        """
        prefers = wide or is_wide(formats)
        wide = prefers if self.fp32_dest_acc_en is None else self.fp32_dest_acc_en
        return ComputeConfig(
            MathFidelity.HiFi4 if self.math_fidelity is None else self.math_fidelity,
            self.math_approx_mode,
            wide or bool(straight),
            self.dst_full_sync_en,
            unpack_to_dest_fp32=straight,
        )


def init_device_compute_kernel_config(
    arch: object,
    arg: ComputeKernelConfig | None = None,
    *,
    math_fidelity: MathFidelity = MathFidelity.LoFi,
    math_approx_mode: bool = True,
    fp32_dest_acc_en: bool = False,
    packer_l1_acc: bool = False,
    dst_full_sync_en: bool = False,
    throttle_level: object = None,
) -> ComputeKernelConfig:
    """ttnn's function of that name."""
    return arg or ComputeKernelConfig(
        math_fidelity, math_approx_mode, fp32_dest_acc_en, packer_l1_acc, dst_full_sync_en, throttle_level
    )


def layernorm_default_compute_config(arch: object) -> ComputeKernelConfig:
    """What layer_norm computes with where nothing is said."""
    return ComputeKernelConfig(MathFidelity.HiFi4, math_approx_mode=True, fp32_dest_acc_en=False)


def rmsnorm_default_compute_config(arch: object) -> ComputeKernelConfig:
    """What rms_norm computes with where nothing is said."""
    return layernorm_default_compute_config(arch)


DeviceComputeKernelConfig = ComputeKernelConfig
