"""TVM expressions, variables and buffers -> `source`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import tilelang
from tilelang.ir import get_buffer_span
from tvm import tirx

from tilesmith.compiler.dialects.tile import FUNCTIONS
from tilesmith.compiler.importer import source as s
from tilesmith.compiler.importer.shared_values import any_or_all, atomic_value, warp_value
from tilesmith.compiler.importer.unsupported import refuse, refuse_call, refuse_scope

LIBRARY = str(Path(tilelang.__file__).parent)
# Statements that only hold others, and carry the line of what is around them.

# What TileLang launches when T.Kernel does not say.
DEFAULT_THREADS = (128, 1, 1)

_SCOPES = {
    "global": "global",
    "shared": "shared",
    "shared.dyn": "shared",
    "local.fragment": "fragment",
    "local": "local",
    "local.var": "var",
    "local.reducer": "fragment",
}

BINARY = {
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

BINARY_CALLS = {
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


def dtype_of(node: Any) -> str:
    """The name of a type; TVM writes types it does not know itself as custom[name]."""
    return str(node.dtype).removeprefix("custom[").removesuffix("]")


def location(span: Any) -> s.Location | None:
    return None if span is None else s.Location(str(span.source_name.name), int(span.line))


class Values:
    """Names, memories and expressions of one function; `at` is the line that is being read."""

    def __init__(self, at: s.Location) -> None:
        self.at = at
        self.variables: dict[Any, s.Variable] = {}
        self.computed: dict[str, s.Expr] = {}
        self.memories: dict[Any, s.Memory] = {}
        self.data: dict[Any, s.Memory] = {}
        self.floats: dict[Any, s.Load] = {}
        self.hoisted: list[s.Statement] = []
        """Statements that must come before the one being read, since its expressions need them."""
        self.grid: list[tuple[s.Variable, s.Expr]] = []
        self.thread_vars: dict[int, s.Variable] = {}
        self.thread_extents: list[int] = list(DEFAULT_THREADS)

    def refuse(self, what: str, remedy: str) -> NoReturn:
        refuse(what, self.at, remedy)

    def variable(self, var: Any, counts: bool = False) -> s.Variable:
        known = self.variables.get(var)
        if known is None:
            known = self.variables[var] = s.Variable(str(var.name), dtype_of(var), counts)
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
            self.at = location(get_buffer_span(buffer)) or self.at
            refuse_scope(str(buffer.name), scope, self.at)
        for size in buffer.shape:
            if isinstance(size, tirx.Var):
                self.variable(size, counts=True)
        shape = tuple(self.expr(size) for size in buffer.shape)
        base = self.data.get(buffer.data)
        if base is not None and base.shape == shape and base.dtype == dtype_of(buffer):
            return base
        at = location(get_buffer_span(buffer)) or self.at
        if at.file.startswith(LIBRARY):
            at = s.Location()
        if scope == "global" and base is None and self.grid:
            self.refuse(
                f"the tensor {buffer.name} is no parameter of the kernel",
                "pass every tensor as a parameter: T.Tensor(shape, dtype)",
            )
        if scope == "global" and base is None:
            shape = tuple(self._size(f"{buffer.name}_{n}", size) for n, size in enumerate(shape))
        return s.Memory(str(buffer.name), shape, dtype_of(buffer), _SCOPES[scope], at, base)

    def _size(self, name: str, size: s.Expr) -> s.Expr:
        """A size of a parameter; one that is computed from symbols becomes a symbol of its own."""
        if isinstance(size, s.Number | s.Name):
            return size
        self.computed[name] = size
        return s.Name(s.Variable(name, counts=True))

    @property
    def threads(self) -> list[tuple[s.Variable, int]]:
        """Thread indices that have more than one value."""
        found = [(v, self.thread_extents[n]) for n, v in sorted(self.thread_vars.items())]
        return [(v, extent) for v, extent in found if extent > 1]

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

    def expr(self, node: Any) -> s.Expr:
        node_class = type(node)
        if node_class is tirx.IntImm:
            return s.Number(int(node.value), dtype_of(node))
        if node_class is tirx.FloatImm:
            return s.Number(float(node.value), dtype_of(node))
        if node_class is tirx.Var or node_class is tirx.SizeVar:
            if "x" in dtype_of(node):
                self.refuse(f"{node.name} stands for several elements at once", "write it element by element")
            return self.floats.get(node) or s.Name(self.variable(node))
        if node_class is tirx.And or node_class is tirx.Or:
            a = self.expr(node.a)
            b = self._only_where(a if node_class is tirx.And else s.Not(a), node.b)
            return s.Binary(BINARY[node_class], a, b, dtype_of(node))
        if node_class is tirx.Mod and s.is_float(dtype_of(node)):
            return s.Call("fmod", (self.expr(node.a), self.expr(node.b)), dtype_of(node))
        if node_class in BINARY:
            return folded(s.Binary(BINARY[node_class], self.expr(node.a), self.expr(node.b), dtype_of(node)))
        if node_class is tirx.BufferLoad:
            memory = self.memory(node.buffer)
            return s.Load(memory, tuple(self.expr(index) for index in node.indices), dtype_of(node))
        if node_class is tirx.Cast:
            return s.Cast(self.expr(node.value), dtype_of(node))
        if node_class is tirx.Call:
            return self._call(node)
        if node_class is tirx.Select:
            test, a, b = (self.expr(part) for part in (node.condition, node.true_value, node.false_value))
            return s.Select(test, a, b, dtype_of(node))
        if node_class is tirx.Not:
            return s.Not(self.expr(node.a))
        if isinstance(node, int | float):
            return s.Number(node, "int32" if isinstance(node, int) else "float32")
        return self.refuse(
            f"the expression {node_class.__name__} has no counterpart", "write it element by element"
        )

    def _call(self, node: Any) -> s.Expr:
        name = str(node.op.name).rsplit(".", 1)[-1].lstrip("_")
        dtype = dtype_of(node)
        if name in ("infinity", "max_value", "min_value"):
            return s.Number(_extreme(name, dtype), dtype)
        if name.startswith(("warp_reduce_", "shfl_", "tvm_warp_shuffle")):
            return warp_value(self, name, node)
        if name.endswith("_ret_elem_op"):
            return atomic_value(self, name, node)
        if name in ("access_ptr", "address_of", "atomic_load_elem_op"):
            return self.pointed_at(node.args[0])
        if name in ("any_of", "all_of"):
            return any_or_all(self, name, node)
        fn = _FUNCTION_ALIASES.get(name, name)
        if fn not in FUNCTIONS and name not in BINARY_CALLS and name not in _OTHER_CALLS:
            refuse_call(name, str(self.at))
        if name == "if_then_else":
            return self._choice(node, dtype)
        args = tuple(self.expr(arg) for arg in self._without_rounding(name, node))
        if name in BINARY_CALLS:
            return s.Binary(BINARY_CALLS[name], args[0], args[1], dtype)
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

    def _without_rounding(self, name: str, call: Any) -> list[Any]:
        """The operands of a call that may say how it rounds; the chip only rounds to nearest."""
        modes = [str(arg.value) for arg in call.args if isinstance(arg, tirx.StringImm)]
        if any(mode != "rn" for mode in modes):
            self.refuse(f'{name} with rounding mode "{modes[0]}"', 'leave it out: "rn" rounds to nearest')
        return [arg for arg in call.args if not isinstance(arg, tirx.StringImm)]

    def _choice(self, call: Any, dtype: str) -> s.Expr:
        test = self.expr(call.args[0])
        a, b = self._only_where(test, call.args[1]), self._only_where(s.Not(test), call.args[2])
        return s.Select(test, a, b, dtype)

    def _only_where(self, condition: s.Expr, node: Any) -> s.Expr:
        """A value that is wanted only where a condition holds; so is what must be done for it before."""
        done = len(self.hoisted)
        value = self.expr(node)
        work = tuple(s.walk_statements(tuple(self.hoisted[done:])))
        if any(isinstance(one, s.Store) and one.accumulate for one in work):
            self.refuse("an atomic update on one side of a choice", "write it with if and else")
        if work and not any(isinstance(one, s.Sync) for one in work):  # for which all threads are needed
            self.hoisted[done:] = [s.Branch(condition, tuple(self.hoisted[done:]), (), self.at)]
        return value

    def pointed_at(self, pointer: Any) -> s.Load:
        load = self.expr(pointer)
        if not isinstance(load, s.Load):
            self.refuse("a pointer to something that is not an element", "name the element: A[i, j]")
        assert isinstance(load, s.Load)
        return load


def _extreme(name: str, dtype: str) -> float | int:
    if name == "infinity":
        return float("inf")
    node = tirx.max_value(dtype) if name == "max_value" else tirx.min_value(dtype)
    return float(node.value) if s.is_float(dtype) else int(node.value)


def folded(value: s.Binary) -> s.Expr:
    """A product of numbers as a number: TileLang writes minus infinity as one."""
    if value.op == "mul" and isinstance(value.a, s.Number) and isinstance(value.b, s.Number):
        return s.Number(value.a.value * value.b.value, value.dtype)
    return value
