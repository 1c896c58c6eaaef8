"""What only a GPU can do is refused, with the line it stands on and what to use in its place."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import tilelang.language as T

from tilesmith.compiler.dialects.tile import FuncOp
from tilesmith.compiler.importer.tilelang import import_kernels, import_prim_func
from tilesmith.errors import UnsupportedKernelError


def refused(kernel: Any) -> UnsupportedKernelError:
    with pytest.raises(UnsupportedKernelError) as caught:
        import_prim_func(kernel)
    return caught.value


def line_of(function: Callable[..., Any], text: str) -> str:
    """Where the line with this text stands."""
    lines, first = inspect.getsourcelines(function)
    return f"{__file__}:{first + next(n for n, line in enumerate(lines) if text in line)}"


def test_foreign_functions() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32) as _:
            a = T.alloc_fragment((32,), "float32")
            T.copy(A, a)
            for i in T.Parallel(32):
                a[i] = T.call_extern("float32", "my_function", a[i])  # here
            T.copy(a, A)

    error = refused(kernel)
    assert "call_extern" in error.what
    assert error.where == line_of(test_foreign_functions, "# here")
    assert "TileLang operations" in error.remedy


@pytest.mark.parametrize("op", ["reduce_max", "reduce_min", "reduce_absmax"])
def test_maxima_that_promise_to_keep_nan(op: str) -> None:
    reduce = getattr(T, op)

    def kernel_of(kept: bool) -> Any:
        @T.prim_func
        def kernel(A: T.Tensor((32, 64), "float16"), B: T.Tensor((32,), "float16")):
            with T.Kernel(1, threads=128) as _:
                a = T.alloc_fragment((32, 64), "float16")
                b = T.alloc_fragment((32,), "float16")
                T.copy(A, a)
                reduce(a, b, dim=1, nan_propagate=kept)  # the reduction
                T.copy(b, B)

        return kernel

    error = refused(kernel_of(True))
    assert "nan_propagate" in error.what
    assert error.where == line_of(test_maxima_that_promise_to_keep_nan, "# the reduction")
    import_prim_func(kernel_of(False))


def test_barriers() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((32, 32), "float32")
            ready = T.alloc_barrier(128)  # here
            T.copy(A, a)
            T.barrier_arrive(ready)
            T.copy(a, A)

    error = refused(kernel)
    assert "shared.barrier" in error.what
    assert error.where == line_of(test_barriers, "# here")
    assert "T.Pipelined" in error.remedy


def test_two_grids_in_one_function_are_two_kernels() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((32, 32), "float32"), B: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128) as _:
            T.copy(A, B)
        with T.Kernel(1, threads=128) as _:  # here
            T.copy(B, A)

    error = refused(kernel)
    assert "two grids" in error.what
    assert error.where == line_of(test_two_grids_in_one_function_are_two_kernels, "# here")
    funcs = [op for module in import_kernels(kernel) for op in module.walk() if isinstance(op, FuncOp)]
    names = [func.sym_name.data for func in funcs]
    assert names == ["kernel_0", "kernel_1"]


def test_a_buffer_whose_size_nobody_knows() -> None:
    m = T.dynamic("m")

    @T.prim_func
    def kernel(A: T.Tensor((m, 32), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((m, 32), "float32")  # here
            T.copy(A, a)

    error = refused(kernel)
    assert "the buffer a has a size" in error.what
    assert error.where == line_of(test_a_buffer_whose_size_nobody_knows, "# here")


def test_copies_between_shapes_that_do_not_fit() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((32, 64), "float32")
            T.copy(A[0:64, 0:32], a)  # here

    error = refused(kernel)
    assert error.where == line_of(test_copies_between_shapes_that_do_not_fit, "# here")
    assert "same shape" in error.remedy


def test_types_without_a_counterpart() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((32, 32), "float64")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((32, 32), "float64")
            T.copy(A, a)

    assert "float64" in refused(kernel).what


def test_packed_types() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((32, 32), "uint4")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_shared((32, 32), "uint4")
            T.copy(A, a)

    error = refused(kernel)
    assert "uint4" in error.what
    assert "uint8" in error.remedy


def test_a_function_without_a_grid() -> None:
    @T.prim_func
    def kernel(A: T.Tensor((32,), "float32")):
        for i in T.serial(32):
            A[i] = 1.0

    assert "T.Kernel" in refused(kernel).remedy
