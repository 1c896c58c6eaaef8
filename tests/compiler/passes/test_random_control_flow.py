"""Whatever a kernel does to its buffers, the three kernels made of it fit together."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.compiler.passes.sketch import Sketch
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.lowering.build_tile_dfg_tt import BuildTileDFGTT
from tilesmith.compiler.lowering.configure_tensor_accessor_tt import ConfigureTensorAccessorTT
from tilesmith.compiler.lowering.lower_cb_intrinsics import LowerCBIntrinsics
from tilesmith.compiler.lowering.lower_shared_to_cb import LowerSharedToCB
from tilesmith.compiler.lowering.lower_tt_tile_intrinsics import LowerTTTileIntrinsics
from tilesmith.compiler.lowering.simplify_scalars import SimplifyScalars
from tilesmith.compiler.lowering.split_device_kernel import SplitDeviceKernel
from tilesmith.compiler.lowering.validate_split_kernels import ValidateSplitKernels
from tilesmith.compiler.pipeline import run
from tilesmith.compiler.transforms.attach_tensor_accessor_tt import AttachTensorAccessorTT

PASSES = (
    AttachTensorAccessorTT(),
    LowerSharedToCB(),
    LowerTTTileIntrinsics(),
    BuildTileDFGTT(),
    SplitDeviceKernel(),
    ConfigureTensorAccessorTT(),
    LowerCBIntrinsics(),
    SimplifyScalars(),
    ValidateSplitKernels(),
)

NAMES = ("X", "Y", "Z")
Code = list[tuple[Any, ...]]

buffer = st.sampled_from(NAMES)
tensor = st.sampled_from(["T", "U"])
step = st.one_of(
    st.tuples(st.just("load"), buffer, tensor),
    st.tuples(st.just("store"), buffer, tensor),
    st.tuples(st.just("fill"), buffer),
    st.tuples(st.just("copy"), buffer, buffer).filter(lambda step: step[1] != step[2]),
    st.tuples(st.just("copy_row"), buffer, buffer).filter(lambda step: step[1] != step[2]),
    st.tuples(st.just("map"), st.lists(buffer, min_size=1, max_size=2, unique=True), buffer),
    st.tuples(st.just("scalar"), st.lists(buffer, max_size=2, unique=True), st.lists(buffer, max_size=1)),
    st.just(("gemm", "X", "Y", "Z")),
)
code = st.recursive(
    st.lists(step, min_size=1, max_size=4),
    lambda inner: st.lists(
        st.one_of(
            step,
            st.tuples(st.just("loop"), inner),
            st.tuples(st.just("counted loop"), inner),
            st.tuples(st.just("while"), inner),
            st.tuples(st.just("branch"), inner),
            st.tuples(st.just("either"), inner, inner),
        ),
        min_size=2,
        max_size=5,
    ),
    max_leaves=5,
)


def write(s: Sketch, lines: Code) -> None:
    """The code as steps of the sketch."""
    for what, *rest in lines:
        if what == "loop":
            with s.loop():
                write(s, rest[0])
        elif what == "counted loop":
            with s.loop(s.read_number()):
                write(s, rest[0])
        elif what == "while":
            with s.while_loop(s.var("going")):
                write(s, rest[0])
        elif what in ("branch", "either"):
            with s.branch() as branch:
                write(s, rest[0])
            if what == "either":
                with s.otherwise(branch):
                    write(s, rest[1])
        else:
            getattr(s, what)(*rest)


def lowered(lines: Code) -> ModuleOp:
    s = Sketch(*NAMES)
    write(s, lines)
    write(s, [("store", name, "U") for name in NAMES])
    run(compiler_context(), s.module, PASSES)
    return s.module


@settings(max_examples=60, deadline=None, derandomize=True)
@given(code)
def test_kernels_fit_together(lines: Code) -> None:
    assert len(list(lowered(lines).ops)) == 3
