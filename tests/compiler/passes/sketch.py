"""Kernels in a few words, for tests of what happens to buffers.

>>> s = Sketch("X")
>>> filled = s.fill("X")
>>> with s.loop():
...     stored = s.store("X")
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, ModuleOp, bf16, f32, i1, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tilesmith.compiler.analysis.liveness import Places
from tilesmith.compiler.dialects import tile, tt
from tilesmith.compiler.dialects.types import BufferType, TensorType

SIDE = 32


class Sketch:
    """One kernel: tensors T and U, the buffers named (all 32x32, bf16 or f32), a symbol n, steps in order."""

    def __init__(self, *names: str, wide: Collection[str] = ()) -> None:
        tensor = TensorType.of((SIDE, SIDE), bf16, "tile", "Float16_b")
        self.func = tile.FuncOp("sketch", [("T", tensor), ("U", tensor)], ["n"])
        self.block = self.func.body.block
        self.at = Builder(InsertPoint.at_end(self.block))
        self.zero, self.one = (self._constant(IntegerAttr(value, IndexType())) for value in (0, 1))
        self.value = self._constant(FloatAttr(0.0, f32))
        self.buffers = {name: self._alloc(name, name in wide) for name in names}
        self.module = ModuleOp([self.func])

    def _constant(self, value: IntegerAttr | FloatAttr) -> SSAValue:
        return self.at.insert(arith.ConstantOp(value)).result

    def _alloc(self, name: str, wide: bool) -> SSAValue:
        element, format_name = (f32, "Float32") if wide else (bf16, "Float16_b")
        alloc = tile.AllocOp(name, BufferType.of((SIDE, SIDE), element, "shared", "tiled", format_name))
        alloc.depth = tt.number(1)
        return self.at.insert(alloc).buffer

    # ---- steps ----

    def load(self, name: str, tensor: str = "T") -> tile.LoadOp:
        corner = [self.zero, self.zero]
        whole = (self.func.tensors[tensor], corner, self.buffers[name], (SIDE, SIDE), (0, 1))
        return self.at.insert(tile.LoadOp(*whole))

    def store(self, name: str, tensor: str = "U") -> tile.StoreOp:
        corner = [self.zero, self.zero]
        return self.at.insert(
            tile.StoreOp(self.buffers[name], self.func.tensors[tensor], corner, (SIDE, SIDE), (0, 1))
        )

    def fill(self, name: str) -> tile.FillOp:
        return self.at.insert(tile.FillOp(self.buffers[name], self.value))

    def clean(self, name: str) -> tile.CleanOp:
        return self.at.insert(tile.CleanOp(self.buffers[name], self.value))

    def gemm(self, a: str, b: str, c: str) -> tile.GemmOp:
        return self.at.insert(tile.GemmOp(self.buffers[a], self.buffers[b], self.buffers[c]))

    def copy(self, source: str, dest: str) -> tile.CopyOp:
        return self.at.insert(tile.CopyOp(self.buffers[source], self.buffers[dest]))

    def copy_row(self, source: str, dest: str) -> tile.CopyOp:
        places = self.buffers[source], self.buffers[dest]
        return self.at.insert(tile.CopyOp(*places, [self.zero] * 2, [self.zero] * 2, (1, SIDE)))

    def map(self, ins: Sequence[str], out: str) -> tile.MapOp:
        body = Block(arg_types=[*(f32 for _ in ins), IndexType(), IndexType()])
        body.add_op(tile.YieldOp(body.args[0]))
        places = [self.buffers[name] for name in ins]
        return self.at.insert(tile.MapOp(places, self.buffers[out], [(0, 1)] * len(ins), Region(body)))

    def scalar(self, reads: Sequence[str], writes: Sequence[str]) -> tile.ScalarOp:
        """Scalar code on buffers and tensors that touches one element of each."""
        places = {**self.buffers, **self.func.tensors}
        body = Block()
        inside = Builder(InsertPoint.at_end(body))
        corner = [self.zero, self.zero]
        for name in reads:
            inside.insert(tile.ReadOp(places[name], corner, f32))
        for name in writes:
            inside.insert(tile.WriteOp(places[name], corner, self.value))
        lists = [places[name] for name in reads], [places[name] for name in writes]
        return self.at.insert(tile.ScalarOp(*lists, Region(body)))

    def read_number(self, place: str = "T") -> SSAValue:
        """A number of rounds that lies in a tensor or buffer."""
        places = {**self.buffers, **self.func.tensors}
        element = self.at.insert(tile.ReadOp(places[place], [self.zero, self.zero], f32))
        return self._as_index(element.value)

    def _as_index(self, value: SSAValue) -> SSAValue:
        whole = self.at.insert(arith.FPToSIOp(value, i32))
        return self.at.insert(arith.IndexCastOp(whole.result, IndexType())).result

    # ---- control flow ----

    @contextmanager
    def loop(self, rounds: SSAValue | None = None) -> Iterator[scf.ForOp]:
        """n rounds, or as many as given."""
        block = Block(arg_types=[IndexType()])
        end = self.func.symbol_values["n"] if rounds is None else rounds
        loop = self.at.insert(scf.ForOp(self.zero, end, self.one, [], block))
        with self._inside(block):
            yield loop
        block.add_op(scf.YieldOp())

    @contextmanager
    def branch(self) -> Iterator[scf.IfOp]:
        """If n is 0."""
        compare = arith.CmpiOp(self.func.symbol_values["n"], self.zero, "eq")
        condition = self.at.insert(compare).result
        assert condition.type == i1
        block = Block()
        branch = self.at.insert(scf.IfOp(condition, [], Region(block), Region()))
        with self._inside(block):
            yield branch
        block.add_op(scf.YieldOp())

    @contextmanager
    def otherwise(self, branch: scf.IfOp) -> Iterator[None]:
        block = Block()
        branch.false_region.add_block(block)
        with self._inside(block):
            yield
        block.add_op(scf.YieldOp())

    @contextmanager
    def while_loop(self, var: SSAValue) -> Iterator[scf.WhileOp]:
        """While a variable is not 0; it is set to 0 in the body."""
        before, after = Block(), Block()
        loop = self.at.insert(scf.WhileOp([], [], Region(before), Region(after)))
        with self._inside(before):
            value = self.at.insert(tile.GetOp(var)).value
            on = self.at.insert(arith.CmpiOp(value, self.zero, "ne")).result
            self.at.insert(scf.ConditionOp(on))
        with self._inside(after):
            yield loop
            self.at.insert(tile.SetOp(var, self.zero))
        after.add_op(scf.YieldOp())

    def var(self, name: str) -> SSAValue:
        return self.at.insert(tile.VarOp(self.func.symbol_values["n"], name)).var

    @contextmanager
    def _inside(self, block: Block) -> Iterator[None]:
        outside, self.at = self.at, Builder(InsertPoint.at_end(block))
        yield
        self.at = outside

    # ---- answers ----

    def names(self, places: Places) -> str:
        """Buffers by name: "X Y"."""
        return " ".join(name for name, value in self.buffers.items() if value in places)


def outline(op: Operation) -> str:
    """Steps and control flow of a kernel without its scalars: one line each, buffers by name."""
    lines: list[str] = []
    _outline(op, lines, 0)
    return "\n".join(lines)


def _outline(op: Operation, lines: list[str], depth: int) -> None:
    for region in op.regions:
        for block in region.blocks:
            if isinstance(op, scf.IfOp) and region is op.false_region:
                lines.append("  " * (depth - 1) + "else")
            for inner in block.ops:
                text = _line(inner)
                if text:
                    lines.append("  " * depth + text)
                if isinstance(
                    inner, scf.ForOp | scf.IfOp | scf.WhileOp | tile.FuncOp | tt.KernelOp | tt.StageOp
                ):
                    _outline(inner, lines, depth + 1)


def _line(op: Operation) -> str:
    if isinstance(op, tt.CBOp):
        return f"cb {op.cb_name.data}: {op.producer.data} -> {op.consumer.data}"
    if isinstance(op, tile.FuncOp | tt.KernelOp):
        return op.sym_name.data
    if op.dialect_name() in ("arith", "builtin") or isinstance(
        op, scf.YieldOp | scf.ConditionOp | tile.GetOp
    ):
        return ""
    names = [_name(value) for value in op.operands if tile.place_of(value) is not None]
    role = op.attributes.get("role")
    return " ".join([op.name.partition(".")[2], *names, *([f"({role.data})"] if role else [])])  # type: ignore[attr-defined]


def _name(place: SSAValue) -> str:
    owner = place.owner
    return owner.cb_name.data if isinstance(owner, tt.CBOp) else place.name_hint or "?"
