"""TileLang kernels -> the tile dialect. The only file that knows TVM's IR."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import tilelang
from tilelang.ir import get_buffer_span, get_prim_func_span, get_stmt_span
from tvm import tirx
from xdsl.dialects.builtin import ModuleOp

from tilesmith.dialects.tile import FUNCTIONS
from tilesmith.errors import KernelError, UnsupportedKernelError
from tilesmith.frontend import collectives
from tilesmith.frontend import source as s
from tilesmith.frontend.kernel import lower_kernel
from tilesmith.frontend.lines import UserLines
from tilesmith.frontend.refusals import refuse, refuse_call

_LIBRARY = str(Path(tilelang.__file__).parent)
# Statements that only hold others, and carry the line of what is around them.
_GROUPS = (tirx.SeqStmt, tirx.SBlock, tirx.SBlockRealize, tirx.AttrStmt)

_SCOPES = {
    "global": "global",
    "shared": "shared",
    "shared.dyn": "shared",
    "local.fragment": "fragment",
    "local": "local",
    "local.var": "var",
    "local.reducer": "fragment",
}

_BINARY = {
    tirx.Add: "add",
    tirx.Sub: "sub",
    tirx.Mul: "mul",
    tirx.Div: "div",
    tirx.Mod: "mod",
    tirx.FloorDiv: "floordiv",
    tirx.FloorMod: "floormod",
    tirx.Min: "min",
    tirx.Max: "max",
    tirx.EQ: "eq",
    tirx.NE: "ne",
    tirx.LT: "lt",
    tirx.LE: "le",
    tirx.GT: "gt",
    tirx.GE: "ge",
    tirx.And: "and",
    tirx.Or: "or",
}

_BINARY_CALLS = {
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "shift_left": "shl",
    "shift_right": "shr",
    "fadd": "add",
    "add_rn": "add",
    "fsub": "sub",
    "fmul": "mul",
    "fdiv": "div",
    "ieee_add": "add",
    "ieee_sub": "sub",
    "ieee_mul": "mul",
    "ieee_fdiv": "div",
    "fdividef": "div",
}

_FUNCTION_ALIASES = {
    "fabs": "abs",
    "nearbyint": "round",
    "rint": "round",
    "ieee_fsqrt": "sqrt",
    "ieee_frsqrt": "rsqrt",
    "ieee_frcp": "recip",
    "fast_rcp": "recip",
    "pow_of_int": "pow",
    "powf": "pow",
    "power": "pow",
}

_OTHER_CALLS = {
    *("if_then_else", "clamp", "bitwise_not", "reinterpret", "bitcast", "fma", "ieee_fmaf", "likely", "ldg"),
}
_IGNORED_CALLS = {"annotate_layout", "sync_warp", "fence_proxy_async", "no_set_max_nreg", "assume"}
_ATOMICS = {"atomic_add_elem_op": "add", "atomic_max_elem_op": "max", "atomic_min_elem_op": "min"}
_IGNORED_ATTRS = {
    "threadblock_swizzle_pattern",
    "assume",
    "tl.assume",
    "pragma_unroll_explicit",
    "pragma_import_c",
}


def import_prim_func(func: tirx.PrimFunc) -> ModuleOp:
    """The tile-dialect module of a TileLang `T.prim_func` with one `T.Kernel`.

    Raises `UnsupportedKernelError`, with the line of the kernel, for what the chip has no counterpart of.
    """
    first, *more = _translated(func)
    if more:
        refuse("the function launches two grids of blocks", more[0].at, "write one function per T.Kernel")
    return lower_kernel(first)


def import_kernels(func: tirx.PrimFunc) -> list[ModuleOp]:
    """One module per `T.Kernel` of the function, to run in this order on the same tensors.

    Tensors the function allocates between them come after its parameters; the attribute `workspace` of each
    `tile.func` names them.
    """
    return [lower_kernel(kernel) for kernel in _translated(func)]


def _translated(func: tirx.PrimFunc) -> list[s.Kernel]:
    if not isinstance(func, tirx.PrimFunc):
        raise KernelError(
            f"this is no kernel: a prim_func of TileLang was expected, got a {type(func).__name__}",
            remedy="pass what @T.prim_func made; for a function that returns one, use @tilesmith.jit",
        )
    return _Translation(func).kernels()


def _dtype(node: Any) -> str:
    """The name of a type; TVM writes types it does not know itself as custom[name]."""
    return str(node.dtype).removeprefix("custom[").removesuffix("]")


def _location(span: Any) -> s.Location | None:
    return None if span is None else s.Location(str(span.source_name.name), int(span.line))


class _Translation:
    """One PrimFunc on its way into `source` classes."""

    def __init__(self, func: tirx.PrimFunc) -> None:
        self.func = func
        self.at = _location(get_prim_func_span(func)) or s.Location()
        self.start = self.at
        self.lines = UserLines(Path(_LIBRARY))
        self.variables: dict[Any, s.Variable] = {}
        self.memories: dict[Any, s.Memory] = {}
        self.data: dict[Any, s.Memory] = {}
        self.floats: dict[Any, s.Load] = {}
        self.hoisted: list[s.Statement] = []
        self.reducers: dict[Any, str] = {}
        self.reduce_scope = ""
        self.workspace: list[s.Memory] = []
        self.grid: list[tuple[s.Variable, s.Expr]] = []
        self.thread_vars: dict[int, s.Variable] = {}
        self.thread_extents: list[int] = [1, 1, 1]

    # ---- the function ----

    def kernels(self) -> list[s.Kernel]:
        """The kernels of the function, in the order they run."""
        tensors: list[s.Memory] = []
        symbols: list[s.Variable] = []
        for param in self.func.params:
            if param in self.func.buffer_map:
                tensors.append(self.memory(self.func.buffer_map[param]))
            elif s.is_float(_dtype(param)):
                tensors.append(self._float_parameter(param))
            else:
                symbols.append(self.variable(param))
        order = tuple(str(self.func.buffer_map.get(param, param).name) for param in self.func.params)
        kernels = [self._kernel(body) for body in self._launches(self.func.body)]
        if not kernels:
            self.refuse("the kernel has no grid of blocks", "put its body inside `with T.Kernel(...)`")
        tensors += self.workspace
        symbols += [d.variable for t in tensors for d in t.shape if isinstance(d, s.Name)]
        name = str(self.func.attrs["global_symbol"])
        return [
            replace(
                kernel,
                name=name if len(kernels) == 1 else f"{name}_{n}",
                tensors=tuple(tensors),
                symbols=tuple(dict.fromkeys(symbols)),
                parameters=order,
                workspace=tuple(memory.name for memory in self.workspace),
            )
            for n, kernel in enumerate(kernels)
        ]

    def _launches(self, stmt: Any) -> Iterator[Any]:
        """The loops over blocks, outermost ones only."""
        if isinstance(stmt, tirx.SeqStmt):
            for part in stmt.seq:
                yield from self._launches(part)
        elif isinstance(stmt, tirx.SBlockRealize):
            yield from self._launches(stmt.block)
        elif isinstance(stmt, tirx.SBlock):
            self.workspace += [self.memory(buffer) for buffer in stmt.alloc_buffers]
            yield from self._launches(stmt.body)
        else:
            yield stmt

    def _kernel(self, stmt: Any) -> s.Kernel:
        """One launch; its name, tensors and symbols are those of the function."""
        self.grid, self.thread_vars, self.thread_extents = [], {}, [1, 1, 1]
        at = _location(get_stmt_span(stmt)) or self.start
        body = self.block(stmt)
        if not self.grid:
            self.refuse("a statement stands outside the grid of blocks", "move it inside `with T.Kernel(...)`")
        threads = tuple((v, self.thread_extents[n]) for n, v in sorted(self.thread_vars.items()))
        return s.Kernel("", (), (), tuple(self.grid), threads, body, at=at)

    def _float_parameter(self, param: Any) -> s.Memory:
        """A float that a call brings is a tensor of one element: kernels take whole numbers only."""
        memory = s.Memory(str(param.name), (s.Number(1),), _dtype(param), "global", self.at)
        self.floats[param] = s.Load(memory, (s.Number(0),), memory.dtype)
        return memory

    def refuse(self, what: str, remedy: str) -> Any:
        raise UnsupportedKernelError(what, where=str(self.at), remedy=remedy)

    # ---- names ----

    def variable(self, var: Any, counts: bool = False) -> s.Variable:
        known = self.variables.get(var)
        if known is None:
            known = self.variables[var] = s.Variable(str(var.name), _dtype(var), counts)
        return known

    def memory(self, buffer: Any) -> s.Memory:
        known = self.memories.get(buffer)
        if known is None:
            known = self.memories[buffer] = self._new_memory(buffer)
            self.data.setdefault(buffer.data, known)
        return known

    def _new_memory(self, buffer: Any) -> s.Memory:
        scope = str(buffer.scope())
        if scope not in _SCOPES:
            self.refuse(
                f"the buffer {buffer.name} lives in {scope!r}, which only exists on a GPU",
                "allocate it with T.alloc_shared or T.alloc_fragment",
            )
        for size in buffer.shape:
            if isinstance(size, tirx.Var):
                self.variable(size, counts=True)
        shape = tuple(self.expr(size) for size in buffer.shape)
        base = self.data.get(buffer.data)
        if base is not None and base.shape == shape and base.dtype == _dtype(buffer):
            return base
        at = _location(get_buffer_span(buffer)) or self.at
        if at.file.startswith(_LIBRARY):
            at = s.Location()
        if scope == "global" and base is None and self.grid:
            self.refuse(
                f"the tensor {buffer.name} is no parameter of the kernel",
                "pass every tensor as a parameter: T.Tensor(shape, dtype)",
            )
        return s.Memory(str(buffer.name), shape, _dtype(buffer), _SCOPES[scope], at, base)

    # ---- statements ----

    def block(self, stmt: Any) -> tuple[s.Statement, ...]:
        """A statement as a flat list of statements."""
        outside = self.at
        span = None if isinstance(stmt, _GROUPS) else _location(get_stmt_span(stmt))
        self.at = outside if span is None else self.lines.of(span)
        hoisted, self.hoisted = self.hoisted, []
        statements = self._statement(stmt)
        statements = (*self.hoisted, *statements)
        self.hoisted, self.at = hoisted, outside
        return statements

    def _statement(self, stmt: Any) -> tuple[s.Statement, ...]:
        match type(stmt).__name__:
            case "SeqStmt":
                return tuple(inner for part in stmt.seq for inner in self.block(part))
            case "SBlockRealize":
                return self.block(stmt.block)
            case "SBlock":
                return self._sblock(stmt)
            case "For":
                return self._loop(stmt)
            case "IfThenElse":
                otherwise = () if stmt.else_case is None else self.block(stmt.else_case)
                then = self.block(stmt.then_case)
                return (s.Branch(self.expr(stmt.condition), then, otherwise, self.at),)
            case "While":
                return (s.Repeat(self.expr(stmt.condition), self.block(stmt.body), self.at),)
            case "BufferStore":
                return self._store(stmt)
            case "Bind":
                return self._bind(stmt)
            case "AttrStmt":
                return self._attribute(stmt)
            case "Evaluate":
                return self._evaluate(stmt.value)
            case "DeclBuffer" | "AllocBuffer":
                self.memory(stmt.buffer)
                return () if getattr(stmt, "body", None) is None else self.block(stmt.body)
            case "AssertStmt":
                return () if getattr(stmt, "body", None) is None else self.block(stmt.body)
        return self.refuse(
            f"the statement {type(stmt).__name__} has no counterpart", "write it with TileLang operations"
        )

    def _sblock(self, stmt: Any) -> tuple[s.Statement, ...]:
        notes = stmt.annotations or {}
        if "tl.launch_threads" in notes:
            self.thread_extents = [int(extent) for extent in notes["tl.launch_threads"]]
        for kind in ("reducer_info", "reducer_info_v2"):
            for data, info in notes.get(kind, {}).items():
                self.reducers[data] = {"sum": "add"}.get(str(info["op"]), str(info["op"]))
        for buffer in stmt.alloc_buffers:
            self.memory(buffer)
        return self.block(stmt.body)

    def _loop(self, stmt: Any) -> tuple[s.Statement, ...]:
        variable = self.variable(stmt.loop_var, s.is_nonnegative(self.expr(stmt.min)))
        if int(stmt.kind) == tirx.ForKind.THREAD_BINDING:
            return self._bound_loop(stmt, variable)
        kind = {tirx.ForKind.PARALLEL: "parallel", tirx.ForKind.UNROLLED: "unroll"}.get(
            int(stmt.kind), "serial"
        )
        stages = int(stmt.annotations.get("num_stages", 0)) if stmt.annotations else 0
        step = s.Number(1) if stmt.step is None else self.expr(stmt.step)
        return (
            s.Loop(
                variable,
                self.expr(stmt.min),
                self.expr(stmt.extent),
                self.block(stmt.body),
                kind,
                stages,
                step,
                self.at,
            ),
        )

    def _bound_loop(self, stmt: Any, variable: s.Variable) -> tuple[s.Statement, ...]:
        tag = str(stmt.thread_binding.thread_tag)
        if tag.startswith("blockIdx."):
            self.grid.append((variable, self.expr(stmt.extent)))
        elif tag.startswith("threadIdx."):
            # A loop over the threads of a block is a loop whose iterations may run in any order.
            extent = self.expr(stmt.extent)
            return (s.Loop(variable, s.Number(0), extent, self.block(stmt.body), "parallel", at=self.at),)
        else:
            self.refuse(f"a loop is bound to {tag}", "use a block index or a plain loop")
        return self.block(stmt.body)

    def _thread(self, dim: int, variable: s.Variable, extent: int | None = None) -> None:
        self.thread_vars[dim] = variable
        if extent is not None:
            self.thread_extents[dim] = extent

    def _store(self, stmt: Any) -> tuple[s.Statement, ...]:
        memory = self.memory(stmt.buffer)
        indices = tuple(self.expr(index) for index in stmt.indices)
        return (s.Store(memory, indices, self.expr(stmt.value), "", self.at),)

    def _bind(self, stmt: Any) -> tuple[s.Statement, ...]:
        if isinstance(stmt.value, tirx.Call) and stmt.value.op.name == "tl.launch_thread_idx":
            self._thread(int(stmt.value.args[0]), self.variable(stmt.var, counts=True))
            return ()
        value = self.expr(stmt.value)
        return (s.Bind(self.variable(stmt.var, s.is_nonnegative(value)), value, self.at),)

    def _attribute(self, stmt: Any) -> tuple[s.Statement, ...]:
        key = str(stmt.attr_key)
        if key == "thread_extent":
            variable = self.variable(stmt.node.var, counts=True)
            tag = str(stmt.node.thread_tag)
            if tag.startswith("blockIdx."):
                self.grid.append((variable, self.expr(stmt.value)))
            else:
                self._thread("xyz".index(tag[-1]), variable, int(stmt.value))
        elif key == "reduce_scope":
            self.reduce_scope = _BINARY[type(stmt.node.result[0])]
        elif key not in _IGNORED_ATTRS:
            refuse_call(key, str(self.at))
        return self.block(stmt.body)

    # ---- calls as statements ----

    def _evaluate(self, call: Any) -> tuple[s.Statement, ...]:
        if not isinstance(call, tirx.Call):
            return ()
        name = str(call.op.name)
        if name.startswith("tl.tileop."):
            return (self._tile_op(name.removeprefix("tl.tileop."), call),)
        name = name.rsplit(".", 1)[-1]
        if name in _IGNORED_CALLS:
            return ()
        if name in ("tvm_storage_sync", "sync_threads"):
            return (s.Sync(self.at),)
        if name in ("break_loop", "loop_break", "continue_loop"):
            return (s.Jump("continue" if name.startswith("continue") else "break", self.at),)
        if name == "tvm_thread_allreduce":
            return self._allreduce(call)
        if name == "reducer_update":
            return self._reducer_update(call)
        if name in _ATOMICS:
            target = self._pointed_at(call.args[0])
            return (s.Store(target.memory, target.indices, self.expr(call.args[1]), _ATOMICS[name], self.at),)
        return refuse_call(name, str(self.at))

    @property
    def threads(self) -> list[tuple[s.Variable, int]]:
        """Thread indices that have more than one value."""
        found = [(v, self.thread_extents[n]) for n, v in sorted(self.thread_vars.items())]
        return [(v, extent) for v, extent in found if extent > 1]

    def _allreduce(self, call: Any) -> tuple[s.Statement, ...]:
        """tvm_thread_allreduce(count, value, condition, target, thread index, ...)"""
        value, target = self.expr(call.args[1]), self.expr(call.args[3])
        assert isinstance(target, s.Load)
        dims = [self.variable(arg) for arg in call.args[4:]]
        work, result = collectives.reduce_over(self.reduce_scope, value, dims, self.threads, self.at)
        return (*work, s.Store(target.memory, target.indices, result, "", self.at))

    def _reducer_update(self, call: Any) -> tuple[s.Statement, ...]:
        target = self.expr(call.args[0])
        assert isinstance(target, s.Load)
        op = self.reducers[call.args[0].buffer.data]
        value = s.Binary(op, target, self.expr(call.args[1]), target.dtype)
        return (s.Store(target.memory, target.indices, value, "", self.at),)

    def _warp_value(self, name: str, call: Any) -> s.Expr:
        """A value that comes from other threads of the warp."""
        if name.startswith("warp_reduce_"):
            kind = name.removeprefix("warp_reduce_").removeprefix("bit")
            kind = {"sum": "add"}.get(kind, kind)
            work, result = collectives.reduce_in_warp(kind, self.expr(call.args[0]), self.threads, self.at)
        else:
            value, distance = self.expr(call.args[1]), self.expr(call.args[2])
            op = {"shfl_xor_sync": "xor", "shfl_down_sync": "add", "shfl_up_sync": "sub"}[name]
            source = s.Binary(op, s.Name(self.threads[0][0]), distance, "int32")
            work, result = collectives.from_thread(value, source, self.threads, self.at)
        self.hoisted += work
        return result

    def _atomic_value(self, name: str, call: Any) -> s.Expr:
        """An atomic update whose old value is wanted: take the value, then update."""
        kind = name.removeprefix("atomic_").removesuffix("_ret_elem_op")
        if kind not in ("add", "max", "min"):
            refuse_call(name, str(self.at))
        target = self._pointed_at(call.args[0])
        before = s.Variable("before", target.dtype)
        self.hoisted.append(s.Bind(before, target, self.at))
        value = s.Binary(kind, s.Name(before), self.expr(call.args[1]), target.dtype)
        self.hoisted.append(s.Store(target.memory, target.indices, value, "", self.at))
        return s.Name(before)

    def _pointed_at(self, pointer: Any) -> s.Load:
        load = self.expr(pointer.args[0])
        if not isinstance(load, s.Load):
            self.refuse("a pointer to something that is not an element", "name the element: A[i, j]")
        assert isinstance(load, s.Load)
        return load

    def region(self, arg: Any) -> s.Region:
        if isinstance(arg, tirx.Call) and arg.op.name == "tl.region":
            load, sizes = arg.args[0], arg.args[2:]
            offsets = tuple(self.expr(index) for index in load.indices)
            return s.Region(self.memory(load.buffer), offsets, tuple(self.expr(size) for size in sizes))
        if isinstance(arg, tirx.BufferRegion):
            offsets = tuple(self.expr(part.min) for part in arg.region)
            return s.Region(
                self.memory(arg.buffer), offsets, tuple(self.expr(part.extent) for part in arg.region)
            )
        assert isinstance(arg, tirx.BufferLoad), arg
        indices = tuple(self.expr(index) for index in arg.indices)
        return s.Region(self.memory(arg.buffer), indices, (s.Number(1),) * len(indices))

    def _tile_op(self, name: str, call: Any) -> s.TileOp:
        args = call.args
        take: Callable[..., s.TileOp] = lambda regions, **options: s.TileOp(  # noqa: E731
            name, tuple(self.region(arg) for arg in regions), options, self.at
        )
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
                return take(args[:2], kind=str(args[2].value), dim=int(args[3]), clear=bool(args[4]))
            case "cumsum" | "cummax":
                return take(args[:2], dim=int(args[2]), reverse=bool(args[3]))
            case "atomicadd" | "atomicmax" | "atomicmin":
                return self._atomic_region(name.removeprefix("atomic"), call)
            case "finalize_reducer" | "finalize_reducer_v2" | "reducer_init":
                return self._reducer_op(name, call)
            case "im2col":
                names = ("nhw_step", "c_step", "kernel", "stride", "dilation", "pad")
                return take(args[:2], **{n: self.expr(a) for n, a in zip(names, args[2:8], strict=True)})
        return refuse_call(name, str(self.at))  # type: ignore[no-any-return]

    def _reducer_op(self, name: str, call: Any) -> s.TileOp:
        """A reducer is a buffer like others here: it has its value at any time."""
        regions = tuple(
            self.region(arg) for arg in call.args if isinstance(arg, tirx.Call) and arg.op.name == "tl.region"
        )
        if name != "reducer_init":
            return s.TileOp("copy" if len(regions) == 2 else "nothing", regions, {}, self.at)
        memory = regions[0].memory
        start = self.expr(call.args[1]) if len(call.args) > 1 else None
        kind = self.reducers[call.args[0].args[0].buffer.data]
        return s.TileOp(
            "fill", regions, {"value": start or collectives.identity(kind, memory.dtype)}, self.at
        )

    def _atomic_region(self, kind: str, call: Any) -> s.TileOp:
        dest = self.region(call.args[1])
        if isinstance(call.args[0], tirx.Call) and call.args[0].op.name == "tl.region":
            return s.TileOp("accumulate", (self.region(call.args[0]), dest), {"kind": kind}, self.at)
        return s.TileOp("accumulate", (dest,), {"kind": kind, "value": self.expr(call.args[0])}, self.at)

    # ---- expressions ----

    def expr(self, node: Any) -> s.Expr:
        kind = type(node)
        if kind is tirx.IntImm:
            return s.Number(int(node.value), _dtype(node))
        if kind is tirx.FloatImm:
            return s.Number(float(node.value), _dtype(node))
        if kind is tirx.Var or kind is tirx.SizeVar:
            return self.floats.get(node) or s.Name(self.variable(node))
        if kind in _BINARY:
            return s.Binary(_BINARY[kind], self.expr(node.a), self.expr(node.b), _dtype(node))
        if kind is tirx.BufferLoad:
            memory = self.memory(node.buffer)
            return s.Load(memory, tuple(self.expr(index) for index in node.indices), _dtype(node))
        if kind is tirx.Cast:
            return s.Cast(self.expr(node.value), _dtype(node))
        if kind is tirx.Call:
            return self._call(node)
        if kind is tirx.Select:
            parts = (node.condition, node.true_value, node.false_value)
            return s.Select(*(self.expr(part) for part in parts), _dtype(node))  # type: ignore[call-arg]
        if kind is tirx.Not:
            return s.Not(self.expr(node.a))
        if isinstance(node, int | float):
            return s.Number(node, "int32" if isinstance(node, int) else "float32")
        return self.refuse(  # type: ignore[no-any-return]
            f"the expression {kind.__name__} has no counterpart", "write it element by element"
        )

    def _call(self, node: Any) -> s.Expr:
        name = str(node.op.name).rsplit(".", 1)[-1].lstrip("_")
        dtype = _dtype(node)
        if name in ("infinity", "max_value", "min_value"):
            return s.Number(_extreme(name, dtype), dtype)
        if name.startswith("warp_reduce_") or name in ("shfl_xor_sync", "shfl_down_sync", "shfl_up_sync"):
            return self._warp_value(name, node)
        if name.endswith("_ret_elem_op"):
            return self._atomic_value(name, node)
        if name in ("access_ptr", "address_of"):
            return self._pointed_at(node)
        fn = _FUNCTION_ALIASES.get(name, name)
        if fn not in FUNCTIONS and name not in _BINARY_CALLS and name not in _OTHER_CALLS:
            refuse_call(name, str(self.at))
        args = tuple(self.expr(arg) for arg in node.args)
        if name == "if_then_else":
            return s.Select(args[0], args[1], args[2], dtype)
        if name in _BINARY_CALLS:
            return s.Binary(_BINARY_CALLS[name], args[0], args[1], dtype)
        if name == "clamp":
            return s.Binary("min", s.Binary("max", args[0], args[1], dtype), args[2], dtype)
        if name == "bitwise_not":
            return s.Binary("xor", args[0], s.Number(-1, dtype), dtype)
        if name in ("reinterpret", "bitcast"):
            return s.Bits(args[0], dtype)
        if name in ("fma", "ieee_fmaf"):
            return s.Binary("add", s.Binary("mul", args[0], args[1], dtype), args[2], dtype)
        if name in ("likely", "ldg"):
            return args[0]
        return s.Call(fn, args, dtype)


def _extreme(name: str, dtype: str) -> float | int:
    if name == "infinity":
        return float("inf")
    node = tirx.max_value(dtype) if name == "max_value" else tirx.min_value(dtype)
    return float(node.value) if s.is_float(dtype) else int(node.value)
