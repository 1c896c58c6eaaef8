"""An xDSL context that knows every operation the tile compiler uses."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import arith, builtin, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tilesmith.compiler.dialects.tile import TileDialect
from tilesmith.compiler.dialects.tt import TTDialect
from tilesmith.compiler.dialects.tt_compute import TTComputeDialect
from tilesmith.compiler.dialects.tt_dataflow import TTDataflowDialect

_DIALECTS = (
    builtin.Builtin,
    arith.Arith,
    scf.Scf,
    TileDialect,
    TTDialect,
    TTComputeDialect,
    TTDataflowDialect,
)


def compiler_context() -> Context:
    context = Context()
    for dialect in _DIALECTS:
        context.load_dialect(dialect)
    return context


def parse(text: str, name: str = "<text>") -> ModuleOp:
    """A module from its textual form; raises xDSL's ParseError, which points at line and column."""
    return Parser(compiler_context(), text, name).parse_module()
