"""Annotations of layout, placement and depth are followed, refused with their line, or warned about."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import tilelang
import tilelang.language as T
import torch
from tilelang.layout import make_swizzled_layout
from tvm.tirx.script.builder.ir import sblock_attr

import tilesmith
from tilesmith.compiler.importer.tilelang import import_prim_func
from tilesmith.errors import TilesmithWarning, UnsupportedKernelError

VALUES = torch.arange(64 * 64).reshape(64, 64).float() % 100


def kernel_with(annotate: Callable[..., None]) -> Any:
    """A kernel that copies, with a macro that annotates."""

    @T.prim_func
    def kernel(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((64, 64), "float32")
            annotate(A, a)
            T.copy(A, a)
            T.copy(a, B)

    return kernel


def line_of(function: Callable[..., Any], text: str) -> str:
    lines, first = inspect.getsourcelines(function)
    return f"{__file__}:{first + next(n for n, line in enumerate(lines) if text in line)}"


def test_a_depth_is_followed() -> None:
    compiled = tilesmith.compile(kernel_with(lambda _, a: T.annotate_ws_pipeline_depth({a: 5})))
    assert [cb.num_pages for cb in compiled.program.cbs] == [5 * 4]
    assert torch.equal(compiled(VALUES), VALUES)


def test_a_layout_on_a_core_is_warned_about_with_its_line() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((64, 64), "float32")
            T.annotate_layout({a: make_swizzled_layout(a)})
            T.copy(A, a)
            T.copy(a, B)

    with pytest.warns(TilesmithWarning, match="is not applied") as caught:
        compiled = tilesmith.compile(kernel)
    where = line_of(test_a_layout_on_a_core_is_warned_about_with_its_line, "T.annotate_layout")
    assert str(caught[0].message).startswith(f"{where}: the layout annotated for a is not")
    assert compiled.notes == (str(caught[0].message),)
    assert torch.equal(compiled(VALUES), VALUES)


@pytest.mark.parametrize(
    "order",
    [lambda i, j: (j, i), lambda i, j: (i, 63 - j), lambda i, j: (i * 64 + j,)],
    ids=["t", "flip", "flat"],
)
def test_another_order_of_a_tensor_is_refused_with_its_line(order: Callable[..., Any]) -> None:
    annotated = kernel_with(lambda A, _: T.annotate_layout({A: order}))
    with pytest.raises(UnsupportedKernelError, match="another order of the elements of tensor A") as caught:
        tilesmith.compile(annotated)
    assert __file__ in str(caught.value.where)


def test_the_order_a_tensor_has_may_be_annotated() -> None:
    compiled = tilesmith.compile(kernel_with(lambda A, _: T.annotate_layout({A: lambda i, j: (i, j)})))
    assert compiled.notes == ()
    assert torch.equal(compiled(VALUES), VALUES)


def test_tilelangs_own_entry_points_warn_too() -> None:
    tilesmith.register_tilelang_backend()
    annotated = kernel_with(lambda _, a: T.annotate_layout({a: make_swizzled_layout(a)}))
    with pytest.warns(TilesmithWarning, match="the layout annotated for a is not applied"):
        tilelang.compile(annotated, target="tt")

    @tilesmith.jit
    def make():
        return annotated

    with pytest.warns(TilesmithWarning, match="the layout annotated for a is not applied"):
        make()


def test_a_cache_there_is_not_is_warned_about() -> None:
    with pytest.warns(TilesmithWarning, match="there is no L2 cache"):
        tilesmith.compile(kernel_with(lambda A, _: T.annotate_l2_hit_ratio({A: 0.5})))


def test_a_value_outside_that_is_not_zero_is_refused() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((64, 64), "float32")
            T.annotate_safe_value({A: -1.0})
            T.copy(A, a)
            T.copy(a, B)

    with pytest.raises(UnsupportedKernelError, match="asks for -1 outside A") as caught:
        import_prim_func(kernel)
    assert caught.value.where == line_of(
        test_a_value_outside_that_is_not_zero_is_refused, "T.annotate_safe_value"
    )
    assert import_prim_func(kernel_with(lambda A, _: T.annotate_safe_value({A: 0.0})))


def test_tensors_that_overlap_are_refused() -> None:
    with pytest.raises(UnsupportedKernelError, match="lets tensors overlap"):
        import_prim_func(kernel_with(lambda A, _: T.annotate_restrict_buffers(A)))


@pytest.mark.parametrize("name", ["tt.memory", "tt.shard", "tilesmith.cb_depth"])
def test_annotations_nobody_knows_are_refused(name: str) -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((64, 64), "float32")
            sblock_attr({name: "L1"})
            T.copy(A, a)
            T.copy(a, B)

    with pytest.raises(UnsupportedKernelError, match=f"the annotation {name} is not known"):
        import_prim_func(kernel)
    plain = kernel_with(lambda _, __: None).with_attr(name, "L1")
    with pytest.raises(UnsupportedKernelError, match=f"the annotation {name} is not known"):
        import_prim_func(plain)


def of_wide_integers(op: str, dtype: str) -> Any:
    @T.prim_func
    def kernel(A: T.Tensor((32, 32), dtype), B: T.Tensor((32, 32), dtype), sums: T.Tensor((32,), dtype)):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((32, 32), dtype)
            total = T.alloc_fragment((32,), dtype)
            T.copy(A, a)
            if op == "sum":
                T.reduce_sum(a, total, dim=1)
                T.copy(total, sums)
            for i, j in T.Parallel(32, 32):
                if op == "product":
                    a[i, j] = a[i, j] * a[j, i]
                elif op == "shift":
                    a[i, j] = a[i, j] << T.cast(3, dtype)
                else:
                    a[i, j] = a[i, j] + T.cast(i * 2, dtype)
            T.copy(a, B)

    return kernel


@pytest.mark.parametrize("op", ["product", "shift", "sum", "addition"])
@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_64_bit_integers_that_may_wrap_are_warned_about(op: str, dtype: str) -> None:
    module = import_prim_func(of_wide_integers(op, dtype))
    notes = " ".join(str(func.attributes.get("notes", "")) for func in module.ops)
    warned = dtype == "int64" and op != "addition"
    assert (f"{__file__}:" in notes and "computed in 32 bits" in notes) == warned
