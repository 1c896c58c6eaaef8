"""TileLang kernels -> the tile dialect. With tilelang_values and tilelang_ops, all that knows TVM's IR."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tilelang.ir import get_prim_func_span, get_stmt_span
from tilelang.transform import LegalizeNegativeIndex
from tvm import IRModule, tirx
from tvm.ir import structural_equal
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.importer import collectives
from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.annotations import Annotations
from tilesmith.compiler.importer.grid_sync import phases
from tilesmith.compiler.importer.kernel import lower_kernel
from tilesmith.compiler.importer.size_text import size_text
from tilesmith.compiler.importer.source_lines import UserLines
from tilesmith.compiler.importer.tilelang_ops import Operations, combiner_of
from tilesmith.compiler.importer.tilelang_values import DEFAULT_THREADS, LIBRARY, dtype_of, location
from tilesmith.compiler.importer.unsupported import refuse, refuse_call
from tilesmith.compiler.importer.wide_integers import wide_integer_notes
from tilesmith.errors import KernelError

# Statements that only hold others, and carry the line of what is around them.
_GROUPS = (tirx.SeqStmt, tirx.SBlock, tirx.SBlockRealize, tirx.AttrStmt)

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

    A `T.sync_grid` makes two of one.

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
    return _Translation(counted_from_the_end(func)).kernels()


def counted_from_the_end(func: tirx.PrimFunc) -> tirx.PrimFunc:
    """Negative indices as TileLang means them. A function that has none is kept, with the lines it knows.

    Templates of ours read zeros before the first row, and say so.
    """
    if func.attrs is not None and _REACHES_OUT in func.attrs:
        return func
    legal = LegalizeNegativeIndex()(IRModule({"main": func}))["main"]
    return func if structural_equal(legal.body, func.body) else legal


def _names_thread(stmt: Any) -> bool:
    """Whether a statement names a thread; without a loop over blocks it begins a launch of one block."""
    value = getattr(stmt, "value", None)
    return isinstance(stmt, tirx.Bind) and isinstance(value, tirx.Call) and value.op.name == _THREAD


_THREAD = "tl.launch_thread_idx"
_REACHES_OUT = "template_reaches_out"


class _Translation(Operations):
    """One PrimFunc on its way into `source` classes."""

    def __init__(self, func: tirx.PrimFunc) -> None:
        super().__init__(location(get_prim_func_span(func)) or s.Location())
        self.func = func
        self.start = self.at
        self.lines = UserLines(Path(LIBRARY))
        self.workspace: list[s.Memory] = []
        self.annotations = Annotations()

    def kernels(self) -> list[s.Kernel]:
        """The kernels of the function, in the order they run."""
        self.annotations.take_function(map(str, self.func.attrs.keys()), self.start)
        tensors: list[s.Memory] = []
        symbols: list[s.Variable] = []
        for param in self.func.params:
            if param in self.func.buffer_map:
                tensors.append(self.memory(self.func.buffer_map[param]))
            elif s.is_float(dtype_of(param)):
                tensors.append(self._float_parameter(param))
            else:
                symbols.append(self.variable(param))
        order = tuple(str(self.func.buffer_map.get(param, param).name) for param in self.func.params)
        launches = [self._kernel(body) for body in self._launches(self.func.body)]
        kernels = [kernel for launch in launches for kernel in phases(launch)]
        if not kernels:
            self.refuse("the kernel has no grid of blocks", "put its body inside `with T.Kernel(...)`")
        tensors += self.workspace
        symbols += [d.variable for t in tensors for d in t.shape if isinstance(d, s.Name)]
        symbols += [v for size in self.computed.values() for v in s.variables_of(size)]
        self._check_computed()
        name = str(self.func.attrs["global_symbol"])
        return [
            replace(
                kernel,
                name=name if len(kernels) == 1 else f"{name}_{n}",
                tensors=tuple(tensors),
                symbols=tuple(dict.fromkeys(symbols)),
                parameters=order,
                workspace=tuple(memory.name for memory in self.workspace),
                depths=self.annotations.depths,
                sizes={name: text for name, size in self.computed.items() if (text := size_text(size))},
                notes=(*self.annotations.notes, *wide_integer_notes(kernel.body)),
            )
            for n, kernel in enumerate(kernels)
        ]

    def _check_computed(self) -> None:
        """Sizes of workspace must be known without a call that brings them."""
        for memory in self.workspace:
            if any(isinstance(size, s.Name) and size.variable.name in self.computed for size in memory.shape):
                self.refuse(
                    f"the size of {memory.name} is computed from symbols",
                    "pass it as a parameter of the kernel",
                )

    def _launches(self, stmt: Any) -> Iterator[Any]:
        """The loops over blocks, outermost ones only."""
        if isinstance(stmt, tirx.SeqStmt) and not any(map(_names_thread, stmt.seq)):
            for part in stmt.seq:
                yield from self._launches(part)
        elif isinstance(stmt, tirx.AssertStmt):
            self._not_asserted(stmt)
        elif isinstance(stmt, tirx.SBlockRealize):
            yield from self._launches(stmt.block)
        elif isinstance(stmt, tirx.SBlock):
            self.workspace += [self.memory(buffer) for buffer in stmt.alloc_buffers]
            yield from self._launches(stmt.body)
        else:
            yield stmt

    def _not_asserted(self, stmt: Any) -> None:
        at = location(get_stmt_span(stmt)) or self.at
        self.annotations.notes.append(f"{at}: the assertion {stmt.condition} is not looked at")

    def _kernel(self, stmt: Any) -> s.Kernel:
        """One launch; its name, tensors and symbols are those of the function."""
        self.grid, self.thread_vars, self.thread_extents = [], {}, list(DEFAULT_THREADS)
        at = location(get_stmt_span(stmt)) or self.start
        body = self.block(stmt)
        if not self.grid and self.thread_vars:
            self.grid = [(s.Variable("block", counts=True), s.Number(1))]  # `T.Kernel()` launches one block
        if not self.grid:
            self.refuse(
                "a statement stands outside the grid of blocks", "move it inside `with T.Kernel(...)`"
            )
        threads = tuple((v, self.thread_extents[n]) for n, v in sorted(self.thread_vars.items()))
        return s.Kernel("", (), (), tuple(self.grid), threads, body, at=at)

    def _float_parameter(self, param: Any) -> s.Memory:
        """A float that a call brings is a tensor of one element: kernels take whole numbers only."""
        memory = s.Memory(str(param.name), (s.Number(1),), dtype_of(param), "global", self.at)
        self.floats[param] = s.Load(memory, (s.Number(0),), memory.dtype)
        return memory

    # ---- statements ----

    def block(self, stmt: Any) -> tuple[s.Statement, ...]:
        """A statement as a flat list of statements."""
        outside = self.at
        span = None if isinstance(stmt, _GROUPS) else location(get_stmt_span(stmt))
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
                return self._while(stmt)
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
                self._not_asserted(stmt)
                return () if getattr(stmt, "body", None) is None else self.block(stmt.body)
        return self.refuse(
            f"the statement {type(stmt).__name__} has no counterpart", "write it with TileLang operations"
        )

    def _while(self, stmt: Any) -> tuple[s.Statement, ...]:
        """What the condition needs is done before the loop, and again at the end of each iteration."""
        condition, body = self.expr(stmt.condition), self.block(stmt.body)
        again = tuple(self.hoisted)
        if again and any(isinstance(inner, s.Jump) for inner in s.walk_statements(body)):
            self.refuse(
                "a while loop with break or continue whose condition several elements or threads decide",
                "compute the condition into a variable at the end of the loop",
            )
        return (s.Repeat(condition, (*body, *again), self.at),)

    def _sblock(self, stmt: Any) -> tuple[s.Statement, ...]:
        notes = stmt.annotations or {}
        self.annotations.take_block(notes, location(get_stmt_span(stmt)) or self.at)
        if "tl.launch_threads" in notes:
            self.thread_extents = [int(extent) for extent in notes["tl.launch_threads"]]
        for annotation in ("reducer_info", "reducer_info_v2"):
            for data, info in notes.get(annotation, {}).items():
                self.reducers[data] = collectives.combiner_named(str(info["op"]))
        for buffer in stmt.alloc_buffers:
            self.memory(buffer)
        return self.block(stmt.body)

    def _loop(self, stmt: Any) -> tuple[s.Statement, ...]:
        variable = self.variable(stmt.loop_var, s.is_nonnegative(self.expr(stmt.min)))
        if int(stmt.kind) == tirx.ForKind.THREAD_BINDING:
            return self._bound_loop(stmt, variable)
        schedule = {tirx.ForKind.PARALLEL: "parallel", tirx.ForKind.UNROLLED: "unroll"}.get(
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
                schedule,
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
        name = str(stmt.value.op.name) if isinstance(stmt.value, tirx.Call) else ""
        if name.endswith(("atomic_addx2_ret_elem_op", "atomic_addx4_ret_elem_op")):
            first = [index.base if isinstance(index, tirx.Ramp) else index for index in stmt.indices]
            kept = s.Load(memory, tuple(map(self.expr, first)), memory.dtype)
            return self._atomic_run(stmt.value, 2 if "x2" in name else 4, kept)
        indices = tuple(self.expr(index) for index in stmt.indices)
        return (s.Store(memory, indices, self.expr(stmt.value), "", self.at),)

    def _bind(self, stmt: Any) -> tuple[s.Statement, ...]:
        if _names_thread(stmt):
            self._thread(int(stmt.value.args[0]), self.variable(stmt.var, counts=True))
            return ()
        if isinstance(stmt.value, tirx.BufferLoad) and any(
            isinstance(i, tirx.Ramp) for i in stmt.value.indices
        ):
            return ()  # a name for a part of a buffer: operations on it name the buffer and the part
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
            self.reduce_scope = combiner_of(stmt.node, self.at)
        elif key == "tl.ws_pipeline_depth":
            self.annotations.take_depths(stmt.node, self.at)
        elif key not in _IGNORED_ATTRS:
            refuse_call(key, str(self.at))
        return self.block(stmt.body)
