"""Products of plain kernels are carried out as those of models are: blocks and cores by the same ranking.

A kernel with blocks for GPUs gets the blocks that should be fastest on the chip, on a rectangle of cores of
which each works on its blocks one after the other. Cores of a row then load the same of one operand, cores of
a column of the other, which `layout-aware-work-partition-tt` lets them share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tilesmith.arch import Arch, load_arch
from tilesmith.compiler.analysis.blocked_product import Axis, BlockedProduct, Transfer, blocked_product
from tilesmith.compiler.analysis.tile_geometry import TILE, TILE_ELEMENTS, version_bytes
from tilesmith.compiler.dialects.tile import AllocOp, CopyOp, GridOp, LoadOp, StoreOp, ints, numbers, place_of
from tilesmith.compiler.dialects.tt import number
from tilesmith.compiler.dialects.types import BufferType, TensorType
from tilesmith.compiler.dialects.walk import operations_of, walk
from tilesmith.compiler.pass_group import Pass
from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.schedules.cores import Rectangle
from tilesmith.schedules.product import Product, ProductChoice
from tilesmith.schedules.product_ranking import cycles_alone
from tilesmith.schedules.rectangles import ranked_rectangles

# Of L1, what all buffers may take: what is loaded three times (two in use, one staged), the rest twice.
_L1_SHARE = 0.85


@dataclass(frozen=True)
class ScheduleProducts(Pass):
    """Give a grid that computes one product the blocks and the cores of `arch` that rank first."""

    name = "schedule-products"

    arch: str = ""
    fidelity: str = "HiFi4"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for grid in operations_of(op, GridOp) if self.arch else ():
            product = blocked_product(grid)
            choice = product and _choice(product, load_arch(self.arch), self.fidelity)
            if product and choice:
                _Rewriting(product, choice).apply()


def _choice(product: BlockedProduct, arch: Arch, fidelity: str) -> ProductChoice | None:
    """The best of the rectangles whose blocks fit into L1 with all that the kernel holds.

    None if the kernel's own blocks should be faster: few columns leave cores of a rectangle without work.
    """
    room = _L1_SHARE * (arch.l1_size - arch.l1_unreserved_base)
    problem, block = _problem(product, fidelity), product.block
    ranked = ranked_rectangles(problem, arch.name)
    best = next((one for one in ranked if _bytes(product, one.block) <= room), None)
    own = cycles_alone(problem, (block["row"], block["col"], block["deep"]), arch.name)
    return best if best is None or best.cycles < own else None


def _problem(product: BlockedProduct, fidelity: str) -> Product:
    gemm = product.gemms[0]
    loads = {op.buffer: op for op in product.transfers if isinstance(op, LoadOp)}
    others = len(product.transfers) - 1 - len(product.gemms)
    (rows, rows_alone), (cols, cols_alone) = _reach(product, "row"), _reach(product, "col")
    return Product(
        rows=rows,
        cols=cols,
        depth=product.sizes["deep"],
        batches=1,
        weights=len(product.gemms),
        row_bytes=_element_bytes(loads[gemm.a]),
        weight_bytes=_element_bytes(loads[gemm.b]),
        operands=others,
        fidelity=fidelity,
        ends_alone=cols_alone,
        rows_end_alone=rows_alone,
    )


def _reach(product: BlockedProduct, axis: Axis) -> tuple[int, bool]:
    """How far results go along an axis, and whether nothing is stored beyond, since all tensors end there."""
    sizes = [
        size
        for op in product.stores
        for size, dim in zip(_tensor_type(op).dims, numbers(op.dims), strict=True)
        if product.axis_of(op, dim) == axis
    ]
    known = [size for size in sizes if isinstance(size, int) and size <= product.sizes[axis]]
    if len(known) < len(sizes):
        return product.sizes[axis], False
    return -(-max(known) // TILE) * TILE, True


def _tensor_type(op: Transfer) -> TensorType:
    assert isinstance(op.tensor.type, TensorType)
    return op.tensor.type


def _element_bytes(op: Transfer) -> float:
    return tile_bytes(DataFormat[_tensor_type(op).format.data]) / TILE_ELEMENTS


def _bytes(product: BlockedProduct, block: tuple[int, int, int]) -> int:
    """What the buffers of a core take with other blocks, and results on their way out."""
    sizes = _sizes(block)
    loaded = {value for gemm in product.gemms for value in (gemm.a, gemm.b)}
    held = [(3 if one.buffer in loaded else 2, _resized(product, one, sizes)) for one in product.allocs]
    return sum(times * version_bytes(one) for times, one in held)


def _sizes(block: tuple[int, int, int]) -> dict[Axis, int]:
    return {"row": block[0], "col": block[1], "deep": block[2]}


def _resized(product: BlockedProduct, alloc: AllocOp, sizes: Mapping[Axis, int]) -> BufferType:
    """The type of a buffer with blocks of other sizes."""
    old = place_of(alloc.buffer)
    assert isinstance(old, BufferType)
    axes = (product.axes.get((alloc.buffer, dim)) for dim in range(len(old.dims)))
    dims = [sizes[axis] if axis else size for size, axis in zip(old.dims, axes, strict=True)]
    return BufferType.of(dims, old.element_type, old.scope.data, old.layout.data, old.format.data)


class _Rewriting:
    """Turns a grid of blocks into a grid of cores that loop over blocks of other sizes."""

    def __init__(self, product: BlockedProduct, choice: ProductChoice) -> None:
        assert isinstance(choice.mesh, Rectangle)
        self.product, self.mesh, self.sizes = product, choice.mesh, _sizes(choice.block)
        self.begins: dict[Axis, SSAValue] = {}
        """The first element of a block, along each axis."""
        self.axes: dict[tuple[SSAValue, int], Axis] = {}
        """What dimensions go along, of buffers of their new sizes."""

    def apply(self) -> None:
        old = self.product.grid
        for alloc in self.product.allocs:
            self._resize(alloc)
        columns, rows = _number(self.mesh.columns), _number(self.mesh.rows)
        grid = GridOp([columns.result, rows.result], ("bx", "by"))
        grid.location = old.location
        Rewriter.insert_op([columns, rows, grid], InsertPoint.before(old))
        for alloc in self.product.allocs:
            old.body.block.detach_op(alloc)
            grid.body.block.add_op(alloc)
        at = self._blocks(Builder(InsertPoint.at_end(grid.body.block)), *grid.body.block.args)
        for op in list(old.body.block.ops):
            old.body.block.detach_op(op)
            at.insert(op)
        self._deepen()
        for transfer in _transfers(grid):
            self._place(transfer)
        for copy in operations_of(grid, CopyOp):
            copy.sizes = ints(_dims(copy.source))
        Rewriter.erase_op(old)
        _drop_unused(grid)

    def _resize(self, alloc: AllocOp) -> None:
        of_old = {dim: axis for (buffer, dim), axis in self.product.axes.items() if buffer is alloc.buffer}
        resized = _resized(self.product, alloc, self.sizes)
        buffer = Rewriter.replace_value_with_new_type(alloc.buffer, resized)
        self.axes |= {(buffer, dim): axis for dim, axis in of_old.items()}

    def _blocks(self, at: Builder, x: SSAValue, y: SSAValue) -> Builder:
        """The loop over the blocks of a core, and where its body goes on; none if there is but one."""
        across, down = self.mesh.across, self.mesh.down
        if across * down > 1:
            first, end, step = (at.insert(_number(size)).result for size in (0, across * down, 1))
            body = Block([scf.YieldOp()], arg_types=[IndexType()])
            (place,) = body.args
            place.name_hint = "block"
            at.insert(scf.ForOp(first, end, step, [], body))
            at = Builder(_before_end(body))
            below = place if across == 1 else _scaled(at, arith.DivSIOp, place, across)
            beside = None if across == 1 else _scaled(at, arith.RemSIOp, place, across)
            y = at.insert(arith.AddiOp(_scaled(at, arith.MuliOp, y, down), below)).result if down > 1 else y
            # At one time cores of a row have blocks side by side, which lie in different banks.
            if beside is not None:
                x = at.insert(arith.AddiOp(_scaled(at, arith.MuliOp, beside, self.mesh.columns), x)).result
        self.begins["row"] = _scaled(at, arith.MuliOp, y, self.sizes["row"])
        self.begins["col"] = _scaled(at, arith.MuliOp, x, self.sizes["col"])
        return at

    def _deepen(self) -> None:
        """As many turns as the schedule has, each as deep as its blocks."""
        loop = self.product.loop
        Rewriter.insert_op(turns := _number(self.mesh.steps), InsertPoint.before(loop))
        loop.operands[1] = turns.result
        loop.attributes["num_stages"] = number(2)
        start = Builder(InsertPoint.at_start(loop.body.block))
        self.begins["deep"] = _scaled(start, arith.MuliOp, loop.body.block.args[0], self.sizes["deep"])

    def _place(self, op: Transfer) -> None:
        """Let a load or store take the block at hand."""
        axes = [self.axes.get((op.buffer, dim)) for dim in numbers(op.dims)]
        pairs = list(zip(axes, numbers(op.sizes), strict=True))
        op.sizes = ints([self.sizes[axis] if axis else size for axis, size in pairs])
        first = 1 if isinstance(op, LoadOp) else 2
        for place, axis in enumerate(axes):
            if axis:
                op.operands[first + place] = self.begins[axis]


def _transfers(grid: GridOp) -> list[Transfer]:
    return [op for op in walk(grid.body) if isinstance(op, LoadOp | StoreOp)]


def _dims(value: SSAValue) -> tuple[int, ...]:
    buffer_type = place_of(value)
    assert isinstance(buffer_type, BufferType)
    return buffer_type.dims


def _scaled(
    at: Builder, by: type[arith.MuliOp | arith.DivSIOp | arith.RemSIOp], value: SSAValue, size: int
) -> SSAValue:
    return at.insert(by(value, at.insert(_number(size)).result)).results[0]


def _before_end(block: Block) -> InsertPoint:
    assert block.last_op is not None
    return InsertPoint.before(block.last_op)


def _drop_unused(grid: GridOp) -> None:
    """Erase what computed the places of the blocks that were."""
    for op in reversed([one for one in walk(grid.body) if one.name.startswith("arith.")]):
        if not any(result.uses for result in op.results):
            Rewriter.erase_op(op)


def _number(value: int) -> arith.ConstantOp:
    return arith.ConstantOp(IntegerAttr(value, IndexType()))
