"""Every tile operation on the emulator, checks on, against the interpreter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tests.compiler.passes.tile_kernels import Buffer, kernel, run, values_of

from tilesmith.compiler.dialects.tile import FUNCTIONS
from tilesmith.compiler.lowering.tiles.functions import ON_TILES

X = Buffer("X", (64, 96))
Y = Buffer("Y", (64, 96), is_result=True)


def check(buffers: Sequence[Buffer], work: str, close: float = 1e-6, low: float = -2.0) -> None:
    module = kernel(buffers, work)
    for actual, expected in run(module, buffers, values_of(buffers, module, low)).values():
        np.testing.assert_allclose(actual, expected, rtol=close, atol=close * np.abs(expected).max())


def map_of(ins: Sequence[Buffer], dims: Sequence[Sequence[int]], body: str, out: Buffer = Y) -> str:
    """A map whose body calls its inputs by their names in lower case and its indices %i0, %i1 .."""
    args = [f"%{one.name.lower()}: f32" for one in ins] + [f"%i{dim}: index" for dim in range(len(out.shape))]
    kinds = ", ".join(f"{{{one.name}}}" for one in ins)
    names = ", ".join(f"%{one.name}" for one in ins)
    entries = ", ".join(str(list(entry)) for entry in dims)
    header = f"tile.map({names}) -> %{out.name} dims [{entries}] : ({kinds}) -> {{{out.name}}}"
    return f"{header} {{\n^bb0({', '.join(args)}):\n{body}\n}}"


# ---- maps ----

VECTORS = map_of(
    [X, Buffer("V", (64,)), Buffer("W", (96,))],
    [[0, 1], [0], [1]],
    "%0 = arith.mulf %x, %v : f32\n%1 = arith.addf %0, %w : f32\ntile.yield %1 : f32",
)
TURNED = map_of(
    [X, Buffer("T", (96, 64))], [[0, 1], [1, 0]], "%0 = arith.subf %x, %t : f32\ntile.yield %0 : f32"
)
SPREAD = map_of(
    [X, Buffer("C", (64, 1)), Buffer("R", (1, 96))],
    [[0, 1], [0, -1], [-1, 1]],
    "%0 = arith.subf %x, %c : f32\n%1 = arith.subf %0, %r : f32\ntile.yield %1 : f32",
)
TRIANGLE = map_of(
    [X],
    [[0, 1]],
    """%c = arith.cmpi sge, %i0, %i1 : index
    %s = arith.select %c, %x, %zero : f32
    tile.yield %s : f32""",
)
WHOLE_NUMBERS = map_of(
    [X],
    [[0, 1]],
    """%seven = arith.constant 7 : index
    %q = arith.divsi %i1, %seven : index
    %r = arith.remsi %i1, %seven : index
    %s = arith.muli %q, %i0 : index
    %t = arith.addi %s, %r : index
    %i = arith.index_cast %t : index to i32
    %f = arith.sitofp %i : i32 to f32
    %g = arith.addf %f, %x : f32
    tile.yield %g : f32""",
)


LOGIC_AND_SHIFTS = map_of(
    [X],
    [[0, 1]],
    """%two = arith.constant 2 : index
    %left = arith.shli %i0, %two : index
    %right = arith.shrsi %i1, %two : index
    %a = arith.cmpi slt, %left, %right : index
    %b = arith.cmpf ogt, %x, %zero : f32
    %both = arith.andi %a, %b : i1
    %one_of = arith.xori %a, %b : i1
    %either = arith.ori %both, %one_of : i1
    %small = arith.negf %x : f32
    %chosen = arith.select %either, %x, %small : f32
    %cut = arith.fptosi %chosen : f32 to i32
    %back = arith.sitofp %cut : i32 to f32
    %three = arith.constant 3.0 : f32
    %more = arith.addf %chosen, %three : f32
    %over = arith.divf %three, %more : f32
    %third = arith.divf %over, %three : f32
    %all = arith.subf %third, %back : f32
    tile.yield %all : f32""",
)


def balanced(depth: int) -> str:
    """An expression tree of that depth over three inputs, too wide for DST from depth 5 on."""
    lines: list[str] = []
    leaves = 0

    def grow(level: int) -> str:
        nonlocal leaves
        if level == 0:
            leaves += 1
            return ("%x", "%v", "%w")[leaves % 3]
        left, right = grow(level - 1), grow(level - 1)
        lines.append(f"%n{len(lines)} = arith.{'mulf' if level % 2 else 'addf'} {left}, {right} : f32")
        return f"%n{len(lines) - 1}"

    root = grow(depth)
    return "\n".join([*lines, f"tile.yield {root} : f32"])


@pytest.mark.parametrize(
    ("work", "others"),
    [
        pytest.param(VECTORS, [Buffer("V", (64,)), Buffer("W", (96,))], id="vectors"),
        pytest.param(TURNED, [Buffer("T", (96, 64))], id="transposed"),
        pytest.param(SPREAD, [Buffer("C", (64, 1)), Buffer("R", (1, 96))], id="spread"),
        pytest.param(TRIANGLE, [], id="indices"),
        pytest.param(WHOLE_NUMBERS, [], id="whole-numbers"),
        pytest.param(LOGIC_AND_SHIFTS, [], id="logic-and-shifts"),
        pytest.param(
            map_of([X, Buffer("V", (64,)), Buffer("W", (96,))], [[0, 1], [0], [1]], balanced(5)),
            [Buffer("V", (64,)), Buffer("W", (96,))],
            id="more-than-dst-holds",
        ),
    ],
)
def test_map(work: str, others: list[Buffer]) -> None:
    check([X, *others, Y], work)


def test_map_of_a_long_vector() -> None:
    ins, out = [Buffer("X", (2500,))], Buffer("Y", (2500,), is_result=True)
    body = """%hundred = arith.constant 100 : index
    %r = arith.remsi %i0, %hundred : index
    %i = arith.index_cast %r : index to i32
    %f = arith.sitofp %i : i32 to f32
    %p = arith.addf %f, %x : f32
    tile.yield %p : f32"""
    check([*ins, out], map_of(ins, [[0]], body, out))


def test_map_of_batches() -> None:
    ins, out = [Buffer("X", (2, 64, 32)), Buffer("V", (2, 32))], Buffer("Y", (2, 64, 32), is_result=True)
    body = """%i = arith.index_cast %i0 : index to i32
    %f = arith.sitofp %i : i32 to f32
    %q = arith.mulf %f, %x : f32
    %p = arith.addf %q, %v : f32
    tile.yield %p : f32"""
    check([*ins, out], map_of(ins, [[0, 1, 2], [0, 2]], body, out))


@pytest.mark.parametrize("predicate", ["oeq", "une", "olt", "oge", "ole", "ogt"])
def test_comparisons_with_infinity(predicate: str) -> None:
    body = f"""%inf = arith.constant 0xFF800000 : f32
    %c = arith.cmpf {predicate}, %x, %inf : f32
    %yes = arith.constant 1.0 : f32
    %s = arith.select %c, %yes, %zero : f32
    tile.yield %s : f32"""
    buffers = [Buffer("X", (32, 32)), Buffer("Y", (32, 32), is_result=True)]
    module = kernel(buffers, map_of(buffers[:1], [[0, 1]], body, buffers[1]))
    values = values_of(buffers, module)
    values["X"][::2] = -np.inf
    actual, expected = run(module, buffers, values)["Y"]
    np.testing.assert_array_equal(actual, expected)


def test_silu_of_large_numbers() -> None:
    body = """%n = arith.negf %x : f32
    %e = tile.fn "exp"(%n) : (f32) -> f32
    %unit = arith.constant 1.0 : f32
    %d = arith.addf %e, %unit : f32
    %s = arith.divf %x, %d : f32
    tile.yield %s : f32"""
    buffers = [Buffer("X", (32, 32)), Buffer("Y", (32, 32), is_result=True)]
    module = kernel(buffers, map_of(buffers[:1], [[0, 1]], body, buffers[1]))
    actual, expected = run(module, buffers, values_of(buffers, module, -200.0, 200.0))["Y"]
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-6)


def test_more_buffers_than_there_are_with_counts_and_parts() -> None:
    """Buffers are shared then, but never with what counts rows or keeps parts of an expression."""
    chain = [Buffer(f"L{n}", (32, 32), is_local=True) for n in range(36)]
    first, last = Buffer("X", (32, 32)), Buffer("Y", (32, 32), is_result=True)
    work = []
    for n, (source, target) in enumerate(zip([first, *chain], [*chain, last], strict=True)):
        name = f"%{source.name.lower()}"
        half = f"%k{n} = arith.constant 0.5 : f32\n%m{n} = arith.mulf {name}, %k{n} : f32"
        body = f"{half}\ntile.yield %m{n} : f32"
        if n == 3:
            body = (
                f"%c{n} = arith.cmpi sge, %i0, %i1 : index\n"
                f"%s{n} = arith.select %c{n}, {name}, %zero : f32\ntile.yield %s{n} : f32"
            )
        elif n == 20:
            body = balanced(5).replace("%x", name).replace("%v", name).replace("%w", name)
            body = "\n".join(
                line.replace("addf", "maximumf").replace("mulf", "addf") for line in body.splitlines()
            )
        work.append(map_of([source], [[0, 1]], body, target))
    check([first, *chain, last], "\n".join(work))


# ---- copies ----

COPIES = {
    "part-of-the-destination": (
        (64, 96),
        (128, 96),
        """tile.fill %Y, %zero : {Y}, f32
        %half = arith.constant 64 : index
        tile.copy %X[] -> %Y[%half, %origin] sizes [64, 96] dims [0, 1] : {X} -> {Y}""",
    ),
    "part-of-the-source": (
        (64, 96),
        (32, 64),
        """%tile = arith.constant 32 : index
        tile.copy %X[%tile, %tile] -> %Y[] sizes [32, 64] dims [0, 1] : {X} -> {Y}""",
    ),
    "transposed": ((64, 96), (96, 64), "tile.copy %X[] -> %Y[] sizes [64, 96] dims [1, 0] : {X} -> {Y}"),
    "one-of-a-batch": (
        (3, 64, 96),
        (64, 96),
        """%two = arith.constant 2 : index
        tile.copy %X[%two, %origin, %origin] -> %Y[] sizes [1, 64, 96] dims [-1, 0, 1] : {X} -> {Y}""",
    ),
    "parts-in-a-loop": (
        (64, 96),
        (64, 96),
        """%two = arith.constant 2 : index
        %tile = arith.constant 32 : index
        scf.for %k = %origin to %two step %one {
          %at = arith.muli %k, %tile : index
          tile.copy %X[%at, %origin] -> %Y[%at, %origin] sizes [32, 96] dims [0, 1] : {X} -> {Y}
        }""",
    ),
}


@pytest.mark.parametrize("name", COPIES)
def test_copy(name: str) -> None:
    source, dest, work = COPIES[name]
    check([Buffer("X", source), Buffer("Y", dest, is_result=True)], work, close=0.0)


def test_a_vector_along_rows_and_along_columns() -> None:
    vector, block = Buffer("V", (64,)), Buffer("X", (96, 64))
    down, across = Buffer("Y", (64, 32), is_result=True), Buffer("Z", (96, 64), is_result=True)
    work = [
        map_of([vector], [[0]], "tile.yield %v : f32", down),
        map_of([block, vector], [[0, 1], [1]], "%0 = arith.addf %x, %v : f32\ntile.yield %0 : f32", across),
    ]
    check([vector, block, down, across], "\n".join(work))


# ---- products ----


@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("transpose_a", [False, True])
def test_gemm(transpose_a: bool, transpose_b: bool) -> None:
    buffers = [
        Buffer("A", (64, 96) if transpose_a else (96, 64), "bf16"),
        Buffer("B", (160, 64) if transpose_b else (64, 160), "bf16"),
        Buffer("C", (96, 160), is_result=True),
    ]
    flags = f"[{str(transpose_a).lower()}, {str(transpose_b).lower()}]"
    work = f"tile.fill %C, %zero : {{C}}, f32\ntile.gemm %A, %B, %C transposed{flags} : {{A}}, {{B}}, {{C}}"
    check(buffers, work, close=1e-3)


def test_gemm_of_batches_onto_something() -> None:
    buffers = [
        Buffer("A", (2, 40, 20), "bf16"),
        Buffer("B", (2, 50, 20), "bf16"),
        Buffer("C", (2, 40, 50), is_result=True),
        Buffer("D", (2, 40, 50)),
    ]
    work = """tile.copy %D[] -> %C[] sizes [2, 40, 50] dims [0, 1, 2] : {D} -> {C}
    tile.gemm %A, %B, %C transposed[false, true] : {A}, {B}, {C}"""
    check(buffers, work, close=1e-3)


# ---- reductions ----


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("kind", ["sum", "max", "min", "abssum", "absmax"])
def test_reduce(kind: str, dim: int) -> None:
    buffers = [Buffer("X", (40, 96)), Buffer("Y", ((96, 40)[dim],), is_result=True)]
    work = f'tile.reduce "{kind}" %X, %Y along {dim} clear true : {{X}}, {{Y}}'
    check(buffers, work, close=1e-5, low=1.0)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_reduce_of_batches_onto_something(dim: int) -> None:
    shape = (2, 64, 96)
    kept = (*shape[:dim], *shape[dim + 1 :])
    buffers = [Buffer("X", shape), Buffer("Z", kept), Buffer("Y", kept, is_result=True)]
    work = f"""tile.copy %Z[] -> %Y[] sizes {list(kept)} dims [0, 1] : {{Z}} -> {{Y}}
    tile.reduce "max" %X, %Y along {dim} clear false : {{X}}, {{Y}}"""
    check(buffers, work)


def test_reduce_to_one_number() -> None:
    buffers = [Buffer("X", (2000,)), Buffer("Y", (1,), is_result=True)]
    check(buffers, 'tile.reduce "sum" %X, %Y along 0 clear true : {X}, {Y}', close=1e-5)


# ---- functions ----

DOMAINS = {
    **dict.fromkeys(("log", "log2", "log10", "rsqrt", "sqrt"), (0.01, 20.0)),
    **dict.fromkeys(("asin", "acos", "atanh"), (-0.95, 0.95)),
    "log1p": (-0.9, 20.0),
    "acosh": (1.01, 20.0),
    "tan": (-1.4, 1.4),
    "pow": (0.1, 4.0),
    "recip": (0.1, 8.0),
    "exp10": (-5.0, 5.0),
}
LESS_EXACT = {"erfc": 2e-5, "fmod": 1e-5}
"""Errors that are neither absolutely nor relatively below 2e-6, as those of the others are."""


def function_groups() -> list[tuple[tuple[float, float], list[str]]]:
    groups: dict[tuple[float, float], list[str]] = {}
    for name in sorted(ON_TILES):
        groups.setdefault(DOMAINS.get(name, (-8.0, 8.0)), []).append(name)
    return [
        (domain, names[at : at + 9]) for domain, names in groups.items() for at in range(0, len(names), 9)
    ]


@pytest.mark.parametrize(("domain", "names"), function_groups(), ids=lambda part: str(part[0]))
def test_functions(domain: tuple[float, float], names: list[str]) -> None:
    ins = [Buffer("X", (32, 32)), Buffer("Z", (32, 32))]
    outs = [Buffer(f"Y_{name}", (32, 32), is_result=True) for name in names]
    work = []
    for name, out in zip(names, outs, strict=True):
        args = "%x" if FUNCTIONS[name] == 1 else "%x, %z"
        kinds = ", ".join(["f32"] * FUNCTIONS[name])
        body = f'%r_{name} = tile.fn "{name}"({args}) : ({kinds}) -> f32\ntile.yield %r_{name} : f32'
        work.append(map_of(ins, [[0, 1], [0, 1]], body, out))
    module = kernel([*ins, *outs], "\n".join(work))
    results = run(module, [*ins, *outs], values_of(ins, module, *domain))
    for name, out in zip(names, outs, strict=True):
        actual, expected = results[out.name]
        close = LESS_EXACT.get(name, 2e-6)
        np.testing.assert_allclose(actual, expected, rtol=close, atol=close, err_msg=name)
