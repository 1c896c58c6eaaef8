"""Runs one random kernel with every check on and says what is wrong with it."""

from __future__ import annotations

import importlib.util
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tilesmith
from conformance.fuzz.judge import judged
from conformance.fuzz.program import Program
from tilesmith.errors import TilesmithError


@dataclass(frozen=True)
class Failure:
    """`kind` is what two failures of one fault have in common; `text` is for people."""

    kind: str
    text: str


def prim_func(source: str) -> Any:
    """TileLang reads the source of what it traces, so the text goes through a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "random_kernel.py"
        path.write_text(source, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("random_kernel", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.kernel


def failure_of(program: Program, seed: int, arch: str, inputs: int = 1) -> Failure | None:
    """None if every output is right and no check found anything."""
    return failures_of(program, seed, (arch,), inputs).get(arch)


def failures_of(program: Program, seed: int, archs: tuple[str, ...], inputs: int = 1) -> dict[str, Failure]:
    """What is wrong on each chip, for the first of several sets of inputs that shows it."""
    try:
        kernel = prim_func(program.source())
    except Exception as error:
        return dict.fromkeys(archs, Failure("not TileLang", f"{type(error).__name__}: {error}"))
    # Seeds of inputs lie far apart, so that no other kernel has them.
    seeds = [seed + 10**7 * number for number in range(inputs)]
    found = {arch: _failure(program, kernel, seeds, arch) for arch in archs}
    return {arch: failure for arch, failure in found.items() if failure is not None}


def _failure(program: Program, kernel: Any, seeds: list[int], arch: str) -> Failure | None:
    try:
        compiled = tilesmith.compile(kernel, target=arch)
        for seed in seeds:
            if (failure := _wrong(program, compiled, seed)) is not None:
                return failure
    except TilesmithError as error:
        checks = [finding.check for finding in getattr(error, "findings", ())]
        return Failure(" ".join([type(error).__name__, *checks[:1]]), str(error))
    except Exception as error:
        return Failure(f"crash: {type(error).__name__}", f"{type(error).__name__}: {error}")
    return None


def _wrong(program: Program, compiled: Any, seed: int) -> Failure | None:
    inputs = program.inputs(seed)
    expected = program.expected(inputs)
    given = {name: array.copy() for name, array in inputs.items()}
    compiled(*given.values())
    for tensor in program.tensors:
        if tensor.name not in expected:
            continue
        made, wanted = given[tensor.name], expected[tensor.name]
        if wrong := judged(tensor, made, wanted, program.rounds_ties_away):
            return Failure(f"wrong {tensor.dtype}", wrong)
    return None
