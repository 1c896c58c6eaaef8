"""The unary functions of the kernel API: how each is called, what it should give, and where."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

Reference = Callable[[torch.Tensor], torch.Tensor]


def bits(value: float) -> str:
    return f"0x{int(np.float32(value).view(np.uint32)):08x}u"


@dataclass(frozen=True)
class Function:
    """One function: its calls once the value is in DST tile 0, and its float64 reference on [low, high]."""

    name: str
    calls: str
    reference: Reference
    low: float = -8.0
    high: float = 8.0
    relative: float = 1e-3
    absolute: float = 1e-5
    bf16_relative: float = 0.02
    bf16_absolute: float = 0.01

    def samples(self) -> NDArray[np.float32]:
        spaced = np.linspace(self.low, self.high, 1024, dtype=np.float64)
        return np.random.default_rng(7).permutation(spaced).astype(np.float32).reshape(32, 32)


def simple(
    name: str, reference: Reference, low: float = -8.0, high: float = 8.0, **limits: float
) -> Function:
    return Function(name, f"{name}_tile_init(); {name}_tile(0);", reference, low, high, **limits)


def given(
    name: str, arguments: str, reference: Reference, low: float = -8.0, high: float = 8.0, **limits: float
) -> Function:
    return Function(name, f"{name}_tile_init(); {name}_tile(0, {arguments});", reference, low, high, **limits)


F = torch.nn.functional
TRANSCENDENTAL = (
    simple("exp", torch.exp, -20.0, 20.0),
    simple("exp2", torch.exp2, -20.0, 20.0),
    simple("expm1", torch.expm1, -10.0, 10.0),
    simple("log", torch.log, 0.01, 50.0, absolute=1e-4),
    simple("log1p", torch.log1p, -0.9, 50.0, absolute=1e-4),
    simple("sqrt", torch.sqrt, 0.0, 100.0),
    simple("rsqrt", torch.rsqrt, 0.01, 100.0),
    simple("recip", torch.reciprocal, 0.1, 50.0, relative=3e-3),
    simple("cbrt", lambda x: torch.sign(x) * x.abs() ** (1 / 3), -50.0, 50.0),
    simple("tanh", torch.tanh),
    simple("sigmoid", torch.sigmoid),
    simple("silu", F.silu),
    simple("gelu_tanh", lambda x: F.gelu(x, approximate="tanh"), absolute=1e-4),
    Function("gelu", "gelu_tile_init<false>(); gelu_tile<false>(0);", F.gelu, absolute=1e-4),
    Function(
        "gelu_approx",
        "gelu_tile_init<true>(); gelu_tile<true>(0);",
        F.gelu,
        absolute=0.03,
        bf16_absolute=0.04,
    ),
    simple("erf", torch.erf, -3.0, 3.0, relative=5e-3),
    simple("erfc", torch.erfc, -3.0, 3.0, relative=2e-2, absolute=5e-3),
    simple("erfinv", torch.erfinv, -0.95, 0.95, relative=2e-2, absolute=5e-3),
    simple("sin", torch.sin, -50.0, 50.0, absolute=1e-4),
    simple("cos", torch.cos, -50.0, 50.0, absolute=1e-4),
    simple("tan", torch.tan, -1.4, 1.4),
    simple("asin", torch.asin, -1.0, 1.0, absolute=1e-4),
    simple("acos", torch.acos, -1.0, 1.0, absolute=1e-4),
    simple("atan", torch.atan, -50.0, 50.0, absolute=1e-4),
    simple("sinh", torch.sinh),
    simple("cosh", torch.cosh),
    simple("asinh", torch.asinh, -50.0, 50.0),
    simple("acosh", torch.acosh, 1.01, 50.0, absolute=1e-4),
    simple("atanh", torch.atanh, -0.95, 0.95),
    simple("i0", torch.special.i0, -5.0, 5.0),
    simple("i1", torch.special.i1, relative=5e-3, absolute=2e-3),
    simple("digamma", torch.digamma, 0.5, 60.0, relative=5e-2, absolute=3e-2, bf16_absolute=0.05),
    Function(
        "exp_approx",
        "exp_tile_init<true>(); exp_tile<true>(0);",
        torch.exp,
        relative=0.05,
        bf16_relative=0.05,
    ),
    Function(
        "log2",
        f"log_with_base_tile_init(); log_with_base_tile(0, {bits(1 / math.log(2))});",
        torch.log2,
        0.01,
        50.0,
        absolute=1e-4,
    ),
    Function(
        "log10",
        f"log_with_base_tile_init(); log_with_base_tile(0, {bits(1 / math.log(10))});",
        torch.log10,
        0.01,
        50.0,
        absolute=1e-4,
    ),
    given("power", bits(1.7), lambda x: x**1.7, 0.1, 20.0, relative=2e-3, bf16_relative=0.05),
    given("power_iterative", "3", lambda x: x**3),
    given("rpow", bits(2.5), lambda x: 2.5**x, relative=2e-3, bf16_relative=0.06),
    given("rdiv", bits(3.0), lambda x: 3.0 / x, 0.1, 50.0),
    given(
        "polygamma", f"{bits(2.0)}, {bits(-2.0)}", lambda x: torch.polygamma(2, x), 0.5, 20.0, relative=5e-3
    ),
)
ACTIVATIONS = (
    simple("abs", torch.abs),
    simple("sign", torch.sign),
    simple("square", torch.square),
    simple("negative", torch.neg),
    simple("relu", torch.relu),
    given("relu_max", bits(3.0), lambda x: x.clamp(0, 3)),
    given("relu_min", bits(-2.0), lambda x: x.clamp(min=-2)),
    given("leaky_relu", bits(0.1), lambda x: F.leaky_relu(x, 0.1)),
    given("prelu", bits(0.25), lambda x: F.leaky_relu(x, 0.25)),
    given("elu", bits(1.5), lambda x: F.elu(x, 1.5)),
    given("celu", f"{bits(2.0)}, {bits(0.5)}", lambda x: F.celu(x, 2.0)),
    given("selu", f"{bits(1.0507009873554805)}, {bits(1.6732632423543772)}", F.selu),
    given("softplus", f"{bits(1.0)}, {bits(1.0)}, {bits(20.0)}", F.softplus, absolute=2e-3),
    simple("hardsigmoid", F.hardsigmoid),
    given("hardtanh", f"{bits(-1.0)}, {bits(1.0)}", F.hardtanh),
    given("clamp", f"{bits(-2.0)}, {bits(5.0)}", lambda x: x.clamp(-2, 5)),
    simple("softsign", F.softsign),
    given("softshrink", bits(0.5), F.softshrink),
    given("hardshrink", bits(0.5), F.hardshrink),
    simple("hardmish", lambda x: x * (x / 2 + 1).clamp(0, 1)),
    Function("mish", "mish_tile_init<false>(); mish_tile<false>(0);", F.mish),
    simple("tanhshrink", F.tanhshrink, absolute=2e-3),
    simple("tanh_derivative", lambda x: 1 - torch.tanh(x) ** 2, absolute=2e-3),
    simple(
        "gelu_derivative",
        lambda x: torch.special.ndtr(x) + x * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi),
        absolute=1e-2,
        bf16_absolute=0.02,
    ),
    given(
        "softcap", f"{bits(4.0)}, {bits(0.25)}", lambda x: 4 * torch.tanh(x / 4), relative=5e-3, absolute=5e-3
    ),
    given("heaviside", bits(0.5), lambda x: torch.heaviside(x, torch.tensor(0.5, dtype=x.dtype))),
    given("threshold", f"{bits(1.0)}, {bits(7.0)}", lambda x: F.threshold(x, 1.0, 7.0)),
    given(
        "xielu",
        f"{bits(0.8)}, {bits(0.6)}",
        lambda x: torch.where(
            x > 0, 0.8 * x * x + 0.5 * x, 0.6 * (torch.expm1(x.clamp(max=0)) - x) + 0.5 * x
        ),
        absolute=1e-3,
    ),
    given("unary_max", bits(1.5), lambda x: x.clamp(min=1.5)),
    given("unary_min", bits(1.5), lambda x: x.clamp(max=1.5)),
    Function("floor", "rounding_op_tile_init(); floor_tile(0);", torch.floor),
    Function("ceil", "rounding_op_tile_init(); ceil_tile(0);", torch.ceil),
    Function("trunc", "rounding_op_tile_init(); trunc_tile(0);", torch.trunc),
    Function("frac", "rounding_op_tile_init(); frac_tile(0);", torch.frac),
    Function("round", "rounding_op_tile_init(); round_tile(0, 0);", torch.round),
    Function(
        "round_2",
        "rounding_op_tile_init(); round_tile(0, 2);",
        lambda x: torch.round(x, decimals=2),
        absolute=6e-3,
    ),
    Function(
        "fmod",
        f"fmod_tile_init({bits(2.5)}, {bits(0.4)}); fmod_tile(0);",
        lambda x: torch.fmod(x, 2.5),
        0.1,
        8.0,
        absolute=1e-4,
        bf16_absolute=0.04,
    ),
    Function(
        "remainder",
        f"remainder_tile_init({bits(2.5)}, {bits(0.4)}); remainder_tile(0);",
        lambda x: torch.remainder(x, 2.5),
        0.1,
        8.0,
        absolute=1e-4,
        bf16_absolute=0.04,
    ),
    Function(
        "add_scalar",
        f"binop_with_scalar_tile_init(); add_unary_tile(0, {bits(1.5)});",
        lambda x: x + 1.5,
        bf16_absolute=0.04,
    ),
    Function(
        "sub_scalar",
        f"binop_with_scalar_tile_init(); sub_unary_tile(0, {bits(1.5)});",
        lambda x: x - 1.5,
        bf16_absolute=0.04,
    ),
    Function(
        "rsub_scalar",
        f"binop_with_scalar_tile_init(); rsub_unary_tile(0, {bits(1.5)});",
        lambda x: 1.5 - x,
        bf16_absolute=0.04,
    ),
    Function("gtz", "gtz_tile_init(); gtz_tile(0);", lambda x: (x > 0).to(x.dtype)),
    Function(
        "unary_ge", f"unary_ge_tile_init(); unary_ge_tile(0, {bits(2.0)});", lambda x: (x >= 2).to(x.dtype)
    ),
    Function(
        "unary_lt", f"unary_lt_tile_init(); unary_lt_tile(0, {bits(2.0)});", lambda x: (x < 2).to(x.dtype)
    ),
    Function("signbit", "signbit_tile_init(); signbit_tile(0);", lambda x: torch.signbit(x).to(x.dtype)),
)
INCLUDES = tuple(
    f"api/compute/{header}.h"
    for header in (
        "compute_kernel_api",
        "eltwise_unary/exp",
        "eltwise_unary/log1p",
        "eltwise_unary/sqrt",
        "eltwise_unary/rsqrt",
        "eltwise_unary/recip",
        "eltwise_unary/cbrt",
        "eltwise_unary/gelu",
        "eltwise_unary/erf_erfc",
        "eltwise_unary/erfinv",
        "eltwise_unary/trigonometry",
        "eltwise_unary/i0",
        "eltwise_unary/i1",
        "eltwise_unary/digamma",
        "eltwise_unary/rpow",
        "eltwise_unary/rdiv",
        "eltwise_unary/polygamma",
        "eltwise_unary/negative",
        "eltwise_unary/relu",
        "eltwise_unary/prelu",
        "eltwise_unary/elu",
        "eltwise_unary/selu",
        "eltwise_unary/softplus",
        "eltwise_unary/activations",
        "eltwise_unary/hardtanh",
        "eltwise_unary/clamp",
        "eltwise_unary/hardmish",
        "eltwise_unary/mish",
        "eltwise_unary/tanhshrink",
        "eltwise_unary/tanh_derivative",
        "eltwise_unary/softcap",
        "eltwise_unary/threshold",
        "eltwise_unary/xielu",
        "eltwise_unary/rounding",
        "eltwise_unary/fmod",
        "eltwise_unary/remainder",
        "eltwise_unary/binop_with_scalar",
        "eltwise_unary/comp",
    )
)
