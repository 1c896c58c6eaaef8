"""Softmax along rows. A block holds whole rows, however long they are."""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

import tilelang.language as T
import torch

import tilesmith
from tilesmith.testing import Tolerance, compare


def softmax(rows, columns, block_rows=32, dtype="bfloat16"):
    @T.prim_func
    def softmax_kernel(x: T.Tensor((rows, columns), dtype), y: T.Tensor((rows, columns), dtype)):
        with T.Kernel(T.ceildiv(rows, block_rows), threads=128) as by:
            x_local = T.alloc_fragment((block_rows, columns), "float32")
            peak = T.alloc_fragment((block_rows,), "float32")
            total = T.alloc_fragment((block_rows,), "float32")
            T.copy(x[by * block_rows, 0], x_local)
            T.reduce_max(x_local, peak, dim=1)
            for i, j in T.Parallel(block_rows, columns):
                x_local[i, j] = T.exp(x_local[i, j] - peak[i])
            T.reduce_sum(x_local, total, dim=1)
            for i, j in T.Parallel(block_rows, columns):
                x_local[i, j] = x_local[i, j] / total[i]
            T.copy(x_local, y[by * block_rows, 0])

    return softmax_kernel


def main():
    x = torch.randn(100, 333).bfloat16()
    y = torch.empty_like(x)
    tilesmith.compile(softmax(100, 333))(x, y)
    print(compare(y, torch.softmax(x.float(), -1), Tolerance.of(tilesmith.bfloat16, roundings=2)))


if __name__ == "__main__":
    main()
