"""Matrix products with an epilogue: one or more weights for the same rows, batched, transposed or not."""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812

from tilesmith.kernels import operands as op
from tilesmith.kernels.authoring import TILE, named, on_gpu, prim_func, symbols
from tilesmith.kernels.epilogue import Epilogue, loaded, store
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Operand
from tilesmith.schedules.cores import Cores, Mesh, Rectangle, Stationary


@dataclass(frozen=True)
class Linear:
    """acc_i = x @ w_i, or x @ w_i^T where weights are stored with their outputs first, as torch does.

    Operands of int8 are summed up in int32. The accumulators are called acc0, acc1 ... in the epilogue.
    Without a mesh, any number of blocks goes to any number of cores, each of which reads all it needs.
    On a GPU `threads` share a block, and blocks run in panels of so many columns of blocks, for its L2.
    """

    epilogue: Epilogue
    weights: int = 1
    transposed: bool = True
    x_transposed: bool = False
    block: tuple[int, int, int] = (64, 64, 64)
    dtype: str = "bfloat16"
    x_access: op.Access = "block"
    weight_dtype: str = "bfloat16"
    stages: int = 2
    mesh: Cores | None = None
    threads: int = 128
    panel: int = 0
    staged: bool = False

    @property
    def name(self) -> str:
        return "linear" if self.weights == 1 else "gated_linear"

    @property
    def tensors(self) -> tuple[Operand, ...]:
        weights = tuple(Operand(f"w{number}", dtype=self.weight_dtype) for number in range(self.weights))
        return (Operand("x", self.x_access, self.dtype), *weights, *self.epilogue.operands)

    @property
    def _policy(self) -> Any:
        """On a GPU, whole rows for each group of four warps where there are enough."""
        rows = on_gpu() and self.block[0] % (64 * (self.threads // 128)) == 0
        return T.GemmWarpPolicy.FullRow if rows else T.GemmWarpPolicy.Square

    def prim_func(self) -> Any:
        bm, bn, bk = self.block
        m, n, k, nb1, nb2 = symbols("m", "n", "k", "nb1", "nb2")
        bound = op.bind(self.tensors)
        weights = [f"w{number}" for number in range(self.weights)]
        x_block = (bk, bm) if self.x_transposed else (bm, bk)
        w_block = (bn, bk) if self.transposed else (bk, bn)
        staggered = isinstance(self.mesh, Mesh)
        mesh = self.mesh if isinstance(self.mesh, Mesh) else Mesh(1, 1, 1)
        shared = self.mesh if isinstance(self.mesh, Rectangle) else Rectangle(1, 1, 1, 1, 0)
        held = self.mesh if isinstance(self.mesh, Stationary) else Stationary(1, 1, 1)
        steps = shared.steps or T.ceildiv(k, bk)

        @macro
        def block_of(tensors, bx, by, b1, b2, begin=0):  # type: ignore[no-untyped-def]
            x_here = T.alloc_shared(x_block, self.dtype)
            w_here = [named(f"{w}_here", T.alloc_shared(w_block, self.weight_dtype)) for w in weights]
            accs = [
                named(f"acc{i}", T.alloc_fragment((bm, bn), op.sum_type(self.dtype)))
                for i in range(self.weights)
            ]
            for acc in accs:
                T.clear(acc)
            for ko in T.Pipelined(steps, num_stages=self.stages):
                turn = (ko + begin) % steps if staggered else ko
                rows, deep, cols = by * (bm // TILE), turn * (bk // TILE), bx * (bn // TILE)
                at = bound["x"].start(b1, b2, *((deep, rows) if self.x_transposed else (rows, deep)))
                op.load(tensors["x"], at, x_here)
                for w, here, acc in zip(weights, w_here, accs, strict=True):
                    first, second = (0, 0) if isinstance(self.mesh, Rectangle) else (b1, b2)
                    at_w = (cols, deep) if self.transposed else (deep, cols)
                    start = bound[w].start(first, second, *at_w)
                    T.copy(tensors[w][start[0], start[1]], here)
                    T.gemm(x_here, here, acc, self.x_transposed, self.transposed, policy=self._policy)
            store(
                self.epilogue,
                bound,
                tensors,
                {f"acc{number}": acc for number, acc in enumerate(accs)},
                (bm, bn),
                lambda one: one.start(b1, b2, by * (bm // TILE), bx * (bn // TILE)),
                (by * bm, bx * bn),
                (m, n),
                self.staged,
            )

        @macro
        def body(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), nb1 * nb2, threads=self.threads) as (
                bx,
                by,
                bz,
            ):
                if self.panel:
                    T.use_swizzle(self.panel)
                block_of(tensors, bx, by, bz // nb2, bz % nb2)

        @macro
        def body_of_mesh(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(*mesh.cores, threads=128) as (x, y):
                # Rows of cores begin at different depths, so that they do not all ask the same banks.
                block_of(tensors, y % mesh.rows * mesh.columns + x, y // mesh.rows, 0, 0, y)

        @macro
        def body_of_rectangle(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(*shared.cores, threads=128) as (x, y):
                for block in T.serial(shared.down * shared.across):
                    by, b1, b2 = y * shared.down + block // shared.across, 0, 0
                    if shared.batch:
                        by, b1, b2 = by % shared.batch, by // shared.batch // nb2, by // shared.batch % nb2
                    # At one time cores of a row have blocks side by side, which lie in different banks.
                    block_of(tensors, block % shared.across * shared.columns + x, by, b1, b2)

        @macro
        def rows_of(tensors, by, w_here, early):  # type: ignore[no-untyped-def]
            x_here = T.alloc_shared(x_block, self.dtype)
            op.load(tensors["x"], bound["x"].start(0, 0, by * (bm // TILE), 0), x_here)
            accs = [
                named(f"acc{i}", T.alloc_fragment((bm, bn), op.sum_type(self.dtype)))
                for i in range(self.weights)
            ]
            for here, acc in zip(w_here, accs, strict=True):
                T.clear(acc)
                T.gemm(x_here, here, acc, False, self.transposed, policy=self._policy)
            store(
                self.epilogue,
                bound,
                tensors,
                {f"acc{number}": acc for number, acc in enumerate(accs)},
                (bm, bn),
                lambda one: one.start(0, 0, by * (bm // TILE), 0),
                (by * bm, 0),
                (m, n),
                self.staged,
                early,
            )

        @macro
        def body_of_stationary(tensors):  # type: ignore[no-untyped-def]
            with T.Kernel(*held.cores, threads=128) as (x, y):
                w_here = [named(f"{w}_here", T.alloc_shared(w_block, self.weight_dtype)) for w in weights]
                for w, here in zip(weights, w_here, strict=True):
                    start = bound[w].start(0, 0, 0, 0)
                    T.copy(tensors[w][start[0], start[1]], here)
                vectors = tuple(one for one in self.epilogue.reads if one.access == "row")
                early = loaded(vectors, bound, tensors, (bm, bn), lambda one: one.start(0, 0, 0, 0))
                for turn in T.serial(held.turns):
                    rows_of(tensors, (y * held.columns + x) * held.turns + turn, w_here, early)

        bodies = {Mesh: body_of_mesh, Rectangle: body_of_rectangle, Stationary: body_of_stationary}
        numbers = [m, n, k, nb1, nb2, *op.numbers(bound)]
        return prim_func(self.name, op.declared(bound), numbers, bodies.get(type(self.mesh), body))
