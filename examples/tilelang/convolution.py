"""A convolution as an implicit GEMM: rows of A are output pixels, its columns the patch under the kernel.

The patches are never stored: every block gathers its part of them from the image, zero beyond the border.
"""

# mypy: disable-error-code="valid-type, no-untyped-def, no-untyped-call, misc, untyped-decorator"

import tilelang.language as T
import torch

import tilesmith
from tilesmith.testing import Tolerance, compare


def convolution(
    batch, channels, height, width, filters, size=3, stride=1, padding=1, block=(32, 32, 32), dtype="bfloat16"
):
    """Image in NHWC, weight as (size, size, channels, filters), output in NHWC."""
    block_m, block_n, block_k = block
    out_height = (height + 2 * padding - size) // stride + 1
    out_width = (width + 2 * padding - size) // stride + 1
    pixels, patch = batch * out_height * out_width, size * size * channels

    @T.prim_func
    def convolution_kernel(
        image: T.Tensor((batch, height, width, channels), dtype),
        weight: T.Tensor((patch, filters), dtype),
        out: T.Tensor((pixels, filters), dtype),
    ):
        with T.Kernel(T.ceildiv(filters, block_n), T.ceildiv(pixels, block_m), threads=128) as (bx, by):
            patches = T.alloc_shared((block_m, block_k), dtype)
            weight_shared = T.alloc_shared((block_k, block_n), dtype)
            out_local = T.alloc_fragment((block_m, block_n), "float32")
            T.clear(out_local)
            for ko in T.Pipelined(T.ceildiv(patch, block_k), num_stages=2):
                for i, j in T.Parallel(block_m, block_k):
                    pixel = by * block_m + i
                    tap = ko * block_k + j
                    row = (
                        pixel % (out_height * out_width) // out_width * stride
                        + tap // channels // size
                        - padding
                    )
                    column = pixel % out_width * stride + tap // channels % size - padding
                    inside = (
                        (pixel < pixels) & (tap < patch)
                        & (row >= 0) & (row < height) & (column >= 0) & (column < width)
                    )  # fmt: skip
                    patches[i, j] = T.if_then_else(
                        inside, image[pixel // (out_height * out_width), row, column, tap % channels], 0
                    )
                T.copy(weight[ko * block_k, bx * block_n], weight_shared)
                T.gemm(patches, weight_shared, out_local)
            T.copy(out_local, out[by * block_m, bx * block_n])

    return convolution_kernel


def main():
    image, weight = torch.randn(1, 10, 12, 16).bfloat16(), torch.randn(3, 3, 16, 40).bfloat16()
    out = torch.empty(120, 40, dtype=torch.bfloat16)
    tilesmith.compile(convolution(1, 16, 10, 12, 40))(image, weight.reshape(144, 40), out)
    nchw, oihw = image.float().permute(0, 3, 1, 2), weight.float().permute(3, 2, 0, 1)
    expected = torch.nn.functional.conv2d(nchw, oihw, padding=1).permute(0, 2, 3, 1).reshape(120, 40)
    print(compare(out, expected, Tolerance.of(tilesmith.bfloat16, roundings=1)))


if __name__ == "__main__":
    main()
