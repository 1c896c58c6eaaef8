"""What follows the main work of a template: expressions over accumulators and other tensors, then stores."""

# mypy: disable-error-code="no-untyped-call, misc, untyped-decorator"

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tilelang.language as T  # noqa: N812
from tilelang.layout import make_swizzled_layout

from tilesmith.kernels.authoring import emit, named, on_gpu
from tilesmith.kernels.expression import Expr, Input
from tilesmith.kernels.macros import macro
from tilesmith.kernels.operands import Bound, InPlace, Operand, load, save

Place = Callable[[Bound], tuple[Any, Any]]
"""Where the block of an operand starts."""


@dataclass(frozen=True)
class Result:
    """An output: the expression of each element, and the tensor it goes to."""

    value: Expr
    out: Operand


@dataclass(frozen=True)
class Epilogue:
    """`reads` are the operands its expressions name beside the accumulators.

    Beyond the logical size of a matrix its last tiles hold zeros, which sums rely on: `mask_rows` and
    `mask_columns` say that the matrix ends inside a tile, so that what lies beyond must be cleared.
    """

    results: tuple[Result, ...]
    reads: tuple[Operand, ...] = ()
    mask_rows: bool = False
    mask_columns: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether some result is stored as it was accumulated."""
        masked = self.mask_rows or self.mask_columns
        return not masked and any(isinstance(result.value, Input) for result in self.results)

    @property
    def operands(self) -> tuple[Operand, ...]:
        return (*self.reads, *(result.out for result in self.results))


def store(
    epilogue: Epilogue,
    bound: Mapping[str, Bound],
    tensors: Mapping[str, Any],
    accumulators: Mapping[str, Any],
    block: tuple[int, int],
    place: Place,
    first: tuple[Any, Any],
    limits: tuple[Any, Any],
    staged: bool = False,
    early: Mapping[str, Any] | None = None,
) -> None:
    """Write the code that loads the further operands, computes every result and stores it.

    `first` is the row and column of the block in the matrix, `limits` how many there are. On a GPU results
    can be `staged` in shared memory. `early` are operands that are loaded already.
    """
    late = tuple(operand for operand in epilogue.reads if operand.name not in (early or {}))
    held = {**loaded(late, bound, tensors, block, place), **(early or {})}
    in_place = _store_staged if staged else _store_in_place
    for result in epilogue.results:
        out = bound[result.out.name]
        store_result = in_place if on_gpu() else _store_result
        store_result(
            epilogue,
            result,
            bound,
            tensors[out.operand.name],
            accumulators,
            held,
            block,
            place(out),
            first,
            limits,
        )


def loaded(
    reads: Sequence[Operand],
    bound: Mapping[str, Bound],
    tensors: Mapping[str, Any],
    block: tuple[int, int],
    place: Place,
) -> dict[str, Any]:
    if on_gpu():
        return {one.name: InPlace(tensors[one.name], place(bound[one.name])) for one in reads}
    held = {operand.name: bound[operand.name].allocate(block) for operand in reads}
    for name, here in held.items():
        load(tensors[name], place(bound[name]), here)
    return held


def element_of(source: Expr, bound: Mapping[str, Bound], held: Mapping[str, Any], i: Any, j: Any) -> Any:
    """An expression over operands that are loaded, at one element of their blocks."""
    return emit(source, {name: bound[name].element(here, i, j) for name, here in held.items()})


@macro
def _store_result(epilogue, result, bound, tensor, accumulators, held, block, at, first, limits):  # type: ignore[no-untyped-def]
    rows, columns = block
    direct = isinstance(result.value, Input) and not (epilogue.mask_rows or epilogue.mask_columns)
    if direct and result.value.name in accumulators:
        save(bound[result.out.name], accumulators[result.value.name], tensor, at, first, limits)
    else:
        block_result = named(f"{result.out.name}_made", T.alloc_fragment((rows, columns), "float32"))
        for i, j in T.Parallel(rows, columns):
            block_result[i, j] = _element(
                epilogue, result.value, bound, accumulators, held, i, j, first, limits
            )
        save(bound[result.out.name], block_result, tensor, at, first, limits)


@macro
def _store_in_place(epilogue, result, bound, tensor, accumulators, held, block, at, first, limits):  # type: ignore[no-untyped-def]
    """Compute and store element by element: what a GPU holds in registers goes straight to memory.

    Nothing beyond the matrix is written, so that what was zero there stays so.
    """
    for i, j in T.Parallel(*block):
        if (first[0] + i < limits[0]) & (first[1] + j < limits[1]):
            tensor[at[0] + i, at[1] + j] = _value(result.value, bound, accumulators, held, i, j)


@macro
def _store_staged(epilogue, result, bound, tensor, accumulators, held, block, at, first, limits):  # type: ignore[no-untyped-def]
    """Compute in registers and store whole rows from shared memory.

    A thread has two neighbours of a product's columns: stores of four bytes take longer than the product
    where it is not deep. All of the block is within the matrix, or rows are stored element by element.
    """
    rounded = named(f"{result.out.name}_rounded", T.alloc_fragment(block, result.out.dtype))
    staged = named(f"{result.out.name}_staged", T.alloc_shared(block, result.out.dtype))
    T.annotate_layout({staged: make_swizzled_layout(staged)})
    for i, j in T.Parallel(*block):
        rounded[i, j] = _value(result.value, bound, accumulators, held, i, j)
    T.copy(rounded, staged)
    T.copy(staged, tensor[at[0], at[1]])


def _value(
    value: Expr,
    bound: Mapping[str, Bound],
    accumulators: Mapping[str, Any],
    held: Mapping[str, Any],
    i: Any,
    j: Any,
) -> Any:
    values = {name: accumulator[i, j] for name, accumulator in accumulators.items()}
    values |= {name: bound[name].element(buffer, i, j) for name, buffer in held.items()}
    return emit(value, values)


def _element(
    epilogue: Epilogue,
    value: Expr,
    bound: Mapping[str, Bound],
    accumulators: Mapping[str, Any],
    held: Mapping[str, Any],
    i: Any,
    j: Any,
    first: tuple[Any, Any],
    limits: tuple[Any, Any],
) -> Any:
    element = _value(value, bound, accumulators, held, i, j)
    if epilogue.mask_rows:
        element = T.if_then_else(first[0] + i < limits[0], element, T.float32(0))
    if epilogue.mask_columns:
        element = T.if_then_else(first[1] + j < limits[1], element, T.float32(0))
    return element
