"""Advice that is followed helps: the first of each example is applied, and its time falls as predicted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from examples.profile import linear as metal_linear
from examples.tilelang import attention, gemm, norm, softmax

import tilesmith
from tilesmith import settings
from tilesmith.compiler.compile import CompiledKernel
from tilesmith.models.compiled_model import CompiledModel
from tilesmith.profiling import Advice, Profile, recording
from tilesmith.profiling.advice import with_settings
from tilesmith.profiling.serial import from_json, to_json
from tilesmith.program import Program
from tilesmith.runtime import Device

bf16 = torch.bfloat16


def rand(*shape: int) -> torch.Tensor:
    return torch.randn(*shape).to(bf16)


KERNELS: dict[str, tuple[Callable[[], CompiledKernel], Callable[[], tuple[torch.Tensor, ...]]]] = {
    "gemm": (lambda: tilesmith.jit(gemm.gemm)(256, 256, 256), lambda: (rand(256, 256), rand(256, 256))),
    "gemm without its maker": (
        lambda: tilesmith.compile(gemm.gemm(256, 256, 256)),
        lambda: (rand(256, 256), rand(256, 256)),
    ),
    "linear": (
        lambda: tilesmith.jit(gemm.linear)(128, 128, 256),
        lambda: (rand(128, 256), rand(128, 256), rand(128), rand(128, 128)),
    ),
    "softmax": (lambda: tilesmith.jit(softmax.softmax)(256, 256, block_rows=64), lambda: (rand(256, 256),)),
    "layernorm": (
        lambda: tilesmith.jit(norm.layernorm)(128, 256, block_rows=64),
        lambda: (rand(128, 256), rand(256), rand(256)),
    ),
    "rmsnorm": (
        lambda: tilesmith.jit(norm.rmsnorm)(128, 256, block_rows=64),
        lambda: (rand(128, 256), rand(256)),
    ),
    "attention": (
        lambda: tilesmith.jit(attention.attention)(1, 2, 128, 64),
        lambda: (rand(1, 2, 128, 64), rand(1, 2, 128, 64), rand(1, 2, 128, 64)),
    ),
}
PROGRAMS: dict[str, Callable[[Device], Any]] = {
    "a product of four passes": lambda device: metal_linear.run(device, metal_linear.BEFORE["math"]),
    "a linear layer": lambda device: metal_linear.run(device, metal_linear.GOOD),
}
MODELS: dict[str, tuple[Callable[[], torch.nn.Module], Callable[[], torch.Tensor], dict[str, Any]]] = {
    "two layers, one kernel for each operator": (
        lambda: torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU()),
        lambda: torch.randn(64, 64),
        {"optimization_level": "O0"},
    ),
    "a layer in float32": (
        lambda: torch.nn.Linear(128, 128),
        lambda: torch.randn(64, 128),
        {"precision": "float32"},
    ),
    "a layer": (lambda: torch.nn.Linear(256, 256), lambda: torch.randn(128, 256), {}),
}


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    torch.manual_seed(0)
    with settings.using(advice_seconds=300.0, checks="off", numbers="fast", verify_ir="ends"):
        yield


def first(profile: Profile, reader: str) -> Advice:
    """The first advice, as it comes back from a saved profile."""
    advice = profile.advice[0]
    assert advice.reader == reader
    assert str(advice) in " ".join(str(profile).split())
    assert Profile.from_json(profile.to_json()).advice == profile.advice
    return from_json(Advice, to_json(advice))


def check(advice: Advice, before: Profile, after: Profile) -> None:
    assert after.latency_us < before.latency_us
    assert after.latency_us == pytest.approx(advice.after_us)
    assert before.latency_us == pytest.approx(advice.before_us)


# Of kernels like another, or that take a minute, one run each night is enough.
NIGHTLY = ("attention", "rmsnorm")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.sweep] * (name in NIGHTLY)) for name in KERNELS]
)
def test_a_kernel(name: str) -> None:
    compiled, inputs = KERNELS[name]
    kernel, arguments = compiled(), inputs()
    before = kernel.profile(*arguments)
    advice = first(before, "tilelang")
    check(advice, before, kernel.advised(advice).profile(*arguments))


class Advised:
    """A device whose programs get the settings of an advice before they run."""

    def __init__(self, device: Device, advice: Advice) -> None:
        self._device, self._advice = device, advice

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def run(self, program: Program) -> Any:
        return self._device.run(with_settings(program, self._advice.settings))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program(name: str) -> None:
    with recording(name) as recorder, tilesmith.open_device("wormhole") as device:
        PROGRAMS[name](device)
    before = recorder.profile
    advice = first(before, "metal")
    with recording(name) as recorder, tilesmith.open_device("wormhole") as device:
        PROGRAMS[name](Advised(device, advice))  # type: ignore[arg-type]
    after = recorder.profile
    assert after.microseconds == pytest.approx(advice.after_us)
    assert after.microseconds < before.microseconds


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_model(name: str) -> None:
    made, inputs, options = MODELS[name]
    compiled = tilesmith.compile(made().eval(), checks="off", numbers="fast", **options)
    assert isinstance(compiled, CompiledModel)
    value = inputs()
    before = compiled.profile(value)
    advice = first(before, "model")
    check(advice, before, compiled.advised(advice).profile(value))
