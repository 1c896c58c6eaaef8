"""Fewer versions where L1 is too small for those asked for."""

from __future__ import annotations

from tests.compiler.passes.layouts import of_type
from tests.compiler.passes.test_verify_ttir import buffers, verify
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects import tt
from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.lowering.fit_circular_buffers import FitCircularBuffers, shortened_pipelines


def fitted(module: ModuleOp) -> dict[str, int]:
    FitCircularBuffers().apply(compiler_context(), module)
    return {op.cb_name.data: op.depth.value.data for op in of_type(module, tt.CBOp)}


def test_the_largest_gives_versions_first() -> None:
    module = buffers(("A_shared", 12, 3), ("B_shared", 4, 3), ("C_local", 4, 1))
    assert fitted(module) == {"A_shared": 2, "B_shared": 3, "C_local": 1}
    verify(module)


def test_what_fits_keeps_its_versions() -> None:
    assert fitted(buffers(("A_shared", 8, 4), ("B_shared", 2, 4))) == {"A_shared": 4, "B_shared": 4}


def test_only_what_the_user_asked_for_is_told() -> None:
    module = buffers(("A_shared", 12, 3), ("B_shared", 12, 3))
    asked, other = of_type(module, tt.CBOp)
    asked.stages = tt.number(3)
    fitted(module)
    (told,) = shortened_pipelines([module])
    assert told.startswith("kernel.py:2: num_stages=3 asks for 3 versions of A_shared, and L1 has room for ")
    assert other.depth.value.data < 3
