"""Runs one random program: print it, compile it, run it with every check on, compare."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tests.differential.harness import as_numpy
from tests.differential.programs.generate import input_values
from tests.differential.programs.reference import expected
from tests.differential.programs.source import kernel_source, output_name, tensor_names
from tests.differential.programs.spec import Program

import tilesmith
from tilesmith.compiler.dialects.interpreter import interpret
from tilesmith.compiler.importer.tilelang import import_prim_func
from tilesmith.testing import assert_close


def kernel_of(program: Program) -> Any:
    """The prim_func. TileLang reads the source of what it traces, so the text goes through a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "random_kernel.py"
        path.write_text(kernel_source(program), encoding="utf-8")
        spec = importlib.util.spec_from_file_location("random_kernel", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.kernel


def check_program(program: Program, seed: int = 0, target: str = "wormhole") -> None:
    """Raises with the kernel's text if the result is off, a check finds something, or it does not compile."""
    tensors = _tensors(program, seed)
    try:
        tilesmith.compile(kernel_of(program), target=target)(*tensors.values())
        _compare(program, tensors, seed)
    except Exception as error:
        error.add_note(kernel_source(program))
        raise


def check_meaning(program: Program, seed: int = 0) -> None:
    """The same by the interpreter: nothing is compiled."""
    tensors = _tensors(program, seed)
    arrays = {name: as_numpy(tensor) for name, tensor in tensors.items()}
    try:
        interpret(import_prim_func(kernel_of(program)), arrays, {})
        _compare(program, {name: _widened(array) for name, array in arrays.items()}, seed)
    except Exception as error:
        error.add_note(kernel_source(program))
        raise


def _tensors(program: Program, seed: int) -> dict[str, torch.Tensor]:
    """Inputs, and outputs full of NaN, in the order of the parameters."""
    tensors = input_values(program, seed)
    for buffer in program.outputs:
        dtype = getattr(torch, buffer.dtype)
        tensors[output_name(buffer)] = torch.full(program.shape(buffer.kind), float("nan"), dtype=dtype)
    return {name: tensors[name] for name in tensor_names(program)}


def _compare(program: Program, tensors: dict[str, Any], seed: int) -> None:
    wanted = expected(program, input_values(program, seed))
    for buffer in program.outputs:
        value, tolerance = wanted[buffer.name]
        assert_close(tensors[output_name(buffer)], value, tolerance)


def _widened(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array.astype(np.float64)
