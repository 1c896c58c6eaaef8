"""Small kernels that give the passes something to do, for docs/passes.md."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

from pathlib import Path
from typing import Any

import tilelang.language as T
from tests.compiler.passes import samples, test_pipeline_stores
from tests.compiler.passes.test_share_circular_buffers import chain
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects.context import parse
from tilesmith.compiler.importer.tilelang import import_prim_func


def shift() -> Any:
    @T.prim_func
    def shift(A: T.Tensor((96, 64), "float32"), B: T.Tensor((96, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            x = T.alloc_shared((96, 64), "float32")
            T.copy(A, x)
            T.copy(x[0:64, 0:64], x[32:96, 0:64])
            T.copy(x, B)

    return shift


def narrow() -> Any:
    @T.prim_func
    def narrow(A: T.Tensor((64, 64), "int32"), B: T.Tensor((64, 64), "int8")):
        with T.Kernel(1, threads=128) as _:
            x = T.alloc_shared((64, 64), "int8")
            T.copy(A, x)
            T.copy(x, B)

    return narrow


def batch() -> Any:
    @T.prim_func
    def batch(A: T.Tensor((4, 64, 64), "float32"), B: T.Tensor((4, 64, 64), "float32")):
        with T.Kernel(4, threads=128) as b:
            x = T.alloc_shared((1, 64, 64), "float32")
            T.copy(A[b, 0, 0], x)
            T.copy(x, B[b, 0, 0])

    return batch


def every_other() -> Any:
    @T.prim_func
    def every_other(A: T.Tensor((64, 64), "bfloat16"), B: T.Tensor((32, 64), "bfloat16")):
        with T.Kernel(1, threads=128) as _:
            x = T.alloc_shared((64, 64), "bfloat16")
            y = T.alloc_shared((32, 64), "bfloat16")
            T.copy(A, x)
            for i, j in T.Parallel(32, 64):
                y[i, j] = x[2 * i, j]
            T.copy(y, B)

    return every_other


def outer() -> Any:
    @T.prim_func
    def outer(A: T.Tensor((64,), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            x = T.alloc_shared((64,), "float32")
            y = T.alloc_fragment((64, 64), "float32")
            T.copy(A, x)
            for i, j in T.Parallel(64, 64):
                y[i, j] = x[i] * x[j]
            T.copy(y, B)

    return outer


def padded() -> Any:
    @T.prim_func
    def padded(A: T.Tensor((32, 40), "float32"), B: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=128) as _:
            x = T.alloc_shared((32, 40), "float32")
            y = T.alloc_fragment((32,), "float32")
            T.copy(A, x)
            T.reduce_max(x, y, dim=1)
            T.copy(y, B)

    return padded


def overwritten() -> Any:
    @T.prim_func
    def overwritten(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            x = T.alloc_shared((64, 64), "float32")
            y = T.alloc_fragment((64, 64), "float32")
            T.clear(x)
            T.copy(A, x)
            T.copy(x, y)
            for i, j in T.Parallel(64, 64):
                y[i, j] = y[i, j] * 2.0
            T.copy(y, B)

    return overwritten


def product() -> Any:
    @T.prim_func
    def product(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            x = T.alloc_shared((64, 64), "float32")
            y = T.alloc_fragment((64, 64), "float32")
            T.copy(A, x)
            T.gemm(x, x, y, clear_accum=True)
            for i, j in T.Parallel(64, 64):
                y[i, j] = y[i, j] + x[i, j]
            T.copy(y, B)

    return product


def deep() -> Any:
    @T.prim_func
    def deep(
        A: T.Tensor((1024, 128), "float32"),
        B: T.Tensor((1024, 128), "float32"),
        C: T.Tensor((1024, 128), "float32"),
    ):
        with T.Kernel(1, threads=128) as _:
            x = T.alloc_shared((128, 128), "float32")
            y = T.alloc_fragment((128, 128), "float32")
            for k in T.Pipelined(8, num_stages=16):
                T.copy(A[k * 128, 0], x)
                for i, j in T.Parallel(128, 128):
                    y[i, j] = x[i, j] * 2.0
                T.copy(y, B[k * 128, 0])
                T.copy(x, C[k * 128, 0])

    return deep


def products() -> Any:
    """Steps so deep that no two of them are merged."""
    return test_pipeline_stores.products(deep=256)


def sample(name: str) -> ModuleOp:
    """The kernel as the front end gives it."""
    if name == "chain":
        return chain(40)
    if name in KERNELS:
        return import_prim_func(KERNELS[name]())
    return samples.module(name) if name in samples.names() else scalar_code(name)


def scalar_code(name: str) -> ModuleOp:
    path = Path(samples.__file__).with_name("scalar_ir") / f"{name}.mlir"
    return parse(path.read_text(encoding="utf-8"), path.name)


KERNELS = {
    made.__name__: made
    for made in (shift, narrow, batch, every_other, outer, padded, overwritten, product, products, deep)
}
