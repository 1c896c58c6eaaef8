"""A section of docs/passes.md for each pass: what it does, and the lines it changes in a small kernel."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from difflib import SequenceMatcher
from functools import cache

from tests.docs.pass_kernels import sample
from xdsl.passes import ModulePass

from tilesmith.compiler.dialects.context import compiler_context
from tilesmith.compiler.pass_group import PassGroup, leaves, tree
from tilesmith.compiler.pipeline import Choices, pipeline, run

# A kernel for passes that leave the first one as it is.
USUAL = "add"
OTHERS = {
    "split-self-copies": "shift",
    "convert-transfers": "narrow",
    "fold-unit-dims": "batch",
    "scalarize-untileable": "narrow",
    "convert-layouts": "outer",
    "clean-padding": "padded",
    "dead-store-elimination": "overwritten",
    "copy-coalescing": "overwritten",
    "split-product-operands": "product",
    "split-buffers": "softmax",
    "store-forwarding": "softmax",
    "start-with-product": "gemm",
    "merge-product-steps": "gemm",
    "schedule-products": "gemm",
    "gather-row-major": "every_other",
    "keep-accumulators-reserved": "gemm",
    "share-circular-buffers": "chain",
    "lower-reads": "first_rows",
    "canonicalize-scalars": "running_sum",
    "pipeline-stores": "products",
    "fit-circular-buffers": "deep",
}
CHECKS = {"verify-initialized", "validate-split-kernels", "verify-ttir"}
# So many lines of each kind, and so many characters of a line.
_LINES, _WIDTH = 6, 118


def pass_sections() -> str:
    return "\n\n".join("\n".join(_section(step, depth)) for step, depth in tree(pipeline(Choices())))


def _section(step: ModulePass, depth: int) -> Iterator[str]:
    yield f"{'#' * (3 + depth)} {step.name}\n"
    yield " ".join((inspect.getdoc(type(step)) or "").split("\n\n")[0].split())
    options = [f"`{field.name}`" for field in fields(step)]
    if options:
        yield f"\nOptions: {', '.join(options)}."
    if isinstance(step, PassGroup):
        yield f"\nRuns {', '.join(f'`{inner.name}`' for inner in step.passes)}."
    elif step.name in CHECKS:
        yield "\nThe module stays as it is, or is refused."
    else:
        name = OTHERS.get(step.name, USUAL)
        yield f"\nIn `{name}`:\n\n```diff"
        yield from changes(step.name, name)
        yield "```"


def changes(step: str, name: str) -> list[str]:
    """The first lines the pass takes out of the kernel, and the first it puts in."""
    steps = _texts(name)
    before, after = steps[step]
    # Values without a name are numbered anew by every pass.
    old, new = ([re.sub(r"%\d+", "%", line) for line in text] for text in (before, after))
    edits = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    gone = [line for tag, i, j, *_ in edits if tag != "equal" for line in before[i:j]]
    made = [line for tag, _, _, i, j in edits if tag != "equal" for line in after[i:j]]
    return [*_shown("-", gone), *_shown("+", made)]


@cache
def _texts(name: str) -> dict[str, tuple[list[str], list[str]]]:
    """The kernel before and after each pass, as far as it is shown."""
    module, found = sample(name), {}
    wanted = {step for step, kernel in OTHERS.items() if kernel == name}
    before = _lines(str(module))
    for step in leaves(pipeline(Choices())):
        run(compiler_context(), module, (step,))
        after = _lines(str(module))
        found[step.name] = (before, after)
        before = after
        if name != USUAL and wanted <= set(found):
            break
    return found


def _lines(text: str) -> list[str]:
    """The lines of the IR that say something: no closing braces, no indentation."""
    return [line.strip() for line in text.splitlines() if line.strip() not in ("", "}")]


def _shown(sign: str, lines: list[str]) -> Iterator[str]:
    for line in lines[:_LINES]:
        yield f"{sign} {line if len(line) <= _WIDTH else line[: _WIDTH - 3] + '...'}"
    if len(lines) > _LINES:
        yield f"{sign} ... {len(lines) - _LINES} more"
