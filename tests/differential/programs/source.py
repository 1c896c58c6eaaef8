"""A random program as the text of a TileLang kernel."""

from __future__ import annotations

from collections.abc import Iterator

from tests.differential.programs.spec import (
    Buffer,
    Copy,
    Gemm,
    Kind,
    Map,
    Program,
    Reduce,
    Repeat,
    Step,
    Where,
)

_LOOPS: dict[Kind, str] = {
    "block": "for i, j in T.Parallel({m}, {n}):",
    "row": "for j in T.Parallel({n}):",
    "column": "for i in T.Parallel({m}):",
}
_SUBSCRIPTS: dict[Kind, str] = {"block": "i, j", "row": "j", "column": "i"}


def kernel_source(program: Program) -> str:
    """A module with one prim_func called `kernel`."""
    blocks = f"T.ceildiv({program.n}, {program.block_n}), T.ceildiv({program.m}, {program.block_m})"
    lines = [
        "import tilelang.language as T",
        "",
        "@T.prim_func",
        f"def kernel({', '.join(_parameters(program))}):",
        f"    with T.Kernel({blocks}, threads=128) as (bx, by):",
    ]
    return "\n".join([*lines, *(f"        {line}" for line in _body(program)), ""])


def tensor_names(program: Program) -> list[str]:
    """The kernel's parameters in order; outputs last."""
    gemms = [name for gemm in program.gemms() for name in (gemm.a, gemm.b)]
    return [*(buffer.source for buffer in program.inputs), *gemms, *map(output_name, program.outputs)]


def output_name(buffer: Buffer) -> str:
    return f"out_{buffer.name}"


def _parameters(program: Program) -> Iterator[str]:
    for buffer in program.inputs:
        yield f"{buffer.source}: T.Tensor({program.shape(buffer.kind)}, '{buffer.dtype}')"
    for gemm in program.gemms():
        a_shape = (gemm.k, program.m) if gemm.transpose_a else (program.m, gemm.k)
        b_shape = (program.n, gemm.k) if gemm.transpose_b else (gemm.k, program.n)
        yield f"{gemm.a}: T.Tensor({a_shape}, '{gemm.dtype}')"
        yield f"{gemm.b}: T.Tensor({b_shape}, '{gemm.dtype}')"
    for buffer in program.outputs:
        yield f"{output_name(buffer)}: T.Tensor({program.shape(buffer.kind)}, '{buffer.dtype}')"


def _body(program: Program) -> Iterator[str]:
    for buffer in _buffers(program).values():
        shape = {
            "block": (program.block_m, program.block_n),
            "row": (program.block_n,),
            "column": (program.block_m,),
        }
        yield f"{buffer.name} = T.alloc_{buffer.scope}({shape[buffer.kind]}, '{buffer.dtype}')"
    for gemm in program.gemms():
        yield from _gemm_buffers(program, gemm)
    for buffer in program.inputs:
        yield f"T.copy({_region(program, buffer.source, buffer.kind)}, {buffer.name})"
    for step in program.steps:
        yield from _step(program, step)
    for buffer in program.outputs:
        yield f"T.copy({buffer.name}, {_region(program, output_name(buffer), buffer.kind)})"


def _buffers(program: Program) -> dict[str, Buffer]:
    """Every buffer once, in the order of first use."""
    found = {buffer.name: buffer for buffer in program.inputs}
    for step in program.steps:
        dest = step.body.dest if isinstance(step, Repeat | Where) else step.dest
        found.setdefault(dest.name, dest)
    return found


def _region(program: Program, tensor: str, kind: Kind) -> str:
    row, column = f"by * {program.block_m}", f"bx * {program.block_n}"
    return f"{tensor}[{ {'block': f'{row}, {column}', 'row': column, 'column': row}[kind] }]"


def _step(program: Program, step: Step) -> Iterator[str]:
    match step:
        case Map(dest, expression):
            yield _LOOPS[dest.kind].format(m=program.block_m, n=program.block_n)
            yield f"    {dest.name}[{_SUBSCRIPTS[dest.kind]}] = {expression.text}"
        case Repeat(count, body):
            yield f"for turn in T.serial({count}):"
            yield from (f"    {line}" for line in _step(program, body))
        case Where(axis, body):
            yield f"if {axis} % 2 == 0:"
            yield from (f"    {line}" for line in _step(program, body))
        case Copy(dest, source):
            yield f"T.copy({source.name}, {dest.name})"
        case Reduce(dest, source, operation):
            yield f"T.reduce_{operation}({source.name}, {dest.name}, dim={1 if dest.kind == 'column' else 0})"
        case Gemm():
            yield from _gemm(program, step)


def _gemm_buffers(program: Program, gemm: Gemm) -> Iterator[str]:
    m, n, k = program.block_m, program.block_n, gemm.block_k
    yield f"{gemm.a}_shared = T.alloc_shared({(k, m) if gemm.transpose_a else (m, k)}, '{gemm.dtype}')"
    yield f"{gemm.b}_shared = T.alloc_shared({(n, k) if gemm.transpose_b else (k, n)}, '{gemm.dtype}')"


def _gemm(program: Program, gemm: Gemm) -> Iterator[str]:
    row, column, depth = f"by * {program.block_m}", f"bx * {program.block_n}", f"ko * {gemm.block_k}"
    a_at = f"{depth}, {row}" if gemm.transpose_a else f"{row}, {depth}"
    b_at = f"{column}, {depth}" if gemm.transpose_b else f"{depth}, {column}"
    if gemm.clear:
        yield f"T.clear({gemm.dest.name})"
    yield f"for ko in T.Pipelined(T.ceildiv({gemm.k}, {gemm.block_k}), num_stages={gemm.stages}):"
    yield f"    T.copy({gemm.a}[{a_at}], {gemm.a}_shared)"
    yield f"    T.copy({gemm.b}[{b_at}], {gemm.b}_shared)"
    flags = f"transpose_A={gemm.transpose_a}, transpose_B={gemm.transpose_b}"
    yield f"    T.gemm({gemm.a}_shared, {gemm.b}_shared, {gemm.dest.name}, {flags})"
