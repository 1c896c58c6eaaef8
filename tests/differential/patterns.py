"""The patterns kernels are made of, each with torch's word for what it computes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from examples.tilelang import attention, convolution, dequant_gemm, norm, softmax
from tests.differential import kernels
from tests.differential.harness import BF16, FP32, Case, made
from torch.nn import functional

# Values that pass through bf16 buffers on the way are rounded there as well.
TWICE = BF16.__class__(relative=2.0**-7, of_peak=2.0**-6, pcc=0.999)

REDUCTIONS: dict[str, Callable[[torch.Tensor, int], torch.Tensor]] = {
    "sum": lambda x, dim: x.sum(dim),
    "max": lambda x, dim: x.amax(dim),
    "min": lambda x, dim: x.amin(dim),
    "abssum": lambda x, dim: x.abs().sum(dim),
    "absmax": lambda x, dim: x.abs().amax(dim),
}


def _chain(x: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
    y = x * scale[:, None] + shift
    y = torch.where(y > 0, y.abs().sqrt(), y.exp() - 1)
    return y.tanh() + 0.25 * y.sin()


def _add(m: int, n: int, block: tuple[int, int]) -> Case:
    return Case(
        f"add {m}x{n} in {block[0]}x{block[1]}",
        lambda: kernels.add(m, n, block),
        lambda: made((m, n), (m, n)),
        torch.add,
    )


def _chained(m: int, n: int, block: tuple[int, int]) -> Case:
    return Case(
        f"chain {m}x{n} in {block[0]}x{block[1]}",
        lambda: kernels.elementwise_chain(m, n, block),
        lambda: made((m, n), (m,), (n,)),
        _chain,
    )


def _reduction(kind: str, dim: int, m: int, n: int, block: int = 32) -> Case:
    return Case(
        f"{kind} of {m}x{n} along {dim}",
        lambda: kernels.reduction(m, n, kind, dim, block),
        lambda: made((m, n)),
        lambda x: REDUCTIONS[kind](x, dim),
        FP32,
        out_dtype=torch.float32,
    )


def _softmax(m: int, n: int) -> Case:
    return Case(
        f"softmax {m}x{n}",
        lambda: softmax.softmax(m, n),
        lambda: made((m, n)),
        lambda x: torch.softmax(x, -1),
    )


def _layernorm(m: int, n: int) -> Case:
    return Case(
        f"layernorm {m}x{n}",
        lambda: norm.layernorm(m, n),
        lambda: made((m, n), (n,), (n,)),
        lambda x, gamma, beta: functional.layer_norm(x, (n,), gamma, beta),
    )


def _rmsnorm(m: int, n: int) -> Case:
    return Case(
        f"rmsnorm {m}x{n}",
        lambda: norm.rmsnorm(m, n),
        lambda: made((m, n), (n,)),
        lambda x, gamma: functional.rms_norm(x, (n,), gamma, 1e-6),
        TWICE,
    )


def _attention(batch: int, heads: int, length: int, width: int, causal: bool) -> Case:
    return Case(
        f"attention {batch}x{heads}x{length}x{width}{' causal' if causal else ''}",
        lambda: attention.attention(batch, heads, length, width, causal),
        lambda: made(*[(batch, heads, length, width)] * 3),
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=causal),
        TWICE,
    )


def _convolution(
    batch: int, channels: int, size: int, filters: int, taps: int, stride: int, padding: int
) -> Case:
    def reference(image: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        taps_first = weight.reshape(taps, taps, channels, filters).permute(3, 2, 0, 1)
        out = functional.conv2d(image.permute(0, 3, 1, 2), taps_first, stride=stride, padding=padding)
        return out.permute(0, 2, 3, 1).reshape(-1, filters)

    return Case(
        f"convolution {batch}x{channels}x{size}x{size} to {filters}, {taps}x{taps}/{stride}+{padding}",
        lambda: convolution.convolution(batch, channels, size, size, filters, taps, stride, padding),
        lambda: made((batch, size, size, channels), (taps * taps * channels, filters)),
        reference,
    )


def _batched(batch: int, m: int, n: int, k: int) -> Case:
    return Case(
        f"batched gemm {batch}x{m}x{n}x{k}",
        lambda: kernels.batched_gemm(batch, m, n, k),
        lambda: made((batch, m, k), (batch, k, n)),
        torch.bmm,
    )


def _grouped(rows: tuple[int, ...], n: int, k: int) -> Case:
    group_of_row = torch.repeat_interleave(torch.arange(len(rows)), torch.tensor(rows))
    groups = group_of_row[::32].int()
    return Case(
        f"grouped gemm {'+'.join(map(str, rows))}x{n}x{k}",
        lambda: kernels.grouped_gemm(rows, n, k),
        lambda: (*made((sum(rows), k), (len(rows), k, n)), groups),
        lambda a, b, _: torch.einsum("mk,mkn->mn", a, b[group_of_row]),
    )


def _split_k(m: int, n: int, k: int, parts: int) -> Case:
    return Case(
        f"split-k gemm {m}x{n}x{k} in {parts}",
        lambda: kernels.split_k_gemm(m, n, k, parts),
        lambda: made((m, k), (k, n)),
        torch.matmul,
        FP32,
        out_dtype=torch.float32,
        initial=0.0,
    )


def _gemv(n: int, k: int) -> Case:
    return Case(f"gemv {n}x{k}", lambda: kernels.gemv(n, k), lambda: made((k,), (n, k)), lambda x, b: b @ x)


def _dequant(m: int, n: int, k: int) -> Case:
    def inputs() -> tuple[torch.Tensor, ...]:
        (a,), packed = made((m, k)), torch.arange(n * k // 2, dtype=torch.int64).reshape(n, k // 2)
        scale = torch.linspace(0.5, 1.5, n).bfloat16()
        return a, (packed * 37 % 256).to(torch.uint8), scale

    return Case(
        f"dequantise gemm {m}x{n}x{k}",
        lambda: dequant_gemm.dequant_gemm(m, n, k),
        inputs,
        lambda a, packed, scale: a @ dequant_gemm.unpacked(packed).double().T * scale,
    )


def _transpose(m: int, n: int) -> Case:
    return Case(f"transpose {m}x{n}", lambda: kernels.transpose(m, n), lambda: made((m, n)), lambda x: x.T)


def _gated(m: int, n: int, k: int) -> Case:
    return Case(
        f"gated gemm {m}x{n}x{k}",
        lambda: kernels.gated_gemm(m, n, k),
        lambda: made((m, k), (k, n), (k, n)),
        lambda x, w, v: functional.silu(x @ w) * (x @ v),
    )


def _blocked_sum(m: int, n: int) -> Case:
    return Case(
        f"blocked row sum {m}x{n}",
        lambda: kernels.blocked_row_sum(m, n),
        lambda: made((m, n)),
        lambda x: x.sum(1),
        FP32,
        out_dtype=torch.float32,
    )


def _causal(m: int, n: int) -> Case:
    return Case(
        f"lower triangle {m}x{n}", lambda: kernels.causal_fill(m, n), lambda: made((m, n)), torch.tril
    )


PATTERNS: tuple[Case, ...] = (
    *(
        _add(*case)
        for case in ((64, 64, (32, 32)), (33, 100, (32, 64)), (1, 31, (32, 32)), (100, 70, (16, 48)))
    ),
    *(_chained(*case) for case in ((64, 64, (64, 64)), (33, 100, (64, 32)), (70, 1, (32, 32)))),
    *(_reduction(kind, dim, 50, 70) for kind in REDUCTIONS for dim in (0, 1)),
    *(_reduction("sum", dim, 1, 33) for dim in (0, 1)),
    *(_reduction("max", dim, 100, 31, 64) for dim in (0, 1)),
    *(_blocked_sum(*shape) for shape in ((33, 100), (64, 128))),
    *(_softmax(*shape) for shape in ((64, 64), (33, 100), (1, 333))),
    *(_layernorm(*shape) for shape in ((64, 64), (33, 100))),
    *(_rmsnorm(*shape) for shape in ((64, 64), (33, 100))),
    *(_attention(1, 2, length, 64, causal) for length in (64, 100, 130) for causal in (False, True)),
    _attention(2, 1, 65, 32, True),
    *(_batched(*case) for case in ((2, 64, 64, 64), (3, 33, 31, 100))),
    *(_gated(*case) for case in ((64, 64, 64), (33, 40, 50))),
    *(_grouped(*case) for case in (((32, 64, 32), 64, 64), ((64, 32), 40, 50))),
    *(_split_k(*case) for case in ((64, 64, 128, 2), (33, 31, 200, 3))),
    *(_gemv(*shape) for shape in ((64, 128), (33, 300))),
    *(_dequant(*case) for case in ((32, 64, 128), (33, 40, 130))),
    *(
        _convolution(*case)
        for case in ((1, 32, 8, 32, 3, 1, 1), (2, 5, 9, 33, 3, 2, 0), (1, 16, 6, 8, 1, 1, 0))
    ),
    *(_transpose(*shape) for shape in ((64, 64), (33, 100))),
    *(_causal(*shape) for shape in ((96, 96), (70, 100))),
)
