"""Expressions -> arith. Floats become f32, integers index or i32, conditions i1, whatever their width was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, f32, i1, i32
from xdsl.ir import Operation, SSAValue

from tilesmith.compiler.dialects import tile
from tilesmith.compiler.dialects.float8 import NAMES
from tilesmith.compiler.importer.emitter import INDEX, Emitter, number
from tilesmith.compiler.importer.source import (
    Binary,
    Bits,
    Call,
    Cast,
    Expr,
    Load,
    Name,
    Not,
    Number,
    Select,
    Variable,
    is_float,
    is_nonnegative,
)

FLOAT_OPS: dict[str, type[Operation]] = {
    "add": arith.AddfOp,
    "sub": arith.SubfOp,
    "mul": arith.MulfOp,
    "div": arith.DivfOp,
    "min": arith.MinimumfOp,
    "max": arith.MaximumfOp,
}

INTEGER_OPS: dict[str, type[Operation]] = {
    "add": arith.AddiOp,
    "sub": arith.SubiOp,
    "mul": arith.MuliOp,
    "div": arith.DivSIOp,
    "mod": arith.RemSIOp,
    "min": arith.MinSIOp,
    "max": arith.MaxSIOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
    "shl": arith.ShLIOp,
    "shr": arith.ShRSIOp,
}

_UNSIGNED_OPS: dict[str, type[Operation]] = {
    "div": arith.DivUIOp,
    "mod": arith.RemUIOp,
    "floordiv": arith.DivUIOp,
    "floormod": arith.RemUIOp,
    "min": arith.MinUIOp,
    "max": arith.MaxUIOp,
    "shr": arith.ShRUIOp,
}

_COMPARE_INTEGERS = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
_COMPARE_UNSIGNED = {"eq": "eq", "ne": "ne", "lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge"}
_COMPARE_FLOATS = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}
_EXACT_AS_BFLOAT16 = ("bool", "int8", "uint8", *NAMES)
_MAY_OVERFLOW = ("add", "sub", "mul", "shl", "xor")
_CONDITIONS = ("isnan", "isinf", "isfinite")


def narrow_width(dtype: str) -> int:
    """The width of an integer type below 32 bits, else 0."""
    digits = dtype.removeprefix("u").removeprefix("int")
    return int(digits) if digits.isdigit() and int(digits) < 32 and dtype != digits else 0


class Expressions:
    """Lowers expressions: `read` says what a Load is in some context, `choose` may take over a Select."""

    def __init__(
        self,
        emitter: Emitter,
        read: Callable[[Load], SSAValue],
        choose: Callable[[Select], SSAValue | None] = lambda _: None,
    ) -> None:
        self.e = emitter
        self.read = read
        self.choose = choose
        self.variables: dict[Variable, SSAValue] = {}

    def index(self, expr: Expr) -> SSAValue:
        return self.e.as_index(self.value(expr))

    def condition(self, expr: Expr) -> SSAValue:
        return self.e.as_i1(self.value(expr))

    def element(self, expr: Expr, dtype: str) -> SSAValue:
        """A value to be written to a place of this type: f32 for floats, i32 for the rest."""
        value = self.value(expr)
        return self.e.as_f32(value) if is_float(dtype) else self.e.as_i32(value)

    def value(self, expr: Expr) -> SSAValue:
        match expr:
            case Number(value, dtype):
                return self._number(value, dtype)
            case Name(variable):
                return self.variables[variable]
            case Binary(op, a, b, dtype):
                return self._binary(op, a, b, dtype)
            case Not(a):
                true = self.e.constant(True, i1)
                return self.e.binary(arith.XOrIOp, self.condition(a), true)
            case Select(condition, a, b, dtype):
                return self.choose(expr) or self._select(condition, a, b, dtype)
            case Cast(a, dtype):
                inner = self.value(a)
                # What is computed as a narrow float has more bits until somebody looks at it as another type.
                computed = isinstance(a, Call) or (isinstance(a, Binary) and a.op not in ("max", "min"))
                if computed and is_float(a.dtype) and a.dtype != dtype:
                    inner = self._rounded(inner, a.dtype)
                return self._cast(inner, a.dtype, dtype)
            case Bits(a, dtype):
                return self._bits(a, dtype)
            case Load():
                return self.read(expr)
            case Call():
                return self._call(expr)

    def _number(self, value: float | int, dtype: str) -> SSAValue:
        if is_float(dtype):
            return self.e.constant(float(value), f32)
        if dtype == "bool":
            return self.e.constant(bool(value), i1)
        if not -(2**31) <= value < 2**31:
            # The bits of an unsigned number, as the i32 that stands for it.
            return self.e.constant((int(value) + 2**31) % 2**32 - 2**31, i32)
        return self.e.constant(int(value), INDEX)

    # ---- two operands ----

    def _binary(self, op: str, a: Expr, b: Expr, dtype: str) -> SSAValue:
        if op in _COMPARE_FLOATS:
            return self._compare(op, a, b)
        if dtype == "bool":
            return self._short_circuit(op, a, b) or self._logical(op, a, b)
        if is_float(dtype):
            return self.e.binary(FLOAT_OPS[op], self.e.as_f32(self.value(a)), self.e.as_f32(self.value(b)))
        left, right = self._same(self.value(a), self.value(b))
        result = self._integers(op, a, b, left, right, dtype)
        return self._wrapped(result, dtype) if op in _MAY_OVERFLOW else result

    def _short_circuit(self, op: str, a: Expr, b: Expr) -> SSAValue | None:
        """`and` and `or` look at their second side only if the first has not decided."""
        if op == "and":
            return self.choose(Select(a, b, Number(0, "bool"), "bool"))
        return self.choose(Select(a, Number(1, "bool"), b, "bool")) if op == "or" else None

    def _logical(self, op: str, a: Expr, b: Expr) -> SSAValue:
        op_class = {"and": arith.AndIOp, "or": arith.OrIOp, "xor": arith.XOrIOp}[op]
        return self.e.binary(op_class, self.condition(a), self.condition(b))

    def _same(self, left: SSAValue, right: SSAValue) -> tuple[SSAValue, SSAValue]:
        if isinstance(left.type, IndexType) and isinstance(right.type, IndexType):
            return left, right
        return self.e.as_i32(left), self.e.as_i32(right)

    def _integers(self, op: str, a: Expr, b: Expr, left: SSAValue, right: SSAValue, dtype: str) -> SSAValue:
        if op in ("add", "sub", "mul"):
            combined: SSAValue = getattr(self.e, op)(left, right)
            return combined
        if dtype == "uint32" and op in _UNSIGNED_OPS:
            return self.e.binary(_UNSIGNED_OPS[op], self.e.as_i32(left), self.e.as_i32(right))
        if op in ("floordiv", "floormod"):
            return self._floor(op, left, right, is_nonnegative(a) and is_nonnegative(b))
        return self.e.binary(INTEGER_OPS[op], left, right)

    def _floor(self, op: str, left: SSAValue, right: SSAValue, plain: bool) -> SSAValue:
        if number(right) == 1:
            return left if op == "floordiv" else self.e.constant(0, left.type)
        if plain:
            return self.e.binary(arith.DivSIOp if op == "floordiv" else arith.RemSIOp, left, right)
        quotient = self.e.binary(arith.FloorDivSIOp, left, right)
        return quotient if op == "floordiv" else self.e.sub(left, self.e.mul(quotient, right))

    def _compare(self, op: str, a: Expr, b: Expr) -> SSAValue:
        left, right = self.value(a), self.value(b)
        if left.type == f32 or right.type == f32:
            left, right = self.e.as_f32(left), self.e.as_f32(right)
            predicate, op_class = _COMPARE_FLOATS[op], arith.CmpfOp
            return self.e.pure(op_class, (left, right), lambda: op_class(left, right, predicate), predicate)
        left, right = self._same(left, right)
        predicate = (_COMPARE_UNSIGNED if "uint32" in (a.dtype, b.dtype) else _COMPARE_INTEGERS)[op]
        return self.e.pure(
            arith.CmpiOp, (left, right), lambda: arith.CmpiOp(left, right, predicate), predicate
        )

    # ---- conversions ----

    def _wrapped(self, value: SSAValue, dtype: str) -> SSAValue:
        """An integer of a narrow type, after an operation that may have left its range."""
        width = narrow_width(dtype)
        if not width:
            return value
        value = self.e.as_i32(value)
        if dtype.startswith("uint"):
            return self.e.binary(arith.AndIOp, value, self.e.constant(2**width - 1, i32))
        shift = self.e.constant(32 - width, i32)
        return self.e.binary(arith.ShRSIOp, self.e.binary(arith.ShLIOp, value, shift), shift)

    def _cast(self, value: SSAValue, source: str, dtype: str) -> SSAValue:
        if is_float(dtype):
            value = self._unsigned_to_float(value) if source == "uint32" else self.e.as_f32(value)
            exact = source == dtype or (source in _EXACT_AS_BFLOAT16 and dtype == "bfloat16")
            return value if exact else self._rounded(value, dtype)
        if dtype == "bool":
            return self.e.as_i1(value)
        if source == "bool":
            return self.e.as_i32(value)
        if is_float(source):
            return self._wrapped(self.e.as_i32(value), dtype)
        narrower = narrow_width(dtype) and (narrow_width(source) or 32) > narrow_width(dtype)
        same_width = narrow_width(source) == narrow_width(dtype) and source != dtype
        loses_sign = dtype.startswith("uint") and not source.startswith("uint")
        changes_sign = narrow_width(dtype) and (same_width or loses_sign)
        return self._wrapped(value, dtype) if narrower or changes_sign else value

    def _rounded(self, value: SSAValue, dtype: str) -> SSAValue:
        """A float of 16 or 8 bits: scalar code has floats of 32 bits only."""
        name = {"float16": "half", "bfloat16": "bfloat16", **NAMES}.get(dtype)
        if name is None:
            return value
        return self.e.pure(tile.FnOp, (value,), lambda: tile.FnOp(name, [value], f32), name)

    def _unsigned_to_float(self, value: SSAValue) -> SSAValue:
        value = self.e.as_i32(value)
        return self.e.pure(arith.UIToFPOp, (value,), lambda: arith.UIToFPOp(value, f32), f32)

    def _bits(self, a: Expr, dtype: str) -> SSAValue:
        value = self.value(a)
        if is_float(dtype) and is_float(a.dtype):
            return value
        return self._float_of_bits(value, dtype) if is_float(dtype) else self._bits_of_float(value, a.dtype)

    def _float_of_bits(self, value: SSAValue, dtype: str) -> SSAValue:
        value = self.e.as_i32(value)
        if dtype == "bfloat16":
            value = self.e.binary(arith.ShLIOp, value, self.e.constant(16, i32))
        elif dtype == "float16":
            return self._half_of_bits(value)
        return self.e.pure(arith.BitcastOp, (value,), lambda: arith.BitcastOp(value, f32), f32)

    def _half_of_bits(self, value: SSAValue) -> SSAValue:
        """float16 bits, exactly: moved to float32's place, then scaled by the difference of the exponents."""
        i = self.e.constant
        sign = self.e.binary(arith.ShLIOp, self.e.binary(arith.AndIOp, value, i(0x8000, i32)), i(16, i32))
        rest = self.e.binary(arith.ShLIOp, self.e.binary(arith.AndIOp, value, i(0x7FFF, i32)), i(13, i32))
        bits = self.e.binary(arith.OrIOp, sign, rest)
        small = self.e.pure(arith.BitcastOp, (bits,), lambda: arith.BitcastOp(bits, f32), f32)
        return self.e.binary(arith.MulfOp, small, i(2.0**112, f32))

    def _bits_of_float(self, value: SSAValue, source: str) -> SSAValue:
        if value.type != f32:
            return value
        bits = self.e.pure(arith.BitcastOp, (value,), lambda: arith.BitcastOp(value, i32), i32)
        if source == "bfloat16":
            return self.e.binary(arith.ShRUIOp, bits, self.e.constant(16, i32))
        return self._half_bits(value, bits) if source == "float16" else bits

    def _half_bits(self, value: SSAValue, bits: SSAValue) -> SSAValue:
        """The bits of a value rounded to float16: the inverse of `_half_of_bits`, to nearest even."""
        i = self.e.constant
        op = self.e.binary
        small = op(arith.MulfOp, value, i(2.0**-112, f32))
        scaled = self.e.pure(arith.BitcastOp, (small,), lambda: arith.BitcastOp(small, i32), i32)
        size = op(arith.AndIOp, scaled, i(0x7FFFFFFF, i32))
        odd = op(arith.AndIOp, op(arith.ShRUIOp, size, i(13, i32)), i(1, i32))
        rounded = op(arith.AddiOp, op(arith.AddiOp, size, i(0xFFF, i32)), odd)
        half = op(arith.MinSIOp, op(arith.ShRUIOp, rounded, i(13, i32)), i(0x7C00, i32))
        sign = op(arith.AndIOp, op(arith.ShRUIOp, bits, i(16, i32)), i(0x8000, i32))
        return op(arith.OrIOp, half, sign)

    # ---- the rest ----

    def _select(self, condition: Expr, a: Expr, b: Expr, dtype: str) -> SSAValue:
        test = self.condition(condition)
        left, right = self.value(a), self.value(b)
        if is_float(dtype):
            left, right = self.e.as_f32(left), self.e.as_f32(right)
        elif left.type != right.type:
            left, right = self.e.as_i32(left), self.e.as_i32(right)
        return self.e.pure(arith.SelectOp, (test, left, right), lambda: arith.SelectOp(test, left, right))

    def _call(self, call: Call) -> SSAValue:
        if is_float(call.dtype) or call.fn in _CONDITIONS:
            args = [self.e.as_f32(self.value(arg)) for arg in call.args]
        else:
            args = [self.e.as_i32(self.value(arg)) for arg in call.args]
        result_type: Any = i1 if call.fn in _CONDITIONS else args[0].type
        return self.e.pure(tile.FnOp, args, lambda: tile.FnOp(call.fn, args, result_type), call.fn)
