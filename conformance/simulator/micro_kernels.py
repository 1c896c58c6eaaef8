"""Small compute kernels, each for one thing an engine does, in formats and modes that change its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tilesmith.formats import DataFormat
from tilesmith.program import ComputeConfig, MathFidelity

BF16, FP32 = DataFormat.Float16_b, DataFormat.Float32
BFP8, BFP4, INT32 = DataFormat.Bfp8_b, DataFormat.Bfp4_b, DataFormat.Int32
COPY = "copy_init(0); copy_tile(0, i, 0);"


@dataclass(frozen=True)
class MicroKernel:
    """`body` runs for tile `i` of two operands in circular buffers 0 and 1, and leaves its result in DST 0.

    `after` runs when it is packed. `scaler`: the second operand is this number everywhere. `positive`: the
    first is above zero.
    """

    name: str
    headers: tuple[str, ...]
    body: str
    a: DataFormat = BF16
    b: DataFormat = BF16
    out: DataFormat = BF16
    config: ComputeConfig = field(default_factory=ComputeConfig)
    start: str = "compute_kernel_hw_startup(0, 1, 16);"
    after: str = ""
    positive: bool = False
    scaler: float | None = None


def micro_kernels() -> Iterator[MicroKernel]:
    """Every micro-kernel."""
    yield from _products()
    yield from _elementwise()
    yield from _reductions()
    yield from _moves()
    yield from _vector_unit()
    yield from _integers()


def _width(wide: bool) -> str:
    return "wide" if wide else "narrow"


def _accumulating(wide: bool, fidelity: MathFidelity = MathFidelity.HiFi4) -> ComputeConfig:
    return ComputeConfig(math_fidelity=fidelity, fp32_dest_acc_en=wide)


def _products() -> Iterator[MicroKernel]:
    body = "matmul_init(0, 1); for (uint32_t k = 0; k < 4; k++) matmul_tiles(0, 1, k, k, 0);"
    start = "compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16);"
    lo, two, four = MathFidelity.LoFi, MathFidelity.HiFi2, MathFidelity.HiFi4
    for a, b, out, fidelity, wide in (
        (BF16, BF16, BF16, lo, False),
        (BF16, BF16, BF16, two, False),
        (BF16, BF16, FP32, MathFidelity.HiFi3, True),
        (BF16, BF16, FP32, four, True),
        (BFP8, BFP8, BFP8, two, False),
        (BFP4, BF16, BF16, lo, True),
        (FP32, FP32, FP32, four, True),
        (FP32, FP32, BF16, lo, False),
    ):
        name = f"matmul {a.name} {b.name} {fidelity.name} {_width(wide)}"
        yield MicroKernel(name, ("matmul.h",), body, a, b, out, _accumulating(wide, fidelity), start)


def _elementwise() -> Iterator[MicroKernel]:
    for operation, a, out, fidelity, wide in (
        ("add", FP32, FP32, MathFidelity.HiFi4, True),
        ("add", BFP4, BFP4, MathFidelity.HiFi4, False),
        ("sub", BF16, BFP8, MathFidelity.LoFi, False),
        ("sub", FP32, BF16, MathFidelity.HiFi4, False),
        ("mul", BF16, BF16, MathFidelity.LoFi, False),
        ("mul", BF16, FP32, MathFidelity.HiFi2, True),
        ("mul", FP32, FP32, MathFidelity.HiFi3, True),
        ("mul", BFP8, BFP4, MathFidelity.HiFi4, True),
    ):
        body = f"{operation}_init(0, 1); {operation}_tiles(0, 1, i, i, 0);"
        name = f"{operation} {a.name} to {out.name} {fidelity.name} {_width(wide)}"
        yield MicroKernel(name, ("eltwise_binary.h",), body, a, a, out, _accumulating(wide, fidelity))
    for operation, kind in (("add", "rows"), ("sub", "cols"), ("mul", "scalar")):
        body = f"{operation}_bcast_{kind}_init(0, 1); {operation}_tiles_bcast_{kind}(0, 1, i, i, 0);"
        yield MicroKernel(f"{operation} {kind}", ("bcast.h",), body, FP32, FP32, FP32, _accumulating(True))


def _reductions() -> Iterator[MicroKernel]:
    for kind, over, a, wide in (
        ("SUM", "ROW", FP32, True),
        ("SUM", "COL", FP32, True),
        ("SUM", "SCALAR", FP32, True),
        ("MAX", "ROW", FP32, True),
        ("MAX", "COL", BFP8, False),
        ("MAX", "SCALAR", BF16, True),
        ("AVG", "ROW", BF16, False),
        ("AVG", "COL", BFP8, True),
        ("AVG", "SCALAR", BF16, False),
    ):
        made = f"<PoolType::{kind}, ReduceDim::REDUCE_{over}>"
        body = f"reduce_init{made}(0, 1, 16); reduce_tile{made}(0, 1, i, 0, 0);"
        name = f"{kind} of {over} {a.name} {_width(wide)}"
        scaler = 1.0 if kind == "MAX" else 0.375
        # The mask that zeroes the rest of a tile is the packer's: it goes when the tile is packed.
        yield MicroKernel(
            name, ("reduce.h",), body, a, a, a, _accumulating(wide), after="reduce_uninit();", scaler=scaler
        )


def _moves() -> Iterator[MicroKernel]:
    for a, out, wide in (
        (BF16, BFP4, False),
        (BFP4, BF16, False),
        (FP32, BF16, False),
        (FP32, BF16, True),
        (BF16, FP32, True),
        (FP32, BFP8, True),
    ):
        name = f"copy {a.name} to {out.name} {_width(wide)}"
        yield MicroKernel(name, ("tile_move_copy.h",), COPY, a, a, out, _accumulating(wide))
    for a in (BF16, FP32, BFP8):
        yield MicroKernel(
            f"transpose {a.name}", ("transpose.h",), "transpose_init(0); transpose_tile(0, i, 0);", a, a, a
        )
    whole = ComputeConfig(fp32_dest_acc_en=True, unpack_to_dest_fp32=(0, 1))
    yield MicroKernel("copy Float32 to DST", ("tile_move_copy.h",), COPY, FP32, FP32, FP32, whole)


# Function, its header, extra arguments, whether its domain is the positive numbers.
_FUNCTIONS = (
    ("exp_tile", "eltwise_unary/exp.h", "", False),
    ("log_tile", "compute_kernel_api.h", "", True),
    ("sqrt_tile", "eltwise_unary/sqrt.h", "", True),
    ("rsqrt_tile", "eltwise_unary/rsqrt.h", "", True),
    ("recip_tile", "eltwise_unary/recip.h", "", False),
    ("gelu_tile", "eltwise_unary/gelu.h", "", False),
    ("sigmoid_tile", "compute_kernel_api.h", "", False),
    ("tanh_tile", "compute_kernel_api.h", "", False),
    ("silu_tile", "compute_kernel_api.h", "", False),
    ("square_tile", "compute_kernel_api.h", "", False),
    ("abs_tile", "compute_kernel_api.h", "", False),
    ("sign_tile", "compute_kernel_api.h", "", False),
    ("negative_tile", "eltwise_unary/negative.h", "", False),
    ("erf_tile", "eltwise_unary/erf_erfc.h", "", False),
    ("sin_tile", "eltwise_unary/trigonometry.h", "", False),
    ("tan_tile", "eltwise_unary/trigonometry.h", "", False),
    ("atan_tile", "eltwise_unary/trigonometry.h", "", False),
    ("acosh_tile", "eltwise_unary/trigonometry.h", "", True),
    ("asinh_tile", "eltwise_unary/trigonometry.h", "", False),
    ("relu_tile", "eltwise_unary/relu.h", "", False),
    ("elu_tile", "eltwise_unary/elu.h", ", 0x3f000000", False),
    ("leaky_relu_tile", "eltwise_unary/relu.h", ", 0x3dcccccd", False),
    ("power_tile", "compute_kernel_api.h", ", 3", False),
    ("heaviside_tile", "compute_kernel_api.h", ", 0x3f000000", False),
    ("expm1_tile", "compute_kernel_api.h", "", False),
    ("log1p_tile", "eltwise_unary/log1p.h", "", True),
    ("exp2_tile", "compute_kernel_api.h", "", False),
    ("softplus_tile", "eltwise_unary/softplus.h", ", 0x3f800000, 0x3f800000, 0x41a00000", False),
    ("softsign_tile", "eltwise_unary/activations.h", "", False),
    ("cbrt_tile", "eltwise_unary/cbrt.h", "", False),
    ("i0_tile", "eltwise_unary/i0.h", "", False),
)


def _vector_unit() -> Iterator[MicroKernel]:
    for function, header, more, positive in _FUNCTIONS:
        body = f"{COPY} {function}_init(); {function}(0{more});"
        for a, wide, approximate in ((BF16, False, False), (FP32, True, False), (BF16, True, True)):
            words = [function, a.name, _width(wide), "approximate" if approximate else ""]
            config = ComputeConfig(
                fp32_dest_acc_en=wide,
                math_approx_mode=approximate,
                unpack_to_dest_fp32=(0,) if a is FP32 else (),
            )
            headers = ("tile_move_copy.h", header)
            yield MicroKernel(
                " ".join(filter(None, words)), headers, body, a, a, a, config, positive=positive
            )
    both = "copy_init(0); copy_tile(0, i, 0); copy_init(1); copy_tile(1, i, 1);"
    for function in ("add", "sub", "mul", "div", "rsub", "power"):
        body = f"{both} {function}_binary_tile_init(); {function}_binary_tile(0, 1, 0);"
        for a, wide in ((BF16, False), (FP32, True)):
            config = ComputeConfig(fp32_dest_acc_en=wide, unpack_to_dest_fp32=(0, 1) if a is FP32 else ())
            headers = ("tile_move_copy.h", "eltwise_binary_sfpu.h")
            name = f"{function}_binary_tile {a.name}"
            yield MicroKernel(name, headers, body, a, a, a, config, positive=function == "power")


def _integers() -> Iterator[MicroKernel]:
    both = "copy_init(0); copy_tile(0, i, 0); copy_init(1); copy_tile(1, i, 1);"
    config = ComputeConfig(fp32_dest_acc_en=True, unpack_to_dest_fp32=(0, 1))
    for function, init in (("add_int", ""), ("sub_int", ""), ("mul_int", "<DataFormat::Int32>")):
        body = f"{both} {function}_tile_init{init}(); {function}_tile<DataFormat::Int32>(0, 1, 0);"
        headers = ("tile_move_copy.h", f"{function}_sfpu.h")
        yield MicroKernel(f"{function} Int32", headers, body, INT32, INT32, INT32, config)
