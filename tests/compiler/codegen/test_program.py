"""The Program of a lowered module, and the plan that describes it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import ml_dtypes
import numpy as np
import pytest
from tests.compiler.passes import samples

import tilesmith
from tilesmith.compiler.codegen.plan import schema
from tilesmith.compiler.codegen.program import build_program
from tilesmith.compiler.dialects.context import parse
from tilesmith.compiler.pipeline import lower
from tilesmith.errors import BadCallError
from tilesmith.program import ComputeConfig, CoreCoord, MathFidelity, Program, ReaderConfig, WriterConfig
from tilesmith.program.kernel import FixedArgs
from tilesmith.runtime import open_device


def kernel_of(name: str, **options: Any) -> tilesmith.CompiledKernel:
    return tilesmith.compile(samples.module(name), "wormhole", **options)


def program_of(name: str, **options: Any) -> Program:
    return kernel_of(name, **options).program


def test_three_kernels_in_the_places_of_their_roles() -> None:
    reader, compute, writer = program_of("gemm").kernels
    assert (reader.name, compute.name, writer.name) == ("gemm_reader", "gemm_compute", "gemm_writer")
    assert reader.config == ReaderConfig()
    assert writer.config == WriterConfig()
    assert isinstance(compute.config, ComputeConfig)


def test_arguments() -> None:
    module = samples.module("add")
    lower(module)
    with open_device("wormhole") as device:
        a, b, c = (device.empty((256, 256)) for _ in "ABC")
        program = build_program(module, device.arch, {"A": a, "B": b, "C": c}, {})
        reader, compute, writer = program.kernels
        assert reader.common_runtime_args == (a.address, b.address)
        assert writer.common_runtime_args == (c.address,)
        assert compute.common_runtime_args == ()
        assert reader.compile_time_args == (2, 2048, 2, 2048)
    # An executor packs them once.
    assert all(isinstance(kernel.runtime_args, FixedArgs) for kernel in program.kernels)
    # 16 blocks on 16 cores: each core has its number and one block.
    assert [reader.runtime_args[core] for core in (CoreCoord(0, 0), CoreCoord(7, 1))] == [(0, 1), (15, 1)]


def test_a_tensor_that_lies_otherwise_is_refused() -> None:
    module = samples.module("add")
    lower(module)
    with open_device("wormhole") as device:
        a, b = (device.empty((256, 256)) for _ in "AB")
        c = device.empty((256, 256), layout=tilesmith.ROW_MAJOR_LAYOUT)
        with pytest.raises(BadCallError, match="C is row_major Float16_b; its kernel reads tile Float16_b"):
            build_program(module, device.arch, {"A": a, "B": b, "C": c}, {})


def test_circular_buffers() -> None:
    cbs = program_of("gemm").cbs
    assert [cb.indices for cb in cbs] == [(index,) for index in range(len(cbs))]
    first = cbs[0]
    # Two blocks of 32 x 128: a core has 32 rows, and four steps of the kernel's 32 are one.
    assert (first.total_size, first.num_pages) == (2 * 4 * 2048, 8)


def test_semaphores_of_shared_loads() -> None:
    assert [one.id for one in program_of("gemm").semaphores] == [0, 1, 2, 3]
    assert program_of("add").semaphores == ()


def test_fidelity() -> None:
    config = program_of("gemm", fidelity="LoFi").kernels[1].config
    assert isinstance(config, ComputeConfig)
    assert config.math_fidelity is MathFidelity.LoFi


def test_a_program_survives_json() -> None:
    program = program_of("softmax")
    assert Program.from_json(program.to_json()) == program


@pytest.mark.parametrize("name", samples.names())
def test_plans_follow_the_schema(name: str) -> None:
    plan = json.loads(json.dumps(kernel_of(name).plan))
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(plan, schema())


def test_a_plan_says_who_shares_what() -> None:
    plan = kernel_of("gemm").plan
    assert plan["multicast"] == [
        {"buffer": "B_shared", "along": "column", "receivers": 7},
        {"buffer": "A_shared", "along": "row", "receivers": 7},
    ]
    assert plan["partition"] == {"kind": "mesh", "extents": ["8", "8"], "columns": 8, "rows": 8}
    by_name = {one["name"]: one for one in plan["circular_buffers"]}
    assert by_name["A_shared"]["bytes"] == 2 * 4 * 2048
    assert by_name["A_shared"]["producer"] == "writer"


def test_the_schema_refuses_what_is_missing_or_unknown() -> None:
    plan = kernel_of("add").plan
    with pytest.raises(jsonschema.ValidationError, match="'cores' is a required property"):
        jsonschema.validate({key: value for key, value in plan.items() if key != "cores"}, schema())
    with pytest.raises(jsonschema.ValidationError, match="'more' was unexpected"):
        jsonschema.validate({**plan, "more": 1}, schema())


def dynamic_add() -> tilesmith.CompiledKernel:
    """The sample with a number of rows that each call brings."""
    text = str(samples.module("add")).replace("tensor<[256, 256]", 'tensor<["m", 256]')
    text = text.replace("bf16>) {", "bf16>) symbols(%m) {", 1)
    rows = "%c63 = arith.constant 63 : index\n %c64 = arith.constant 64 : index\n"
    rows += "%up = arith.addi %m, %c63 : index\n %1 = arith.divsi %up, %c64 : index"
    return tilesmith.compile(parse(text.replace("%1 = arith.constant 4 : index", rows)), "wormhole")


def test_sizes_are_arguments() -> None:
    """Another size on as many cores differs in values alone: nothing is compiled again."""
    kernel = dynamic_add()
    programs = {}
    for rows in (1000, 1024, 100):
        a = np.ones((rows, 256), np.float32).astype(ml_dtypes.bfloat16)
        assert (np.asarray(kernel(a, a), np.float32) == 2).all()
        programs[rows] = kernel.program
    assert programs[1000].structure == programs[1024].structure
    assert programs[1000].kernels[0].common_runtime_args[-1] == 1000
    assert programs[1000].kernels[0].kernel_source == programs[100].kernels[0].kernel_source
    assert programs[100].kernels[0].core_ranges.num_cores == 8
