"""TileLang operations that stand as statements -> `source`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tvm import tirx

from tilesmith.compiler.importer import collectives
from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.affine import plus
from tilesmith.compiler.importer.tilelang_values import BINARY, BINARY_CALLS, Values
from tilesmith.compiler.importer.unsupported import refuse, refuse_call

_IGNORED_CALLS = {"annotate_layout", "sync_warp", "fence_proxy_async", "no_set_max_nreg", "assume"}
_ATOMICS = {"atomic_add_elem_op": "add", "atomic_max_elem_op": "max", "atomic_min_elem_op": "min"}


def _simplified(op: s.TileOp) -> s.Statement:
    """To fill a scalar is to assign to it."""
    if op.name != "fill" or op.regions[0].memory.scope != "var":
        return op
    (region,), value = op.regions, op.options["value"]
    assert not isinstance(value, str | int | bool)
    return s.Store(region.memory, region.offsets, value, at=op.at)


def combiner_of(reducer: Any, at: s.Location) -> str:
    """How a reducer combines two values: one of the operations that need no order."""
    (result,), (left,), (right,) = reducer.result, reducer.lhs, reducer.rhs
    if isinstance(result, tirx.Call):
        operands, combiner = list(result.args), BINARY_CALLS.get(str(result.op.name).rsplit(".", 1)[-1])
    else:
        operands, combiner = (
            [getattr(result, "a", None), getattr(result, "b", None)],
            BINARY.get(type(result)),
        )
    in_order = len(operands) == 2 and left.same_as(operands[0]) and right.same_as(operands[1])
    if combiner not in collectives.COMBINERS or not in_order:
        refuse(
            f"a reduction of threads that combines two values as {result}",
            str(at),
            "add, multiply, take the larger or the smaller, or combine bits; or loop over shared memory",
        )
    return combiner


class Operations(Values):
    """What calls of one function do."""

    def __init__(self, at: s.Location) -> None:
        super().__init__(at)
        self.reducers: dict[Any, str] = {}
        self.reduce_scope = ""

    def _evaluate(self, call: Any) -> tuple[s.Statement, ...]:
        if not isinstance(call, tirx.Call):
            return ()
        name = str(call.op.name)
        if name.startswith("tl.tileop."):
            return (_simplified(self._tile_op(name.removeprefix("tl.tileop."), call)),)
        name = name.rsplit(".", 1)[-1]
        if name in _IGNORED_CALLS:
            return ()
        if name in ("tvm_storage_sync", "sync_threads"):
            return (s.Sync(self.at),)
        if name == "sync_grid":
            return (s.Sync(self.at, of_grid=True),)
        if name in ("break_loop", "loop_break", "continue_loop"):
            return (s.Jump("continue" if name.startswith("continue") else "break", self.at),)
        if name == "tvm_thread_allreduce":
            return self._allreduce(call)
        if name == "reducer_update":
            return self._reducer_update(call)
        if name in ("atomic_addx2_elem_op", "atomic_addx4_elem_op"):
            return self._atomic_run(call, int(name.removeprefix("atomic_addx")[0]))
        if name in _ATOMICS or name == "atomic_store_elem_op":
            target = self.pointed_at(call.args[0])
            return (
                s.Store(
                    target.memory, target.indices, self.expr(call.args[1]), _ATOMICS.get(name, ""), self.at
                ),
            )
        return refuse_call(name, str(self.at))

    def _atomic_run(self, call: Any, count: int, kept: s.Load | None = None) -> tuple[s.Statement, ...]:
        """An atomic addition of neighbouring elements; what was there may be kept elsewhere."""
        dest, source = (self.pointed_at(arg) for arg in call.args[:2])
        n = s.Variable("n", counts=True)

        def shifted(load: s.Load) -> tuple[s.Expr, ...]:
            return (*load.indices[:-1], plus(load.indices[-1], s.Name(n)))

        value = s.Load(source.memory, shifted(source), source.dtype)
        before = None if kept is None else s.Variable("before", dest.dtype)
        body: list[s.Statement] = [s.Store(dest.memory, shifted(dest), value, "add", self.at, before)]
        if kept is not None and before is not None:
            body.append(s.Store(kept.memory, shifted(kept), s.Name(before), "", self.at))
        return (s.Loop(n, s.Number(0), s.Number(count), tuple(body), at=self.at),)

    def _allreduce(self, call: Any) -> tuple[s.Statement, ...]:
        """tvm_thread_allreduce(count, value, condition, target, thread index, ...)"""
        value, target = self.expr(call.args[1]), self.expr(call.args[3])
        assert isinstance(target, s.Load)
        takes_part = self.expr(call.args[2])
        if not isinstance(takes_part, s.Number):
            value = s.Select(
                takes_part, value, collectives.identity(self.reduce_scope, value.dtype), value.dtype
            )
        elif not takes_part.value:
            self.refuse("a reduction of threads in which none takes part", "give it a condition that holds")
        dims = [self.variable(arg) for arg in call.args[4:]]
        work, result = collectives.reduce_over(self.reduce_scope, value, dims, self.threads, self.at)
        return (*work, s.Store(target.memory, target.indices, result, "", self.at))

    def _reducer_update(self, call: Any) -> tuple[s.Statement, ...]:
        target = self.expr(call.args[0])
        assert isinstance(target, s.Load)
        op = self.reducers[call.args[0].buffer.data]
        value = s.Binary(op, target, self.expr(call.args[1]), target.dtype)
        return (s.Store(target.memory, target.indices, value, "", self.at),)

    def _refuse_nan(self, call: Any) -> None:
        """TileLang's own rule: a target that cannot promise that NaN comes through says so."""
        if bool((call.annotations or {}).get("nan_propagate", False)):
            refuse(
                "nan_propagate=True: maxima and minima of the chip go by the sign of NaN, and may drop it",
                str(self.at),
                "leave it out, and reduce T.if_then_else(x != x, 1.0, 0.0) beside it to know where NaN is",
            )

    def _tile_op(self, name: str, call: Any) -> s.TileOp:
        args = call.args

        def take(regions: Sequence[Any], **options: s.Expr | str | int | bool) -> s.TileOp:
            return s.TileOp(name, tuple(self.region(arg) for arg in regions), options, self.at)

        match name:
            case "copy" | "async_copy" | "transpose":
                return take(args[:2])
            case "fill":
                return take(args[:1], value=self.expr(args[1]))
            case "gemm":
                return take(
                    args[:3], transpose_a=bool(args[3]), transpose_b=bool(args[4]), clear=self.expr(args[9])
                )
            case "reduce":
                self._refuse_nan(call)
                return take(args[:2], reduction=str(args[2].value), dim=int(args[3]), clear=bool(args[4]))
            case "cumsum" | "cummax":
                return take(args[:2], dim=int(args[2]), reverse=bool(args[3]))
            case "atomicadd" | "atomicmax" | "atomicmin":
                return self._atomic_region(name.removeprefix("atomic"), call)
            case "finalize_reducer" | "finalize_reducer_v2" | "reducer_init":
                return self._reducer_op(name, call)
            case "im2col":
                names = ("nhw_step", "c_step", "kernel", "stride", "dilation", "pad")
                return take(args[:2], **{n: self.expr(a) for n, a in zip(names, args[2:8], strict=True)})
        return refuse_call(name, str(self.at))

    def _reducer_op(self, name: str, call: Any) -> s.TileOp:
        """A reducer is a buffer like others here: it has its value at any time."""
        regions = tuple(
            self.region(arg) for arg in call.args if isinstance(arg, tirx.Call) and arg.op.name == "tl.region"
        )
        if name != "reducer_init":
            return s.TileOp("copy" if len(regions) == 2 else "nothing", regions, {}, self.at)
        memory = regions[0].memory
        start = self.expr(call.args[1]) if len(call.args) > 1 else None
        combiner = self.reducers[call.args[0].args[0].buffer.data]
        return s.TileOp(
            "fill", regions, {"value": start or collectives.identity(combiner, memory.dtype)}, self.at
        )

    def _atomic_region(self, combiner: str, call: Any) -> s.TileOp:
        dest = self.region(call.args[1])
        if isinstance(call.args[0], tirx.Call) and call.args[0].op.name == "tl.region":
            return s.TileOp("accumulate", (self.region(call.args[0]), dest), {"reduction": combiner}, self.at)
        return s.TileOp(
            "accumulate", (dest,), {"reduction": combiner, "value": self.expr(call.args[0])}, self.at
        )
