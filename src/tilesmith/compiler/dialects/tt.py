"""The tt dialect, the part all roles share: circular buffers, their protocol, stages, kernels, arguments.

What only compute kernels do is in `tt_compute`, what only data movement does in `tt_dataflow`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects.builtin import I64, ArrayAttr, IndexType, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Block, Dialect, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from tilesmith.compiler.dialects.syntax import parse_function, print_function
from tilesmith.compiler.dialects.types import BufferType, TensorType

ROLES = ("reader", "compute", "writer")
ARG_SCOPES = ("core", "common")


_KERNEL_PROPERTIES: tuple[str, ...] = ("sym_name", "arg_names", "symbols", "source")


@lru_cache(maxsize=1024)
def number(value: int) -> IntegerAttr[I64]:
    return IntegerAttr(value, i64)


@irdl_attr_definition
class CBType(ParametrizedAttribute, TypeAttribute):
    """A circular buffer that holds versions of a buffer: `!tt.cb<!tile.buffer<...>>`."""

    name = "tt.cb_of"

    buffer: BufferType


@irdl_attr_definition
class AccessorType(ParametrizedAttribute, TypeAttribute):
    """Where the pages of a tensor are: `!tt.accessor<!tile.tensor<...>>`."""

    name = "tt.accessor_of"

    tensor: TensorType


@irdl_op_definition
class CBOp(IRDLOperation):
    """A circular buffer. `pages` tiles are one version of the buffer; it has room for `depth` versions.

    `stages` is the depth the user asked for with `num_stages`.
    """

    name = "tt.cb"

    cb_name = prop_def(StringAttr)
    pages = prop_def(IntegerAttr[I64])
    depth = prop_def(IntegerAttr[I64])
    stages = opt_prop_def(IntegerAttr[I64])
    page_size = prop_def(IntegerAttr[I64])
    producer = prop_def(StringAttr)
    consumer = prop_def(StringAttr)
    index = opt_prop_def(IntegerAttr[I64])
    cb = result_def(CBType)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$cb_name attr-dict `:` type($cb)"

    def __init__(
        self,
        name: str,
        buffer: BufferType,
        pages: int,
        depth: int,
        page_size: int,
        producer: str,
        consumer: str,
    ) -> None:
        super().__init__(
            properties={
                "cb_name": StringAttr(name),
                "pages": number(pages),
                "depth": number(depth),
                "page_size": number(page_size),
                "producer": StringAttr(producer),
                "consumer": StringAttr(consumer),
            },
            result_types=[CBType(buffer)],
        )
        self.cb.name_hint = name

    def verify_(self) -> None:
        for role in (self.producer.data, self.consumer.data):
            if role not in ROLES:
                raise VerifyException(f"circular buffer {self.cb_name.data}: {role!r} is none of {ROLES}")
        if min(self.pages.value.data, self.depth.value.data, self.page_size.value.data) < 1:
            raise VerifyException(
                f"circular buffer {self.cb_name.data} needs pages, depth and page_size >= 1"
            )


@irdl_op_definition
class ReleaseOp(IRDLOperation):
    """The consumer is done with the version it has: it will pop it here."""

    name = "tt.release"

    cb = operand_def(CBType)
    assembly_format = "$cb attr-dict `:` type($cb)"

    def __init__(self, cb: SSAValue) -> None:
        super().__init__(operands=[cb])


@irdl_op_definition
class UndefOp(IRDLOperation):
    """The producer hands out a version nobody has written, so that a loop or branch finds one to replace."""

    name = "tt.undef"

    cb = operand_def(CBType)
    assembly_format = "$cb attr-dict `:` type($cb)"

    def __init__(self, cb: SSAValue) -> None:
        super().__init__(operands=[cb])


class _Protocol(IRDLOperation):
    """One of the four calls of the protocol of a circular buffer."""

    cb = operand_def(CBType)
    pages = prop_def(IntegerAttr[I64])
    assembly_format = "$cb `,` $pages attr-dict `:` type($cb)"

    def __init__(self, cb: SSAValue, pages: int) -> None:
        super().__init__(operands=[cb], properties={"pages": number(pages)})


@irdl_op_definition
class ReserveBackOp(_Protocol):
    name = "tt.cb_reserve_back"


@irdl_op_definition
class PushBackOp(_Protocol):
    name = "tt.cb_push_back"


@irdl_op_definition
class WaitFrontOp(_Protocol):
    name = "tt.cb_wait_front"


@irdl_op_definition
class PopFrontOp(_Protocol):
    name = "tt.cb_pop_front"


@irdl_op_definition
class SendOp(IRDLOperation):
    """Hand a scalar to the kernel that drains the circular buffer: reserves a page, fills it, pushes it."""

    name = "tt.send"

    value = operand_def()
    cb = operand_def(CBType)
    assembly_format = "$value `,` $cb attr-dict `:` type($value) `,` type($cb)"

    def __init__(self, value: SSAValue, cb: SSAValue) -> None:
        super().__init__(operands=[value, cb])


@irdl_op_definition
class ReceiveOp(IRDLOperation):
    """The next scalar sent through the circular buffer: waits for its page, reads it, pops it."""

    name = "tt.receive"

    cb = operand_def(CBType)
    value = result_def()
    assembly_format = "$cb attr-dict `:` type($cb) `->` type($value)"

    def __init__(self, cb: SSAValue, result_type: Attribute) -> None:
        super().__init__(operands=[cb], result_types=[result_type])


@irdl_op_definition
class ArgOp(IRDLOperation):
    """A runtime argument: of scope "core" it differs from core to core, "common" from call to call."""

    name = "tt.arg"

    arg_name = prop_def(StringAttr)
    scope = prop_def(StringAttr)
    position = opt_prop_def(IntegerAttr[I64])
    value = result_def(IndexType)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$scope $arg_name attr-dict"

    def __init__(self, name: str, scope: str) -> None:
        super().__init__(
            properties={"arg_name": StringAttr(name), "scope": StringAttr(scope)}, result_types=[IndexType()]
        )
        self.value.name_hint = name

    def verify_(self) -> None:
        if self.scope.data not in ARG_SCOPES:
            raise VerifyException(f"expected an argument of scope {ARG_SCOPES}, got {self.scope.data!r}")


@irdl_op_definition
class AccessorOp(IRDLOperation):
    """The accessor of a parameter, made of its address (runtime) and its layout (compile time)."""

    name = "tt.accessor"

    tensor = operand_def(TensorType)
    compile_time_offset = opt_prop_def(IntegerAttr[I64])
    address = opt_prop_def(IntegerAttr[I64])
    accessor = result_def(AccessorType)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$tensor attr-dict `:` type($tensor) `->` type($accessor)"

    def __init__(self, tensor: SSAValue) -> None:
        assert isinstance(tensor.type, TensorType)
        super().__init__(operands=[tensor], result_types=[AccessorType(tensor.type)])
        self.accessor.name_hint = tensor.name_hint


@irdl_op_definition
class StageOp(IRDLOperation):
    """One step of one role: what it reads (`ins`), what it makes (`outs`), and the code that does it.

    A circular buffer in both lists is updated in place. `title` becomes the comment above the code.
    """

    name = "tt.stage"

    ins = var_operand_def(CBType)
    outs = var_operand_def(CBType)
    role = prop_def(StringAttr)
    title = prop_def(StringAttr)
    body = region_def("single_block")
    traits = traits_def(NoTerminator())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$role $title `ins` `(` $ins `)` `outs` `(` $outs `)` attr-dict"
        " `:` `(` type($ins) `)` `->` `(` type($outs) `)` $body"
    )

    def __init__(
        self,
        role: str,
        title: str,
        ins: Sequence[SSAValue],
        outs: Sequence[SSAValue],
        body: Region | None = None,
    ) -> None:
        super().__init__(
            operands=[list(ins), list(outs)],
            properties={"role": StringAttr(role), "title": StringAttr(title)},
            regions=[body or Region(Block())],
        )

    def verify_(self) -> None:
        if self.role.data not in ROLES:
            raise VerifyException(f"expected a role of {ROLES}, got {self.role.data!r}")


@irdl_op_definition
class KernelOp(IRDLOperation):
    """The kernel of one role. Block arguments as in `tile.func`: tensors, then symbols."""

    name = "tt.kernel"

    sym_name = prop_def(StringAttr)
    role = prop_def(StringAttr)
    arg_names = prop_def(ArrayAttr[StringAttr])
    symbols = prop_def(ArrayAttr[StringAttr])
    source = opt_prop_def(StringAttr)
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), IsolatedFromAbove())

    def __init__(
        self,
        name: str,
        role: str,
        arg_names: Sequence[str],
        symbols: Sequence[str],
        arg_types: Sequence[Attribute],
    ) -> None:
        block = Block(arg_types=arg_types)
        for value, hint in zip(block.args, (*arg_names, *symbols), strict=True):
            value.name_hint = hint
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "role": StringAttr(role),
                "arg_names": ArrayAttr([StringAttr(arg) for arg in arg_names]),
                "symbols": ArrayAttr([StringAttr(symbol) for symbol in symbols]),
            },
            regions=[Region(block)],
        )

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        role = StringAttr(parser.parse_identifier())
        found, body = parse_function(parser)
        properties = {name: found.pop(name) for name in _KERNEL_PROPERTIES if name in found}
        return cls.create(properties={**properties, "role": role}, attributes=found, regions=[body])

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.role.data}")
        print_function(printer, self, skipped=("role",))

    def verify_(self) -> None:
        if self.role.data not in ROLES:
            raise VerifyException(f"expected a role of {ROLES}, got {self.role.data!r}")


TTDialect = Dialect(
    "tt",
    [
        *(CBOp, ReleaseOp, UndefOp, ReserveBackOp, PushBackOp, WaitFrontOp, PopFrontOp),
        *(SendOp, ReceiveOp),
        *(ArgOp, AccessorOp, StageOp, KernelOp),
    ],
    [CBType, AccessorType],
)
