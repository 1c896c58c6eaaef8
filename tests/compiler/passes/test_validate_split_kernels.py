"""Kernels that do not fit together are noticed, with the circular buffer and the counts."""

from __future__ import annotations

import pytest
from tests.compiler.passes.samples import module, names
from tests.compiler.passes.steps import after
from xdsl.dialects.builtin import ModuleOp

from tilesmith.compiler.dialects.context import compiler_context, parse
from tilesmith.compiler.lowering.validate_split_kernels import ValidateSplitKernels
from tilesmith.errors import InternalFault

BUFFER = "!tt.cb_of<!tile.buffer<[32, 32], bf16, shared, tiled, Float16_b>>"


def kernels(reader: str, compute: str, pages: int = 2, depth: int = 2, consumer: str = "compute") -> ModuleOp:
    """A reader and a compute kernel with a circular buffer X between them; `reserve 2` is a call on it."""
    text = "".join(
        _kernel(role, body, pages, depth, consumer) for role, body in _bodies(reader, compute).items()
    )
    return parse(f"builtin.module {{ {text} }}")


def _bodies(reader: str, compute: str) -> dict[str, str]:
    return {"reader": reader, "compute": compute, "writer": ""}


def _kernel(role: str, body: str, pages: int, depth: int, consumer: str) -> str:
    calls = {"reserve": "reserve_back", "push": "push_back", "wait": "wait_front", "pop": "pop_front"}
    lines = []
    for line in body.splitlines():
        word, _, count = line.strip().partition(" ")
        lines.append(f"tt.cb_{calls[word]} %X, {count} : {BUFFER}" if word in calls else line)
    code = "\n".join(lines)
    return f"""
      tt.kernel {role} @k_{role}(%n: index) {{
        %X = tt.cb "X" {{pages = {pages} : i64, depth = {depth} : i64, page_size = 2048 : i64,
                        producer = "reader", consumer = "{consumer}"}} : {BUFFER}
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %small = arith.cmpi slt, %n, %c4 : index
        {code}
      }}"""


def check(split: ModuleOp) -> ModuleOp:
    split.verify()
    ValidateSplitKernels().apply(compiler_context(), split)
    return split


LOOP = "scf.for %i = %c0 to %n step %c1 {{\n{}\n}}"
FOUR = "scf.for %i = %c0 to %c4 step %c1 {{\n{}\n}}"
FILL = "reserve 2\npush 2"
DRAIN = "wait 2\npop 2"


@pytest.mark.parametrize("name", names())
def test_what_the_passes_make_fits_together(name: str) -> None:
    assert after("validate-split-kernels", module(name)).ops


@pytest.mark.parametrize(
    ("reader", "compute"),
    [
        (FILL, DRAIN),
        (LOOP.format(FILL), LOOP.format(DRAIN)),
        (FOUR.format(FILL), "\n".join([DRAIN] * 4)),
        (f"{FILL}\n{LOOP.format(FILL)}", f"{LOOP.format(DRAIN)}\n{DRAIN}"),
        (FILL, f"scf.if %small {{\n{DRAIN}\n}} else {{\n{DRAIN}\n}}"),
        (f"scf.if %small {{\n{FILL}\n}}", f"scf.if %small {{\n{DRAIN}\n}}"),
        ("reserve 2\npush 1\npush 1", "wait 2\npop 1\npop 1"),
        (FOUR.format("reserve 1\npush 1"), "wait 4\n" + FOUR.format("pop 1")),
        (FILL, FOUR.format("wait 2") + "\npop 2"),
    ],
)
def test_kernels_that_fit_together_pass(reader: str, compute: str) -> None:
    assert len(list(check(kernels(reader, compute)).ops)) == 3


@pytest.mark.parametrize(
    ("reader", "compute", "message"),
    [
        (FILL, "", r"X: kernel k_reader pushes 2 pages, kernel k_compute pops nothing"),
        (LOOP.format(FILL), DRAIN, r"k_reader pushes 2 pages in \[for .*\], kernel k_compute pops 2 pages"),
        (FOUR.format(FILL), DRAIN, r"k_reader pushes 8 pages, kernel k_compute pops 2 pages"),
        (
            FILL,
            f"scf.if %small {{\n{DRAIN}\n}}",
            r"pushes 2 pages, kernel k_compute pops 2 pages in \[if .*\]",
        ),
        (
            LOOP.format(FILL),
            LOOP.format(DRAIN).replace("%n", "%c4"),
            r"pushes 2 pages in \[for .*\], kernel k_compute pops 8 pages",
        ),
        ("push 2", DRAIN, r"k_reader: circular buffer X: pushes 2 pages but has reserved 0"),
        ("reserve 1\npush 2", DRAIN, r"pushes 2 pages but has reserved 1"),
        (FILL, "pop 2", r"k_compute: circular buffer X: pops 2 pages but has waited for 0"),
        (FILL, "wait 1\npop 2", r"pops 2 pages but has waited for 1"),
        ("reserve 5\npush 2", DRAIN, r"reserves 5 of 4 pages"),
        (FILL, "wait 5\npop 2", r"waits for 5 of 4 pages"),
        ("reserve 2", "", r"k_reader leaves circular buffer X with 2 pages reserved and not pushed"),
        (
            FILL,
            f"{DRAIN}\nwait 2",
            r"k_compute leaves circular buffer X with 0 pages reserved .* 2 waited for",
        ),
        (LOOP.format("reserve 2"), "", r"holds .* on one way through scf.for and .* on another"),
        (
            FOUR.format("reserve 1\npush 1"),
            "wait 3\n" + FOUR.format("pop 1"),
            r"pops 1 pages but has waited for 0",
        ),
        (FILL, f"{DRAIN}\n{FILL}", r"only the reader may push, but kernel k_compute does: 2 pages"),
    ],
)
def test_kernels_that_do_not_fit_are_refused(reader: str, compute: str, message: str) -> None:
    with pytest.raises(InternalFault, match=message):
        check(kernels(reader, compute))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f"{FILL}\nreserve 2\npush 2\n{DRAIN}\n{DRAIN}", r"reserves 2 of 2 pages, 2 are taken"),
        (f"wait 2\n{FILL}\npop 2", r"waits for 2 of 2 pages, 0 are there"),
        (FILL, r"2 left inside"),
    ],
)
def test_a_kernel_cannot_wait_for_itself(body: str, message: str) -> None:
    with pytest.raises(InternalFault, match=message):
        check(kernels(body, "", depth=1, consumer="reader"))


def test_all_three_kernels_must_be_there() -> None:
    split = kernels(FILL, DRAIN)
    kernel = next(iter(split.ops))
    split.body.block.erase_op(kernel)
    with pytest.raises(InternalFault, match="expected one kernel for each of reader, compute, writer"):
        check(split)
