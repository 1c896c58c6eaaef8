"""Compiles one vendor kernel as the emulator's build would and says what stopped it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random

from conformance.vendor.defines import defines_for
from conformance.vendor.metal2 import arguments_for
from conformance.vendor.wheel import VendorKernel, Wheel, without_comments
from tilesmith.arch import Arch
from tilesmith.emulator.kernel_build import kernel_unit
from tilesmith.emulator.kernel_text import own_texts
from tilesmith.formats import DataFormat, tile_bytes
from tilesmith.program import CBFormat, ComputeConfig, CoreCoord, Kernel, ReaderConfig
from tilesmith.toolchain import Job, find_compiler

_SYNTAX_ONLY = ("-std=c++20", "-fsyntax-only", "-fmax-errors=20")
_ARGUMENTS = 400


@dataclass(frozen=True)
class Guess:
    """What to compile a kernel with: one word for all compile-time arguments, and its buffers' format.

    Without a word, all are different and have an interleaved DRAM accessor wherever one may stand.
    """

    word: int | None = None
    format: DataFormat = DataFormat.Float16_b
    zeros: int | None = None
    """Words that are zero, for flags that exclude each other: those with even or with odd places."""
    seed: int | None = None
    """Words drawn at random, for conditions between several."""

    def words(self, count: int) -> list[int]:
        if self.seed is not None:
            draw = Random(self.seed)
            return [draw.choice((0, 1, 1, 2, 2, 32)) for _ in range(count)]
        words = [(2 + 4 * index) % 64 if self.word is None else self.word for index in range(count)]
        return [0 if self.zeros == index % 2 else word for index, word in enumerate(words)]


# As words, 2 makes interleaved accessors and 1 sharded ones; the others are sizes that divide.
_GUESSES = (
    Guess(),
    *(Guess(word) for word in (2, 1, 32, 64, 16, 0)),
    Guess(format=DataFormat.Float32),
    Guess(format=DataFormat.UInt32),
    *(Guess(word, zeros=place) for word in (None, 1) for place in (0, 1)),
    *(Guess(seed=seed) for seed in range(3)),
)

_REASONS = (
    ("header", re.compile(r"fatal error: ([^:]+): No such file")),
    (
        "name",
        re.compile(r"error: '(?:::)?([\w:]+)' (?:was not declared|has not been declared|does not name)"),
    ),
    ("name", re.compile(r"error: '(\w+)' is not a member of")),
    ("member", re.compile(r"error: '[^']*' has no member named '(\w+)'")),
    ("call", re.compile(r"error: no matching function for call to '([\w:~]+)")),
    ("compiler", re.compile(r"error: ('#pragma GCC unroll' requires an assignment-expression)")),
    ("compiler", re.compile(r"(internal compiler error)")),
    ("argument", re.compile(r"error: static assertion failed:? ?([^\n]*)")),
)
# What other argument words cannot change.
_FINAL = ("header ", "name ", "compiler ")


@dataclass(frozen=True)
class Outcome:
    """What a compilation said. `missing` names what the emulator lacks; empty for one that passed."""

    kernel: str
    ok: bool
    missing: tuple[str, ...] = ()
    output: str = field(default="", repr=False)
    metal2: bool = False

    @property
    def is_final(self) -> bool:
        return self.ok or all(reason.startswith(_FINAL) for reason in self.missing)


@dataclass(frozen=True)
class VendorCompiler:
    """Compiles kernels of one wheel for one chip. `links` is an empty folder to use."""

    wheel: Wheel
    arch: Arch
    links: Path

    def __post_init__(self) -> None:
        # Only ttnn's own sources are visible: with the whole package, its API headers would be too.
        (self.links / "ttnn").symlink_to(self.wheel.package / "ttnn")

    def compile(self, kernel: VendorKernel) -> Outcome:
        """The first outcome that passes; otherwise the one that came furthest."""
        outcomes: list[Outcome] = []
        for guess in _GUESSES:
            outcomes.append(self._attempt(kernel, guess))
            if outcomes[-1].is_final:
                return outcomes[-1]
        return min(outcomes, key=lambda outcome: len(outcome.output))

    def _attempt(self, kernel: VendorKernel, guess: Guess) -> Outcome:
        unit = kernel_unit(self._described(kernel, guess), _buffers(guess.format), self.arch, checks=False)
        output = "\n".join(filter(None, map(_errors_of, unit.jobs)))
        return Outcome(kernel.name, not output, tuple(_missing(output)), output, kernel.is_metal2)

    def _described(self, kernel: VendorKernel, guess: Guess) -> Kernel:
        text = self._text_with_local_headers(kernel)
        words = guess.words(_ARGUMENTS)
        names = self.wheel.named_arguments
        named = dict(zip(names, guess.words(len(names)), strict=True))
        bindings = None
        if kernel.is_metal2:
            given = arguments_for(kernel.text, text, words, kernel.name)
            bindings, words = given.bindings, list(given.compile_time_args)
            named = dict(given.named_compile_time_args)
        return Kernel(
            kernel.path,
            CoreCoord(0, 0),
            ComputeConfig() if kernel.is_compute else ReaderConfig(),
            compile_time_args=words,
            named_compile_time_args=named,
            defines=defines_for(kernel.name, text, compute=kernel.is_compute),
            compiler_include_paths=[*self._roots, kernel.path.parent, *_siblings(kernel.path.parent)],
            bindings=bindings,
        )

    @cached_property
    def _roots(self) -> tuple[Path, ...]:
        sources = self.wheel.package / "ttnn"
        return self.links, sources / "cpp", sources

    def _text_with_local_headers(self, kernel: VendorKernel) -> str:
        folders = list(map(str, self._roots))
        return "\n".join(without_comments(text) for text in own_texts(kernel.text, kernel.path, folders))


def _siblings(folder: Path) -> Iterator[Path]:
    """Headers that kernels on dataflow buffers include by name alone stand beside the other kernels."""
    if folder.parent.name == "kernels_dfb":
        yield folder.parent.parent / "kernels" / folder.name


def _buffers(format: DataFormat) -> dict[int, CBFormat]:
    return {index: CBFormat(index, format, tile_bytes(format)) for index in range(64)}


def _errors_of(job: Job) -> str:
    compiler = find_compiler()
    includes = [f"-I{folder}" for folder in job.include_dirs]
    command = [*compiler.command, *job.flags, *_SYNTAX_ONLY, *includes, "-x", "c++", "-"]
    (source,) = job.sources
    assert isinstance(source, tuple)
    done = subprocess.run(
        command, input=source[1], capture_output=True, text=True, check=False, env=compiler.environment()
    )
    return done.stderr if done.returncode else ""


def _missing(output: str) -> Iterator[str]:
    """Each distinct reason once, in order of appearance."""
    reasons = dict.fromkeys(
        f"{kind} {match.group(1)}"
        for line in output.splitlines()
        for kind, pattern in _REASONS
        if (match := pattern.search(line))
    )
    yield from reasons
    if output and not reasons:
        first = next((line for line in output.splitlines() if "error:" in line), "unknown")
        yield "other " + first.split("error:")[-1].strip()[:120]
